package view_test

import (
	"fmt"
	"testing"

	"github.com/rete-go/rete/dataset"
	"github.com/rete-go/rete/engine/internal/layers"
	"github.com/rete-go/rete/engine/internal/view"
	"github.com/rete-go/rete/engine/internal/view/viewtest"
	"github.com/rete-go/rete/internal/cache"
	"github.com/rete-go/rete/rdf"
)

// TestPointAllocations counts what look-ups of a few terms, scans of one subject's rows
// and counts of one row allocate over a base and an entry on this machine: nothing for
// units that are in memory, and nothing more than once for the rows that an entry adds.
func TestPointAllocations(t *testing.T) {
	const quads = 2000
	c := cache.New(1 << 24)
	base := benchSegment(t, "base.rete", c, numbered(quads, viewtest.LazyQuad))
	adds := benchSegment(t, "adds.rete", c, numbered(quads/10, func(i int) [4]string {
		q := viewtest.LazyQuad(i)
		q[2] = "\"new\""
		return q
	}))
	dels := benchSegment(t, "dels.rete", c, numbered(quads/10, func(i int) [4]string { return viewtest.LazyQuad(3 * i) }))
	v := view.NewView([]layers.Entry{{Adds: layers.FromSegment(base)}, {Adds: layers.FromSegment(adds), Dels: layers.FromSegment(dels)}}, nil)
	q := viewtest.LazyQuad(45)
	terms, ids := []rdf.Term{rdf.FromSurface(q[0]), rdf.FromSurface(q[1]), rdf.FromSurface(q[2])}, make([]dataset.ID, 3)
	lookUp := func() {
		if err := v.Lookup(t.Context(), terms, ids); err != nil {
			t.Fatal(err)
		}
	}
	lookUp()
	var b dataset.Batch
	scan := func() { viewtest.ScanAll(t, v, dataset.Pattern{S: ids[0]}, dataset.SPO, &b) }
	count := func() {
		if _, err := v.Count(t.Context(), dataset.Pattern{S: ids[0], P: ids[1], O: ids[2]}); err != nil {
			t.Fatal(err)
		}
	}
	checkAllocs(t, "look-up of three terms", 11, lookUp)
	checkAllocs(t, "text of a term", 6, func() {
		var text dataset.Terms
		if err := v.Decode(t.Context(), ids[:1], &text); err != nil {
			t.Fatal(err)
		}
	})
	viewtest.ScanAll(t, v, dataset.Pattern{P: ids[1]}, dataset.PSO, &b) // the entry is in memory
	checkAllocs(t, "scan of a subject", 15, scan)
	viewtest.ScanAll(t, v, dataset.Pattern{}, dataset.SPO, &b)
	checkAllocs(t, "scan of a subject where changes are placed", 12, scan)
	checkAllocs(t, "count of a row", 7, count)
}

// TestPointAllocationsOverEntries counts what the scan of a subject and predicate allocates
// over a base and twenty entries that are in memory, netted, and not placed.
func TestPointAllocationsOverEntries(t *testing.T) {
	const quads, entries = 2000, 20
	c := cache.New(1 << 24)
	log := []layers.Entry{{Adds: layers.FromSegment(benchSegment(t, "base.rete", c, numbered(quads, viewtest.LazyQuad)))}}
	for e := range entries {
		adds := numbered(quads/entries, func(i int) [4]string {
			q := viewtest.LazyQuad(entries*i + e)
			q[2] = fmt.Sprintf("\"new %d\"", e)
			return q
		})
		dels := numbered(quads/entries, func(i int) [4]string { return viewtest.LazyQuad(entries*i + e) })
		log = append(log, layers.Entry{
			Adds: layers.FromSegment(benchSegment(t, fmt.Sprintf("adds%d.rete", e), c, adds)),
			Dels: layers.FromSegment(benchSegment(t, fmt.Sprintf("dels%d.rete", e), c, dels)),
		})
	}
	v := view.NewView(log, nil)
	q := viewtest.LazyQuad(45)
	ids := make([]dataset.ID, 2)
	if err := v.Lookup(t.Context(), []rdf.Term{rdf.FromSurface(q[0]), rdf.FromSurface(q[1])}, ids); err != nil {
		t.Fatal(err)
	}
	var b dataset.Batch
	viewtest.ScanAll(t, v, dataset.Pattern{P: ids[1]}, dataset.PSO, &b) // the entries are in memory
	p := dataset.Pattern{S: ids[0], P: ids[1]}
	checkAllocs(t, "scan of a subject and predicate", 11, func() { viewtest.ScanAll(t, v, p, dataset.SPO, &b) })
}

func checkAllocs(t *testing.T, what string, limit float64, f func()) {
	t.Helper()
	f()
	if got := testing.AllocsPerRun(100, f); got > limit {
		t.Errorf("%s: %.0f allocations, want at most %.0f", what, got, limit)
	}
}
