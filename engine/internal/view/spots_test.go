package view_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/rete-go/rete/engine/internal/view"
	"github.com/rete-go/rete/engine/internal/view/viewtest"
	"github.com/rete-go/rete/internal/model"
)

// TestDenseChanges scans one view from several goroutines, so that what one finds of
// the changes serves the others, and compares with the model. Some of the entries
// were appended to the view, and are not in memory with the rest.
func TestDenseChanges(t *testing.T) {
	r := rand.New(rand.NewPCG(31, 8))
	log := viewtest.DenseLog(r, 40)
	visible := model.Fold(log)
	words := wordsOf(visible)
	for _, cfg := range viewtest.Configs {
		layers := viewtest.MemLog(log, 60)
		v := view.Append(view.Append(view.NewView(layers[:30], cfg.Opt), layers[30:35]...), layers[35:]...)
		tt := viewtest.LookupAll(t, v, words)
		for worker := range 4 {
			t.Run(fmt.Sprintf("%s/%d", cfg.Name, worker), func(t *testing.T) {
				t.Parallel()
				r := rand.New(rand.NewPCG(uint64(worker), 3))
				for range 12 {
					viewtest.ScanDense(t, v, tt, visible, words, r)
				}
			})
		}
	}
}
