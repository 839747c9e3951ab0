package rowset

import (
	"context"

	"github.com/rete-go/rete/internal/cancel"
	"github.com/rete-go/rete/sparql/internal/exec/cores"
)

// Table finds rows of columns by key: chains of rows with equal hashes, in the
// order of the rows.
type Table struct {
	Keys  [][]id
	Heads []int32 // row + 1; 0 is none
	Next  []int32 // row + 1
	Shift uint8
	// Direct says that heads are indexed by the one key itself, less base: the
	// keys are dense. A chain then has one key.
	Direct bool
	Base   id
}

const golden = 0x9e3779b97f4a7c15

// Hash1 spreads an id over 64 bits; the top ones are good.
func Hash1(a id) uint64 {
	h := uint64(a) * golden
	return (h ^ h>>29) * golden
}

// Hash2 spreads two ids.
func Hash2(a, b id) uint64 {
	h := uint64(a) * golden
	h = (h ^ h>>29 ^ uint64(b)) * golden
	return (h ^ h>>29) * golden
}

// HashRow spreads the key of a row over 64 bits, as Hash1 and Hash2 do for one
// and two columns.
func HashRow(keys [][]id, row int) uint64 {
	var h uint64
	for _, k := range keys {
		h = (h ^ uint64(k[row])) * golden
		h ^= h >> 29
	}
	return h * golden
}

// tableParts is in how many parts several goroutines build a table.
const tableParts = 2

// Build makes the table, by several goroutines if cores are idle.
func (t *Table) Build(ctx context.Context, l cores.Limit, s Layout) error {
	if err := t.LayOut(ctx, s); err != nil {
		return err
	}
	heads := uint64(len(t.Heads))
	if l.Most == 1 || !l.Idle() {
		return t.Fill(ctx, 0, heads)
	}
	return cores.Each(ctx, l, tableParts, func(ctx context.Context, part int) error {
		return t.Fill(ctx, heads*uint64(part)/tableParts, heads*uint64(part+1)/tableParts)
	})
}

// Layout tells how the heads of a table over n rows of key columns are laid out: by key if
// the one key is dense, else by hash.
type Layout struct {
	Keys   [][]id
	N      int
	Heads  int
	direct bool
	base   id
	Shift  uint8
}

// LayoutOf chooses the layout of a table over n rows.
func LayoutOf(ctx context.Context, keys [][]id, n int) (Layout, error) {
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
			return Layout{}, err
		}
		if uint64(hi-lo) < 8*uint64(n)+1024 {
			return Layout{Keys: keys, N: n, Heads: int(hi-lo) + 1, direct: true, base: lo}, nil
		}
	}
	size, bits := 16, uint8(4)
	for size < 2*n {
		size, bits = size*2, bits+1
	}
	return Layout{Keys: keys, N: n, Heads: size, Shift: 64 - bits}, nil
}

// Room returns the bytes that the table has in a shape, with those that it lets go of
// while it grows.
func (t *Table) Room(s Layout) int64 {
	more := t.Bytes()
	if s.Heads > cap(t.Heads) {
		more += int64(s.Heads) * 4
	}
	if s.N > cap(t.Next) {
		more += int64(s.N) * 4
	}
	return more
}

// LayOut makes room for the table.
func (t *Table) LayOut(ctx context.Context, s Layout) error {
	if s.N > cap(t.Next) {
		t.Next = make([]int32, s.N)
	}
	t.Keys, t.Next = s.Keys, t.Next[:s.N]
	t.Direct, t.Base, t.Shift = s.direct, s.base, s.Shift
	if cap(t.Heads) < s.Heads {
		t.Heads = make([]int32, s.Heads)
		return nil
	}
	t.Heads = t.Heads[:s.Heads]
	return cancel.Blocks(ctx, s.Heads, func(from, to int) { clear(t.Heads[from:to]) })
}

// Fill makes the chains of the heads from lo on, before hi.
func (t *Table) Fill(ctx context.Context, lo, hi uint64) error {
	n := len(t.Next)
	return cancel.Blocks(ctx, n, func(from, to int) { t.fillRows(lo, hi, n-to, n-from) })
}

// fillRows puts some rows before those of the chains, from the last one on.
func (t *Table) fillRows(lo, hi uint64, from, to int) {
	hi -= lo
	switch {
	case t.Direct:
		key, base := t.Keys[0], t.Base+id(lo)
		for row := to - 1; row >= from; row-- {
			if h := uint64(key[row] - base); h < hi {
				t.Next[row] = t.Heads[lo+h]
				t.Heads[lo+h] = int32(row) + 1
			}
		}
	case len(t.Keys) == 1:
		key := t.Keys[0]
		for row := to - 1; row >= from; row-- {
			if h := Hash1(key[row])>>t.Shift - lo; h < hi {
				t.Next[row] = t.Heads[lo+h]
				t.Heads[lo+h] = int32(row) + 1
			}
		}
	default:
		for row := to - 1; row >= from; row-- {
			if h := HashRow(t.Keys, row)>>t.Shift - lo; h < hi {
				t.Next[row] = t.Heads[lo+h]
				t.Heads[lo+h] = int32(row) + 1
			}
		}
	}
}

// Bytes returns the memory of the table, without its rows.
func (t *Table) Bytes() int64 { return int64(cap(t.Heads)+cap(t.Next)) * 4 }

// First returns the first row of the chain of a key, plus 1; 0 if there is none.
func (t *Table) First(keys [][]id, row int) int32 {
	if t.Direct {
		if off := uint64(keys[0][row] - t.Base); off < uint64(len(t.Heads)) {
			return t.Heads[off]
		}
		return 0
	}
	return t.Heads[HashRow(keys, row)>>t.Shift]
}

// Equal reports whether a row of the table has the key of another row.
func (t *Table) Equal(at int32, keys [][]id, row int) bool {
	for k := range t.Keys {
		if t.Keys[k][at] != keys[k][row] {
			return false
		}
	}
	return true
}

// Find returns the row of a key of one column, plus 1; 0 if there is none. No two rows have the
// same key.
func (t *Table) Find(key id) int32 {
	if t.Direct {
		if off := uint64(key - t.Base); off < uint64(len(t.Heads)) {
			return t.Heads[off]
		}
		return 0
	}
	at, keys := t.Heads[Hash1(key)>>t.Shift], t.Keys[0]
	for at != 0 && keys[at-1] != key {
		at = t.Next[at-1]
	}
	return at
}

// TableOf returns a table over distinct ids, made by one goroutine.
func TableOf(ctx context.Context, keys []id) (t Table, err error) {
	s, err := LayoutOf(ctx, [][]id{keys}, len(keys))
	if err == nil {
		err = t.Build(ctx, cores.Limit{Most: 1}, s)
	}
	return t, err
}
