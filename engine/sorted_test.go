package engine_test

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/rete-go/rete/engine"
	"github.com/rete-go/rete/internal/model"
	"github.com/rete-go/rete/internal/quadtest"
	"github.com/rete-go/rete/internal/vfs"
)

// The order of a dump is that of the surfaces, whatever the layers are.
func TestSortedQuads(t *testing.T) {
	for seed := range uint64(12) {
		r := rand.New(rand.NewPCG(seed, 33))
		log := model.Log(r, model.Shape{Terms: 6 + r.IntN(30), Entries: 5})
		db := initDB(t, vfs.NewMem())
		var steps []engine.Step
		for _, e := range log {
			steps = append(steps, engine.Step{Adds: quads(e.Adds), Dels: quads(e.Dels)})
		}
		addDB(t, db, steps...)
		want := model.Fold(log).Sorted()
		slices.SortFunc(want, func(a, b model.Quad) int {
			for _, c := range []int{3, 0, 1, 2} {
				if d := strings.Compare(a[c], b[c]); d != 0 {
					return d
				}
			}
			return 0
		})
		for range 2 {
			var got []model.Quad
			if err := quadtest.Each(snapshot(t, db).SortedQuads(t.Context()), collect(&got)); err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(got, want) {
				t.Fatalf("seed %d:\ngot  %v\nwant %v", seed, got, want)
			}
			if _, err := db.Compact(t.Context(), nil); err != nil && len(want) > 0 {
				break // it was compact before
			}
		}
	}
}
