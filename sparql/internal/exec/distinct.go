package exec

import (
	"context"

	"github.com/rete-go/rete/sparql/internal/plan"
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
		_ = s.grow(noContext) // only a context ends it
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
		_ = s.grow(noContext) // only a context ends it
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
		_ = s.grow(noContext) // only a context ends it
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
	if s.rows.n+rows < blockRows {
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
	err := inBlocks(ctx, s.rows.n, func(from, to int) {
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

// distinctOp drops rows that came before. Refused memory, it sorts: see
// distinctSpill.
type distinctOp struct {
	input Op
	run   *Run
	seen  *rowSet
	hold  holding
	disk  *distinctSpill
}

func newDistinct(r *Run, n *plan.Distinct) (Op, error) {
	input, err := r.open(n.Input)
	if err != nil {
		return nil, err
	}
	o := &distinctOp{input: input, run: r, seen: newRowSet(len(n.Vars)), hold: r.holding("distinct")}
	r.Budget.register(o)
	return o, nil
}

func (o *distinctOp) Next(ctx context.Context) (*Batch, error) {
	for o.disk == nil {
		b, err := o.input.Next(ctx)
		if err != nil || b == nil {
			return nil, err
		}
		if o.disk == nil {
			if more := o.seen.growth(b.N); more > 0 && o.seen.rows.n > 0 { // it can spill what it has
				if err := o.hold.to(o.seen.bytes() + more); err != nil {
					return nil, err
				}
			}
		}
		if o.disk != nil { // what the input asked for was taken from here, or the set would have grown
			o.hold.free()
			if err := o.disk.add(b); err != nil {
				return nil, err
			}
			break
		}
		if err := o.seen.reserve(ctx, b.N); err != nil {
			return nil, err
		}
		kept := 0
		for row := range b.N {
			if _, fresh := o.seen.add(b.Col, row); !fresh {
				continue
			}
			b.move(kept, row)
			kept++
		}
		if err := o.hold.to(o.seen.bytes()); err != nil {
			return nil, err
		}
		if o.disk != nil { // it was this one that had the most
			o.hold.free()
		}
		if b.N = kept; kept > 0 {
			return b, nil
		}
	}
	return o.disk.next(ctx, o.input)
}

// spillable implements spiller.
func (o *distinctOp) spillable() int64 {
	if o.disk != nil || o.seen.rows.n == 0 {
		return 0
	}
	return max(o.hold.bytes, 1) // the first rows may not be counted yet
}

// spill goes over to sorting. The rows so far have been handed on.
func (o *distinctOp) spill() error {
	disk := o.run.newDistinctSpill(len(o.seen.rows.col))
	disk.byRow.hold.m, disk.byPlace.hold.m = o.hold.m, o.hold.m
	o.disk = disk
	if err := disk.start(&o.seen.rows); err != nil {
		return err
	}
	o.seen = nil
	// The set was larger than what is held by now: its last batch may not have
	// been asked for yet.
	o.hold.free()
	return nil
}

func (o *distinctOp) Close() {
	o.input.Close()
	o.run.Budget.unregister(o)
	o.hold.free()
	if o.disk != nil {
		o.disk.close()
	}
}
