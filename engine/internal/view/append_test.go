package view_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/rete-go/rete/dataset"
	"github.com/rete-go/rete/engine/internal/layers"
	"github.com/rete-go/rete/engine/internal/view"
	"github.com/rete-go/rete/engine/internal/view/viewtest"
	"github.com/rete-go/rete/internal/ids"
	"github.com/rete-go/rete/internal/longtest"
	"github.com/rete-go/rete/internal/model"
)

// TestAppendedViews cuts random logs into a view and what is appended to it, in
// several steps. Every view stays right, and a term keeps its id.
func TestAppendedViews(t *testing.T) {
	seeds := longtest.Pick[uint64](10, 80)
	for seed := range seeds {
		r := rand.New(rand.NewPCG(seed, 10))
		shape := model.Shape{Terms: 4 + r.IntN(16), Entries: 2 + r.IntN(6), Quads: 1 + r.IntN(12), Graphs: 1 + r.IntN(3)}
		log := model.Log(r, shape)
		words := model.Vocabulary(shape.Terms)
		layers := viewtest.MemLog(log, 1+r.IntN(5))
		cfg := viewtest.Configs[r.IntN(len(viewtest.Configs))]
		cut := r.IntN(len(log))
		views := []*view.View{view.NewView(layers[:cut], cfg.Opt)}
		cuts := []int{cut}
		for cut < len(log) {
			last := views[len(views)-1]
			if r.IntN(2) == 0 { // what was read must be carried over rightly
				viewtest.CheckView(t, last, log[:cut], words, r, fmt.Sprintf("seed %d, cut at %d, before", seed, cut))
			}
			n := 1 + r.IntN(len(log)-cut)
			views = append(views, view.Append(last, layers[cut:cut+n]...))
			cut += n
			cuts = append(cuts, cut)
		}
		known := map[string]dataset.ID{}
		for i, v := range views {
			viewtest.CheckView(t, v, log[:cuts[i]], words, r, fmt.Sprintf("seed %d, %s, appended to %d of %d entries", seed, cfg.Name, cuts[i], len(log)))
			for s, id := range viewtest.LookupAll(t, v, words).ID {
				if was, ok := known[s]; ok && was != id {
					t.Fatalf("seed %d: %s was %d and is %d", seed, s, was, id)
				}
				known[s] = id
			}
		}
		for i, v := range views { // the old ones are as they were
			viewtest.CheckView(t, v, log[:cuts[i]], words, r, fmt.Sprintf("seed %d, again", seed))
		}
	}
}

// TestAppendCostsWhatIsAppended counts: a small batch after a log whose layers are
// in memory reads nothing of them again.
func TestAppendCostsWhatIsAppended(t *testing.T) {
	log := model.Log(rand.New(rand.NewPCG(1, 2)), model.Shape{Entries: 4, Terms: 40, Quads: 60, Big: 2000, BigAt: 0})
	counted := 0
	layers := viewtest.MemLog(log, 100)
	for i := range layers {
		if layers[i].Adds != nil {
			layers[i].Adds = countingLayer{layers[i].Adds, &counted}
		}
		if layers[i].Dels != nil {
			layers[i].Dels = countingLayer{layers[i].Dels, &counted}
		}
	}
	v := view.NewView(layers, nil)
	var b dataset.Batch
	want := viewtest.ScanAll(t, v, dataset.Pattern{}, 0, &b)
	before := counted
	top := view.Append(v, viewtest.MemLog([]model.Entry{{Adds: []model.Quad{{"<http://ex/new>", log[0].Adds[0][1], "<http://ex/t0>", ""}}}}, 10)...)
	if got := viewtest.ScanAll(t, top, dataset.Pattern{}, 0, &b); got != want+1 {
		t.Errorf("%d rows, want %d", got, want+1)
	}
	// The base is scanned again; nothing is decoded but what the look-ups of two
	// terms need.
	if got := counted - before; got > 12 {
		t.Errorf("%d dictionary calls after the append", got)
	}
}

// countingLayer counts the calls that open a dictionary.
type countingLayer struct {
	layers.Layer
	calls *int
}

func (c countingLayer) Locate(ctx context.Context, sec layers.Section, sorted [][]byte, out []uint32) error {
	*c.calls++
	return c.Layer.Locate(ctx, sec, sorted, out)
}

func (c countingLayer) Decode(ctx context.Context, sec layers.Section, local []uint32, out *ids.Terms) error {
	*c.calls++
	return c.Layer.Decode(ctx, sec, local, out)
}
