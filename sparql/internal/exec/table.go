package exec

import "context"

// table finds rows of columns by key: chains of rows with equal hashes, in the
// order of the rows.
type table struct {
	keys  [][]id
	heads []int32 // row + 1; 0 is none
	next  []int32 // row + 1
	shift uint8
	// direct says that heads are indexed by the one key itself, less base: the
	// keys are dense. A chain then has one key.
	direct bool
	base   id
}

const golden = 0x9e3779b97f4a7c15

// hash1 spreads an id over 64 bits; the top ones are good.
func hash1(a id) uint64 {
	h := uint64(a) * golden
	return (h ^ h>>29) * golden
}

// hash2 spreads two ids.
func hash2(a, b id) uint64 {
	h := uint64(a) * golden
	h = (h ^ h>>29 ^ uint64(b)) * golden
	return (h ^ h>>29) * golden
}

// hashRow spreads the key of a row over 64 bits, as hash1 and hash2 do for one
// and two columns.
func hashRow(keys [][]id, row int) uint64 {
	var h uint64
	for _, k := range keys {
		h = (h ^ uint64(k[row])) * golden
		h ^= h >> 29
	}
	return h * golden
}

// A table of so many rows is built by several goroutines, each for a part of the
// heads.
const (
	minSharedTable = 256 << 10
	tableParts     = 2
)

// build makes the table over n rows of the key columns.
func (t *table) build(keys [][]id, n int) {
	t.layOut(keys, n)
	t.fill(0, uint64(len(t.heads)))
}

// buildShared is build by several goroutines of a run, if that pays.
func (t *table) buildShared(ctx context.Context, r *Run, keys [][]id, n int) error {
	if r.Workers >= 0 && (n < minSharedTable || !r.Parallel() || !idle()) {
		t.build(keys, n)
		return nil
	}
	t.layOut(keys, n)
	heads := uint64(len(t.heads))
	return r.eachPart(ctx, tableParts, func(_ context.Context, part int) error {
		t.fill(heads*uint64(part)/tableParts, heads*uint64(part+1)/tableParts)
		return nil
	})
}

// shape tells how the heads are laid out over n rows: by key if the one key is dense,
// else by hash.
func shape(keys [][]id, n int) (size int, direct bool, base id, shift uint8) {
	if len(keys) == 1 && n > 0 {
		lo, hi := keys[0][0], keys[0][0]
		for _, k := range keys[0][:n] {
			lo, hi = min(lo, k), max(hi, k)
		}
		if uint64(hi-lo) < 8*uint64(n)+1024 {
			return int(hi-lo) + 1, true, lo, 0
		}
	}
	size, bits := 16, uint8(4)
	for size < 2*n {
		size, bits = size*2, bits+1
	}
	return size, false, 0, 64 - bits
}

// room returns the bytes that the table has over n rows, with those that it lets go of
// while it grows.
func (t *table) room(keys [][]id, n int) int64 {
	size, _, _, _ := shape(keys, n)
	more := t.bytes()
	if size > cap(t.heads) {
		more += int64(size) * 4
	}
	if n > cap(t.next) {
		more += int64(n) * 4
	}
	return more
}

// layOut makes room for the table.
func (t *table) layOut(keys [][]id, n int) {
	if n > cap(t.next) {
		t.next = make([]int32, n)
	}
	t.keys, t.next = keys, t.next[:n]
	var size int
	size, t.direct, t.base, t.shift = shape(keys, n)
	t.clear(size)
}

// clear makes so many empty heads.
func (t *table) clear(size int) {
	if cap(t.heads) >= size {
		t.heads = t.heads[:size]
		clear(t.heads)
	} else {
		t.heads = make([]int32, size)
	}
}

// fill makes the chains of the heads from lo on, before hi.
func (t *table) fill(lo, hi uint64) {
	hi -= lo
	switch {
	case t.direct:
		key, base := t.keys[0], t.base+id(lo)
		for row := len(t.next) - 1; row >= 0; row-- {
			if h := uint64(key[row] - base); h < hi {
				t.next[row] = t.heads[lo+h]
				t.heads[lo+h] = int32(row) + 1
			}
		}
	case len(t.keys) == 1:
		key := t.keys[0]
		for row := len(t.next) - 1; row >= 0; row-- {
			if h := hash1(key[row])>>t.shift - lo; h < hi {
				t.next[row] = t.heads[lo+h]
				t.heads[lo+h] = int32(row) + 1
			}
		}
	default:
		for row := len(t.next) - 1; row >= 0; row-- {
			if h := hashRow(t.keys, row)>>t.shift - lo; h < hi {
				t.next[row] = t.heads[lo+h]
				t.heads[lo+h] = int32(row) + 1
			}
		}
	}
}

func (t *table) bytes() int64 { return int64(cap(t.heads)+cap(t.next)) * 4 }

// first returns the first row of the chain of a key, plus 1; 0 if there is none.
func (t *table) first(keys [][]id, row int) int32 {
	if t.direct {
		if off := uint64(keys[0][row] - t.base); off < uint64(len(t.heads)) {
			return t.heads[off]
		}
		return 0
	}
	return t.heads[hashRow(keys, row)>>t.shift]
}

// equal reports whether a row of the table has the key of another row.
func (t *table) equal(at int32, keys [][]id, row int) bool {
	for k := range t.keys {
		if t.keys[k][at] != keys[k][row] {
			return false
		}
	}
	return true
}
