package main

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"time"

	"github.com/rete-go/rete"
	"github.com/rete-go/rete/rdf"
	"github.com/rete-go/rete/segment"
	"github.com/rete-go/rete/sparql"
)

// errLimit: an engine took longer than -limit.
var errLimit = errors.New("over the limit")

// engine is an engine with the data loaded.
type engine interface {
	name() string
	// load loads a file of N-Triples, and returns the version and the time.
	load(ctx context.Context, file string) (string, time.Duration, error)
	// query runs a query as often as the options say; times are those of the
	// runs after the warm ones, from the text to the last serialised byte.
	query(ctx context.Context, text string, o *options) ([]time.Duration, *answer, error)
	close()
}

// inProcess is rete.
type inProcess struct {
	dir  string
	db   *rete.DB
	snap *rete.Snapshot
}

func (e *inProcess) name() string { return "rete" }

func (e *inProcess) load(ctx context.Context, file string) (string, time.Duration, error) {
	start := time.Now()
	in, err := os.Open(file)
	if err != nil {
		return "", 0, err
	}
	defer in.Close()
	b := segment.NewBuilder(nil)
	if err := b.AddNQuads(ctx, in, rdf.Options{}, true); err != nil {
		return "", 0, err
	}
	name := filepath.Join(e.dir, "social.rete")
	out, err := os.Create(name)
	if err != nil {
		return "", 0, err
	}
	if _, err := b.WriteTo(ctx, out); err != nil {
		return "", 0, err
	}
	if err := out.Close(); err != nil {
		return "", 0, err
	}
	took := time.Since(start)
	if e.db, err = rete.Open(ctx, name, nil); err != nil {
		return "", 0, err
	}
	e.snap, err = e.db.Snapshot(ctx)
	return "of this tree", took, err
}

func (e *inProcess) query(ctx context.Context, text string, o *options) ([]time.Duration, *answer, error) {
	ctx, cancel := context.WithTimeout(ctx, o.limit)
	defer cancel()
	var times []time.Duration
	var out bytes.Buffer
	format := sparql.JSON
	begin := time.Now()
	for i := 0; i < o.warm+o.runs; i++ {
		if len(times) >= 3 && time.Since(begin) > o.budget {
			break
		}
		out.Reset()
		start := time.Now()
		q, err := sparql.Parse(text, nil)
		if err != nil {
			return nil, nil, err
		}
		if q.Form() == sparql.FormConstruct || q.Form() == sparql.FormDescribe {
			format = sparql.NTriples
		}
		if err := e.snap.WriteTo(ctx, &out, format, q); err != nil {
			if ctx.Err() != nil {
				err = errLimit
			}
			return nil, nil, err
		}
		if i >= o.warm || time.Since(begin) > o.budget {
			times = append(times, time.Since(start))
		}
	}
	suffix := "json"
	if format.IsGraph() {
		suffix = "nt"
	}
	a, err := readAnswer(&out, suffix)
	return times, a, err
}

func (e *inProcess) close() {
	if e.snap != nil {
		e.snap.Close()
	}
	if e.db != nil {
		e.db.Close()
	}
}
