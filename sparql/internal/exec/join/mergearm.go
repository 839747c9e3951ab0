package join

import (
	"context"

	"github.com/rete-go/rete/sparql/internal/exec/rowset"
	"github.com/rete-go/rete/sparql/internal/exec/run"
)

// mergeArm is one operator of a merge.
type mergeArm struct {
	op  rowset.Op
	key int // its column
	b   *rowset.Batch
	at  int // the next row of b
	end bool
	// Where graphs are merged one after the other:
	graphCol int    // its column, else -1
	graph    id     // the one at hand; 0: none yet
	place    uint64 // of it; 0: not asked for
	rows     [][]id // those of the id at hand, by column
	n        int
	pos      int // of these, the one that is paired
	kept     [][]id
	col      []id    // the keys of b, as far as they are of the graph at hand
	from     []int32 // of each row that is made, but not written yet, its row in b
}

// head returns the next id of the arm that is at or after key; false at the end.
func (a *mergeArm) head(ctx context.Context, key id) (id, bool, error) {
	for !a.end {
		if a.b == nil {
			if key > 0 && a.graphCol < 0 {
				if err := run.SkipTo(ctx, a.op, key); err != nil {
					return 0, false, err
				}
			}
			var err error
			if a.b, err = a.op.Next(ctx); err != nil {
				return 0, false, err
			}
			if a.begin(); a.end {
				break
			}
		}
		if a.forward(key); a.at < len(a.col) {
			return a.col[a.at], true, nil
		}
		if !a.goesOn() {
			return 0, false, nil
		}
		a.b = nil
	}
	return 0, false, nil
}

// begin goes to the first row of a batch that was read.
func (a *mergeArm) begin() {
	a.at, a.col, a.end = 0, nil, a.b == nil
	if !a.end {
		a.col = a.b.Col[a.key][:a.inGraph()]
	}
}

// goesOn reports whether the next batch may go on with what ends this one.
func (a *mergeArm) goesOn() bool { return a.b != nil && len(a.col) == a.b.N }

// over reports whether the arm has no more rows, or none of the graph at hand.
func (a *mergeArm) over() bool { return a.end || a.b != nil && a.at == len(a.col) && !a.goesOn() }

// forward goes to the first row of the batch that is at or after key.
func (a *mergeArm) forward(key id) {
	col, at := a.col, a.at
	for near := min(at+4, len(col)); at < near; at++ {
		if col[at] >= key {
			a.at = at
			return
		}
	}
	a.at = at + rowset.Gallop(col[at:], key)
}

// upTo returns the row of the batch after those of the id at hand.
func (a *mergeArm) upTo(key id) int {
	to := a.at + 1
	for to < len(a.col) && a.col[to] == key {
		to++
	}
	return to
}

// take takes the rows of an id, at which the arm stands, as far as they are in the batch
// at hand. It returns true if there may be more of them.
func (a *mergeArm) take(key id) bool {
	to := a.upTo(key)
	a.cut(to)
	return to == len(a.col) && a.goesOn()
}

// cut makes the rows up to one of the batch those of the id at hand.
func (a *mergeArm) cut(to int) {
	a.rows, a.n, a.pos = a.rows[:0], to-a.at, 0
	for _, c := range a.b.Col {
		a.rows = append(a.rows, c[a.at:to])
	}
	a.at = to
}

// read reads the next batch and returns how many of its first rows have the id.
func (a *mergeArm) read(ctx context.Context, key id) (n int, err error) {
	if a.b, err = a.op.Next(ctx); err != nil {
		return 0, err
	}
	a.begin()
	for n < len(a.col) && a.col[n] == key {
		n++
	}
	return n, nil
}

// keep adds the rows of the id in the next batch to those that were taken, which it
// copies: that batch takes the place of theirs. It returns true if there may be more.
func (a *mergeArm) keep(ctx context.Context, key id) (bool, error) {
	for i, c := range a.rows {
		if len(a.kept[i]) < a.n {
			a.kept[i] = append(a.kept[i], c...)
		}
	}
	n, err := a.read(ctx, key)
	if a.b == nil || err != nil {
		copy(a.rows, a.kept)
		return false, err
	}
	for i, c := range a.b.Col {
		a.kept[i] = append(a.kept[i], c[:n]...)
	}
	copy(a.rows, a.kept)
	a.n += n
	a.at = n
	return n > 0 && n == len(a.col) && a.goesOn(), nil
}
