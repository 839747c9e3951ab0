package dict_test

import (
	"bytes"
	"slices"
	"testing"
	"time"

	"github.com/rete-go/rete/dict"
	"github.com/rete-go/rete/internal/codec"
)

// best runs f a few times and returns the shortest time.
func best(f func()) time.Duration {
	least := time.Hour
	for range 7 {
		start := time.Now()
		f()
		least = min(least, time.Since(start))
	}
	return least
}

// perTerm reports nanoseconds a term and the ratio to the limit, the time of a
// tight loop in the same run.
func perTerm(b *testing.B, terms int, limit time.Duration) {
	ns := float64(b.Elapsed().Nanoseconds()) / float64(b.N)
	b.ReportMetric(ns/float64(terms), "ns/term")
	b.ReportMetric(ns/float64(limit.Nanoseconds()), "x-limit")
}

// The limit of decoding is copying the same terms one by one.
func BenchmarkDecode(b *testing.B) {
	terms := people(40000)
	d, payload := write(b, dict.Options{}, terms)
	chunks := make([]dict.Chunk, len(d.Chunks))
	decode := func(i int) {
		e := &d.Chunks[i]
		if err := dict.DecodeChunk(payload[e.Off:e.Off+int64(e.Len)], e.First, int(e.Terms), d.R, limit, &chunks[i]); err != nil {
			b.Fatal(err)
		}
	}
	for i := range chunks {
		decode(i)
	}
	slab := make([]byte, 0, 8<<20)
	copied := best(func() {
		for i := range chunks {
			slab = slab[:0]
			for k := range chunks[i].Len() {
				slab = append(slab, chunks[i].At(k)...)
			}
		}
	})
	for b.Loop() {
		for i := range chunks {
			decode(i)
		}
	}
	perTerm(b, len(terms), copied)
}

// The limit of writing is compressing the same raw chunks.
func BenchmarkWrite(b *testing.B) {
	terms := people(40000)
	flat := make([][]byte, len(terms))
	for i, t := range terms {
		flat[i] = []byte(t)
	}
	d, payload := write(b, dict.Options{}, terms)
	for _, c := range []dict.Codec{dict.Raw, dict.Zstd} {
		b.Run(c.String(), func(b *testing.B) {
			var stored []byte
			packed := best(func() {
				for _, e := range d.Chunks {
					stored = codec.Compress(c, 0, stored[:0], payload[e.Off:e.Off+int64(e.Len)])
				}
			})
			for b.Loop() {
				w := dict.NewWriter(dict.Options{Codec: c}, func([]byte, dict.ChunkEntry) error { return nil })
				for _, t := range flat {
					w.Add(t)
				}
				if _, _, err := w.Finish(); err != nil {
					b.Fatal(err)
				}
			}
			perTerm(b, len(terms), packed)
		})
	}
}

// The limit of a search is the same binary search over a plain slice of slices.
func BenchmarkFind(b *testing.B) {
	terms := people(6000)
	d, payload := write(b, dict.Options{}, terms)
	var chunk dict.Chunk
	e := &d.Chunks[0]
	if err := dict.DecodeChunk(payload[e.Off:e.Off+int64(e.Len)], e.First, int(e.Terms), d.R, limit, &chunk); err != nil {
		b.Fatal(err)
	}
	flat := make([][]byte, chunk.Len())
	for i := range flat {
		flat[i] = slices.Clone(chunk.At(i))
	}
	probes := make([][]byte, len(flat))
	for i := range probes {
		probes[i] = flat[i*7919%len(flat)]
	}
	sum := 0
	plain := best(func() {
		for _, p := range probes {
			at, _ := slices.BinarySearchFunc(flat, p, bytes.Compare)
			sum += at
		}
	})
	b.Run("one", func(b *testing.B) {
		for b.Loop() {
			for _, p := range probes {
				if _, found := chunk.Find(p); !found {
					b.Fatal("not found")
				}
			}
		}
		perTerm(b, len(probes), plain)
	})
	b.Run("sorted batch", func(b *testing.B) {
		for b.Loop() {
			at, found := 0, false
			for _, p := range flat {
				if at, found = chunk.FindFrom(at, p); !found {
					b.Fatal("not found")
				}
			}
		}
		perTerm(b, len(flat), plain)
	})
}
