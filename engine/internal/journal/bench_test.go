package journal_test

import (
	"testing"

	"github.com/rete-go/rete/engine/internal/journal"
	"github.com/rete-go/rete/internal/vfs"
	"github.com/rete-go/rete/rdf"
)

// BenchmarkLoad reads a journal whose batches have one line each, the most commit
// lines that there can be.
func BenchmarkLoad(b *testing.B) {
	const batches = 200_000
	m := vfs.NewMem()
	w := open(b, m, journal.Options{Mode: journal.Never})
	for i := range batches {
		if _, err := w.Append(w.Epoch(), 1, batch(i, 1)); err != nil {
			b.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		c, err := journal.Load(m, name)
		if err != nil {
			b.Fatal(err)
		}
		n := 0
		if err := c.Each(0, func(int64, bool, *rdf.RawQuad) error { n++; return nil }); err != nil || n != batches {
			b.Fatal(n, err)
		}
	}
	b.ReportMetric(batches*float64(b.N)/b.Elapsed().Seconds(), "lines/s")
}
