package main

import (
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
)

// file is a file that is tried, and what its maker knows of it.
type file struct {
	name string // for the table
	path string
}

// peer is a program that reads and writes files.
type peer interface {
	name() string
	// files builds the files that are tried of a graph.
	files(ctx context.Context, g *graph) ([]file, error)
	verify(ctx context.Context, file string) error
	quads(ctx context.Context, file string) ([]byte, error)
	query(ctx context.Context, file, query string) ([]byte, error)
	// found returns how many subjects have a literal with a word.
	found(ctx context.Context, file, word string) (int, error)
}

// errNot says that a release has no command for something.
type errNot struct{}

func (errNot) Error() string { return "it has no command for that" }

// ours is this tree.
type ours struct{ program }

func (o *ours) name() string { return "rete" }

func (o *ours) files(ctx context.Context, g *graph) (list []file, err error) {
	for _, v := range []struct {
		name string
		args []string
	}{
		{"rete 0x05 zstd", nil}, // as its contents want
		{"rete 0x05 zstd 3", []string{"--permutations", "3"}},
		{"rete 0x05 stored 6", []string{"--stored", "--permutations", "6"}},
		{"rete 0x05 stored 3", []string{"--stored", "--permutations", "3"}},
	} {
		f := file{v.name, filepath.Join(g.dir, "ours-"+base(v.name))}
		args := append([]string{"build", g.file, "-o", f.path, "--force", "--keep-labels", "--text-index"}, v.args...)
		if _, err := o.run(ctx, args...); err != nil {
			return nil, err
		}
		list = append(list, f)
	}
	return list, o.ordered(ctx, g, list[0].path)
}

// ordered returns an error if a file has not the number of orders that its graphs want.
func (o *ours) ordered(ctx context.Context, g *graph, file string) error {
	b, err := o.run(ctx, "info", "--json", file)
	if err != nil {
		return err
	}
	var info struct{ Orders int }
	if err := json.Unmarshal(b, &info); err != nil {
		return err
	}
	if want := map[bool]int{true: 3, false: 6}[g.name == manyGraphs]; info.Orders != want {
		return fmt.Errorf("%s has %d orders, want %d", file, info.Orders, want)
	}
	return nil
}

func (o *ours) verify(ctx context.Context, file string) error {
	_, err := o.run(ctx, "verify", file)
	return err
}

func (o *ours) quads(ctx context.Context, file string) ([]byte, error) {
	return o.run(ctx, "dump", file)
}

func (o *ours) query(ctx context.Context, file, query string) ([]byte, error) {
	return o.run(ctx, "query", file, query, "--format", "json")
}

func (o *ours) found(ctx context.Context, file, word string) (int, error) {
	b, err := o.run(ctx, "query", file, `SELECT (COUNT(DISTINCT ?s) AS ?n) { ?s <urn:x-rete:search> "`+word+`" }`, "--format", "csv")
	return lastNumber(b), err
}

// release is release 0.5.0.
type release struct{ program }

func (r *release) name() string { return "0.5.0" }

func (r *release) files(ctx context.Context, g *graph) (list []file, err error) {
	for _, orders := range []string{"6", "3"} {
		f := file{"0.5.0 0x06 zstd " + orders, filepath.Join(g.dir, "release-"+orders+".rete")}
		if _, err := r.run(ctx, "build", g.file, "-o", f.path, "--permutations", orders, "--text-index"); err != nil {
			return nil, err
		}
		list = append(list, f)
	}
	return list, nil
}

func (r *release) verify(ctx context.Context, file string) error {
	_, err := r.run(ctx, "verify", file)
	return err
}

func (r *release) quads(ctx context.Context, file string) ([]byte, error) {
	return r.run(ctx, "export", file)
}

func (r *release) query(ctx context.Context, file, query string) ([]byte, error) {
	return r.run(ctx, "sparql", file, query, "--json")
}

func (r *release) found(ctx context.Context, file, word string) (int, error) {
	b, err := r.run(ctx, "search", file, "--contains", word, "--limit", "1000000", "--json")
	return hits(b), err
}

// python is release 0.3.6 as a package of Python.
type python struct{ program }

//go:embed release.py
var script string

func (p *python) name() string { return "0.3.6" }

func (p *python) do(ctx context.Context, args ...string) ([]byte, error) {
	return p.run(ctx, append([]string{"-c", script}, args...)...)
}

func (p *python) files(ctx context.Context, g *graph) ([]file, error) {
	f := file{"0.3.6 0x05 zstd 6", filepath.Join(g.dir, "python.rete")}
	if _, err := p.do(ctx, "build", g.file, f.path); err != nil {
		return nil, err
	}
	return []file{f}, nil
}

func (p *python) verify(ctx context.Context, file string) error {
	if _, err := os.Stat(file); err != nil {
		return err
	}
	return errNot{}
}

func (p *python) quads(ctx context.Context, file string) ([]byte, error) {
	return p.do(ctx, "quads", file)
}

func (p *python) query(ctx context.Context, file, query string) ([]byte, error) {
	return p.do(ctx, "query", file, query)
}

func (p *python) found(ctx context.Context, file, word string) (int, error) {
	b, err := p.do(ctx, "search", file, word)
	return lastNumber(b), err
}
