package view_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/rete-go/rete/engine/internal/view"
	"github.com/rete-go/rete/engine/internal/view/viewtest"
	"github.com/rete-go/rete/internal/cache"
	"github.com/rete-go/rete/internal/longtest"
	"github.com/rete-go/rete/internal/model"
)

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
		layers := viewtest.SegLog(t, log, r, c)
		for _, cfg := range viewtest.Configs {
			v := view.NewView(layers, cfg.Opt)
			viewtest.CheckView(t, v, log, model.Vocabulary(shape.Terms), r, fmt.Sprintf("seed %d, %s", seed, cfg.Name))
		}
	}
}
