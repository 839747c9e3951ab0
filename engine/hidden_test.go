package engine_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/rete-go/rete/engine"
	"github.com/rete-go/rete/internal/model"
)

// TestHiddenRowsLeaveTheVisibleQuads counts: all rows of all adds less the hidden
// ones are the visible quads.
func TestHiddenRowsLeaveTheVisibleQuads(t *testing.T) {
	for seed := range uint64(150) {
		r := rand.New(rand.NewPCG(seed, 9))
		shape := model.Shape{Terms: 3 + r.IntN(10), Entries: 1 + r.IntN(6), Quads: 1 + r.IntN(15)}
		log := model.Log(r, shape)
		layers := memLog(log, 1+r.IntN(5))
		v := engine.NewView(layers, configs[r.IntN(len(configs))].opt)
		hidden, err := v.Hidden(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		rows, number := uint64(0), uint32(0)
		first := map[model.Quad]uint32{} // the first layer that holds a quad
		held := map[uint32]uint64{}      // visible quads by first holder
		visible := model.Fold(log)
		for i, e := range log {
			if layers[i].Adds == nil {
				continue
			}
			rows += layers[i].Adds.Counts().Quads
			for _, q := range e.Adds {
				if _, ok := first[q]; !ok {
					first[q] = number
					if visible[q] {
						held[number]++
					}
				}
			}
			number++
		}
		label := fmt.Sprintf("seed %d", seed)
		if got, want := rows-hidden.Len(), uint64(len(visible.Sorted())); got != want {
			t.Fatalf("%s: %d rows less %d hidden are %d, want %d", label, rows, hidden.Len(), got, want)
		}
		number = 0
		for i := range layers {
			if layers[i].Adds == nil {
				continue
			}
			if got := layers[i].Adds.Counts().Quads - hidden.LayerLen(number); got != held[number] {
				t.Fatalf("%s: layer %d shows %d quads, want %d", label, number, got, held[number])
			}
			number++
		}
	}
}
