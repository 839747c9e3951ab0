package rowset

import (
	"context"

	"github.com/rete-go/rete/internal/cancel"
)

// Set is a set of rows of ids: it numbers distinct rows in the order in which
// they come. What is known of each row lies in slices next to it, by its number.
type Set struct {
	Rows  Relation
	slots []int32 // row + 1; a power of two
	shift uint8   // 64 less the bits of a slot
}

const (
	leastSlots = 1 << leastBits
	leastBits  = 6
)

// NewSet returns an empty set of rows of the given number of columns.
func NewSet(columns int) *Set {
	return &Set{Rows: Relation{Col: make([][]id, columns)}, slots: make([]int32, leastSlots), shift: 64 - leastBits}
}

// Add puts a row of columns in; it returns its number and whether it is new.
func (s *Set) Add(cols [][]id, row int) (int, bool) {
	switch len(s.Rows.Col) {
	case 1:
		return s.Add1(cols[0][row])
	case 2:
		return s.Add2(cols[0][row], cols[1][row])
	}
	if s.full() {
		_ = s.grow(cancel.None) // only a context ends it
	}
	mask := len(s.slots) - 1
	for at := int(HashRow(cols, row) >> s.shift); ; at = (at + 1) & mask {
		n := s.slots[at]
		if n == 0 {
			s.slots[at] = int32(s.Rows.N) + 1
			for c := range s.Rows.Col {
				s.Rows.Col[c] = append(s.Rows.Col[c], cols[c][row])
			}
			s.Rows.N++
			return s.Rows.N - 1, true
		}
		if s.same(int(n-1), cols, row) {
			return int(n - 1), false
		}
	}
}

// Has reports whether a row is in.
func (s *Set) Has(cols [][]id, row int) bool {
	mask := len(s.slots) - 1
	for at := int(HashRow(cols, row) >> s.shift); ; at = (at + 1) & mask {
		n := s.slots[at]
		if n == 0 || s.same(int(n-1), cols, row) {
			return n != 0
		}
	}
}

// Missing returns how many of the first n rows are not in.
func (s *Set) Missing(cols [][]id, n int) (missing int) {
	for row := range n {
		if !s.Has(cols, row) {
			missing++
		}
	}
	return missing
}

// Find1 returns the number of a row of one column; below zero if it is not in.
func (s *Set) Find1(v id) int {
	mask, have := len(s.slots)-1, s.Rows.Col[0]
	for at := int(Hash1(v) >> s.shift); ; at = (at + 1) & mask {
		n := int(s.slots[at]) - 1
		if n < 0 || have[n] == v {
			return n
		}
	}
}

// Add1 is [Set.Add] for one column.
func (s *Set) Add1(v id) (int, bool) {
	if s.full() {
		_ = s.grow(cancel.None) // only a context ends it
	}
	mask, have := len(s.slots)-1, s.Rows.Col[0]
	for at := int(Hash1(v) >> s.shift); ; at = (at + 1) & mask {
		n := s.slots[at]
		if n == 0 {
			s.slots[at] = int32(s.Rows.N) + 1
			s.Rows.Col[0] = append(have, v)
			s.Rows.N++
			return s.Rows.N - 1, true
		}
		if have[n-1] == v {
			return int(n - 1), false
		}
	}
}

// Add2 is [Set.Add] for two columns.
func (s *Set) Add2(v, w id) (int, bool) {
	if s.full() {
		_ = s.grow(cancel.None) // only a context ends it
	}
	mask, x, y := len(s.slots)-1, s.Rows.Col[0], s.Rows.Col[1]
	for at := int(Hash2(v, w) >> s.shift); ; at = (at + 1) & mask {
		n := s.slots[at]
		if n == 0 {
			s.slots[at] = int32(s.Rows.N) + 1
			s.Rows.Col[0], s.Rows.Col[1] = append(x, v), append(y, w)
			s.Rows.N++
			return s.Rows.N - 1, true
		}
		if x[n-1] == v && y[n-1] == w {
			return int(n - 1), false
		}
	}
}

func (s *Set) same(at int, cols [][]id, row int) bool {
	for c := range s.Rows.Col {
		if s.Rows.Col[c][at] != cols[c][row] {
			return false
		}
	}
	return true
}

// full reports whether one more row makes the set grow.
func (s *Set) full() bool { return 2*s.Rows.N >= len(s.slots) }

// Reserve makes room for the given number of rows, with checks of the context where many rows are
// placed anew: what is added then does not grow the set.
func (s *Set) Reserve(ctx context.Context, rows int) error {
	if s.Rows.N+rows < cancel.Block {
		return nil // it grows fast enough
	}
	if err := s.makeSlots(ctx, rows); err != nil {
		return err
	}
	return s.Rows.reserve(ctx, rows)
}

// makeSlots makes slots for the given number of rows more.
func (s *Set) makeSlots(ctx context.Context, rows int) error {
	for 2*(s.Rows.N+rows) >= len(s.slots) {
		if err := s.grow(ctx); err != nil {
			return err
		}
	}
	return nil
}

// grow doubles the slots. If the context ends, the set is as it was.
func (s *Set) grow(ctx context.Context) error {
	slots, shift := make([]int32, 2*len(s.slots)), s.shift-1
	err := cancel.Blocks(ctx, s.Rows.N, func(from, to int) {
		mask := len(slots) - 1
		for row := from; row < to; row++ {
			at := int(HashRow(s.Rows.Col, row) >> shift)
			for slots[at] != 0 {
				at = (at + 1) & mask
			}
			slots[at] = int32(row) + 1
		}
	})
	if err != nil {
		return err
	}
	s.slots, s.shift = slots, shift
	return nil
}

// Growth returns the bytes that are made new when more rows come that are not in, as
// [Relation.Growth] does.
func (s *Set) Growth(rows int) int64 {
	n, size := s.Rows.Growth(rows), len(s.slots)
	for 2*(s.Rows.N+rows) >= size {
		size *= 2
	}
	if size > len(s.slots) {
		n += int64(size) * 4
	}
	return n
}

// Reset empties the set and keeps its memory.
func (s *Set) Reset() {
	clear(s.slots)
	s.Rows.Reset()
}

// Bytes returns the memory of the set.
func (s *Set) Bytes() int64 { return s.Rows.Bytes() + int64(len(s.slots))*4 }
