package blob_test

import (
	"bytes"
	"errors"
	"testing"

	"pgregory.net/rapid"

	"github.com/rete-go/rete/blob"
	"github.com/rete-go/rete/blob/blobtest"
	"github.com/rete-go/rete/internal/damage"
)

// TestBlocks: an object that is read in blocks has the bytes of the object.
func TestBlocks(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		data := pattern(rapid.IntRange(0, 5000).Draw(t, "size"))
		o := blob.Blocks(blob.Bytes("x", data), int64(rapid.IntRange(1, 700).Draw(t, "block")))
		for range 10 {
			var rs []blob.Range
			var bufs [][]byte
			for range rapid.IntRange(0, 4).Draw(t, "ranges") {
				off := rapid.IntRange(0, len(data)).Draw(t, "off")
				n := rapid.IntRange(0, len(data)-off).Draw(t, "len")
				rs, bufs = append(rs, blob.Range{Off: int64(off), Len: int64(n)}), append(bufs, make([]byte, n))
			}
			if err := o.ReadRanges(t.Context(), rs, bufs); err != nil {
				t.Fatal(err)
			}
			for i, r := range rs {
				if !bytes.Equal(bufs[i], data[r.Off:r.Off+r.Len]) {
					t.Fatalf("wrong bytes at %+v", r)
				}
			}
		}
		if err := blob.ReadAt(t.Context(), o, make([]byte, 1), int64(len(data))); !errors.Is(err, damage.Err) {
			t.Fatalf("after the end: %v", err)
		}
	})
}

// TestBlocksWork: reading in small pieces from the beginning to the end, and by two readers at
// two places, reads each block once, but for one ahead of each.
func TestBlocksWork(t *testing.T) {
	data := pattern(100_000)
	counter := blobtest.Counting(blob.Bytes("x", data))
	o := blob.Blocks(counter, 1000)
	for off := int64(0); off < 50_000; off += 100 {
		for _, at := range []int64{off, off + 50_000} {
			if err := blob.ReadAt(t.Context(), o, make([]byte, 100), at); err != nil {
				t.Fatal(err)
			}
		}
	}
	if counter.BytesRead() > int64(len(data))+2*1000 || counter.Calls() > 60 {
		t.Errorf("read %d bytes of %d by %d calls", counter.BytesRead(), len(data), counter.Calls())
	}
}
