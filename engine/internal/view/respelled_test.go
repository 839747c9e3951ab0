package view_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/rete-go/rete/engine/internal/layers"
	"github.com/rete-go/rete/engine/internal/view"
	"github.com/rete-go/rete/engine/internal/view/viewtest"
	"github.com/rete-go/rete/internal/cache"
	"github.com/rete-go/rete/internal/longtest"
	"github.com/rete-go/rete/internal/model"
	"github.com/rete-go/rete/internal/segtest"
)

// TestRespelledSegments folds segments of another program, in which one term is
// spelled in several ways, also inside one file, with others that are canonical.
func TestRespelledSegments(t *testing.T) {
	seeds := longtest.Pick[uint64](8, 60)
	c := cache.New(1 << 20)
	for seed := range seeds {
		r := rand.New(rand.NewPCG(seed, 8))
		shape := model.Shape{Terms: 5 + r.IntN(15), Entries: 1 + r.IntN(4), Quads: 1 + r.IntN(20), Graphs: 1 + r.IntN(3)}
		if r.IntN(2) == 0 {
			shape.Big, shape.BigAt = 80, r.IntN(shape.Entries)
		}
		log := model.Log(r, shape)
		layer := func(name string, quads []model.Quad) layers.Layer {
			if len(quads) == 0 {
				return nil
			}
			list := make([][4]string, len(quads))
			for i, q := range quads {
				list[i] = [4]string{model.Respell(r, q[0]), q[1], model.Respell(r, q[2]), q[3]}
			}
			l, err := layers.FromForeign(t.Context(), segtest.Open(t, name, list, nil, c))
			if err != nil {
				t.Fatal(err)
			}
			return l
		}
		entries := make([]layers.Entry, len(log))
		for i, e := range log {
			entries[i] = layers.Entry{Adds: layer(fmt.Sprintf("a%d", i), e.Adds), Dels: layer(fmt.Sprintf("d%d", i), e.Dels)}
		}
		for _, cfg := range viewtest.Configs {
			v := view.NewView(entries, cfg.Opt)
			viewtest.CheckView(t, v, log, model.Vocabulary(shape.Terms), r, fmt.Sprintf("seed %d, %s", seed, cfg.Name))
		}
	}
}
