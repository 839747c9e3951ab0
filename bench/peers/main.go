// Command peers runs the shapes of bench/shapes on rete and on other engines over
// the same data, and prints medians and ratios as a table in Markdown.
//
//	go run ./bench/peers -scale 1000000
//	go run ./bench/peers -python /path/to/venv/bin/python -shapes 0,19,28
//
// All engines run in process and serialise their rows: rete here, Oxigraph
// (package pyoxigraph) and the prior system (package rete_graph) each in a Python
// process that keeps its store open. A peer whose package is missing is left out,
// with a note. Answers are compared as multisets, numbers by value and blank nodes
// as one, before any time is printed; of answers that the standard leaves open
// (LIMIT without a total order, DESCRIBE) only the number of rows.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/rete-go/rete/bench/shapes"
	"github.com/rete-go/rete/bench/social"
)

type options struct {
	scale, warm, runs int
	python, dir       string
	limit, budget     time.Duration
	only              []string
}

func main() {
	var o options
	var only string
	flag.IntVar(&o.scale, "scale", 100_000, "number of statements, about")
	flag.IntVar(&o.warm, "warm", 3, "runs that are not timed")
	flag.IntVar(&o.runs, "runs", 15, "runs that are timed")
	flag.DurationVar(&o.budget, "budget", 5*time.Second, "time for all runs of one shape; at least three are made")
	flag.DurationVar(&o.limit, "limit", time.Minute, "time for one shape on one engine before it is given up")
	flag.StringVar(&o.python, "python", "python3", "the Python that has the packages of the peers")
	flag.StringVar(&o.dir, "dir", "", "folder for data and stores (default: a temporary one)")
	flag.StringVar(&only, "shapes", "", "prefixes of the names of shapes to run, with commas (default: all)")
	flag.Parse()
	if only != "" {
		o.only = strings.Split(only, ",")
	}
	if err := run(context.Background(), &o); err != nil {
		fmt.Fprintln(os.Stderr, "peers:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, o *options) error {
	if o.dir == "" {
		dir, err := os.MkdirTemp("", "peers")
		if err != nil {
			return err
		}
		defer os.RemoveAll(dir)
		o.dir = dir
	}
	data := filepath.Join(o.dir, "social.nt")
	statements, err := generate(data, o.scale)
	if err != nil {
		return err
	}
	engines := []engine{
		&inProcess{dir: o.dir},
		&python{title: "Oxigraph", script: oxigraphScript, path: o.python, dir: filepath.Join(o.dir, "oxigraph"), suffix: "tsv"},
		&python{title: "prior", script: priorScript, path: o.python, dir: filepath.Join(o.dir, "prior"), suffix: "json"},
	}
	var there []engine
	for _, e := range engines {
		version, took, err := e.load(ctx, data)
		if err != nil {
			if len(there) == 0 {
				return err
			}
			fmt.Fprintf(os.Stderr, "peers: without %s: %v\n", e.name(), err)
			continue
		}
		defer e.close()
		fmt.Fprintf(os.Stderr, "%s %s: loaded in %.1f s\n", e.name(), version, took.Seconds())
		there = append(there, e)
	}
	fmt.Printf("%d statements, %s, %d CPUs, GOMAXPROCS %d\n\n", statements, runtime.Version(), runtime.NumCPU(), runtime.GOMAXPROCS(0))
	t := newTable(there)
	for _, s := range shapes.All {
		if !o.wants(s.Name) {
			continue
		}
		if err := t.add(ctx, s, o); err != nil {
			return err
		}
	}
	t.print(os.Stdout)
	return nil
}

func (o *options) wants(name string) bool {
	for _, p := range o.only {
		if strings.HasPrefix(name, p) {
			return true
		}
	}
	return o.only == nil
}

// generate writes the data set.
func generate(name string, scale int) (int, error) {
	f, err := os.Create(name)
	if err != nil {
		return 0, err
	}
	stats, err := social.Generate(f, social.Options{Persons: social.PersonsFor(scale)})
	if err != nil {
		return 0, err
	}
	return stats.Statements, f.Close()
}
