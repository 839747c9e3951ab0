package exec

import (
	"context"

	"github.com/rete-go/rete/internal/cancel"
	"github.com/rete-go/rete/sparql/internal/exec/cores"
	"github.com/rete-go/rete/sparql/internal/exec/mem"
)

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

// partOf returns the part of a row, of [mem.Parts] of a level, by its key.
func partOf(keys [][]id, row, level int) int {
	return int(spread(hashRow(keys, row)) >> (5 * level) % mem.Parts)
}

// spread mixes a hash anew, so that the rows of a part do not share the bits by
// which a set places them.
func spread(h uint64) uint64 {
	h ^= h >> 32
	h *= 0x9fb21c651e98df25
	return h ^ h>>28
}

// A table of so many rows is built by several goroutines, each for a part of the
// heads.
const (
	minSharedTable = 256 << 10
	tableParts     = 2
)

// build makes the table, by several goroutines if that pays.
func (t *table) build(ctx context.Context, l cores.Limit, s keyLayout) error {
	if err := t.layOut(ctx, s); err != nil {
		return err
	}
	heads := uint64(len(t.heads))
	if !l.Forced && (s.n < minSharedTable || l.Most == 1 || !cores.Idle()) {
		return t.fill(ctx, 0, heads)
	}
	return cores.Each(ctx, l, tableParts, func(ctx context.Context, part int) error {
		return t.fill(ctx, heads*uint64(part)/tableParts, heads*uint64(part+1)/tableParts)
	})
}

// keyLayout tells how the heads of a table over n rows of key columns are laid out: by key if
// the one key is dense, else by hash.
type keyLayout struct {
	keys   [][]id
	n      int
	heads  int
	direct bool
	base   id
	shift  uint8
}

func keyLayoutOf(ctx context.Context, keys [][]id, n int) (keyLayout, error) {
	if len(keys) == 1 && n > 0 {
		lo, hi := keys[0][0], keys[0][0]
		err := cancel.Blocks(ctx, n, func(from, to int) {
			l, h := lo, hi
			for _, k := range keys[0][from:to] {
				l, h = min(l, k), max(h, k)
			}
			lo, hi = l, h
		})
		if err != nil {
			return keyLayout{}, err
		}
		if uint64(hi-lo) < 8*uint64(n)+1024 {
			return keyLayout{keys: keys, n: n, heads: int(hi-lo) + 1, direct: true, base: lo}, nil
		}
	}
	size, bits := 16, uint8(4)
	for size < 2*n {
		size, bits = size*2, bits+1
	}
	return keyLayout{keys: keys, n: n, heads: size, shift: 64 - bits}, nil
}

// room returns the bytes that the table has in a shape, with those that it lets go of
// while it grows.
func (t *table) room(s keyLayout) int64 {
	more := t.bytes()
	if s.heads > cap(t.heads) {
		more += int64(s.heads) * 4
	}
	if s.n > cap(t.next) {
		more += int64(s.n) * 4
	}
	return more
}

// layOut makes room for the table.
func (t *table) layOut(ctx context.Context, s keyLayout) error {
	if s.n > cap(t.next) {
		t.next = make([]int32, s.n)
	}
	t.keys, t.next = s.keys, t.next[:s.n]
	t.direct, t.base, t.shift = s.direct, s.base, s.shift
	if cap(t.heads) < s.heads {
		t.heads = make([]int32, s.heads)
		return nil
	}
	t.heads = t.heads[:s.heads]
	return cancel.Blocks(ctx, s.heads, func(from, to int) { clear(t.heads[from:to]) })
}

// fill makes the chains of the heads from lo on, before hi.
func (t *table) fill(ctx context.Context, lo, hi uint64) error {
	n := len(t.next)
	return cancel.Blocks(ctx, n, func(from, to int) { t.fillRows(lo, hi, n-to, n-from) })
}

// fillRows puts some rows before those of the chains, from the last one on.
func (t *table) fillRows(lo, hi uint64, from, to int) {
	hi -= lo
	switch {
	case t.direct:
		key, base := t.keys[0], t.base+id(lo)
		for row := to - 1; row >= from; row-- {
			if h := uint64(key[row] - base); h < hi {
				t.next[row] = t.heads[lo+h]
				t.heads[lo+h] = int32(row) + 1
			}
		}
	case len(t.keys) == 1:
		key := t.keys[0]
		for row := to - 1; row >= from; row-- {
			if h := hash1(key[row])>>t.shift - lo; h < hi {
				t.next[row] = t.heads[lo+h]
				t.heads[lo+h] = int32(row) + 1
			}
		}
	default:
		for row := to - 1; row >= from; row-- {
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
