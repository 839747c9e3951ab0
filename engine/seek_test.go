package engine_test

import (
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/rete-go/rete/dataset"
	"github.com/rete-go/rete/engine"
	"github.com/rete-go/rete/internal/model"
)

// largeLog is a base of many batches under entries that touch it all over.
func largeLog(r *rand.Rand) []model.Entry {
	quad := func() model.Quad {
		q := model.Quad{
			fmt.Sprintf("<http://ex/s%d>", r.IntN(2000)), fmt.Sprintf("<http://ex/p%d>", r.IntN(5)),
			fmt.Sprintf("<http://ex/s%d>", r.IntN(3000)),
		}
		if r.IntN(4) == 0 {
			q[3] = fmt.Sprintf("<http://ex/g%d>", r.IntN(2))
		}
		return q
	}
	log := make([]model.Entry, 4)
	for i := range log {
		n := 300
		if i == 1 {
			n = 12000
		}
		for range n {
			log[i].Adds = append(log[i].Adds, quad())
		}
		if i > 1 {
			for range 400 {
				log[i].Dels = append(log[i].Dels, log[1].Adds[r.IntN(len(log[1].Adds))])
			}
		}
	}
	return log
}

// TestSeeksAndBatches mixes Next and forward seeks at random over scans of many
// batches, and compares the rows with those of a plain scan.
func TestSeeksAndBatches(t *testing.T) {
	r := rand.New(rand.NewPCG(21, 1))
	log := largeLog(r)
	words := []string{}
	for _, q := range model.Fold(log).Sorted() {
		words = append(words, q[:]...)
	}
	slices.Sort(words)
	words = slices.Compact(words)
	for _, cfg := range configs {
		v := engine.NewView(memLog(log, 700), cfg.opt)
		tt := lookupAll(t, v, words)
		for range 40 {
			p, o := engine.Pattern{G: engine.Graphs{Mode: engine.GraphMode(2 * r.IntN(2))}}, dataset.Order(r.IntN(6))
			if r.IntN(2) == 0 {
				p.P = tt.id["<http://ex/p1>"]
			}
			c, err := v.Scan(t.Context(), p, o, nil)
			if err != nil {
				t.Fatal(err)
			}
			all := drain(t, c)
			tt.checkOrder(t, all, o)
			seekThrough(t, v, tt, r, p, o, all, cfg.name)
		}
	}
}

// seekThrough reads a scan with seeks in between.
func seekThrough(t *testing.T, v *engine.View, tt terms, r *rand.Rand, p engine.Pattern, o dataset.Order, all [][4]engine.ID, label string) {
	t.Helper()
	c, err := v.Scan(t.Context(), p, o, nil)
	if err != nil {
		t.Fatal(err)
	}
	at := 0 // place in all
	var b engine.Batch
	for {
		if r.IntN(2) == 0 && len(all) > 0 {
			target := all[min(len(all)-1, at+r.IntN(1+r.IntN(3000)))]
			var key []engine.ID
			for _, col := range o.Columns() {
				key = append(key, target[col])
			}
			key = key[:1+r.IntN(3)]
			if err := c.Seek(t.Context(), key...); err != nil {
				t.Fatal(err)
			}
			for at < len(all) && tt.compareIn(o, all[at], key) < 0 {
				at++
			}
		}
		err := c.Next(t.Context(), &b)
		if err == io.EOF {
			if at != len(all) {
				t.Fatalf("%s: %+v %v: the end at row %d of %d", label, p, o, at, len(all))
			}
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		for i := range b.N {
			row := [4]engine.ID{b.Col[0][i], b.Col[1][i], b.Col[2][i]}
			if at >= len(all) || row != all[at] {
				t.Fatalf("%s: %+v %v: row %d is %v, want %v", label, p, o, at, row, all[min(at, len(all)-1)])
			}
			at++
		}
	}
}
