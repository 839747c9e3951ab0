package rete_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/rete-go/rete"
	"github.com/rete-go/rete/engine"
	"github.com/rete-go/rete/internal/retetest"
	"github.com/rete-go/rete/rdf"
	"github.com/rete-go/rete/server"
	"github.com/rete-go/rete/sparql"
)

// recordedSpan is what a tracer was told.
type recordedSpan struct {
	name, parent string
	attrs        map[string]string
	ended        int
	err          error
}

// recorder is a Tracer that keeps all spans, in the order in which they began.
type recorder struct {
	mu    sync.Mutex
	spans []*recordedSpan
}

type spanKey struct{}

func (r *recorder) Start(ctx context.Context, name string, attrs ...slog.Attr) (context.Context, func(error, ...slog.Attr)) {
	s := &recordedSpan{name: name, attrs: map[string]string{}}
	if parent, ok := ctx.Value(spanKey{}).(*recordedSpan); ok {
		s.parent = parent.name
	}
	note := func(attrs []slog.Attr) {
		for _, a := range attrs {
			s.attrs[a.Key] = a.Value.String()
		}
	}
	note(attrs)
	r.mu.Lock()
	defer r.mu.Unlock()
	r.spans = append(r.spans, s)
	return context.WithValue(ctx, spanKey{}, s), func(err error, attrs ...slog.Attr) {
		r.mu.Lock()
		defer r.mu.Unlock()
		s.ended++
		s.err = err
		note(attrs)
	}
}

// take returns the spans so far, each as its name after that of its parent, and begins anew.
func (r *recorder) take(t *testing.T) (names []string, spans []*recordedSpan) {
	t.Helper()
	r.mu.Lock()
	defer r.mu.Unlock()
	spans, r.spans = r.spans, nil
	for _, s := range spans {
		if s.ended != 1 {
			t.Errorf("%s has ended %d times", s.name, s.ended)
		}
		names = append(names, strings.TrimPrefix(s.parent+">"+s.name, ">"))
	}
	return names, spans
}

// traced is a database whose tracer is recorded.
func traced(t *testing.T, opt rete.Options) (*rete.DB, *recorder) {
	t.Helper()
	r := new(recorder)
	opt.Tracer = r
	db, err := retetest.Init(t.Context(), filepath.Join(t.TempDir(), "g.rete-manifest.json"),
		&engine.InitOptions{Bases: []engine.Source{{Name: "people.ttl", Reader: strings.NewReader(people)}}}, &opt)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	return db, r
}

