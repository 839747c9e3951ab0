package rete_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/rete-go/rete"
	"github.com/rete-go/rete/engine"
	"github.com/rete-go/rete/internal/segment"
	"github.com/rete-go/rete/rdf"
	"github.com/rete-go/rete/rdf/rdfio"
	"github.com/rete-go/rete/sparql"
	"github.com/rete-go/rete/sparql/memory"
)

// TestNil: a function, query, update, option or reader that is nil is an error that says so, and
// the database goes on.
func TestNil(t *testing.T) {
	ctx := t.Context()
	db, err := rete.Create(ctx, filepath.Join(t.TempDir(), "g"), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	snap, err := db.Snapshot(ctx)
	if err != nil {
		t.Fatal(err)
	}
	defer snap.Close()
	ds := new(memory.Builder).Build()
	ask := sparql.MustParse("ASK {}")
	builder := func() *segment.Builder { return segment.NewBuilder(nil) }
	for name, call := range map[string]func() error{
		"DB.View":            func() error { return db.View(ctx, nil) },
		"DB.Write":           func() error { _, err := db.Write(ctx, nil); return err },
		"DB.Write, option":   func() error { _, err := db.Write(ctx, func(*rete.Tx) error { return nil }, nil); return err },
		"DB.Execute":         func() error { _, err := db.Execute(ctx, nil); return err },
		"DB.Query, option":   func() error { _, err := db.Query(ctx, "SELECT * {}", nil); return err },
		"DB.Update, option":  func() error { _, err := db.Update(ctx, "INSERT DATA {}", nil); return err },
		"engine.DB.Write":    func() error { _, err := db.Engine().Write(ctx, nil, nil); return err },
		"Snapshot.Select":    func() error { _, err := snap.Select(ctx, nil); return err },
		"Snapshot.Explain":   func() error { _, err := snap.Explain(ctx, nil); return err },
		"Snapshot.WriteTo":   func() error { return snap.WriteTo(ctx, new(strings.Builder), sparql.JSON, nil) },
		"sparql.Ask":         func() error { _, err := sparql.Ask(ctx, ds, nil); return err },
		"sparql.Ask, option": func() error { _, err := sparql.Ask(ctx, ds, ask, nil); return err },
		"sparql.Analyze":     func() error { _, err := sparql.Analyze(ctx, ds, nil); return err },
		"sparql.Execute":     func() error { _, err := sparql.Execute(ctx, ds.Begin("t"), nil); return err },
		"sparql.Fetch":       func() error { _, err := sparql.Fetch(ctx, nil); return err },
		"WithFunction": func() error {
			_, err := sparql.Ask(ctx, ds, ask, sparql.WithFunction("http://ex/f", nil))
			return err
		},
		"rdfio.Open":        func() error { _, err := rdfio.Open("a.nt", nil, rdfio.Unknown, rdf.Options{}); return err },
		"Builder.AddReader": func() error { return builder().AddReader(ctx, nil) },
		"Builder.AddInput":  func() error { return builder().AddInput(ctx, "a.nt", nil, rdfio.NTriples, rdf.Options{}) },
		"Builder.AddNQuads": func() error { return builder().AddNQuads(ctx, nil, rdf.Options{}, false) },
	} {
		if err := call(); err == nil || !strings.Contains(err.Error(), "nil") && !strings.Contains(err.Error(), "no function") {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := db.Load(ctx, nil, nil); err != nil {
		t.Errorf("a load of no sequence: %v", err)
	}
	if err := builder().AddQuads(ctx, nil, rdf.Verbatim); err != nil {
		t.Errorf("quads of no sequence: %v", err)
	}
	if g, err := db.Engine().Log(ctx, 0); err != nil || len(g) != 1 || g[0].Generation == engine.Now {
		t.Errorf("%v, %v", g, err)
	}
}
