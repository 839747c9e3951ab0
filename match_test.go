package rete_test

import (
	"context"
	"errors"
	"iter"
	"slices"
	"testing"

	"github.com/rete-go/rete"
	"github.com/rete-go/rete/rdf"
	"github.com/rete-go/rete/sparql"
)

// matched collects quads, sorted.
func matched(t *testing.T, seq iter.Seq2[rdf.Quad, error]) []string {
	t.Helper()
	var list []string
	for q, err := range seq {
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, q.String())
	}
	slices.Sort(list)
	return list
}

// TestMatch compares every pattern, of terms that are there and of one that is not, with a
// filter of all quads: in a snapshot of a segment, a journal and deletes, and in a transaction.
func TestMatch(t *testing.T) {
	ctx := t.Context()
	var quads []rdf.Quad
	graphs := []rdf.Term{{}, rdf.IRI("http://ex/g"), rdf.IRI("http://ex/h")}
	for i := range 24 {
		q := triple([]string{"a", "b", "c"}[i%3], []string{"p", "q"}[i/3%2], rdf.Integer(int64(i/6%2)))
		q.G = graphs[i/8]
		quads = append(quads, q)
	}
	db, _ := newStore(t, quads[:12])
	type matcher interface {
		Match(ctx context.Context, s, p, o, g rdf.Term) iter.Seq2[rdf.Quad, error]
	}
	check := func(what string, m matcher, all map[rdf.Quad]bool) {
		t.Helper()
		none := rdf.IRI("http://ex/none")
		places := [4][]rdf.Term{
			{{}, quads[0].S, quads[1].S, none}, {{}, quads[0].P, none}, {{}, rdf.Integer(0), none},
			append(slices.Clone(graphs), none, sparql.DefaultGraph, sparql.UnionGraph, quads[0].S),
		}
		for _, s := range places[0] {
			for _, p := range places[1] {
				for _, o := range places[2] {
					for _, g := range places[3] {
						want := map[string]bool{}
						for q := range all {
							if !s.IsZero() && s != q.S || !p.IsZero() && p != q.P || !o.IsZero() && o != q.O {
								continue
							}
							switch {
							case g == sparql.UnionGraph && !q.G.IsZero():
								q.G = rdf.Term{}
								want[q.String()] = true
							case g.IsZero(), g == q.G, g == sparql.DefaultGraph && q.G.IsZero():
								want[q.String()] = true
							}
						}
						got := matched(t, m.Match(ctx, s, p, o, g))
						ok := len(got) == len(want)
						for _, q := range got {
							ok = ok && want[q]
						}
						if !ok {
							t.Errorf("%s: Match(%s, %s, %s, %s) = %v, want %v", what, s, p, o, g, got, want)
						}
					}
				}
			}
		}
	}
	all := make(map[rdf.Quad]bool)
	for _, q := range quads {
		all[q] = true
	}
	delete(all, quads[0])
	_, err := db.Write(ctx, func(tx *rete.Tx) error {
		if err := tx.Insert(ctx, quads[12:]...); err != nil {
			return err
		}
		for q, err := range tx.Match(ctx, quads[0].S, quads[0].P, quads[0].O, sparql.DefaultGraph) {
			if err != nil {
				return err
			}
			if err := tx.Delete(ctx, q); err != nil { // in the loop
				return err
			}
		}
		check("transaction", tx, all)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	snap, err := db.Snapshot(ctx)
	if err != nil {
		t.Fatal(err)
	}
	defer snap.Close()
	check("snapshot", snap, all)

	any := rdf.Term{}
	seq := snap.Match(ctx, any, any, any, any)
	for range seq {
		break
	}
	if n := len(matched(t, seq)); n != len(all) {
		t.Errorf("%d quads after a loop that was left, want %d", n, len(all))
	}
	cancelled, cancel := context.WithCancel(ctx)
	cancel()
	for _, err := range snap.Match(cancelled, any, any, any, any) {
		if !errors.Is(err, context.Canceled) {
			t.Errorf("after the context: %v", err)
		}
	}
	snap.Close()
	n := 0
	for _, err := range seq {
		if n++; !errors.Is(err, rete.ErrClosed) {
			t.Errorf("after Close: %v", err)
		}
	}
	if n != 1 {
		t.Errorf("%d errors after Close", n)
	}
}

// TestIDs: terms and their numbers lead to each other.
func TestIDs(t *testing.T) {
	ctx := t.Context()
	q := triple("a", "p", rdf.String("x"))
	db, _ := newStore(t, []rdf.Quad{q})
	snap, err := db.Snapshot(ctx)
	if err != nil {
		t.Fatal(err)
	}
	defer snap.Close()
	for _, term := range []rdf.Term{q.S, q.P, q.O} {
		id, err := snap.ID(ctx, term)
		if err != nil || id == 0 {
			t.Fatalf("%s: %d, %v", term, id, err)
		}
		if got, err := snap.Term(ctx, id); got != term || err != nil {
			t.Errorf("the term of %d is %s, %v; want %s", id, got, err, term)
		}
	}
	for _, term := range []rdf.Term{{}, rdf.IRI("x:none")} {
		if id, err := snap.ID(ctx, term); id != 0 || err != nil {
			t.Errorf("%s: %d, %v", term, id, err)
		}
	}
	if got, err := snap.Term(ctx, 0); !got.IsZero() || err != nil {
		t.Errorf("the term of 0 is %s, %v", got, err)
	}
	if got, err := snap.Term(ctx, 1<<40); err == nil {
		t.Errorf("a number that was never given is %s", got)
	}
}