// TestTracer: each operation of a database is a span, with what it calls below it.
func TestTracer(t *testing.T) {
	db, r := traced(t, rete.Options{})
	ctx := t.Context()
	quad := rdf.Quad{S: rdf.IRI("http://ex/s"), P: rdf.IRI("http://ex/p"), O: rdf.Integer(1)}
	source := func() *engine.Source {
		return &engine.Source{Name: "b.ttl", Reader: strings.NewReader("<x:a> <x:b> <x:c> .")}
	}
	r.take(t)
	for _, step := range []struct {
		name string
		run  func() error
		want []string
		last map[string]string // attributes of the first span
	}{
		{"query", func() error {
			rows, err := db.Query(ctx, `SELECT ?s { ?s <http://xmlns.com/foaf/0.1/name> ?n }`)
			if err != nil {
				return err
			}
			for _, err := range rows.All() {
				if err != nil {
					return err
				}
			}
			return nil
		}, []string{"rete.query"}, map[string]string{"form": "SELECT", "rows": "3", "text": `SELECT ?s { ?s <http://xmlns.com/foaf/0.1/name> ?n }`}},
		{"query that is left", func() error {
			rows, err := db.Query(ctx, `SELECT ?s { ?s ?p ?n }`)
			if err != nil {
				return err
			}
			return rows.Close()
		}, []string{"rete.query"}, map[string]string{"rows": "0"}},
		{"forms", func() error {
			snap, err := db.Snapshot(ctx)
			if err != nil {
				return err
			}
			defer snap.Close()
			if _, err := snap.Ask(ctx, sparql.MustParse("ASK { ?s ?p ?o }")); err != nil {
				return err
			}
			var b bytes.Buffer
			if err := snap.WriteTo(ctx, &b, sparql.Turtle, sparql.MustParse("CONSTRUCT WHERE { ?s ?p ?o }")); err != nil {
				return err
			}
			return snap.WriteTo(ctx, &b, sparql.Turtle, sparql.MustParse("DESCRIBE <http://ex/ann>"))
		}, []string{"rete.query", "rete.query", "rete.query"}, map[string]string{"form": "ASK", "rows": "1"}},
		{"update", func() error {
			_, err := db.Update(ctx, `INSERT DATA { <x:s> <x:p> 1, 2 } ; DELETE DATA { <x:s> <x:p> 2 }`)
			return err
		}, []string{"rete.write", "rete.update", "rete.write>rete.commit"}, map[string]string{"changes": "1"}},
		{"write", func() error {
			_, err := db.Write(ctx, func(tx *rete.Tx) error { return tx.Insert(ctx, quad) })
			return err
		}, []string{"rete.write", "rete.write>rete.commit"}, map[string]string{"changes": "1"}},
		{"query in a write", func() error {
			_, err := db.Write(ctx, func(tx *rete.Tx) error {
				rows, err := tx.Query(ctx, "SELECT * { ?s ?p 1 }")
				if err != nil {
					return err
				}
				return rows.Close()
			})
			return err
		}, []string{"rete.write", "rete.query", "rete.write>rete.commit"}, nil},
		{"seal", func() error { _, err := db.Engine().Seal(ctx, nil); return err },
			[]string{"rete.seal", "rete.seal>rete.commit"}, map[string]string{"entries": "2", "generation": "2", "manifest": db.Name()}},
		{"add", func() error { _, err := db.Engine().Add(ctx, []engine.Step{{Adds: source()}}, nil); return err },
			[]string{"rete.add", "rete.add>rete.commit"}, map[string]string{"entries": "3"}},
		{"compact", func() error { _, err := db.Engine().Compact(ctx, nil); return err },
			[]string{"rete.compact", "rete.compact>rete.commit"}, map[string]string{"entries": "1"}},
		{"revert", func() error { _, err := db.Engine().Revert(ctx, 1, nil); return err },
			[]string{"rete.revert", "rete.revert>rete.commit"}, nil},
	} {
		if err := step.run(); err != nil {
			t.Fatal(step.name, err)
		}
		names, spans := r.take(t)
		if !slices.Equal(names, step.want) {
			t.Errorf("%s: %v, not %v", step.name, names, step.want)
			continue
		}
		for k, v := range step.last {
			if spans[0].attrs[k] != v {
				t.Errorf("%s: %s is %q, not %q", step.name, k, spans[0].attrs[k], v)
			}
		}
		for _, s := range spans {
			if s.err != nil {
				t.Errorf("%s: %s has ended with %v", step.name, s.name, s.err)
			}
		}
	}
}

