package rowset

import (
	"context"
	"slices"

	"github.com/rete-go/rete/dataset"
	"github.com/rete-go/rete/internal/cancel"
	"github.com/rete-go/rete/internal/ids"
	"github.com/rete-go/rete/sparql/internal/exec/mem"
	"github.com/rete-go/rete/sparql/internal/plan"
)

// Relation is rows that an operator keeps, by column.
type Relation struct {
	Vars []plan.Var
	N    int
	Col  [][]id
	sets map[plan.Var]*IDSets
	// Budget, if not nil, is asked for the memory of sets, so much of which is held.
	Budget *mem.Budget
	held   int64
}

// IDSets are the ids of one column: those that are stored, and those that the
// query made.
type IDSets struct {
	Stored *dataset.IDSet
	made   map[id]struct{}
}

// Span is the bounds of the stored ids of a column, and how many rows have one.
type Span struct {
	Lo, Hi id
	Rows   int
}

// Span returns the span of a column.
func (r *Relation) Span(ctx context.Context, v plan.Var) (Span, error) {
	all := Span{Lo: ids.Local}
	col := r.Col[slices.Index(r.Vars, v)]
	err := cancel.Blocks(ctx, len(col), func(from, to int) {
		s := all
		for _, i := range col[from:to] {
			if i != 0 && !i.IsLocal() {
				s.Lo, s.Hi = min(s.Lo, i), max(s.Hi, i)
				s.Rows++
			}
		}
		all = s
	})
	return all, err
}

// Has reports whether an id is in the column.
func (s *IDSets) Has(i id) bool {
	if i.IsLocal() {
		_, ok := s.made[i]
		return ok
	}
	return s.Stored.Contains(i)
}

// All returns the ids, those that are stored first.
func (s *IDSets) All() []id {
	out := s.Stored.Append(nil)
	from := len(out)
	for i := range s.made {
		out = append(out, i)
	}
	slices.Sort(out[from:])
	return out
}

// NewRelation returns a relation without rows.
func NewRelation(vars []plan.Var) *Relation {
	return &Relation{Vars: vars, Col: make([][]id, len(vars))}
}

// Growth returns the bytes of the columns that are made new when more rows come; the
// old ones are there until they are copied.
func (r *Relation) Growth(rows int) (bytes int64) {
	for _, c := range r.Col {
		if cap(c)-len(c) < rows {
			bytes += int64(grown(cap(c), len(c)+rows)) * 8
		}
	}
	return bytes
}

// grown returns the size of a slice that has to have at least the given elements.
func grown(size, least int) int {
	if size < 64<<10 {
		return max(2*size, least)
	}
	return max(size+size/2, least)
}

// Growth returns the bytes that [Extend] makes new for n elements more.
func Growth[T any](s []T, n, size int) int64 {
	if cap(s)-len(s) >= n {
		return 0
	}
	return int64(grown(cap(s), len(s)+n)) * int64(size)
}

// Extend returns the slice with room for n elements more.
func Extend[T any](s []T, n int) []T {
	if cap(s)-len(s) >= n {
		return s
	}
	return append(make([]T, 0, grown(cap(s), len(s)+n)), s...)
}

// reserve makes room for the given number of rows, with checks of the context.
func (r *Relation) reserve(ctx context.Context, rows int) (err error) {
	for c, old := range r.Col {
		if len(old) < cancel.Block {
			continue // it grows fast enough
		}
		if r.Col[c], err = ExtendChecking(ctx, old, rows); err != nil {
			r.Col[c] = old
			return err
		}
	}
	return nil
}

// AddChecking is [Relation.Add] that checks the context.
func (r *Relation) AddChecking(ctx context.Context, b *Batch) error {
	if err := r.reserve(ctx, b.N); err != nil {
		return err
	}
	r.Add(b)
	return nil
}

// Add copies the rows of a batch with the same columns.
func (r *Relation) Add(b *Batch) {
	for c := range r.Col {
		if old := r.Col[c]; cap(old)-len(old) < b.N {
			r.Col[c] = append(make([]id, 0, grown(cap(old), len(old)+b.N)), old...)
		}
		r.Col[c] = append(r.Col[c], b.Col[c][:b.N]...)
	}
	r.N += b.N
}

// Each calls f with all rows, batch by batch. Between some it checks the context.
func (r *Relation) Each(ctx context.Context, f func(b *Batch) error) error {
	b := &Batch{Col: make([][]id, len(r.Col))}
	for from := 0; from < r.N; from += b.N {
		b.N = min(dataset.MaxBatch, r.N-from)
		for c, col := range r.Col {
			b.Col[c] = col[from : from+b.N]
		}
		if from%cancel.Block == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		if err := f(b); err != nil {
			return err
		}
	}
	return nil
}

// Reset empties the relation and keeps its memory.
func (r *Relation) Reset() {
	for c := range r.Col {
		r.Col[c] = r.Col[c][:0]
	}
	r.N = 0
	r.Release()
}

// Release lets go of the sets.
func (r *Relation) Release() {
	if r.held > 0 {
		r.Budget.Give(r.held)
	}
	r.sets, r.held = nil, 0
}

// take asks for memory of a set.
func (r *Relation) take(ctx context.Context, bytes int64) error {
	if r.Budget == nil {
		return nil
	}
	if err := r.Budget.Take(ctx, "sideways ids", bytes); err != nil {
		return err
	}
	r.held += bytes
	return nil
}

func (r *Relation) unreserve(bytes int64) {
	if r.Budget != nil {
		r.Budget.Give(bytes)
		r.held -= bytes
	}
}

// madeBytes is about what an id of the query's own takes in a set.
const madeBytes = 32

// Bytes returns the memory of the rows.
func (r *Relation) Bytes() int64 {
	var n int64
	for _, c := range r.Col {
		n += int64(cap(c)) * 8
	}
	return n
}

// IDs returns the ids of a column.
func (r *Relation) IDs(ctx context.Context, v plan.Var) (*IDSets, error) {
	if s, ok := r.sets[v]; ok {
		return s, nil
	}
	at := slices.Index(r.Vars, v)
	room := int64(r.N) * 8
	if err := r.take(ctx, room); err != nil {
		return nil, err
	}
	list := make([]id, 0, r.N)
	s := &IDSets{Stored: new(dataset.IDSet)}
	var last id
	err := cancel.Blocks(ctx, len(r.Col[at]), func(from, to int) {
		l, before := list, last
		for _, i := range r.Col[at][from:to] {
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
		list, err = SortedIDs(ctx, list)
	}
	if err != nil {
		r.unreserve(room)
		return nil, err
	}
	guess := int64(len(list)) * 8
	more := guess + int64(len(s.made))*madeBytes
	if err := r.take(ctx, more); err != nil {
		r.unreserve(room)
		return nil, err
	}
	err = AddSorted(ctx, s.Stored, list)
	r.unreserve(room)
	if err != nil {
		r.unreserve(more)
		return nil, err
	}
	if rest := s.Stored.Bytes() - guess; rest <= 0 {
		r.unreserve(-rest)
	} else if err := r.take(ctx, rest); err != nil { // the ids lie far from each other
		r.unreserve(more)
		return nil, err
	}
	if r.sets == nil {
		r.sets = make(map[plan.Var]*IDSets)
	}
	r.sets[v] = s
	return s, nil
}
