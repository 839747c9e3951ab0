package layers

import (
	"context"
	"io"
	"slices"

	"github.com/rete-go/rete/engine/internal/folds"
	"github.com/rete-go/rete/tile"
)

// LeadOrder returns the order with the same leading column that every file stores: SPO,
// POS or OSP.
func LeadOrder(o tile.Order) tile.Order {
	for from := range tile.Order(2) {
		if from.Columns()[0] == o.Columns()[0] {
			return from
		}
	}
	return tile.OSP
}

// Resorted serves an order that a file does not store from the stored one with the same
// leading column: the rows of each leading id are sorted again, but those that placed
// hides in the stored order. It holds the rows of one leading id, or of several small
// ones.
func Resorted(ctx context.Context, l Layer, graph uint32, o tile.Order, lo, hi [3]uint32, placed *folds.Placed) (Runs, error) {
	last, ok := before(hi)
	if !ok {
		return noRuns{}, nil
	}
	sc, err := l.Scan(ctx, graph, LeadOrder(o), [3]uint32{lo[0]}, AfterPrefix([3]uint32{last[0]}, 1))
	if err != nil {
		return nil, err
	}
	return &resortedRuns{sc: sc, lo: lo, hi: hi, placed: placed}, nil
}

// resortRows is how many rows make a part, unless one leading id has more.
const resortRows = 1 << 14

type resortedRuns struct {
	sc     Runs
	placed *folds.Placed // in the order of sc; nil hides nothing
	lo, hi [3]uint32
	rows   [][3]uint32 // read, the last two columns swapped, not yet handed out
	done   bool
	number int
	hidden []uint32 // memory of read
}

// Next implements [Runs].
func (r *resortedRuns) Next(ctx context.Context) (Run, error) {
	for !r.done || len(r.rows) > 0 {
		cut := 0
		for !r.done {
			if cut = leadCut(r.rows); cut >= resortRows {
				break
			}
			if err := r.read(ctx); err != nil {
				return Run{}, err
			}
		}
		if r.done {
			cut = len(r.rows)
		}
		part := slices.Clone(r.rows[:cut])
		r.rows = r.rows[cut:]
		part = slices.DeleteFunc(part, func(row [3]uint32) bool {
			return Compare(row, r.lo) < 0 || Compare(row, r.hi) >= 0
		})
		if len(part) == 0 {
			continue
		}
		slices.SortFunc(part, Compare)
		r.number++
		return Run{Tile: memTile(part), Number: r.number - 1, Hi: len(part)}, nil
	}
	return Run{}, io.EOF
}

// leadCut returns how many rows lie before those of the last leading id.
func leadCut(rows [][3]uint32) int {
	n := len(rows)
	for n > 0 && rows[n-1][0] == rows[len(rows)-1][0] {
		n--
	}
	return n
}

// read appends the rows of the next stretch that are not hidden.
func (r *resortedRuns) read(ctx context.Context) error {
	run, err := r.sc.Next(ctx)
	if err == io.EOF {
		r.done = true
		return nil
	}
	if err != nil {
		return err
	}
	hidden, pos := HiddenIn(r.placed, run, &r.hidden), PosOf(run.Tile, run.Lo)
	for i := run.Lo; i < run.Hi; i++ {
		if len(hidden) > 0 && int(hidden[0]) == i {
			hidden = hidden[1:]
			continue
		}
		pos = MoveTo(run.Tile, pos, i)
		k := KeyAt(run.Tile, pos)
		r.rows = append(r.rows, [3]uint32{k[0], k[2], k[1]})
	}
	return nil
}

// Seek implements [Runs].
func (r *resortedRuns) Seek(ctx context.Context, key [3]uint32) error {
	if Compare(r.lo, key) >= 0 {
		return nil
	}
	r.lo = key
	if len(r.rows) == 0 || r.rows[len(r.rows)-1][0] < key[0] {
		r.rows = nil
		return r.sc.Seek(ctx, [3]uint32{key[0]})
	}
	return nil
}

// HiddenIn returns the rows of a run that its tile's deletion vector has, in mem.
func HiddenIn(p *folds.Placed, run Run, mem *[]uint32) []uint32 {
	b := p.Hidden(uint32(run.Number))
	if b == nil {
		return nil
	}
	if run.Hi-run.Lo < run.Tile.Len()/sparseRead {
		list, it := (*mem)[:0], b.Iterator()
		it.AdvanceIfNeeded(uint32(run.Lo))
		for it.HasNext() && int(it.PeekNext()) < run.Hi {
			list = append(list, it.Next())
		}
		*mem = list
		return list
	}
	n := int(b.GetCardinality())
	list := slices.Grow((*mem)[:0], n)[:n]
	*mem = list
	b.ManyIterator().NextMany(list)
	list = list[Gallop(list, uint32(run.Lo)):]
	return list[:Gallop(list, uint32(run.Hi))]
}

// sparseRead is the part of a tile up to which its deletion vector is read row by row
// rather than as a whole.
const sparseRead = 8
