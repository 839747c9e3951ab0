package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/rete-go/rete/internal/made06"
	"github.com/rete-go/rete/rdf"
	"github.com/rete-go/rete/rdf/rdfio"
)

// surfaces returns the quads of a text of N-Quads by their surfaces.
func surfaces(text []byte) (list []made06.Quad, err error) {
	r, err := rdfio.Open("quads.nq", bytes.NewReader(text), rdfio.NQuads, rdf.Options{Blank: rdf.Verbatim, Lenient: true})
	if err != nil {
		return nil, err
	}
	for {
		var q rdf.RawQuad
		err := r.Read(&q)
		if errors.Is(err, io.EOF) {
			return list, nil
		}
		if err != nil {
			return nil, err
		}
		list = append(list, made06.Quad{string(q.S), string(q.P), string(q.O), string(q.G)})
	}
}

// exchange is a graph that two programs write in turn, and what it must hold.
type exchange struct {
	us      *ours
	them    *release
	dir, m  string
	want    []string
	steps   int
	journal bool // ours was written
	adopted int  // times that it was taken over
}

// manifests lets both programs continue each other's manifests and journals.
func manifests(ctx context.Context, t *table, us *ours, them *release, dir string) {
	for _, first := range []string{"0.5.0", "rete"} {
		x := &exchange{us: us, them: them, dir: filepath.Join(dir, "manifests-"+first)}
		r := t.row("manifests", "begun by "+first)
		err := os.MkdirAll(x.dir, 0o777)
		if err == nil {
			err = x.begin(ctx, first)
		}
		for _, step := range []func(context.Context) error{
			x.addTheirs, x.journalTheirs, x.writeOurs, x.addTheirs, x.compactTheirs, x.writeOurs, x.compactOurs, x.addTheirs,
		} {
			if err == nil {
				err = step(ctx)
			}
			if err == nil {
				err = x.same(ctx)
			}
		}
		if err == nil && x.adopted == 0 {
			err = errors.New("no journal had to be taken over: then docs/peers.md is wrong")
		}
		r.cell("fold", err)
		r.print()
	}
}

func triple(n int) string {
	return fmt.Sprintf("<http://ex/s%d> <http://ex/p> \"%d\" .\n", n, n)
}

// build makes a segment of some triples with a program.
func (x *exchange) build(ctx context.Context, p program, name string, from, to int) (string, error) {
	text := ""
	for n := from; n < to; n++ {
		text += triple(n)
	}
	nt, out := filepath.Join(x.dir, name+".nt"), filepath.Join(x.dir, name+".rete")
	if err := os.WriteFile(nt, []byte(text), 0o666); err != nil {
		return "", err
	}
	_, err := p.run(ctx, "build", nt, "-o", out)
	return out, err
}

// has sets which triples the graph holds: adds come, dels go.
func (x *exchange) has(addFrom, addTo, delFrom, delTo int) {
	line := func(n int) string { return fmt.Sprintf("<http://ex/s%d> <http://ex/p> \"%d\" ", n, n) }
	for n := delFrom; n < delTo; n++ {
		if i, ok := slices.BinarySearch(x.want, line(n)); ok {
			x.want = slices.Delete(x.want, i, i+1)
		}
	}
	for n := addFrom; n < addTo; n++ {
		x.want = append(x.want, line(n))
	}
	slices.Sort(x.want)
	x.want = slices.Compact(x.want)
}

func (x *exchange) begin(ctx context.Context, first string) error {
	x.m = filepath.Join(x.dir, "g.rete-manifest.json")
	x.has(0, 100, 0, 0)
	p, init := x.us.program, []string{"init"}
	if first == x.them.name() {
		p, init = x.them.program, []string{"manifest", "init"}
	}
	base, err := x.build(ctx, p, "base", 0, 100)
	if err == nil {
		_, err = p.run(ctx, append(init, x.m, filepath.Base(base))...)
	}
	if err != nil && first == "rete" { // it takes a path, not a name next to the manifest
		_, err = p.run(ctx, append(init, x.m, base)...)
	}
	return err
}

