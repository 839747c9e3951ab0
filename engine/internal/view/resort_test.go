package view_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/rete-go/rete/dataset"
	"github.com/rete-go/rete/engine/internal/layers"
	"github.com/rete-go/rete/engine/internal/view"
	"github.com/rete-go/rete/engine/internal/view/viewtest"
	"github.com/rete-go/rete/internal/model"
	"github.com/rete-go/rete/internal/segment"
	"github.com/rete-go/rete/internal/segtest"
)

// threeOrders is a log over a base of which the file stores three orders.
func threeOrders(t *testing.T, log []model.Entry) []layers.Entry {
	quads := make([][4]string, len(log[0].Adds))
	for i, q := range log[0].Adds {
		quads[i] = q
	}
	entries := viewtest.MemLog(log, 60)
	entries[0].Adds = layers.FromSegment(segtest.Open(t, "base.rete", quads, &segment.WriterOptions{Orders: 3}, nil))
	return entries
}

// TestOrdersThatABaseLacks scans dense changes in orders that the base's file does not
// store, in views that know the places of none, of some and of all of them, and compares
// with the model.
func TestOrdersThatABaseLacks(t *testing.T) {
	r := rand.New(rand.NewPCG(33, 8))
	log := viewtest.DenseLog(r, 24)
	words := wordsOf(model.Fold(log))
	for _, cfg := range viewtest.Configs {
		t.Run(cfg.Name, func(t *testing.T) {
			entries := threeOrders(t, log)
			for _, known := range [][]dataset.Order{nil, {dataset.SPO}, {dataset.POS, dataset.OSP}, {dataset.SOP, dataset.PSO, dataset.OPS}} {
				v := view.NewView(entries[:12], cfg.Opt)
				var b dataset.Batch
				for _, o := range known {
					viewtest.ScanAll(t, v, dataset.Pattern{}, o, &b)
				}
				v = view.Append(v, entries[12:]...)
				tt := viewtest.LookupAll(t, v, words)
				for range 16 {
					viewtest.ScanDense(t, v, tt, model.Fold(log), words, r)
				}
			}
		})
	}
}

// wordsOf returns the terms of quads.
func wordsOf(set model.Set) (words []string) {
	for _, q := range set.Sorted() {
		words = append(words, q[:]...)
	}
	words = slices.DeleteFunc(words, func(s string) bool { return s == "" })
	slices.Sort(words)
	return slices.Compact(words)
}
