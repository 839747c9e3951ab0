package view_test

import (
	"runtime"
	"testing"

	"github.com/rete-go/rete/dataset"
	"github.com/rete-go/rete/engine/internal/layers"
	"github.com/rete-go/rete/engine/internal/view"
	"github.com/rete-go/rete/engine/internal/view/viewtest"
	"github.com/rete-go/rete/internal/cache"
	"github.com/rete-go/rete/internal/segment"
)

// TestDeletedRowMemory: a deleted row of the base keeps its key in SPO alone. In each
// further order that is asked for it is a bit of a deletion vector, at most: orders that
// the base does not store are read by the vectors of those that it does.
func TestDeletedRowMemory(t *testing.T) {
	lacking := []dataset.Order{dataset.SOP, dataset.PSO, dataset.OPS}
	t.Run("stored", func(t *testing.T) {
		testDeletedRowMemory(t, 6, append(lacking, dataset.POS, dataset.OSP))
	})
	t.Run("lacking", func(t *testing.T) { testDeletedRowMemory(t, 3, lacking) })
}

// testDeletedRowMemory scans a base of six orders, or three, in SPO and in further orders.
func testDeletedRowMemory(t *testing.T, orders int, further []dataset.Order) {
	const quads, step, limit, limitAll = 200_000, 10, 6, 70
	c := cache.New(1 << 20) // the tiles of the base are not what is measured
	build := &segment.BuildOptions{WriterOptions: segment.WriterOptions{Orders: orders}}
	base := buildSegment(t, "base.rete", c, build, numbered(quads, viewtest.LazyQuad))
	dels := buildSegment(t, "dels.rete", c, nil, numbered(quads/step, func(i int) [4]string { return viewtest.LazyQuad(i * step) }))
	v := view.NewView([]layers.Entry{{Adds: layers.FromSegment(base)}, {Dels: layers.FromSegment(dels)}}, nil)
	plain := view.NewView([]layers.Entry{{Adds: layers.FromSegment(base)}}, nil)
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
	for _, o := range further {
		if got := quads - scan(o); got != gone {
			t.Fatalf("%d rows are deleted in %v, %d in SPO", got, o, gone)
		}
	}
	if each := float64(heap()-before) / float64(gone) / float64(len(further)); each > limit {
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