// addTheirs appends segments of the release with its command.
func (x *exchange) addTheirs(ctx context.Context) error {
	x.steps++
	from := 1000 * x.steps
	adds, err := x.build(ctx, x.them.program, fmt.Sprintf("adds%d", x.steps), from, from+50)
	if err != nil {
		return err
	}
	dels, err := x.build(ctx, x.them.program, fmt.Sprintf("dels%d", x.steps), 5*x.steps, 5*x.steps+5)
	if err != nil {
		return err
	}
	x.has(from, from+50, 5*x.steps, 5*x.steps+5)
	return x.theirs(ctx, "manifest", "add", x.m, "--adds", filepath.Base(adds), "--dels", filepath.Base(dels))
}

// theirs lets the release write the manifest anew. It leaves out what says which batches of our
// journal are in the log: where there were any, ours refuses the journal and takes it over when told so.
func (x *exchange) theirs(ctx context.Context, args ...string) error {
	if _, err := x.them.run(ctx, args...); err != nil || !x.journal {
		return err
	}
	if err := x.oursHas(ctx); err == nil || !strings.Contains(err.Error(), "--adopt") {
		return err
	}
	x.adopted++
	_, err := x.us.run(ctx, "fsck", "--adopt", x.m)
	return err
}

// journalTheirs writes a journal as the release's server does, reads it with ours, and lets the
// release seal it.
func (x *exchange) journalTheirs(ctx context.Context) error {
	text := ""
	for n := 500; n < 520; n++ {
		text += "+ " + triple(n)
	}
	for n := 90; n < 95; n++ {
		text += "- " + triple(n)
	}
	if err := os.WriteFile(x.m+".changes", []byte(text), 0o666); err != nil {
		return err
	}
	x.has(500, 520, 90, 95)
	if err := x.oursHas(ctx); err != nil {
		return fmt.Errorf("the journal of the release: %w", err)
	}
	return x.theirs(ctx, "manifest", "seal", x.m)
}

// writeOurs changes the graph with ours and seals it.
func (x *exchange) writeOurs(ctx context.Context) error {
	x.steps++
	from := 1000 * x.steps
	text := ""
	for n := from; n < from+20; n++ {
		text += triple(n)
	}
	x.has(from, from+20, 50+x.steps, 51+x.steps)
	update := "INSERT DATA { " + text + " } ; DELETE DATA { " + triple(50+x.steps) + " }"
	x.journal = true
	if _, err := x.us.run(ctx, "update", x.m, update); err != nil {
		return err
	}
	if _, err := x.them.run(ctx, "manifest", "seal", x.m); err == nil {
		return errors.New("the release seals our journal, which it does not understand")
	}
	if err := x.oursHas(ctx); err != nil {
		return err
	}
	_, err := x.us.run(ctx, "seal", x.m)
	return err
}

func (x *exchange) compactTheirs(ctx context.Context) error {
	return x.theirs(ctx, "manifest", "compact", x.m)
}

func (x *exchange) compactOurs(ctx context.Context) error {
	_, err := x.us.run(ctx, "compact", x.m)
	return err
}

// oursHas compares what ours reads with what there must be.
func (x *exchange) oursHas(ctx context.Context) error {
	text, err := x.us.quads(ctx, x.m)
	if err != nil {
		return err
	}
	got, err := quadsOf(text)
	if err != nil {
		return err
	}
	return same(got, x.want)
}

// same compares what both read with what there must be.
func (x *exchange) same(ctx context.Context) error {
	if err := x.oursHas(ctx); err != nil {
		return fmt.Errorf("step %d, rete: %w", x.steps, err)
	}
	b, err := x.them.run(ctx, "manifest", "query", x.m, "SELECT ?s ?o { ?s <http://ex/p> ?o }", "--json")
	if err != nil {
		return fmt.Errorf("step %d: %w", x.steps, err)
	}
	rows, err := rowsOf(b)
	if err == nil && len(rows) != len(x.want) {
		err = fmt.Errorf("the release reads %d rows, there are %d", len(rows), len(x.want))
	}
	if err == nil {
		_, err = x.us.run(ctx, "fsck", x.m)
	}
	return err
}
