package main

import (
	"cmp"
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	o := options{out: os.Stdout}
	flag.StringVar(&o.rete, "rete", "", "the rete program (default: built from this tree)")
	flag.StringVar(&o.python, "python", "", "the Python that has rete-graph 0.3.6 (default: left out)")
	flag.StringVar(&o.release, "release", "", "the program of release 0.5.0 (default: left out)")
	flag.StringVar(&o.dir, "dir", "", "folder for the files (default: a temporary one)")
	flag.StringVar(&o.only, "graph", "", "the one graph to try (default: all)")
	flag.StringVar(&o.shared, "shared", os.Getenv("RETE_SHARED"), "folder of shared data, for the real set (default: left out)")
	flag.IntVar(&o.large, "large", 100_000, "quads of the generated graph")
	flag.Parse()
	good, err := run(ctx, &o)
	if err != nil {
		fmt.Fprintln(os.Stderr, "interop:", err)
		os.Exit(2)
	}
	if !good {
		os.Exit(1)
	}
}

// options are those of the command line.
type options struct {
	rete, python, release string
	dir, only, shared     string
	large                 int
	out                   io.Writer
}

// run tries everything and reports whether nothing differs that is not known.
func run(ctx context.Context, o *options) (good bool, err error) {
	if o.dir == "" {
		if o.dir, err = os.MkdirTemp("", "interop"); err != nil {
			return false, err
		}
		defer os.RemoveAll(o.dir)
	}
	if o.rete == "" {
		o.rete = filepath.Join(o.dir, "rete-under-test")
		if out, err := exec.CommandContext(ctx, "go", "build", "-o", o.rete, "github.com/rete-go/rete/cmd/rete").CombinedOutput(); err != nil {
			return false, fmt.Errorf("go build: %w\n%s", err, out)
		}
	}
	t := &table{out: o.out, good: true}
	us := &ours{program{path: o.rete}}
	var them []peer
	if o.python != "" {
		them = append(them, &python{program{path: o.python}})
	}
	if o.release != "" {
		them = append(them, &release{program{path: o.release}})
	}
	graphs, err := allGraphs(o.large, o.shared)
	if err != nil {
		return false, err
	}
	t.head()
	for i := range graphs {
		g := &graphs[i]
		if o.only != "" && g.name != o.only {
			continue
		}
		g.dir = filepath.Join(o.dir, strings.ReplaceAll(g.name, " ", "-"))
		if err := os.MkdirAll(g.dir, 0o777); err != nil {
			return false, err
		}
		g.file = filepath.Join(g.dir, "data.nq")
		if err := os.WriteFile(g.file, []byte(g.text), 0o666); err != nil {
			return false, err
		}
		for _, p := range them {
			if err := try(ctx, t, us, p, g); err != nil {
				return false, fmt.Errorf("%s: %w", g.name, err)
			}
		}
	}
	for _, p := range them {
		if r, ok := p.(*release); ok && cmp.Or(o.only, "manifests") == "manifests" {
			manifests(ctx, t, us, r, o.dir)
		}
	}
	t.notes()
	return t.good, ctx.Err()
}
