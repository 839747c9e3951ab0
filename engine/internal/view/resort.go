package view

import (
	"context"
	"io"
	"slices"

	"github.com/rete-go/rete/internal/cancel"
	"github.com/rete-go/rete/tile"
	"github.com/rete-go/rete/tombstone"
)

// leadOrder returns the order with the same leading column that every file stores: SPO,
// POS or OSP.
func leadOrder(o Order) Order {
	for from := range Order(2) {
		if from.Columns()[0] == o.Columns()[0] {
			return from
		}
	}
	return tile.OSP
}

// readOrder returns the order in which the base's rows are read for an order.
func (v *view) readOrder(o Order) Order {
	if v.stores(o) {
		return o
	}
	return leadOrder(o)
}

// reading returns a query in the order in which the base's rows of q are read, for q's rows
// and others with the same leading ids.
func (q *query) reading() *query {
	o := leadOrder(q.order)
	r := &query{v: q.v, names: q.names, order: o, cols: o.Columns(), lo: tombstone.Key{q.lo[0]}, hi: tombstone.MaxKey}
	if q.hi[0] < tombstone.MaxKey[0] {
		r.hi = tombstone.Key{q.hi[0]}
		if q.hi != r.hi {
			r.hi[0]++
		}
	}
	return r
}

// placeRead places the changes of the log in the order in which the base's rows are read,
// once as many were asked for as there are.
func (q *query) placeRead(ctx context.Context, graph uint32) error {
	if !q.names.delta.cur.Load().whole(q.v) {
		return nil
	}
	_, err := q.reading().placedLog(ctx, graph)
	return err
}

// resortedInserts returns the inserts that match q, in its order, of what is placed in the
// order in which the base's rows are read.
func (q *query) resortedInserts(ctx context.Context, placed *tombstone.Placed) ([]tombstone.Row, error) {
	r := q.reading()
	rows := slices.Clone(tombstone.Range(placed.Inserts(), r.lo, r.hi))
	for i := range rows {
		if err := cancel.Check(ctx, i); err != nil {
			return nil, err
		}
		k := &rows[i].Key
		k[1], k[2] = k[2], k[1]
	}
	if err := cancel.Sort(ctx, rows, tombstone.CompareRows); err != nil {
		return nil, err
	}
	return tombstone.Range(rows, q.lo, q.hi), nil
}

// resorted serves an order that a file does not store from the stored one with the same
// leading column: the rows of each leading id are sorted again, but those that placed
// hides in the stored order. It holds the rows of one leading id, or of several small
// ones.
func resorted(ctx context.Context, l Layer, graph uint32, o Order, lo, hi [3]uint32, placed *tombstone.Placed) (Runs, error) {
	last, ok := before(hi)
	if !ok {
		return noRuns{}, nil
	}
	sc, err := l.Scan(ctx, graph, leadOrder(o), [3]uint32{lo[0]}, afterLocal([3]uint32{last[0]}, 1))
	if err != nil {
		return nil, err
	}
	return &resortedRuns{sc: sc, lo: lo, hi: hi, placed: placed}, nil
}

// resortRows is how many rows make a part, unless one leading id has more.
const resortRows = 1 << 14

type resortedRuns struct {
	sc     Runs
	placed *tombstone.Placed // in the order of sc; nil hides nothing
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
			return compare3(row, r.lo) < 0 || compare3(row, r.hi) >= 0
		})
		if len(part) == 0 {
			continue
		}
		slices.SortFunc(part, compare3)
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
	hidden, pos := hiddenRows(r.placed, run, &r.hidden), posOf(run.Tile, run.Lo)
	for i := run.Lo; i < run.Hi; i++ {
		if len(hidden) > 0 && int(hidden[0]) == i {
			hidden = hidden[1:]
			continue
		}
		pos = moveTo(run.Tile, pos, i)
		k := keyAt(run.Tile, pos)
		r.rows = append(r.rows, [3]uint32{k[0], k[2], k[1]})
	}
	return nil
}

// Seek implements [Runs].
func (r *resortedRuns) Seek(ctx context.Context, key [3]uint32) error {
	if compare3(r.lo, key) >= 0 {
		return nil
	}
	r.lo = key
	if len(r.rows) == 0 || r.rows[len(r.rows)-1][0] < key[0] {
		r.rows = nil
		return r.sc.Seek(ctx, [3]uint32{key[0]})
	}
	return nil
}
