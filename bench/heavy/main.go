// Command heavy runs the heaviest query shapes from many clients at a time in
// little memory, and reports what came of it:
//
//	go run ./bench/heavy -scale 10000000 -clients 16 -time 10m -memory 536870912
//
// Each answer is compared with the one that the query has alone and without
// limits. An answer is right, or the query ended with an error that names the
// budget; anything else makes the command fail. So does resident memory above
// the budget and a margin for what is not counted (-margin).
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/rete-go/rete/bench/social"
	"github.com/rete-go/rete/rdf"
	"github.com/rete-go/rete/segment"
)

type options struct {
	scale, clients int
	time           time.Duration
	memory, margin int64
	dir            string
}

func main() {
	var o options
	flag.IntVar(&o.scale, "scale", 1_000_000, "number of statements, about")
	flag.IntVar(&o.clients, "clients", 16, "queries at a time")
	flag.DurationVar(&o.time, "time", time.Minute, "how long")
	flag.Int64Var(&o.memory, "memory", 512<<20, "bytes for the cache and all queries")
	flag.Int64Var(&o.margin, "margin", 188<<20, "bytes of resident memory above that")
	flag.StringVar(&o.dir, "dir", "", "folder for data and temporary files (default: a temporary one)")
	flag.Parse()
	r, err := run(context.Background(), &o)
	if err == nil {
		fmt.Print(r)
		err = r.verdict(&o)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "heavy:", err)
		os.Exit(1)
	}
}

// build writes the data set as one segment.
func build(ctx context.Context, name string, scale int) error {
	text := name + ".nt"
	f, err := os.Create(text)
	if err != nil {
		return err
	}
	defer os.Remove(text)
	defer f.Close()
	if _, err := social.Generate(f, social.Options{Persons: social.PersonsFor(scale)}); err != nil {
		return err
	}
	if _, err := f.Seek(0, 0); err != nil {
		return err
	}
	b := segment.NewBuilder(nil)
	if err := b.AddNQuads(ctx, f, rdf.Options{}, true); err != nil {
		return err
	}
	out, err := os.Create(name)
	if err != nil {
		return err
	}
	if _, err := b.WriteTo(ctx, out); err != nil {
		return err
	}
	return out.Close()
}

// folder returns the folder to work in, and how to clean up.
func (o *options) folder() (string, func(), error) {
	if o.dir != "" {
		return o.dir, func() {}, nil
	}
	dir, err := os.MkdirTemp("", "heavy")
	return dir, func() { os.RemoveAll(dir) }, err
}

func (o *options) file(dir string) string { return filepath.Join(dir, "social.rete") }
