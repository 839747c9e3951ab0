package engine_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/rete-go/rete/engine"
	"github.com/rete-go/rete/internal/cache"
	"github.com/rete-go/rete/internal/longtest"
	"github.com/rete-go/rete/internal/model"
	"github.com/rete-go/rete/internal/segtest"
	"github.com/rete-go/rete/segment"
)

// segLog turns a model's log into segments. Now and then a file has three orders
// only, or no map.
func segLog(t testing.TB, log []model.Entry, r *rand.Rand, c *cache.Cache) []engine.Entry {
	t.Helper()
	layer := func(name string, quads []model.Quad) engine.Layer {
		if len(quads) == 0 {
			return nil
		}
		list := make([][4]string, len(quads))
		for i, q := range quads {
			list[i] = q
		}
		opt := &segment.WriterOptions{Codec: segment.Codec(r.IntN(2)), ThreeOrders: r.IntN(3) == 0, Plain: r.IntN(3) == 0}
		return engine.SegmentLayer(segtest.Open(t, name, list, opt, c))
	}
	out := make([]engine.Entry, len(log))
	for i, e := range log {
		out[i].Adds = layer(fmt.Sprintf("adds%d.rete", i), e.Adds)
		out[i].Dels = layer(fmt.Sprintf("dels%d.rete", i), e.Dels)
	}
	return out
}

// TestSegmentViewAgainstModel is TestViewAgainstModel over real segments.
func TestSegmentViewAgainstModel(t *testing.T) {
	seeds := longtest.Pick[uint64](8, 30)
	c := cache.New(1 << 20)
	for seed := range seeds {
		r := rand.New(rand.NewPCG(seed, 4))
		shape := model.Shape{Terms: 5 + r.IntN(20), Entries: 1 + r.IntN(5), Quads: 1 + r.IntN(20), Graphs: 1 + r.IntN(4)}
		if r.IntN(2) == 0 {
			shape.Big, shape.BigAt = 100, r.IntN(shape.Entries)
		}
		log := model.Log(r, shape)
		layers := segLog(t, log, r, c)
		for _, cfg := range configs {
			v := engine.NewView(layers, cfg.opt)
			checkView(t, v, log, model.Vocabulary(shape.Terms), r, fmt.Sprintf("seed %d, %s", seed, cfg.name))
		}
	}
}
