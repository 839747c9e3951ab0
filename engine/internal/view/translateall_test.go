package view_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/rete-go/rete/dataset"
	"github.com/rete-go/rete/engine/internal/layers"
	"github.com/rete-go/rete/engine/internal/view"
	"github.com/rete-go/rete/engine/internal/view/viewtest"
	"github.com/rete-go/rete/internal/ids"
	"github.com/rete-go/rete/internal/model"
)

// askedLayer counts the terms that a layer is asked for.
type askedLayer struct {
	layers.Layer
	terms atomic.Int64
}

func (l *askedLayer) Locate(ctx context.Context, sec layers.Section, sorted [][]byte, out []uint32) error {
	l.terms.Add(int64(len(sorted)))
	return l.Layer.Locate(ctx, sec, sorted, out)
}

// TestTermsAreSoughtOnce: however many small layers have a term, the base is asked for
// it once, in each section at most.
func TestTermsAreSoughtOnce(t *testing.T) {
	log := viewtest.DenseLog(rand.New(rand.NewPCG(5, 8)), 60)
	visible := model.Fold(log)
	distinct := map[string]bool{}
	for _, e := range log[1:] {
		for _, q := range slices.Concat(e.Adds, e.Dels) {
			for _, s := range q {
				distinct[s] = true
			}
		}
	}
	layers := viewtest.MemLog(log, 100)
	base := &askedLayer{Layer: layers[0].Adds}
	layers[0].Adds = base
	v := view.NewView(layers, nil)
	c, err := v.Scan(t.Context(), dataset.Pattern{G: dataset.Graphs{Mode: dataset.Merge}}, 0, nil)
	if err != nil {
		t.Fatal(err)
	}
	rows := viewtest.Drain(t, c)
	if want := visible.Match(model.Pattern{Mode: model.Merge}); len(rows) != len(want) {
		t.Errorf("%d rows, want %d", len(rows), len(want))
	}
	if n := base.terms.Load(); n > 3*int64(len(distinct)) {
		t.Errorf("the base was asked for %d terms; the entries have %d", n, len(distinct))
	}
}

// steppedLayer notes the most that it is asked for at once.
type steppedLayer struct {
	layers.Layer
	located, decoded *atomic.Int64 // bytes
}

func (l *steppedLayer) Locate(ctx context.Context, sec layers.Section, sorted [][]byte, out []uint32) error {
	n := int64(0)
	for _, s := range sorted {
		n += int64(len(s))
	}
	l.located.Store(max(l.located.Load(), n))
	return l.Layer.Locate(ctx, sec, sorted, out)
}

func (l *steppedLayer) Decode(ctx context.Context, sec layers.Section, local []uint32, out *ids.Terms) error {
	before := len(out.Slab)
	err := l.Layer.Decode(ctx, sec, local, out)
	l.decoded.Store(max(l.decoded.Load(), int64(len(out.Slab)-before)))
	return err
}

// TestLongTermsInSmallSteps: the terms of many layers are in memory a few at a time,
// however long they are.
func TestLongTermsInSmallSteps(t *testing.T) {
	const size = 20 << 10
	long := strings.Repeat("x", size)
	log := make([]model.Entry, 12)
	for i := range log {
		for k := range 60 {
			log[i].Adds = append(log[i].Adds, model.Quad{"<http://ex/s>", "<http://ex/p>", fmt.Sprintf("\"%d %d %s\"", i*20+k, k%7, long)})
		}
	}
	for i := range 2000 { // the base
		log[0].Adds = append(log[0].Adds, model.Quad{"<http://ex/s>", "<http://ex/p>", fmt.Sprintf("\"%d\"", i)})
	}
	var located, decoded atomic.Int64
	layers := viewtest.MemLog(log, 100)
	for i := range layers {
		layers[i].Adds = &steppedLayer{layers[i].Adds, &located, &decoded}
	}
	v := view.NewView(layers, nil)
	n, err := v.Count(t.Context(), dataset.Pattern{})
	if want := len(model.Fold(log)); err != nil || n != uint64(want) {
		t.Fatalf("%d quads, %v, want %d", n, err, want)
	}
	if d, l := decoded.Load(), located.Load(); d == 0 || d > 32*(size+64) || l == 0 || l > 1<<20+2*size {
		t.Errorf("%d bytes of terms were decoded and %d looked up at once", d, l)
	}
}
