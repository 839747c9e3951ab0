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
