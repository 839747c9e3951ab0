// Command peers runs queries on rete and on other engines over the same data, and
// prints medians and ratios as tables in Markdown.
//
//	go run ./bench/peers -scale 1000000 -python VENV/bin/python -oxigraph VENV/bin/oxigraph
//	go run ./bench/peers -set ecommerce -columns http -jena JARS -shapes L,S
//
// In the column http every engine is its own server, asked over one connection on
// loopback that is kept, for the same result format, from the request to the last
// byte. In the column process the engine is in process and serialises its rows. In the column
// mix a client asks a server the set's mix of queries and updates. A peer
// that is not given or not there is left out, with a note. docs/benchmarks.md says how
// the peers are installed and by which rules they are compared.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"time"

	"github.com/rete-go/rete/bench/movies"
	"github.com/rete-go/rete/bench/sets"
	"github.com/rete-go/rete/bench/workload"
)

type options struct {
	set, columns, shapes   string
	scale, warm, runs      int
	seed                   uint64
	dir, shared            string
	limit, budget          time.Duration
	union                  bool // of the set
	rete, python, oxigraph string
	prior, java, jena      string
	heap                   string
}

func main() {
	var o options
	flag.StringVar(&o.set, "set", "social", "data set: "+strings.Join(sets.Names, ", "))
	flag.StringVar(&o.columns, "columns", "http,process", "what is measured: http, process, mix")
	flag.StringVar(&o.shapes, "shapes", "", "prefixes of the names of queries to run, with commas (default: all)")
	flag.IntVar(&o.scale, "scale", 100_000, "number of statements, about")
	flag.IntVar(&o.warm, "warm", 5, "runs that are not timed")
	flag.IntVar(&o.runs, "runs", 20, "runs that are timed")
	flag.Uint64Var(&o.seed, "seed", 1, "draws the constants")
	flag.DurationVar(&o.budget, "budget", 5*time.Second, "time for all runs of one query on one engine; at least three are timed")
	flag.DurationVar(&o.limit, "limit", time.Minute, "time for one run before it is given up")
	flag.StringVar(&o.dir, "dir", "", "folder for data and stores (default: a temporary one)")
	flag.StringVar(&o.shared, "shared", os.Getenv("RETE_SHARED"), "folder of shared data, for the set movies")
	flag.StringVar(&o.rete, "rete", "", "the rete program (default: built from this tree)")
	flag.StringVar(&o.python, "python", "python3", "the Python that has the packages pyoxigraph and rete-graph")
	flag.StringVar(&o.oxigraph, "oxigraph", "oxigraph", "the program oxigraph")
	flag.StringVar(&o.prior, "prior", "", "the program of the prior system (default: not measured by http)")
	flag.StringVar(&o.jena, "jena", "", "folder of the jars of Jena (default: not measured)")
	flag.StringVar(&o.java, "java", "java", "the java that runs Jena")
	flag.StringVar(&o.heap, "heap", "4g", "memory of Java")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, &o); err != nil {
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
	set, err := sets.Named(o.set, o.scale, filepath.Join(o.shared, filepath.FromSlash(movies.File)))
	if err != nil {
		return err
	}
	o.union = set.Union
	data := filepath.Join(o.dir, set.Name+set.Extension())
	statements, err := write(set, data)
	if err != nil {
		return err
	}
	queries := o.wanted(set)
	fmt.Printf("# %s, %d statements\n\n", set.Name, statements)
	printMachine(os.Stdout)
	for _, column := range strings.Split(o.columns, ",") {
		engines, err := o.engines(ctx, column)
		if err != nil {
			return err
		}
		if err := runColumn(ctx, column, engines, data, set, queries, o); err != nil {
			return err
		}
	}
	return nil
}

// engines returns those of a column; the first is rete.
func (o *options) engines(ctx context.Context, column string) ([]engine, error) {
	store := func(name string) string { return filepath.Join(o.dir, name) }
	if column == "process" {
		list := []engine{
			&inProcess{dir: o.dir, union: o.union},
			&child{title: "Oxigraph", args: []string{o.python, "-c", oxigraphScript}, dir: store("pyoxigraph"), union: o.union},
		}
		if o.union { // the others have no union of all graphs as an option of a request
			return list, nil
		}
		list = append(list, &child{title: "prior", args: []string{o.python, "-c", priorScript}, dir: store("pyprior")})
		if o.jena != "" {
			list = append(list, jenaProcess(o))
		}
		return list, nil
	}
	if column != "http" && column != "mix" {
		return nil, fmt.Errorf("no column %q: there are http, process and mix", column)
	}
	if o.rete == "" {
		o.rete = store("rete")
		if err := command(ctx, "go", "build", "-o", o.rete, "github.com/rete-go/rete/cmd/rete"); err != nil {
			return nil, err
		}
	}
	if column == "mix" {
		return writable(o), nil
	}
	list := []engine{reteServer(o), oxigraphServer(o)}
	if o.union {
		return list, nil
	}
	if o.prior != "" {
		list = append(list, priorServer(o))
	}
	if o.jena != "" {
		list = append(list, fuseki(o))
	}
	return list, nil
}

// runColumn loads the data into the engines of a column and prints its table.
func runColumn(ctx context.Context, column string, engines []engine, data string, set *workload.Set, queries []workload.Query, o *options) error {
	fmt.Printf("## %s\n\n", column)
	var there []engine
	for i, e := range engines {
		start := time.Now()
		version, err := e.load(ctx, data)
		if err != nil {
			e.close()
			if i == 0 {
				return err
			}
			fmt.Printf("* %s: left out: %v\n", e.name(), err)
			continue
		}
		defer e.close()
		fmt.Printf("* %s %s: loaded in %.1f s; %s\n", e.name(), version, time.Since(start).Seconds(), e.configuration())
		there = append(there, e)
	}
	fmt.Println()
	if column == "mix" {
		return runMix(ctx, os.Stdout, there, set, o)
	}
	t := &table{engines: there}
	for _, q := range queries {
		l, err := measure(ctx, there, set, q, o)
		if err != nil {
			return err
		}
		t.lines = append(t.lines, l)
		fmt.Fprintf(os.Stderr, "%s %s\n", column, l.short(there))
	}
	t.print(os.Stdout)
	return nil
}

func (o *options) wanted(set *workload.Set) []workload.Query {
	if o.shapes == "" {
		return set.Queries
	}
	var out []workload.Query
	for _, q := range set.Queries {
		for _, p := range strings.Split(o.shapes, ",") {
			if strings.HasPrefix(q.Name, p) {
				out = append(out, q)
				break
			}
		}
	}
	return out
}

// write writes the data set to a file.
func write(set *workload.Set, name string) (int, error) {
	f, err := os.Create(name)
	if err != nil {
		return 0, err
	}
	defer f.Close()
	n, err := set.Write(f)
	if err != nil {
		return 0, err
	}
	return n, f.Close()
}
