package main

import (
	"context"
	"errors"
	"hash/crc32"
	"os"
	"path/filepath"
	"strings"
	"time"

	"bytes"

	"github.com/rete-go/rete"
	"github.com/rete-go/rete/internal/segment"
	"github.com/rete-go/rete/rdf"
	"github.com/rete-go/rete/sparql"
)

// errLimit: an engine took longer than -limit.
var errLimit = errors.New("over the limit")

// engine is an engine with the data loaded.
type engine interface {
	name() string
	// configuration says how the engine is run.
	configuration() string
	// load loads a file and returns the version.
	load(ctx context.Context, file string) (string, error)
	// query runs a query once and returns its time, and if want is set the answer.
	query(ctx context.Context, r *query, want bool) (time.Duration, *answer, error)
	close()
}

// query is a query to run.
type query struct {
	text  string
	graph bool // the answer is a graph
	limit time.Duration

	update bool // it changes something, and has no answer
}

// newQuery looks at the form of a query.
func newQuery(text string, limit time.Duration) (*query, error) {
	q, err := sparql.Parse(text, nil)
	if err != nil {
		return nil, err
	}
	graph := q.Form() == sparql.FormConstruct || q.Form() == sparql.FormDescribe
	return &query{text: text, graph: graph, limit: limit}, nil
}

// inProcess is rete.
type inProcess struct {
	dir   string
	union bool // the default graph is that of all graphs
	db    *rete.DB
	snap  *rete.Snapshot
	out   bytes.Buffer
	sum   uint32 // of the answers: all bytes are read
}

func (e *inProcess) name() string { return "rete" }

func (e *inProcess) configuration() string {
	return "the Go API with Options.Warm and a cache of 1 GiB, JSON or N-Triples into memory"
}

func (e *inProcess) load(ctx context.Context, file string) (string, error) {
	in, err := os.Open(file)
	if err != nil {
		return "", err
	}
	defer in.Close()
	b := segment.NewBuilder(nil)
	if err := b.AddNQuads(ctx, in, rdf.Options{}, strings.HasSuffix(file, ".nt")); err != nil {
		return "", err
	}
	name := filepath.Join(e.dir, "process.rete")
	out, err := os.Create(name)
	if err != nil {
		return "", err
	}
	if _, err := b.WriteTo(ctx, out); err != nil {
		return "", err
	}
	if err := out.Close(); err != nil {
		return "", err
	}
	if e.db, err = rete.Open(ctx, name, &rete.Options{CacheBytes: 1 << 30, Warm: &rete.WarmOptions{}}); err != nil {
		return "", err
	}
	e.snap, err = e.db.Snapshot(ctx)
	return "of this tree", err
}

func (e *inProcess) query(ctx context.Context, r *query, want bool) (time.Duration, *answer, error) {
	ctx, cancel := context.WithTimeout(ctx, r.limit)
	defer cancel()
	format := sparql.JSON
	if r.graph {
		format = sparql.NTriples
	}
	e.out.Reset()
	start := time.Now()
	q, err := sparql.Parse(r.text, nil)
	if err != nil {
		return 0, nil, err
	}
	var opts []sparql.Option
	if e.union {
		opts = append(opts, sparql.UnionDefaultGraph())
	}
	if err := e.snap.WriteTo(ctx, &e.out, format, q, opts...); err != nil {
		if ctx.Err() != nil {
			err = errLimit
		}
		return 0, nil, err
	}
	e.sum ^= crc32.ChecksumIEEE(e.out.Bytes())
	took := time.Since(start)
	if !want {
		return took, nil, nil
	}
	a, err := readAnswer(&e.out, r.graph)
	return took, a, err
}

func (e *inProcess) close() {
	if e.snap != nil {
		e.snap.Close()
	}
	if e.db != nil {
		e.db.Close()
	}
}
