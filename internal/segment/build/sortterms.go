package build

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"slices"
	"sync"

	"github.com/rete-go/rete/internal/segment/format"
)

// termItem is a term being sorted: eight bytes of it from the depth that is
// being compared, and where the rest is.
type termItem struct {
	key    uint64
	at     uint64 // place in the arena of its shard
	length uint32
	id     uint32
}

// termItemBytes is the size of a termItem.
const termItemBytes = 24

// termSorter sorts terms by their bytes: the bytes that all of a group share are
// skipped, then eight at a time are compared as one number. The surfaces are
// touched once for each eight bytes, not once for each comparison.
type termSorter struct{ in *interner }

// sort sorts with several goroutines: the items are split by a few of them first.
func (t termSorter) sort(items []termItem, workers int) {
	const least = 1 << 12 // not worth a goroutine
	if workers < 2 || len(items) < 2*least {
		t.group(items, 0)
		return
	}
	// The pivot is the median of a sample.
	sample := make([]termItem, 0, 65)
	for i := range cap(sample) {
		sample = append(sample, items[i*(len(items)-1)/(cap(sample)-1)])
	}
	t.group(sample, 0)
	pivot := t.in.bytes(&sample[len(sample)/2])
	lo := 0
	for i := range items {
		if bytes.Compare(t.in.bytes(&items[i]), pivot) < 0 {
			items[lo], items[i] = items[i], items[lo]
			lo++
		}
	}
	var left sync.WaitGroup
	left.Go(func() { t.sort(items[:lo], workers/2) })
	t.sort(items[lo:], workers-workers/2)
	left.Wait()
}

// group sorts items that share their first depth bytes.
func (t termSorter) group(items []termItem, depth int) {
	for len(items) > 1 {
		if len(items) <= 12 {
			slices.SortFunc(items, func(x, y termItem) int {
				return bytes.Compare(t.in.bytes(&x)[depth:], t.in.bytes(&y)[depth:])
			})
			return
		}
		depth += t.shared(items, depth)
		for i := range items {
			items[i].key = keyAt(t.in.bytes(&items[i]), depth)
		}
		slices.SortFunc(items, func(x, y termItem) int {
			if x.key != y.key {
				return cmp.Compare(x.key, y.key)
			}
			// Zeros fill up the key of a term that ends: it comes first.
			return cmp.Compare(min(int(x.length), depth+8), min(int(y.length), depth+8))
		})
		start := 0
		for i := 1; i <= len(items); i++ {
			if i < len(items) && items[i].key == items[start].key && int(items[i].length) >= depth+8 == (int(items[start].length) >= depth+8) {
				continue
			}
			if i-start > 1 && int(items[start].length) >= depth+8 {
				t.group(items[start:i], depth+8)
			}
			start = i
		}
		return
	}
}

// shared returns how many bytes from depth on all items have in common.
func (t termSorter) shared(items []termItem, depth int) int {
	first := t.in.bytes(&items[0])[depth:]
	n := len(first)
	for i := range items[1:] {
		if n = format.CommonPrefix(first[:n], t.in.bytes(&items[i+1])[depth:]); n == 0 {
			break
		}
	}
	return n
}

// keyAt returns eight bytes as a number that compares like them, filled up with
// zeros.
func keyAt(b []byte, depth int) uint64 {
	if len(b) >= depth+8 {
		return binary.BigEndian.Uint64(b[depth:])
	}
	var k [8]byte
	copy(k[:], b[depth:])
	return binary.BigEndian.Uint64(k[:])
}
