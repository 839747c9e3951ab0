package segment_test

import (
	"bytes"
	"context"
	"runtime"
	"testing"

	"github.com/rete-go/rete/blob"
	"github.com/rete-go/rete/internal/cache"
	"github.com/rete-go/rete/internal/segment"
	"github.com/rete-go/rete/tile"
)

func FuzzHeader(f *testing.F) {
	f.Add(exampleFile(f))
	file, _ := build(f, nil, exampleQuads)
	f.Add(file[:segment.HeaderSize])
	f.Add([]byte("RETE"))
	f.Fuzz(func(t *testing.T, b []byte) {
		h, err := segment.ParseHeader(b)
		if err != nil {
			return
		}
		again, err := segment.ParseHeader(h.Append(nil))
		if err != nil {
			t.Fatalf("written back: %v", err)
		}
		again.HeaderLength = h.HeaderLength
		if !bytes.Equal(again.Append(nil), h.Append(nil)) {
			t.Fatal("written back twice: other bytes")
		}
	})
}

// FuzzOpen makes the hashes of hostile bytes right and reads all of them, by the
// map and without it.
func FuzzOpen(f *testing.F) {
	plain := &segment.BuildOptions{WriterOptions: segment.WriterOptions{Codec: segment.RawCodec, Plain: true}}
	raw := &segment.BuildOptions{WriterOptions: segment.WriterOptions{Codec: segment.RawCodec, Orders: 3}}
	summed := &segment.BuildOptions{WriterOptions: segment.WriterOptions{Codec: segment.RawCodec, Pyramid: true}}
	for _, opt := range []*segment.BuildOptions{nil, plain, raw, summed} {
		for _, qs := range [][]quad{nil, exampleQuads, manyQuads(40)} {
			file, _ := build(f, opt, qs)
			f.Add(file)
		}
	}
	for _, their := range theirFiles(f) { // and headers that call the graphs a text index
		f.Add(their.file(their.head, their.lengths))
		n := their.lengths
		n[4], n[5] = n[4]+n[5], 0
		f.Add(their.file(their.head, n))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		b = bytes.Clone(b)
		pin := reseal(b)
		if pin == nil {
			return
		}
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		for _, pin := range []*segment.Pin{pin, nil} {
			readHostile(b, &segment.Options{Pin: pin, MaxUnit: 1 << 20, Cache: cache.New(1 << 20)})
		}
		runtime.ReadMemStats(&after)
		if n := after.TotalAlloc - before.TotalAlloc; n > 256<<20 {
			t.Errorf("%d bytes allocated for %d", n, len(b))
		}
	})
}

// readHostile does with a file what can be done, and asks for no result.
func readHostile(b []byte, opt *segment.Options) {
	ctx := context.Background()
	s, err := segment.Open(ctx, blob.Bytes("fuzz.rete", b), opt)
	if err != nil {
		return
	}
	defer s.Close()
	for o := range tile.Order(tile.NumOrders) {
		if s.HasOrder(o) {
			dump(ctx, s, o)
		}
	}
	s.PredicateNodes(ctx)
	s.GraphNodes(ctx)
	s.Count(ctx, 0, tile.SPO, 1)
	s.Count(ctx, 0, tile.POS, 1, 2)
	out := make([]uint32, 3)
	for sec := segment.Shared; sec <= segment.Predicates; sec++ {
		s.Locate(ctx, sec, [][]byte{[]byte(`"Al"`), []byte("<http://ex/a>"), []byte("_:x")}, out)
	}
	s.Summary(ctx)
	s.Verify(ctx, nil)
}
