package exec

import (
	"context"
	"slices"

	"github.com/rete-go/rete/dataset"
	"github.com/rete-go/rete/internal/cancel"
	"github.com/rete-go/rete/internal/ids"
	"github.com/rete-go/rete/sparql/internal/exec/mem"
)

// relation is rows that an operator keeps, by column.
type relation struct {
	vars []Var
	n    int
	col  [][]id
	sets map[Var]*idSets
	// budget, if not nil, is asked for the memory of sets, so much of which is held.
	budget *mem.Budget
	held   int64
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
func (r *relation) span(ctx context.Context, v Var) (idSpan, error) {
	all := idSpan{lo: ids.Local}
	col := r.col[slices.Index(r.vars, v)]
	err := cancel.Blocks(ctx, len(col), func(from, to int) {
		s := all
		for _, i := range col[from:to] {
			if i != 0 && !i.IsLocal() {
				s.lo, s.hi = min(s.lo, i), max(s.hi, i)
				s.rows++
			}
		}
		all = s
	})
	return all, err
}

// has reports whether an id is in the column.
func (s *idSets) has(i id) bool {
	if i.IsLocal() {
		_, ok := s.made[i]
		return ok
	}
	return s.stored.Contains(i)
}

// all returns the ids, those that are stored first.
func (s *idSets) all() []id {
	out := s.stored.Append(nil)
	from := len(out)
	for i := range s.made {
		out = append(out, i)
	}
	slices.Sort(out[from:])
	return out
}

func newRelation(vars []Var) *relation {
	return &relation{vars: vars, col: make([][]id, len(vars))}
}

// growth returns the bytes of the columns that are made new when so many rows come; the
// old ones are there until they are copied.
func (r *relation) growth(rows int) (bytes int64) {
	for _, c := range r.col {
		if cap(c)-len(c) < rows {
			bytes += int64(grown(cap(c), len(c)+rows)) * 8
		}
	}
	return bytes
}

// grown returns the size of a slice that has to have so many elements.
func grown(size, least int) int {
	if size < 64<<10 {
		return max(2*size, least)
	}
	return max(size+size/2, least)
}

// growth returns the bytes that [extend] makes new for so many elements more.
func growth[T any](s []T, n, size int) int64 {
	if cap(s)-len(s) >= n {
		return 0
	}
	return int64(grown(cap(s), len(s)+n)) * int64(size)
}

// extend returns the slice with room for n elements more.
func extend[T any](s []T, n int) []T {
	if cap(s)-len(s) >= n {
		return s
	}
	return append(make([]T, 0, grown(cap(s), len(s)+n)), s...)
}

// reserve makes room for so many rows, with checks of the context.
func (r *relation) reserve(ctx context.Context, rows int) (err error) {
	for c, old := range r.col {
		if len(old) < cancel.Block {
			continue // it grows fast enough
		}
		if r.col[c], err = extendIn(ctx, old, rows); err != nil {
			r.col[c] = old
			return err
		}
	}
	return nil
}

// addIn is add that checks the context.
func (r *relation) addIn(ctx context.Context, b *Batch) error {
	if err := r.reserve(ctx, b.N); err != nil {
		return err
	}
	r.add(b)
	return nil
}

// add copies the rows of a batch with the same columns.
func (r *relation) add(b *Batch) {
	for c := range r.col {
		if old := r.col[c]; cap(old)-len(old) < b.N {
			r.col[c] = append(make([]id, 0, grown(cap(old), len(old)+b.N)), old...)
		}
		r.col[c] = append(r.col[c], b.Col[c][:b.N]...)
	}
	r.n += b.N
}

// reset empties the relation and keeps its memory.
func (r *relation) reset() {
	for c := range r.col {
		r.col[c] = r.col[c][:0]
	}
	r.n = 0
	r.release()
}

// release lets go of the sets.
func (r *relation) release() {
	if r.held > 0 {
		r.budget.Give(r.held)
	}
	r.sets, r.held = nil, 0
}

// take asks for memory of a set.
func (r *relation) take(bytes int64) error {
	if r.budget == nil {
		return nil
	}
	if err := r.budget.Take("sideways ids", bytes); err != nil {
		return err
	}
	r.held += bytes
	return nil
}

// context returns that of the query; nil if there is none to check.
func (r *relation) context() context.Context {
	if r.budget == nil {
		return nil
	}
	return r.budget.Context
}

func (r *relation) unreserve(bytes int64) {
	if r.budget != nil {
		r.budget.Give(bytes)
		r.held -= bytes
	}
}

// madeBytes is about what an id of the query's own takes in a set.
const madeBytes = 32

// bytes returns the memory of the rows.
func (r *relation) bytes() int64 {
	var n int64
	for _, c := range r.col {
		n += int64(cap(c)) * 8
	}
	return n
}

// set returns the ids of a column.
func (r *relation) set(v Var) (*idSets, error) {
	if s, ok := r.sets[v]; ok {
		return s, nil
	}
	at := slices.Index(r.vars, v)
	room := int64(r.n) * 8
	if err := r.take(room); err != nil {
		return nil, err
	}
	list := make([]id, 0, r.n)
	s := &idSets{stored: new(dataset.IDSet)}
	var last id
	err := cancel.Blocks(r.context(), len(r.col[at]), func(from, to int) {
		l, before := list, last
		for _, i := range r.col[at][from:to] {
			switch {
			case i == 0 || i == before:
			case i.IsLocal():
				if s.made == nil {
					s.made = make(map[id]struct{})
				}
				s.made[i] = struct{}{}
			default:
				l = append(l, i)
			}
			before = i
		}
		list, last = l, before
	})
	if err == nil {
		list, err = sortedIDs(r.context(), list)
	}
	if err != nil {
		r.unreserve(room)
		return nil, err
	}
	guess := int64(len(list)) * 8
	more := guess + int64(len(s.made))*madeBytes
	if err := r.take(more); err != nil {
		r.unreserve(room)
		return nil, err
	}
	err = addSorted(r.context(), s.stored, list)
	r.unreserve(room)
	if err != nil {
		r.unreserve(more)
		return nil, err
	}
	if rest := s.stored.Bytes() - guess; rest <= 0 {
		r.unreserve(-rest)
	} else if err := r.take(rest); err != nil { // the ids lie far from each other
		r.unreserve(more)
		return nil, err
	}
	if r.sets == nil {
		r.sets = make(map[Var]*idSets)
	}
	r.sets[v] = s
	return s, nil
}
