package view_test

import (
	"runtime"
	"testing"

	"github.com/rete-go/rete/dataset"
	"github.com/rete-go/rete/engine/internal/view"
	"github.com/rete-go/rete/engine/internal/view/viewtest"
	"github.com/rete-go/rete/internal/cache"
)

// TestDeletedRowMemory: a deleted row of the base keeps its key in SPO alone. In each
// further order that is asked for it is a bit of a deletion vector.
func TestDeletedRowMemory(t *testing.T) {
	const quads, step, limit, limitAll = 200_000, 10, 6, 70
	c := cache.New(1 << 20) // the tiles of the base are not what is measured
	base := benchSegment(t, "base.rete", c, numbered(quads, viewtest.LazyQuad))
	dels := benchSegment(t, "dels.rete", c, numbered(quads/step, func(i int) [4]string { return viewtest.LazyQuad(i * step) }))
	v := view.NewView([]view.Entry{{Adds: view.SegmentLayer(base)}, {Dels: view.SegmentLayer(dels)}}, nil)
	plain := view.NewView([]view.Entry{{Adds: view.SegmentLayer(base)}}, nil)
	var batch dataset.Batch
	scan := func(o dataset.Order) int { return viewtest.ScanAll(t, v, dataset.Pattern{}, o, &batch) }
	for o := range dataset.Order(dataset.Orders) {
		viewtest.ScanAll(t, plain, dataset.Pattern{}, o, &batch) // what is kept of the base itself
	}
	start := heap()
	gone := quads - scan(dataset.SPO)
	if gone < quads/step*9/10 {
		t.Fatalf("%d rows are deleted", gone)
	}
	before := heap()
	for o := dataset.POS; int(o) < dataset.Orders; o++ {
		if got := quads - scan(o); got != gone {
			t.Fatalf("%d rows are deleted in %v, %d in SPO", got, o, gone)
		}
	}
	if each := float64(heap()-before) / float64(gone) / 5; each > limit {
		t.Errorf("a deleted row takes %.1f bytes in each order, want at most %d", each, limit)
	}
	if all := float64(heap()-start) / float64(gone); all > limitAll {
		t.Errorf("a deleted row takes %.1f bytes in all, want at most %d", all, limitAll)
	}
	runtime.KeepAlive(v)
	runtime.KeepAlive(plain)
}

// heap returns the bytes of live objects.
func heap() int64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}