// TestTracerErrors: a span ends with the error of its operation, and once.
func TestTracerErrors(t *testing.T) {
	db, r := traced(t, rete.Options{})
	ctx, cancel := context.WithCancel(t.Context())
	mine := errors.New("mine")
	r.take(t)
	for _, step := range []struct {
		name string
		run  func() error
		want map[string]error
	}{
		{"write", func() error {
			_, err := db.Write(ctx, func(*rete.Tx) error { return mine })
			return err
		}, map[string]error{"rete.write": mine}},
		{"update", func() error { _, err := db.Update(ctx, "COPY <x:none> TO <x:b>"); return err }, map[string]error{"rete.write": nil, "rete.update": nil}},
		{"seal", func() error { _, err := db.Engine().Seal(ctx, nil); return err }, map[string]error{"rete.seal": engine.ErrNothingToSeal}},
		{"begin", func() error { // not bound by any pattern
			_, err := db.Query(ctx, "SELECT ?s { ?s ?p ?o }", sparql.Bind("none", 1))
			return err
		}, map[string]error{"rete.query": nil}},
		{"rows", func() error {
			rows, err := db.Query(ctx, "SELECT * { ?s ?p ?o . ?x ?y ?z }")
			if err != nil {
				return err
			}
			cancel()
			for _, e := range rows.All() {
				err = e
			}
			return err
		}, map[string]error{"rete.query": context.Canceled}},
	} {
		if err := step.run(); err == nil {
			t.Errorf("%s does not fail", step.name)
		}
		_, spans := r.take(t)
		if len(spans) != len(step.want) {
			t.Errorf("%s: %d spans", step.name, len(spans))
		}
		for _, s := range spans {
			want, ok := step.want[s.name]
			if !ok || s.err == nil || want != nil && !errors.Is(s.err, want) {
				t.Errorf("%s: %s has ended with %v", step.name, s.name, s.err)
			}
		}
	}
}

// TestTwoTracers: two databases of a process, each with its own logger and tracer.
func TestTwoTracers(t *testing.T) {
	var logs [2]bytes.Buffer
	var dbs [2]*rete.DB
	var recorders [2]*recorder
	for i := range dbs {
		dbs[i], recorders[i] = traced(t, rete.Options{Logger: slog.New(slog.NewTextHandler(&logs[i], nil))})
		recorders[i].take(t)
	}
	if _, err := dbs[0].Update(t.Context(), "INSERT DATA { <x:a> <x:b> 1 }"); err != nil {
		t.Fatal(err)
	}
	if _, err := dbs[0].Engine().Seal(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	if _, err := dbs[1].Engine().Add(t.Context(), []engine.Step{{Adds: &engine.Source{Name: "b.ttl", Reader: strings.NewReader("<x:a> <x:b> <x:c> .")}}}, nil); err != nil {
		t.Fatal(err)
	}
	for i, want := range [][]string{{"sealed", "rete.seal"}, {"committed", "rete.add"}} {
		names, _ := recorders[i].take(t)
		if text := logs[i].String(); strings.Count(text, "\n") != 1 || !strings.Contains(text, "msg="+want[0]+" manifest="+dbs[i].Name()+" generation=2") || !slices.Contains(names, want[1]) {
			t.Errorf("%d: %v\n%s", i, names, text)
		}
	}
	if names, _ := recorders[1].take(t); len(names) != 0 {
		t.Errorf("the other one is told of %v", names)
	}
}

// TestServedTracer: queries and updates over HTTP are spans, below that of the request if the
// program makes one.
func TestServedTracer(t *testing.T) {
	db, r := traced(t, rete.Options{})
	s, err := server.New(server.Database(db), &server.Options{Tracer: r})
	if err != nil {
		t.Fatal(err)
	}
	r.take(t)
	do := func(method, target, body string) *httptest.ResponseRecorder {
		ctx, end := r.Start(t.Context(), "request")
		defer end(nil)
		q := httptest.NewRequestWithContext(ctx, method, target, strings.NewReader(body))
		q.Header.Set("Content-Type", "application/sparql-update")
		w := httptest.NewRecorder()
		s.ServeHTTP(w, q)
		return w
	}
	for _, c := range []struct{ method, target, body, want string }{
		{"GET", "/sparql?query=ASK%7B%3Fs%20%3Fp%20%3Fo%7D", "", "[request request>rete.query]"},
		{"POST", "/update", "INSERT DATA { <x:s> <x:p> 1 }", "[request request>rete.write request>rete.update rete.write>rete.commit]"},
	} {
		w := do(c.method, c.target, c.body)
		if names, _ := r.take(t); w.Code >= 300 || fmt.Sprint(names) != c.want {
			t.Errorf("%s: %d %v", c.target, w.Code, names)
		}
	}
}
