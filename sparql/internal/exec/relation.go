package exec

import (
	"slices"

	"github.com/rete-go/rete/internal/ids"
	"github.com/rete-go/rete/sparql/dataset"
)

// relation is rows that an operator keeps, by column.
type relation struct {
	vars []Var
	n    int
	col  [][]id
	sets map[Var]*idSets
}

// idSets are the ids of one column: those that are stored, and those that the
// query made.
type idSets struct {
	stored *dataset.IDSet
	made   map[id]struct{}
}

// idSpan is the bounds of the stored ids of a column, and how many rows have one.
type idSpan struct {
	lo, hi id
	rows   int
}

// span returns the span of a column.
func (r *relation) span(v Var) idSpan {
	s := idSpan{lo: ids.Local}
	for _, i := range r.col[slices.Index(r.vars, v)] {
		if i != 0 && !i.IsLocal() {
			s.lo, s.hi = min(s.lo, i), max(s.hi, i)
			s.rows++
		}
	}
	return s
}

// has reports whether an id is in the column.
func (s *idSets) has(i id) bool {
	if i.IsLocal() {
		_, ok := s.made[i]
		return ok
	}
	return s.stored.Contains(i)
}

func newRelation(vars []Var) *relation {
	return &relation{vars: vars, col: make([][]id, len(vars))}
}

// add copies the rows of a batch with the same columns.
func (r *relation) add(b *Batch) {
	for c := range r.col {
		r.col[c] = append(r.col[c], b.Col[c][:b.N]...)
	}
	r.n += b.N
}

// reset empties the relation and keeps its memory.
func (r *relation) reset() {
	for c := range r.col {
		r.col[c] = r.col[c][:0]
	}
	r.n, r.sets = 0, nil
}

// bytes returns the memory of the rows.
func (r *relation) bytes() int64 {
	var n int64
	for _, c := range r.col {
		n += int64(cap(c)) * 8
	}
	return n
}

// set returns the ids of a column.
func (r *relation) set(v Var) *idSets {
	if s, ok := r.sets[v]; ok {
		return s
	}
	at := slices.Index(r.vars, v)
	list := make([]id, 0, r.n)
	s := &idSets{}
	var last id
	for _, i := range r.col[at] {
		switch {
		case i == 0 || i == last:
		case i.IsLocal():
			if s.made == nil {
				s.made = make(map[id]struct{})
			}
			s.made[i] = struct{}{}
		default:
			list = append(list, i)
		}
		last = i
	}
	slices.Sort(list)
	s.stored = ids.SetOf(slices.Compact(list)...)
	if r.sets == nil {
		r.sets = make(map[Var]*idSets)
	}
	r.sets[v] = s
	return s
}

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

// build makes the table over n rows of the key columns.
func (t *table) build(keys [][]id, n int) {
	t.keys, t.direct = keys, false
	t.next = slices.Grow(t.next[:0], n)[:n]
	if len(keys) == 1 && t.buildDirect(keys[0][:n]) {
		return
	}
	size, bits := 16, uint8(4)
	for size < 2*n {
		size, bits = size*2, bits+1
	}
	t.clear(size)
	t.shift = 64 - bits
	if len(keys) == 1 {
		for row := n - 1; row >= 0; row-- {
			h := hash1(keys[0][row]) >> t.shift
			t.next[row] = t.heads[h]
			t.heads[h] = int32(row) + 1
		}
		return
	}
	for row := n - 1; row >= 0; row-- {
		h := hashRow(keys, row) >> t.shift
		t.next[row] = t.heads[h]
		t.heads[h] = int32(row) + 1
	}
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

// buildDirect makes the table with heads by key, if the keys are dense.
func (t *table) buildDirect(key []id) bool {
	if len(key) == 0 {
		return false
	}
	lo, hi := key[0], key[0]
	for _, k := range key {
		lo, hi = min(lo, k), max(hi, k)
	}
	if uint64(hi-lo) >= 8*uint64(len(key))+1024 {
		return false
	}
	t.direct, t.base = true, lo
	t.clear(int(hi-lo) + 1)
	for row := len(key) - 1; row >= 0; row-- {
		h := key[row] - lo
		t.next[row] = t.heads[h]
		t.heads[h] = int32(row) + 1
	}
	return true
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
