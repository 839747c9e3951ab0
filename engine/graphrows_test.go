package engine_test

import (
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/rete-go/rete/dataset"
	"github.com/rete-go/rete/engine"
	"github.com/rete-go/rete/internal/vfs"
	"github.com/rete-go/rete/rdf"
)

// A part of a scan of the union of many graphs that is empty has no graph rows:
// where the base cannot be cut, the first part has all.
func TestGraphRowsParts(t *testing.T) {
	db := initDB(t, vfs.NewMem())
	var text strings.Builder
	for g := range 200 {
		fmt.Fprintf(&text, "<http://e/s%d> <http://e/p> <http://e/o> <http://e/g%03d> .\n", g, g)
		if g%48 == 33 { // no graph that is looked at for cuts
			fmt.Fprintf(&text, "<http://e/s%d> <http://e/rare> <http://e/o> <http://e/g%03d> .\n", g, g)
		}
	}
	addDB(t, db, engine.Step{Adds: doc(text.String())})
	s := snapshot(t, db)
	list := make([]dataset.ID, 3)
	terms := []rdf.Term{rdf.IRI("http://e/s33"), rdf.IRI("http://e/rare"), rdf.IRI("http://e/o")}
	if err := s.Lookup(t.Context(), terms, list); err != nil {
		t.Fatal(err)
	}
	merge := dataset.Graphs{Mode: dataset.Merge}
	for want, p := range map[int]dataset.Pattern{
		4: {P: list[1], G: merge}, 1: {S: list[0], P: list[1], O: list[2], G: merge}, 204: {G: merge},
	} {
		got := 0
		for part := range 3 {
			cur, err := s.Scan(t.Context(), p, s.Orders(p)[0], &dataset.ScanOptions{Cols: 1 << dataset.S, Part: part, Parts: 3})
			if err != nil {
				t.Fatal(err)
			}
			var b dataset.Batch
			for {
				err := cur.Next(t.Context(), &b)
				if err == io.EOF {
					break
				}
				if err != nil {
					t.Fatal(err)
				}
				got += b.N
			}
		}
		if got != want {
			t.Errorf("%+v: %d rows in three parts, want %d", p, got, want)
		}
	}
}

// An estimate over many graphs, of which the journal speaks of some, holds the number of
// rows between its bounds and is near it.
func TestGraphRowsEstimate(t *testing.T) {
	db := initDB(t, vfs.NewMem())
	var text strings.Builder
	for i := range 12_000 {
		fmt.Fprintf(&text, "<http://e/s%d> <http://e/p%d> <http://e/o> <http://e/g%03d> .\n", i, i%2, i%300)
	}
	addDB(t, db, engine.Step{Adds: doc(text.String())})
	_, err := db.Write(t.Context(), nil, func(tx *engine.Tx) error {
		var quads []rdf.Quad
		for g := range 30 {
			quads = append(quads, rdf.Quad{S: rdf.IRI("http://e/s"), P: rdf.IRI("http://e/p1"), O: rdf.IRI("http://e/new"), G: rdf.IRI(fmt.Sprintf("http://e/g%03d", g))})
		}
		return tx.Insert(t.Context(), quads...)
	})
	if err != nil {
		t.Fatal(err)
	}
	s := snapshot(t, db)
	pred := make([]dataset.ID, 1)
	if err := s.Lookup(t.Context(), []rdf.Term{rdf.FromSurface("<http://e/p1>")}, pred); err != nil {
		t.Fatal(err)
	}
	for _, p := range []dataset.ID{0, pred[0]} {
		for _, mode := range []dataset.GraphMode{dataset.Merge, dataset.Each} {
			p := dataset.Pattern{P: p, G: dataset.Graphs{Mode: mode}}
			n, err := s.Count(t.Context(), p)
			if err != nil {
				t.Fatal(err)
			}
			c, err := s.Estimate(t.Context(), p)
			if err != nil || c.Low > n || c.High < n || c.Guess < n*4/5 || c.Guess > n*6/5 {
				t.Errorf("%+v: %d rows, estimated %+v, %v", p, n, c, err)
			}
		}
	}
}
