package view_test

import (
	"context"
	"slices"
	"testing"

	"github.com/rete-go/rete/dataset"
	"github.com/rete-go/rete/engine/internal/layers"
	"github.com/rete-go/rete/engine/internal/view"
	"github.com/rete-go/rete/engine/internal/view/viewtest"
	"github.com/rete-go/rete/rdf"
	"github.com/rete-go/rete/tile"
)

// scanned counts the scans of a layer.
type scanned struct {
	layers.Layer
	n int
}

func (s *scanned) Scan(ctx context.Context, graph uint32, o tile.Order, lo, hi [3]uint32) (layers.Runs, error) {
	s.n++
	return s.Layer.Scan(ctx, graph, o, lo, hi)
}

// TestLargeDeletionsArePlaced: deletions of which there are too many to keep their rows in memory
// are read until they are placed, by one scan of all or by as many queries as ask for their number,
// and never again; the rows are those of a view with memory for all.
func TestLargeDeletionsArePlaced(t *testing.T) {
	const quads = 20_000
	list := func(from, n, step int) (out [][4]string) {
		for i := from; i < from+n*step; i += step {
			out = append(out, viewtest.LazyQuad(i))
		}
		return out
	}
	base := layers.NewMemory("base", list(0, quads, 1))
	gone := list(0, quads, 1)
	gone = slices.DeleteFunc(gone, func(q [4]string) bool { return len(q[2])%5 == 0 })
	dels := &scanned{Layer: layers.NewMemory("dels", gone)}
	log := []layers.Entry{
		{Adds: base}, {Dels: dels}, {Adds: layers.NewMemory("again", list(7, 100, 11))},
		{Dels: layers.NewMemory("few", list(7, 50, 22))},
	}
	opt := &view.ViewOptions{DeltaBytes: 100_000, MatchRows: 1000}
	all := view.NewView(log, nil)
	var batch dataset.Batch
	scans := func(v *view.View, p dataset.Pattern, o dataset.Order) (n int) {
		t.Helper()
		want, before := viewtest.ScanAll(t, all, p, o, &batch), dels.n
		if got := viewtest.ScanAll(t, v, p, o, &batch); got != want {
			t.Fatalf("%d rows, want %d", got, want)
		}
		return dels.n - before
	}
	for o := range dataset.Order(dataset.Orders) { // all has what it needs in memory
		viewtest.ScanAll(t, all, dataset.Pattern{}, o, &batch)
	}
	v := view.NewView(log, opt)
	for o := range dataset.Order(dataset.Orders) {
		if scans(v, dataset.Pattern{}, o) == 0 {
			t.Errorf("%v: the deletions are not read first", o)
		}
		if n := scans(v, dataset.Pattern{}, o); n > 0 {
			t.Errorf("%v: the deletions are read %d times after they were placed", o, n)
		}
	}
	more := view.Append(v, layers.Entry{Adds: layers.NewMemory("more", list(3, 80, 13)), Dels: layers.NewMemory("less", list(5, 60, 17))})
	before := dels.n
	n, err := more.Count(t.Context(), dataset.Pattern{})
	if rows := viewtest.ScanAll(t, more, dataset.Pattern{}, dataset.SPO, &batch); err != nil || int(n) != rows || dels.n > before {
		t.Errorf("after an entry: counted %d, %v, %d rows, the deletions are read %d times", n, err, rows, dels.n-before)
	}
	for _, o := range []dataset.Order{dataset.POS, dataset.OSP} {
		v := view.NewView(log, opt)
		p := dataset.Pattern{P: lookUp(t, v, "<http://data.example/property/2>")}
		if o == dataset.OSP {
			p = dataset.Pattern{O: lookUp(t, v, "<http://data.example/resource/3>")}
		}
		asked := 0
		for scans(v, p, o) > 0 {
			if asked++; asked > len(gone) {
				t.Fatalf("%v: the deletions are still read after %d queries", o, asked)
			}
		}
	}
}

// lookUp returns the id of a term of the view.
func lookUp(t *testing.T, v *view.View, surface string) dataset.ID {
	t.Helper()
	id := [1]dataset.ID{}
	if err := v.Lookup(t.Context(), []rdf.Term{rdf.FromSurface(surface)}, id[:]); err != nil || id[0] == 0 {
		t.Fatalf("look-up of %s: %d, %v", surface, id[0], err)
	}
	return id[0]
}
