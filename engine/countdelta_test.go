package engine_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/rete-go/rete/dataset"
	"github.com/rete-go/rete/engine"
	"github.com/rete-go/rete/engine/internal/view/viewtest"
	"github.com/rete-go/rete/internal/model"
	"github.com/rete-go/rete/internal/vfs"
)

// TestCountsWithJournal asks for the counts of all patterns, several times, over a
// base, small entries and a journal that grows, and again once it was replayed.
func TestCountsWithJournal(t *testing.T) {
	for seed := range uint64(12) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			r := rand.New(rand.NewPCG(seed, 9))
			iri := func(kind string, n int) string { return fmt.Sprintf("<urn:%s%d>", kind, r.IntN(n)) }
			random := func(preds int) model.Quad {
				q := model.Quad{iri("n", 12), iri("p", preds), iri("n", 12)}
				if r.IntN(3) == 0 {
					q[3] = iri("g", 2)
				}
				return q
			}
			some := func(n, preds int) (list []model.Quad) {
				for range n {
					list = append(list, random(preds))
				}
				return list
			}
			fsys := vfs.NewMem()
			db := initDB(t, fsys)
			addDB(t, db, engine.Step{Adds: quads(some(400, 3))})
			for range 4 {
				addDB(t, db, engine.Step{Dels: quads(some(15, 3)), Adds: quads(some(15, 3))})
			}
			for round := range 5 {
				checkCounts(t, db, r)
				write(t, db, model.Entry{Dels: some(40, 3), Adds: some(20, 3+round)})
			}
			checkCounts(t, db, r)
			checkCounts(t, openDB(t, fsys), r)
		})
	}
}

// checkCounts compares counts with the rows of scans.
func checkCounts(t *testing.T, db *engine.DB, r *rand.Rand) {
	t.Helper()
	s := snapshot(t, db)
	c, err := s.Scan(t.Context(), dataset.Pattern{}, 0, nil)
	if err != nil {
		t.Fatal(err)
	}
	rows := viewtest.Drain(t, c)
	for range 4 {
		row := rows[r.IntN(len(rows))]
		for mask := range 8 {
			for _, g := range []dataset.Graphs{{}, {Mode: dataset.Each}, {Mode: dataset.Merge}} {
				p := dataset.Pattern{G: g}
				for col, to := range []*dataset.ID{&p.S, &p.P, &p.O} {
					if mask>>col&1 == 1 {
						*to = row[col]
					}
				}
				c, err := s.Scan(t.Context(), p, 0, nil)
				if err != nil {
					t.Fatal(err)
				}
				want := len(viewtest.Drain(t, c))
				if n, err := s.Count(t.Context(), p); err != nil || n != uint64(want) {
					t.Fatalf("Count of %+v is %d, %v; a scan has %d", p, n, err, want)
				}
			}
		}
	}
}
