package engine_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/rete-go/rete/dataset"
	"github.com/rete-go/rete/engine"
	"github.com/rete-go/rete/internal/model"
)

// denseLog is a base under many entries, which take away and put back quads of the
// base and of each other, so that every stretch of the base has changes in it.
func denseLog(r *rand.Rand, entries int) []model.Entry {
	quad := func() model.Quad {
		q := model.Quad{
			fmt.Sprintf("<http://ex/s%d>", r.IntN(200)), fmt.Sprintf("<http://ex/p%d>", r.IntN(4)),
			fmt.Sprintf("<http://ex/s%d>", 100+r.IntN(200)),
		}
		if r.IntN(3) == 0 {
			q[3] = fmt.Sprintf("<http://ex/g%d>", r.IntN(2))
		}
		return q
	}
	log := make([]model.Entry, 1+entries)
	for range 3000 {
		log[0].Adds = append(log[0].Adds, quad())
	}
	for i := range log[1:] {
		e := &log[1+i]
		for range 20 {
			from := log[r.IntN(1+i)].Adds
			e.Dels = append(e.Dels, from[r.IntN(len(from))])
			if d := log[r.IntN(1+i)].Dels; len(d) > 0 && r.IntN(2) == 0 {
				e.Adds = append(e.Adds, d[r.IntN(len(d))])
			}
			e.Adds = append(e.Adds, quad())
		}
	}
	return log
}

// TestDenseChanges scans one view from several goroutines, so that what one finds of
// the changes serves the others, and compares with the model. Some of the entries
// were appended to the view, and lie beside what it has in memory.
func TestDenseChanges(t *testing.T) {
	r := rand.New(rand.NewPCG(31, 8))
	log := denseLog(r, 40)
	visible := model.Fold(log)
	var words []string
	for _, q := range visible.Sorted() {
		words = append(words, q[:]...)
	}
	words = slices.DeleteFunc(words, func(s string) bool { return s == "" })
	slices.Sort(words)
	words = slices.Compact(words)
	for _, cfg := range configs {
		layers := memLog(log, 60)
		v := engine.NewView(layers[:30], cfg.opt).Append(layers[30:35]...).Append(layers[35:]...)
		tt := lookupAll(t, v, words)
		for worker := range 4 {
			t.Run(fmt.Sprintf("%s/%d", cfg.name, worker), func(t *testing.T) {
				t.Parallel()
				r := rand.New(rand.NewPCG(uint64(worker), 3))
				for range 12 {
					scanDense(t, v, tt, visible, words, r)
				}
			})
		}
	}
}

// scanDense compares a scan, with and without seeks, with the model.
func scanDense(t *testing.T, v *engine.View, tt terms, visible model.Set, words []string, r *rand.Rand) {
	t.Helper()
	gc := graphCases(tt, r, words)[r.IntN(4)]
	p, m, o := engine.Pattern{G: gc.g}, gc.m, dataset.Order(r.IntN(6))
	if r.IntN(2) == 0 {
		m.P = fmt.Sprintf("<http://ex/p%d>", r.IntN(4))
		p.P = tt.id[m.P]
	}
	if r.IntN(3) == 0 {
		m.S = words[r.IntN(len(words))]
		if p.S = tt.id[m.S]; p.S == 0 {
			p.S = 1 << 50
		}
	}
	c, err := v.Scan(t.Context(), p, o, nil)
	if err != nil {
		t.Fatal(err)
	}
	all := drain(t, c)
	tt.checkOrder(t, all, o)
	got, want := tt.quads(t, all), visible.Match(m)
	slices.SortFunc(got, func(a, b model.Quad) int { return slices.Compare(a[:], b[:]) })
	if !slices.Equal(got, want) {
		t.Fatalf("%+v %v: %d rows, want %d", m, o, len(got), len(want))
	}
	if n, err := v.Count(t.Context(), p); err != nil || n != uint64(len(want)) {
		t.Fatalf("%+v: counted %d, %v, want %d", m, n, err, len(want))
	}
	if gc.g.Mode != engine.Each {
		seekThrough(t, v, tt, r, p, o, all, "dense")
	}
}
