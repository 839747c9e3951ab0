package view_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/rete-go/rete/engine/internal/view"
	"github.com/rete-go/rete/engine/internal/view/viewtest"
	"github.com/rete-go/rete/internal/longtest"
	"github.com/rete-go/rete/internal/model"
)

// TestViewAgainstModel is the main property: every pattern, order and graph mode
// over random logs, however the view keeps its layers.
func TestViewAgainstModel(t *testing.T) {
	seeds := longtest.Pick[uint64](13, 120)
	for seed := range seeds {
		r := rand.New(rand.NewPCG(seed, 2))
		shape := model.Shape{Terms: 4 + r.IntN(20), Entries: 1 + r.IntN(6), Quads: 1 + r.IntN(20), Graphs: 1 + r.IntN(4)}
		if r.IntN(2) == 0 { // a base, anywhere in the log
			shape.Big, shape.BigAt = 60, r.IntN(shape.Entries)
		}
		log := model.Log(r, shape)
		words := model.Vocabulary(shape.Terms)
		for _, cfg := range viewtest.Configs {
			v := view.NewView(viewtest.MemLog(log, 1+r.IntN(9)), cfg.Opt)
			viewtest.CheckView(t, v, log, words, r, fmt.Sprintf("seed %d, %s", seed, cfg.Name))
			if t.Failed() {
				return
			}
		}
	}
}
