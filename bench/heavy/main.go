// Command heavy runs the heaviest query shapes from many clients at a time in
// little memory, and reports what came of it:
//
//	go run ./bench/heavy -scale 10000000 -clients 16 -time 10m -memory 536870912
//
// Each answer is compared with the one that the query has alone and without
// limits; those are kept in the folder of -dir. An answer is right, or the query
// ended with an error that names the budget; anything else makes the command
// fail. So does resident memory above the budget and a margin for what is not
// counted (-margin).
package main

import (
	"context"
	"flag"
	"fmt"
	"hash/fnv"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/rete-go/rete/bench/social"
	"github.com/rete-go/rete/internal/segment"
	"github.com/rete-go/rete/rdf"
)

type options struct {
	scale, clients int
	time           time.Duration
	memory, margin int64
	dir            string
	want           []uint64 // digests of the right answers, in the order of heavy
}

func main() {
	var o options
	flag.IntVar(&o.scale, "scale", 1_000_000, "number of statements, about")
	flag.IntVar(&o.clients, "clients", 16, "queries at a time")
	flag.DurationVar(&o.time, "time", time.Minute, "how long")
	flag.Int64Var(&o.memory, "memory", 512<<20, "bytes for the cache and all queries")
	flag.Int64Var(&o.margin, "margin", 188<<20, "bytes of resident memory above that")
	flag.StringVar(&o.dir, "dir", "", "folder for data and temporary files (default: a temporary one)")
	alone := flag.Bool("answers", false, "only print a digest of each answer, found alone and without limits")
	flag.Parse()
	ctx := context.Background()
	if *alone {
		if err := printAnswers(ctx, &o); err != nil {
			fmt.Fprintln(os.Stderr, "heavy:", err)
			os.Exit(1)
		}
		return
	}
	r, err := runBeside(ctx, &o)
	if err == nil {
		fmt.Print(r)
		err = r.verdict(&o)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "heavy:", err)
		os.Exit(1)
	}
}

// runBeside lets another process find the right answers, so that the memory which that
// takes is not among the resident memory of this one.
func runBeside(ctx context.Context, o *options) (*result, error) {
	dir, clean, err := o.folder()
	if err != nil {
		return nil, err
	}
	defer clean()
	o.dir = dir
	text, err := os.ReadFile(o.answersFile())
	if err != nil {
		if text, err = findAnswers(ctx, o); err != nil {
			return nil, err
		}
	}
	for _, f := range strings.Fields(string(text)) {
		n, err := strconv.ParseUint(f, 10, 64)
		if err != nil {
			return nil, err
		}
		o.want = append(o.want, n)
	}
	return run(ctx, o)
}

// findAnswers runs the process that finds the right answers, and keeps them next to the
// data for the next run in the same folder.
func findAnswers(ctx context.Context, o *options) ([]byte, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	c := exec.CommandContext(ctx, self, "-answers", "-scale", strconv.Itoa(o.scale), "-dir", o.dir)
	c.Stderr = os.Stderr
	text, err := c.Output()
	if err != nil {
		return nil, fmt.Errorf("answers: %w", err)
	}
	return text, os.WriteFile(o.answersFile(), text, 0o644)
}

// printAnswers finds the right answers and prints their digests.
func printAnswers(ctx context.Context, o *options) error {
	o.time = -1
	if _, err := run(ctx, o); err != nil {
		return err
	}
	for _, n := range o.want {
		fmt.Println(n)
	}
	return nil
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

// answersFile is where the right answers are kept: by what was asked, of what.
func (o *options) answersFile() string {
	h := fnv.New64a()
	fmt.Fprintln(h, o.scale)
	for _, q := range heavy {
		fmt.Fprintln(h, q)
	}
	return filepath.Join(o.dir, fmt.Sprintf("answers-%016x", h.Sum64()))
}

func (o *options) file(dir string) string { return filepath.Join(dir, "social.rete") }
