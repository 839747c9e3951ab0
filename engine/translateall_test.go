package engine_test

import (
	"context"
	"math/rand/v2"
	"slices"
	"sync/atomic"
	"testing"

	"github.com/rete-go/rete/engine"
	"github.com/rete-go/rete/internal/model"
)

// askedLayer counts the terms that a layer is asked for.
type askedLayer struct {
	engine.Layer
	terms atomic.Int64
}

func (l *askedLayer) Locate(ctx context.Context, sec engine.Section, sorted [][]byte, out []uint32) error {
	l.terms.Add(int64(len(sorted)))
	return l.Layer.Locate(ctx, sec, sorted, out)
}

// TestTermsAreSoughtOnce: however many small layers have a term, the base is asked for
// it once, in each section at most.
func TestTermsAreSoughtOnce(t *testing.T) {
	log := denseLog(rand.New(rand.NewPCG(5, 8)), 60)
	visible := model.Fold(log)
	distinct := map[string]bool{}
	for _, e := range log[1:] {
		for _, q := range slices.Concat(e.Adds, e.Dels) {
			for _, s := range q {
				distinct[s] = true
			}
		}
	}
	layers := memLog(log, 100)
	base := &askedLayer{Layer: layers[0].Adds}
	layers[0].Adds = base
	v := engine.NewView(layers, nil)
	c, err := v.Scan(t.Context(), engine.Pattern{G: engine.Graphs{Mode: engine.Merge}}, 0, nil)
	if err != nil {
		t.Fatal(err)
	}
	rows := drain(t, c)
	if want := visible.Match(model.Pattern{Mode: model.Merge}); len(rows) != len(want) {
		t.Errorf("%d rows, want %d", len(rows), len(want))
	}
	if n := base.terms.Load(); n > 3*int64(len(distinct)) {
		t.Errorf("the base was asked for %d terms; the entries have %d", n, len(distinct))
	}
}
