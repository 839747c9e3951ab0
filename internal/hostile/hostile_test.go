package hostile_test

import (
	"context"
	"errors"
	"io"
	"path/filepath"
	"runtime/metrics"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/rete-go/rete"
	"github.com/rete-go/rete/internal/hostile"
	"github.com/rete-go/rete/internal/longtest"
	"github.com/rete-go/rete/rdf"
	"github.com/rete-go/rete/rdf/document"
	"github.com/rete-go/rete/rdf/rdfio"
	"github.com/rete-go/rete/sparql"
)

// A request that is ended does no more than so much: checks of the context, and bytes that are
// allocated. Between two checks it allocates no more than mostBetween.
const (
	mostChecks  = 200
	mostBytes   = 8 << 20
	mostBetween = 48 << 20
)

// ending is a context that ends at its n-th check, and counts what is done after that, and
// between two checks.
type ending struct {
	context.Context
	end         context.CancelFunc
	left, after atomic.Int64
	last, most  atomic.Uint64 // bytes that were allocated up to the last check; the most between two
}

func endAt(t *testing.T, n int64) *ending {
	ctx, end := context.WithCancel(t.Context())
	t.Cleanup(end)
	c := &ending{Context: ctx, end: end}
	c.left.Store(n)
	c.last.Store(allocated())
	return c
}

func (c *ending) Err() error {
	now := allocated()
	if before := c.last.Swap(now); now-before > c.most.Load() {
		c.most.Store(now - before)
	}
	if c.left.Add(-1) == 0 {
		c.end()
	}
	if c.left.Load() < 0 {
		c.after.Add(1)
	}
	return c.Context.Err()
}

// allocated returns the bytes that were allocated so far.
func allocated() uint64 {
	s := []metrics.Sample{{Name: "/gc/heap/allocs:bytes"}}
	metrics.Read(s)
	return s[0].Value.Uint64()
}

// TestEnds ends each request of the table at its n-th check of the context: it stops within few
// checks and few bytes, and has left nothing.
func TestEnds(t *testing.T) {
	db := store(t)
	for i, in := range hostile.Inputs("http://127.0.0.1:1") {
		if in.Endless || in.Declared != 0 || in.Coding != "" || strings.HasPrefix(in.Media, "application/ld+json") || strings.Contains(in.Name, "LOAD") {
			continue // of the carrier
		}
		text, err := io.ReadAll(in.Body(in.Small))
		if err != nil {
			t.Fatal(err)
		}
		for k, n := range longtest.Pick([]int64{1, 10, 60, 200}, []int64{1, 3, 10, 30, 100, 300, 1000}) {
			if !longtest.On() && k > 0 && (i+k)%3 > 0 {
				continue
			}
			ctx := endAt(t, n)
			before := allocated()
			err := carryOut(ctx, db, &in, string(text))
			if ctx.left.Load() > 0 { // it has ended by itself
				if in.Writes() {
					clean(t, db)
				}
				break
			}
			var refused *sparql.MemoryError
			switch {
			case errors.Is(err, context.Canceled), errors.As(err, &refused):
			default:
				t.Errorf("%s, ended at check %d: %v", in.Name, n, err)
			}
			if got := ctx.after.Load(); got > mostChecks {
				t.Errorf("%s, ended at check %d: goes on for %d", in.Name, n, got)
			}
			if got := allocated() - ctx.last.Load(); got > mostBytes {
				t.Errorf("%s, ended at check %d: allocates %d bytes after the last one", in.Name, n, got)
			}
			if got := ctx.most.Load(); got > mostBetween {
				t.Errorf("%s, ended at check %d: allocates %d bytes between two", in.Name, n, got)
			}
			t.Logf("%-45s %5d %4d checks after, %9d bytes after, %9d between, %10d in all: %.60v", in.Name, n, ctx.after.Load(), allocated()-ctx.last.Load(), ctx.most.Load(), allocated()-before, err)
		}
		if in.Writes() && made(t, db) {
			t.Errorf("%s has left something", in.Name)
			clean(t, db)
		}
	}
}

// clean removes what the table has inserted.
func clean(t *testing.T, db *rete.DB) {
	t.Helper()
	all := "DELETE WHERE { ?s <" + hostile.Predicate + "> ?o }; DELETE WHERE { GRAPH ?g { ?s <" + hostile.Predicate + "> ?o } }"
	if err := carryOut(t.Context(), db, &hostile.Input{Media: "application/sparql-update"}, all); err != nil {
		t.Fatal(err)
	}
}

