package view_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/rete-go/rete/blob"
	"github.com/rete-go/rete/blob/blobtest"
	"github.com/rete-go/rete/dataset"
	"github.com/rete-go/rete/engine/internal/layers"
	"github.com/rete-go/rete/engine/internal/view"
	"github.com/rete-go/rete/engine/internal/view/viewtest"
	"github.com/rete-go/rete/internal/cache"
	"github.com/rete-go/rete/internal/model"
	"github.com/rete-go/rete/internal/reads"
	"github.com/rete-go/rete/internal/segtest"
)

// manyGraphsLog is many small graphs, and entries that add to some, take away from others, empty
// some and fill new ones.
func manyGraphsLog(r *rand.Rand, graphs, entries int) (log []model.Entry, words []string) {
	term := func(kind string, n int) string { return fmt.Sprintf("<http://ex/%s%03d>", kind, r.IntN(n)) }
	quad := func(n int) model.Quad { return model.Quad{term("s", 20), term("p", 3), term("s", 30), term("g", n)} }
	log = make([]model.Entry, 1+entries)
	for range 4 * graphs {
		log[0].Adds = append(log[0].Adds, quad(graphs))
	}
	log[0].Adds = append(log[0].Adds, model.Quad{"<http://ex/s000>", "<http://ex/p000>", "<http://ex/s000>"})
	for e := range log[1:] {
		at := &log[1+e]
		below := model.Fold(log[:1+e]).Sorted()
		gone := term("g", graphs)
		for _, q := range below {
			if q[3] == gone || r.IntN(40) == 0 {
				at.Dels = append(at.Dels, q)
			}
		}
		for range r.IntN(20) {
			at.Adds = append(at.Adds, quad(graphs+10))
		}
	}
	for _, kind := range []string{"s", "p", "g"} {
		for i := range graphs + 30 {
			words = append(words, fmt.Sprintf("<http://ex/%s%03d>", kind, i))
		}
	}
	return log, words
}

// TestGraphSizes compares the counts of many graphs with the model, over segments with and without a
// map and over layers in memory, of all graphs and of some.
func TestGraphSizes(t *testing.T) {
	for seed := range uint64(6) {
		r := rand.New(rand.NewPCG(seed, 5))
		log, words := manyGraphsLog(r, 100, int(seed%3))
		layers := viewtest.MemLog(log, 4)
		if seed%2 == 0 {
			layers = viewtest.SegLog(t, log, r, nil)
		}
		v := view.NewView(layers, nil)
		tt := viewtest.LookupAll(t, v, words)
		visible := model.Fold(log)
		var some []dataset.ID
		var names []string
		for _, w := range words {
			if id := tt.ID[w]; id != 0 && r.IntN(4) > 0 {
				some, names = append(some, id), append(names, w)
			}
		}
		slices.Sort(some)
		for _, set := range [][]dataset.ID{nil, some} {
			for _, pred := range []string{"", "<http://ex/p001>"} {
				m := model.Pattern{Mode: model.Each, P: pred}
				p := dataset.Pattern{P: tt.ID[pred], G: dataset.Graphs{Mode: dataset.Each, Set: set}}
				if set != nil {
					m.Graphs = names
				}
				label := fmt.Sprintf("seed %d, %d of the graphs, predicate %q", seed, len(set), pred)
				want := visible.Match(m)
				card, err := v.Estimate(t.Context(), p)
				if n := uint64(len(want)); err != nil || card.Low > n || card.High < n {
					t.Errorf("%s: estimated %+v, %v; there are %d", label, card, err, n)
				}
				if n, err := v.Count(t.Context(), p); err != nil || n != uint64(len(want)) {
					t.Errorf("%s: counted %d, %v; there are %d", label, n, err, len(want))
				}
				viewtest.CheckGraphCounts(t, v, tt, p, want, label)
			}
		}
	}
}

