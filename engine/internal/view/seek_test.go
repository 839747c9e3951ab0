package view_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/rete-go/rete/dataset"
	"github.com/rete-go/rete/engine/internal/view"
	"github.com/rete-go/rete/engine/internal/view/viewtest"
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
	for _, cfg := range viewtest.Configs {
		v := view.NewView(viewtest.MemLog(log, 700), cfg.Opt)
		tt := viewtest.LookupAll(t, v, words)
		for range 40 {
			p, o := dataset.Pattern{G: dataset.Graphs{Mode: dataset.GraphMode(2 * r.IntN(2))}}, dataset.Order(r.IntN(6))
			if r.IntN(2) == 0 {
				p.P = tt.ID["<http://ex/p1>"]
			}
			c, err := v.Scan(t.Context(), p, o, nil)
			if err != nil {
				t.Fatal(err)
			}
			all := viewtest.Drain(t, c)
			tt.CheckOrder(t, all, o)
			viewtest.SeekThrough(t, v, tt, r, p, o, all, cfg.Name)
		}
	}
}