// TestTable: the table has many rows, and each its own name.
func TestTable(t *testing.T) {
	names := map[string]bool{}
	for _, in := range hostile.Inputs("http://127.0.0.1:1") {
		names[in.Name] = true
	}
	if all := len(hostile.Inputs("")); all < 60 || len(names) < all {
		t.Errorf("%d rows with %d names", all, len(names))
	}
}

// store returns a store of the data of the table.
func store(t *testing.T) *rete.DB {
	t.Helper()
	db, err := rete.Create(t.Context(), filepath.Join(t.TempDir(), "m.rete-manifest.json"), nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	for graph, text := range map[string]string{"": hostile.Data(), hostile.Victim: hostile.VictimData()} {
		r, err := rdfio.Open("data", strings.NewReader(text), rdfio.NTriples, rdf.Options{})
		if err != nil {
			t.Fatal(err)
		}
		quads, err := rdf.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		for i := range quads {
			if graph != "" {
				quads[i].G = rdf.IRI(graph)
			}
		}
		if _, err := db.Write(t.Context(), func(tx *rete.Tx) error { return tx.Insert(t.Context(), quads...) }); err != nil {
			t.Fatal(err)
		}
	}
	return db
}

// options are the limits of the requests.
func options() []sparql.Option {
	return []sparql.Option{sparql.MemoryLimit(32 << 20), sparql.Workers(1)}
}

// carryOut does what a server does with a request.
func carryOut(ctx context.Context, db *rete.DB, in *hostile.Input, text string) error {
	switch in.Media {
	case "application/sparql-query":
		return ask(ctx, db, text)
	case "application/sparql-update":
		u, err := sparql.ParseUpdateContext(ctx, text, nil, options()...)
		if err != nil {
			return err
		}
		defer u.Close()
		_, err = db.Execute(ctx, u, options()...)
		return err
	}
	return insert(ctx, db, in, text)
}

// ask reads a query and its answer.
func ask(ctx context.Context, db *rete.DB, text string) error {
	q, err := sparql.ParseContext(ctx, text, nil, options()...)
	if err != nil {
		return err
	}
	defer q.Close()
	s, err := db.Snapshot(ctx)
	if err != nil {
		return err
	}
	defer s.Close()
	ds := s.Dataset()
	switch q.Form() {
	case sparql.FormAsk:
		_, err = sparql.Ask(ctx, ds, q, options()...)
	case sparql.FormConstruct:
		var list *sparql.Triples
		if list, err = sparql.Construct(ctx, ds, q, options()...); err == nil {
			for _, e := range list.All() {
				err = e
			}
		}
	default:
		var rows *sparql.Rows
		if rows, err = sparql.Select(ctx, ds, q, options()...); err == nil {
			for _, e := range rows.All() {
				err = e
			}
		}
	}
	return err
}

// insert reads a document, parses it, and inserts it into a graph.
func insert(ctx context.Context, db *rete.DB, in *hostile.Input, text string) error {
	format := formats[in.Media]
	d, err := document.Read(ctx, &document.Source{ReadCloser: io.NopCloser(strings.NewReader(text)), Name: "x", Base: "http://ex/", Format: format}, document.Limits{})
	if err != nil {
		return err
	}
	defer d.Close()
	if err := d.Parse(ctx); err != nil {
		return err
	}
	_, err = db.Write(ctx, func(tx *rete.Tx) error {
		r, err := d.Quads(ctx)
		if err != nil {
			return err
		}
		var raw rdf.RawQuad
		for {
			if err := r.Read(&raw); err == io.EOF {
				return nil
			} else if err != nil {
				return err
			}
			q := raw.Quad()
			q.G = rdf.IRI("urn:d")
			if err := tx.Insert(ctx, q); err != nil {
				return err
			}
		}
	})
	return err
}

// made reports whether the table has inserted anything.
func made(t *testing.T, db *rete.DB) bool {
	t.Helper()
	s, err := db.Snapshot(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	q := sparql.MustParse("ASK { { ?s <" + hostile.Predicate + "> ?o } UNION { GRAPH ?g { ?s <" + hostile.Predicate + "> ?o } } }")
	yes, err := sparql.Ask(t.Context(), s.Dataset(), q)
	if err != nil {
		t.Fatal(err)
	}
	return yes
}

// formats are the media types of the documents of the table.
var formats = map[string]rdfio.Format{
	"application/n-triples": rdfio.NTriples, "text/turtle": rdfio.Turtle, "application/trig": rdfio.TriG, "application/rdf+xml": rdfio.RDFXML,
}
