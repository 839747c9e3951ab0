package rete_test

import (
	"errors"
	"testing"

	"github.com/rete-go/rete"
	"github.com/rete-go/rete/engine"
	"github.com/rete-go/rete/internal/quadtest"
	"github.com/rete-go/rete/rdf"
	"github.com/rete-go/rete/sparql"
)

// TestTxQueries: each form of query sees what the transaction changed, and a transaction that
// has ended, a graph that does not exist and a closed database have errors of their own.
func TestTxQueries(t *testing.T) {
	db, _ := newStore(t, nil)
	ctx := t.Context()
	ask := sparql.MustParse("ASK { ?s ?p 1 }")
	var kept *rete.Tx
	_, err := db.Write(ctx, func(tx *rete.Tx) error {
		kept = tx
		if err := tx.Insert(ctx, triple("a", "p", rdf.Integer(1))); err != nil {
			return err
		}
		if yes, err := tx.Ask(ctx, ask); err != nil || !yes {
			t.Errorf("ASK: %v, %v", yes, err)
		}
		for name, run := range map[string]func() (*sparql.Triples, error){
			"CONSTRUCT": func() (*sparql.Triples, error) {
				return tx.Construct(ctx, sparql.MustParse("CONSTRUCT WHERE { ?s ?p ?o }"))
			},
			"DESCRIBE": func() (*sparql.Triples, error) {
				return tx.Describe(ctx, sparql.MustParse("DESCRIBE ?s { ?s ?p ?o }"))
			},
		} {
			triples, err := run()
			if err != nil {
				return err
			}
			n := 0
			for q, err := range triples.All() {
				if n++; err != nil || q != triple("a", "p", rdf.Integer(1)) {
					t.Errorf("%s: %v, %v", name, q, err)
				}
			}
			if n != 1 {
				t.Errorf("%s: %d triples", name, n)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := kept.Ask(ctx, ask); !errors.Is(err, rete.ErrTxEnded) {
		t.Errorf("after the end of the transaction: %v", err)
	}
	snap, err := db.Snapshot(ctx)
	if err != nil {
		t.Fatal(err)
	}
	if err := quadtest.Each(snap.Engine().SortedGraph(ctx, rdf.IRI("http://ex/none")), func(*rdf.RawQuad) error { return nil }); !errors.Is(err, engine.ErrNoGraph) {
		t.Errorf("a graph without quads: %v", err)
	}
	snap.Close()
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := db.Snapshot(ctx); !errors.Is(err, rete.ErrClosed) {
		t.Errorf("after Close: %v", err)
	}
}
