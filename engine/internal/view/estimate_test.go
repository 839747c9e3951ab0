package view_test

import (
	"fmt"
	"testing"

	"github.com/rete-go/rete/dataset"
	"github.com/rete-go/rete/engine/internal/layers"
	"github.com/rete-go/rete/engine/internal/view"
	"github.com/rete-go/rete/engine/internal/view/viewtest"
	"github.com/rete-go/rete/internal/cache"
	"github.com/rete-go/rete/internal/ids"
	"github.com/rete-go/rete/rdf"
)

// TestEstimatesOfALargeSegment holds guesses against the truth, within a factor of
// two, and counts what they read.
func TestEstimatesOfALargeSegment(t *testing.T) {
	const n = 100_000
	// Property 0 has 7 objects, property 1 a new one for each row, the others some.
	quad := func(i int) [4]string {
		o := i / 10
		switch i % 10 {
		case 0:
			o %= 7
		case 1:
		default:
			o %= 500 * (i % 10)
		}
		return [4]string{
			fmt.Sprintf("<http://data.example/s/%d>", i/10), fmt.Sprintf("<http://data.example/p/%d>", i%10),
			fmt.Sprintf("\"%d\"", o), "",
		}
	}
	v := view.NewView([]layers.Entry{{Adds: layers.FromSegment(benchSegment(t, "base.rete", cache.New(1<<28), numbered(n, quad)))}}, nil)
	for p := range 10 {
		pat := dataset.Pattern{}
		out := [1]dataset.ID{}
		if err := v.Lookup(t.Context(), []rdf.Term{rdf.FromSurface(fmt.Sprintf("<http://data.example/p/%d>", p))}, out[:]); err != nil {
			t.Fatal(err)
		}
		pat.P = out[0]
		c, err := v.Scan(t.Context(), pat, dataset.PSO, nil)
		if err != nil {
			t.Fatal(err)
		}
		rows := viewtest.Drain(t, c)
		subjects, objects := new(ids.Set), new(ids.Set)
		for _, row := range rows {
			subjects.Add(row[dataset.S])
			objects.Add(row[dataset.O])
		}
		card, err := v.Estimate(t.Context(), pat)
		if err != nil {
			t.Fatal(err)
		}
		for _, g := range []struct {
			what      string
			got, want uint64
		}{
			{"rows", card.Guess, uint64(len(rows))},
			{"subjects", card.Distinct[dataset.S], subjects.Len()},
			{"objects", card.Distinct[dataset.O], objects.Len()},
		} {
			if g.got > 2*g.want || 2*g.got < g.want {
				t.Errorf("property %d: %d %s guessed, there are %d", p, g.got, g.what, g.want)
			}
		}
	}
}

// TestEstimatesAreKept compares estimates that a view keeps, and those for which it has no
// room any more, with those of a view that was not asked before.
func TestEstimatesAreKept(t *testing.T) {
	var quads [][4]string
	for i := range 3000 {
		graph := ""
		if i%5 == 0 {
			graph = fmt.Sprintf("<http://data.example/g/%d>", i%3)
		}
		quads = append(quads, [4]string{
			fmt.Sprintf("<http://data.example/s/%d>", i%90), fmt.Sprintf("<http://data.example/p/%d>", i%1500),
			fmt.Sprintf("<http://data.example/o/%d>", i%7), graph,
		})
	}
	log := []layers.Entry{{Adds: layers.NewMemory("base", quads)}}
	v := view.NewView(log, nil)
	ids := make([]dataset.ID, 1500)
	names := make([]rdf.Term, len(ids))
	for i := range names {
		names[i] = rdf.IRI(fmt.Sprintf("http://data.example/p/%d", i))
	}
	if err := v.Lookup(t.Context(), names, ids); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		for i, p := range ids {
			for _, g := range []dataset.Graphs{{}, {Mode: dataset.Each}, {Mode: dataset.Merge}, {Mode: dataset.Merge, NamedOnly: true}, {Mode: dataset.Each, Set: []dataset.ID{}}} {
				pattern := dataset.Pattern{P: p, G: g}
				got, err := v.Estimate(t.Context(), pattern)
				if err != nil {
					t.Fatal(err)
				}
				if i%100 > 0 && i < 1400 {
					continue
				}
				want, err := view.NewView(log, nil).Estimate(t.Context(), pattern)
				if err != nil || got != want {
					t.Fatalf("%v: %+v, want %+v (%v)", pattern, got, want, err)
				}
			}
		}
	}
}
