package main

import (
	"bufio"
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/rete-go/rete"
	"github.com/rete-go/rete/engine"
	"github.com/rete-go/rete/internal/retetest"
	"github.com/rete-go/rete/rdf"
	"github.com/rete-go/rete/sparql"
)

//go:embed peers.py
var peersPython string

// peersOptions are the choices of the comparison of small writes.
type peersOptions struct {
	*common
	python string
	quads  int
	length time.Duration
}

// peerFigures are what one engine does over one base.
type peerFigures struct {
	Missing bool    `json:"missing"`
	Version string  `json:"version"`
	Load    float64 `json:"load"`    // seconds
	Writes  float64 `json:"writes"`  // a second, as the engine acknowledges them
	Durable float64 `json:"durable"` // a second, on disk when acknowledged
	Read    float64 `json:"read"`    // milliseconds of the first query after a write, median
}

// peers measures the same updates, as text of INSERT DATA by one writer in process,
// on rete and on Oxigraph. rete acknowledges what is on disk, or with sync=never what
// is written; Oxigraph what is written, and flush() puts it on disk.
func peers(ctx context.Context, o *peersOptions) error {
	data := filepath.Join(o.dir, "base.nt")
	if err := writeBase(data, o.quads); err != nil {
		return err
	}
	ours, err := o.ours(ctx, data)
	if err != nil {
		return err
	}
	out, err := output(ctx, o.python, "-c", peersPython, filepath.Join(o.dir, "oxigraph"), data, fmt.Sprint(o.length.Seconds()))
	if err != nil {
		return err
	}
	var oxigraph peerFigures
	if err := json.Unmarshal([]byte(out), &oxigraph); err != nil {
		return fmt.Errorf("%w: %s", err, out)
	}
	fmt.Fprintf(o.out, "a base of %d quads, one writer, one quad an update\n", o.quads)
	w := tabwriter.NewWriter(o.out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "engine\tload\twritten\ton disk\tquery after a write\t")
	for _, p := range []struct {
		name string
		f    *peerFigures
	}{{"rete", ours}, {"Oxigraph", &oxigraph}} {
		if p.f.Missing {
			fmt.Fprintf(w, "%s\tnot installed\t\t\t\t\n", p.name)
			continue
		}
		fmt.Fprintf(w, "%s %s\t%.2f s\t%.0f/s\t%.0f/s\t%.3f ms\t\n", p.name, p.f.Version, p.f.Load, p.f.Writes, p.f.Durable, p.f.Read)
	}
	return w.Flush()
}

// writeBase writes the persons as N-Triples.
func writeBase(name string, quads int) error {
	f, err := os.Create(name)
	if err != nil {
		return err
	}
	defer f.Close()
	w := bufio.NewWriter(f)
	var q rdf.RawQuad
	for base := (&people{n: quads}); base.Read(&q) != io.EOF; {
		fmt.Fprintf(w, "%s %s %s .\n", q.S, q.P, q.O)
	}
	return errors.Join(w.Flush(), f.Close())
}

func (o *peersOptions) ours(ctx context.Context, data string) (*peerFigures, error) {
	f := &peerFigures{}
	for _, c := range []struct {
		sync engine.SyncMode
		rate *float64
	}{{engine.SyncNever, &f.Writes}, {engine.SyncAlways, &f.Durable}} {
		if err := o.oursWith(ctx, data, c.sync, c.rate, f); err != nil {
			return nil, err
		}
	}
	return f, nil
}

func (o *peersOptions) oursWith(ctx context.Context, data string, sync engine.SyncMode, rate *float64, f *peerFigures) error {
	start := time.Now()
	name := filepath.Join(o.dir, fmt.Sprintf("peers%d.rete-manifest.json", sync))
	db, err := retetest.Init(ctx, name, &engine.InitOptions{Bases: []engine.Source{{Name: data}}}, &rete.Options{Sync: sync})
	if err != nil {
		return err
	}
	defer db.Close()
	f.Load = time.Since(start).Seconds()
	n := int64(0)
	write := func() error {
		n++
		u, err := sparql.ParseUpdate(fmt.Sprintf("INSERT DATA { <http://ex/person/%d> <http://ex/p1> %d }", n%1000, n), nil)
		if err == nil {
			_, err = db.Execute(ctx, u)
		}
		return err
	}
	begin := time.Now()
	for time.Since(begin) < o.length {
		if err := write(); err != nil {
			return err
		}
	}
	*rate = float64(n) / time.Since(begin).Seconds()
	var took []float64
	for begin := time.Now(); time.Since(begin) < o.length || len(took) < 100; {
		if err := write(); err != nil {
			return err
		}
		start := time.Now()
		q, err := sparql.Parse(strings.Replace(person, "?person", fmt.Sprintf("<http://ex/person/%d>", n%1000), 1), nil)
		if err != nil {
			return err
		}
		snap, err := db.Snapshot(ctx)
		if err != nil {
			return err
		}
		rows, err := snap.Select(ctx, q)
		if err == nil {
			for _, e := range rows.All() {
				err = errors.Join(err, e)
			}
		}
		if err = errors.Join(err, snap.Close()); err != nil {
			return err
		}
		took = append(took, float64(time.Since(start))/1e6)
	}
	f.Read = percentile(took, 0.5)
	return db.Close()
}
