package exec

import (
	"context"

	"github.com/rete-go/rete/internal/cancel"
)

// rowSet is a set of rows of ids: it numbers distinct rows in the order in which
// they come.
type rowSet struct {
	rows  relation
	slots []int32 // row + 1
	shift uint8
}

func newRowSet(columns int) *rowSet {
	return &rowSet{rows: relation{col: make([][]id, columns)}, slots: make([]int32, 64), shift: 58}
}

// add puts a row of columns in; it returns its number and whether it is new.
func (s *rowSet) add(cols [][]id, row int) (int, bool) {
	switch len(s.rows.col) {
	case 1:
		return s.add1(cols[0][row])
	case 2:
		return s.add2(cols[0][row], cols[1][row])
	}
	if 2*s.rows.n >= len(s.slots) {
		_ = s.grow(cancel.None) // only a context ends it
	}
	mask := len(s.slots) - 1
	for at := int(hashRow(cols, row) >> s.shift); ; at = (at + 1) & mask {
		n := s.slots[at]
		if n == 0 {
			s.slots[at] = int32(s.rows.n) + 1
			for c := range s.rows.col {
				s.rows.col[c] = append(s.rows.col[c], cols[c][row])
			}
			s.rows.n++
			return s.rows.n - 1, true
		}
		if s.same(int(n-1), cols, row) {
			return int(n - 1), false
		}
	}
}

// has reports whether a row is in.
func (s *rowSet) has(cols [][]id, row int) bool {
	mask := len(s.slots) - 1
	for at := int(hashRow(cols, row) >> s.shift); ; at = (at + 1) & mask {
		n := s.slots[at]
		if n == 0 || s.same(int(n-1), cols, row) {
			return n != 0
		}
	}
}

// missing returns how many of the first n rows are not in.
func (s *rowSet) missing(cols [][]id, n int) (missing int) {
	for row := range n {
		if !s.has(cols, row) {
			missing++
		}
	}
	return missing
}

// add1 is add for one column.
func (s *rowSet) add1(v id) (int, bool) {
	if 2*s.rows.n >= len(s.slots) {
		_ = s.grow(cancel.None) // only a context ends it
	}
	mask, have := len(s.slots)-1, s.rows.col[0]
	for at := int(hash1(v) >> s.shift); ; at = (at + 1) & mask {
		n := s.slots[at]
		if n == 0 {
			s.slots[at] = int32(s.rows.n) + 1
			s.rows.col[0] = append(have, v)
			s.rows.n++
			return s.rows.n - 1, true
		}
		if have[n-1] == v {
			return int(n - 1), false
		}
	}
}

// add2 is add for two columns.
func (s *rowSet) add2(v, w id) (int, bool) {
	if 2*s.rows.n >= len(s.slots) {
		_ = s.grow(cancel.None) // only a context ends it
	}
	mask, x, y := len(s.slots)-1, s.rows.col[0], s.rows.col[1]
	for at := int(hash2(v, w) >> s.shift); ; at = (at + 1) & mask {
		n := s.slots[at]
		if n == 0 {
			s.slots[at] = int32(s.rows.n) + 1
			s.rows.col[0], s.rows.col[1] = append(x, v), append(y, w)
			s.rows.n++
			return s.rows.n - 1, true
		}
		if x[n-1] == v && y[n-1] == w {
			return int(n - 1), false
		}
	}
}

func (s *rowSet) same(at int, cols [][]id, row int) bool {
	for c := range s.rows.col {
		if s.rows.col[c][at] != cols[c][row] {
			return false
		}
	}
	return true
}

// reserve makes room for so many rows, with checks of the context where many rows are
// placed anew: what is added then does not grow the set.
func (s *rowSet) reserve(ctx context.Context, rows int) error {
	if s.rows.n+rows < cancel.Block {
		return nil // it grows fast enough
	}
	for 2*(s.rows.n+rows) >= len(s.slots) {
		if err := s.grow(ctx); err != nil {
			return err
		}
	}
	return s.rows.reserve(ctx, rows)
}

// grow doubles the slots. If the context ends, the set is as it was.
func (s *rowSet) grow(ctx context.Context) error {
	slots, shift := make([]int32, 2*len(s.slots)), s.shift-1
	err := cancel.Blocks(ctx, s.rows.n, func(from, to int) {
		mask := len(slots) - 1
		for row := from; row < to; row++ {
			at := int(hashRow(s.rows.col, row) >> shift)
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

// growth returns the bytes that are made new when so many rows come that are not in, as
// [relation.growth] does.
func (s *rowSet) growth(rows int) int64 {
	n := s.rows.growth(rows)
	if 2*(s.rows.n+rows) >= len(s.slots) {
		n += int64(len(s.slots)) * 8
	}
	return n
}

func (s *rowSet) bytes() int64 { return s.rows.bytes() + int64(len(s.slots))*4 }