// threeHundred returns a segment of 300 graphs of 20 quads, opened, its object and its cache.
func threeHundred(t *testing.T) (layers.Entry, *blobtest.Counter, *cache.Cache) {
	t.Helper()
	var quads [][4]string
	for i := range 6000 {
		quads = append(quads, [4]string{fmt.Sprintf("<http://ex/s%d>", i), "<http://ex/p>", fmt.Sprintf("\"a text of number %d\"", i*7919), fmt.Sprintf("<http://ex/g%d>", i%300)})
	}
	file, built := segtest.Build(t, quads, nil)
	obj := blobtest.Counting(blob.Bytes("base.rete", file))
	c := cache.New(1 << 24)
	t.Cleanup(func() { c.Close() })
	return layers.Entry{Adds: layers.FromSegment(segtest.OpenObject(t, obj, built, c))}, obj, c
}

// twoChanged is an entry that speaks of two of them.
func twoChanged() layers.Entry {
	return layers.Entry{Adds: layers.NewMemory("changes", [][4]string{
		{"<http://ex/s0>", "<http://ex/p>", "<http://ex/new>", "<http://ex/g0>"}, {"<http://ex/s0>", "<http://ex/p>", "<http://ex/new>", "<http://ex/g1>"}})}
}

// TestGraphSizesLaziness: the quads of all graphs are counted by the root of the map, those of each by
// the list of graphs in it, and no graph is read but those of which another layer speaks.
func TestGraphSizesLaziness(t *testing.T) {
	base, obj, c := threeHundred(t)
	all := dataset.Pattern{G: dataset.Graphs{Mode: dataset.Each}}
	counter := new(reads.Counter)
	ctx := reads.With(t.Context(), counter)
	opened, loads := obj.BytesRead(), cache.StatsOf(c).Loads

	v := view.NewView([]layers.Entry{base}, nil)
	card, err := v.Estimate(ctx, all)
	n, failed := v.Count(ctx, all)
	if err != nil || failed != nil || n != 6000 || card.Guess != n {
		t.Errorf("%d quads, %+v expected, %v, %v", n, card, err, failed)
	}
	if obj.BytesRead() != opened || cache.StatsOf(c).Loads != loads {
		t.Errorf("counting all quads read %d bytes and %d units", obj.BytesRead()-opened, cache.StatsOf(c).Loads-loads)
	}
	graphs, rows, err := v.GraphCounts(ctx, all, nil)
	if err != nil || len(graphs) != 300 || slices.ContainsFunc(rows, func(n uint64) bool { return n != 20 }) {
		t.Errorf("%d graphs of %v quads, %v", len(graphs), rows, err)
	}
	if tiles := counter.Tiles.Load(); tiles > 0 {
		t.Errorf("%d tiles were read to count the quads of each graph", tiles)
	}
	v = view.NewView([]layers.Entry{base, twoChanged()}, nil)
	if n, err := v.Count(ctx, all); err != nil || n != 6002 {
		t.Errorf("%d quads after a change, %v", n, err)
	}
	if tiles := counter.Tiles.Load(); tiles > 2 {
		t.Errorf("%d tiles were read, of two graphs that changed", tiles)
	}
}

// TestGraphRowsOnce: rows by a constant are one list, for counts and for the estimates of later views.
func TestGraphRowsOnce(t *testing.T) {
	base, _, c := threeHundred(t)
	for i := range 2 {
		v := view.NewView([]layers.Entry{base, twoChanged()}, nil)
		bound := dataset.Pattern{P: lookUp(t, v, "<http://ex/p>"), G: dataset.Graphs{Mode: dataset.Each}}
		loads := cache.StatsOf(c).Loads
		card, err := v.Estimate(t.Context(), bound)
		graphs, _, failed := v.GraphCounts(t.Context(), bound, nil)
		n, wrong := v.Count(t.Context(), bound)
		if err != nil || failed != nil || wrong != nil || n != 6002 || len(graphs) != 300 || card.Low > n || card.High < n {
			t.Errorf("%d quads in %d graphs, %+v expected, %v, %v, %v", n, len(graphs), card, err, failed, wrong)
		}
		if made := cache.StatsOf(c).Loads - loads; i > 0 && made > 0 {
			t.Errorf("%d units were loaded to count again", made)
		}
	}
}
