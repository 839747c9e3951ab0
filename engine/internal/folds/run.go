package folds

import (
	"context"
	"slices"
	"sync/atomic"

	"github.com/rete-go/rete/internal/cancel"
	"github.com/rete-go/rete/internal/ctxsync"
	"github.com/rete-go/rete/tile"
	"github.com/rete-go/rete/tombstone"
)

// Run is what one or several entries say of the quads of one graph, one row a quad:
// the memtable of a batch, or the content of small layers. It is immutable; orders
// other than SPO are sorted on first use. It may be used concurrently.
type Run struct {
	spo     []tombstone.Row
	sorting ctxsync.Mutex // locked while an order is sorted
	orders  [tile.NumOrders]atomic.Pointer[[]tombstone.Row]
}

// NewRun returns the run of netted rows in SPO, which it keeps.
func NewRun(spo []tombstone.Row) *Run { return &Run{spo: spo} }

// Len returns the number of rows; a nil run has none.
func (r *Run) Len() int {
	if r == nil {
		return 0
	}
	return len(r.spo)
}

// SPO returns the rows in SPO. They must not be changed.
func (r *Run) SPO() []tombstone.Row {
	if r == nil {
		return nil
	}
	return r.spo
}

// In returns the rows sorted in an order. They must not be changed.
func (r *Run) In(ctx context.Context, o tile.Order) ([]tombstone.Row, error) {
	if r == nil || o == tile.SPO {
		return r.SPO(), nil
	}
	if rows := r.orders[o].Load(); rows != nil {
		return *rows, nil
	}
	if err := r.sorting.Lock(ctx); err != nil {
		return nil, err
	}
	defer r.sorting.Unlock()
	if rows := r.orders[o].Load(); rows != nil {
		return *rows, nil
	}
	rows, err := reordered(ctx, r.spo, o)
	if err != nil {
		return nil, err
	}
	r.orders[o].Store(&rows)
	return rows, nil
}

// drop drops the rows of an order other than SPO; they are sorted anew if they are
// needed again.
func (r *Run) drop(o tile.Order) {
	if r != nil {
		r.orders[o].Store(nil)
	}
}

// Find returns the row of a quad, whose key is in SPO; ok is false if the run does
// not speak of it.
func (r *Run) Find(spo tombstone.Key) (row tombstone.Row, ok bool) {
	i := tombstone.Search(r.SPO(), spo)
	if i < r.Len() && r.spo[i].Key == spo {
		return r.spo[i], true
	}
	return tombstone.Row{}, false
}

// reordered returns rows in SPO sorted in an order.
func reordered(ctx context.Context, spo []tombstone.Row, o tile.Order) ([]tombstone.Row, error) {
	cols := o.Columns()
	rows := make([]tombstone.Row, len(spo))
	err := cancel.Blocks(ctx, len(spo), func(from, to int) {
		for i := from; i < to; i++ {
			rows[i].Weight = spo[i].Weight
			for c, from := range cols {
				rows[i].Key[c] = spo[i].Key[from]
			}
		}
	})
	if err != nil {
		return nil, err
	}
	return rows, cancel.Sort(ctx, rows, tombstone.CompareRows)
}

// MergeRuns returns the run of the rows of both, of one quad the heavier. Orders
// that the larger one has in memory are merged, not sorted again. Either may be nil.
func MergeRuns(ctx context.Context, a, b *Run) (*Run, error) {
	if b.Len() == 0 {
		return a, nil
	}
	if a.Len() == 0 {
		return b, nil
	}
	large := a
	if b.Len() > a.Len() {
		large = b
	}
	m := new(Run)
	for o := range tile.Order(tile.NumOrders) {
		if o != tile.SPO && large.orders[o].Load() == nil {
			continue
		}
		x, err := a.In(ctx, o)
		if err != nil {
			return nil, err
		}
		y, err := b.In(ctx, o)
		if err != nil {
			return nil, err
		}
		rows, err := mergeTwo(ctx, x, y)
		if err != nil {
			return nil, err
		}
		if o == tile.SPO {
			m.spo = rows
		} else {
			m.orders[o].Store(&rows)
		}
	}
	return m, nil
}

// mergeTwo merges two netted lists, of which neither is empty.
func mergeTwo(ctx context.Context, a, b []tombstone.Row) ([]tombstone.Row, error) {
	out := make([]tombstone.Row, 0, len(a)+len(b))
	for step := 0; len(a) > 0 && len(b) > 0; step++ {
		if err := cancel.Check(ctx, step); err != nil {
			return nil, err
		}
		switch c := a[0].Key.Compare(b[0].Key); {
		case c < 0:
			out, a = append(out, a[0]), a[1:]
		case c > 0:
			out, b = append(out, b[0]), b[1:]
		case tombstone.Newest(a[0].Weight, b[0].Weight) == a[0].Weight:
			out, a, b = append(out, a[0]), a[1:], b[1:]
		default:
			out, a, b = append(out, b[0]), a[1:], b[1:]
		}
	}
	for _, rest := range [][]tombstone.Row{a, b} {
		for len(rest) > 0 {
			n := min(len(rest), cancel.Block)
			out, rest = append(out, rest[:n]...), rest[n:]
			if err := ctx.Err(); err != nil {
				return nil, err
			}
		}
	}
	return out, nil
}

// Where returns the run of the rows that keep says yes to, in the orders that are in
// memory.
func (r *Run) Where(keep func(*tombstone.Row) bool) *Run {
	out := &Run{spo: where(r.spo, keep)}
	for o := range r.orders {
		if rows := r.orders[o].Load(); rows != nil {
			kept := where(*rows, keep)
			out.orders[o].Store(&kept)
		}
	}
	return out
}

func where(rows []tombstone.Row, keep func(*tombstone.Row) bool) []tombstone.Row {
	var out []tombstone.Row
	for i := range rows {
		if keep(&rows[i]) {
			out = append(out, rows[i])
		}
	}
	return out
}

// Ranked returns the run with other predicate ranks, given by the old ones. Ranks
// keep their order, so nothing is sorted.
func (r *Run) Ranked(ranks []uint32) *Run {
	if r == nil {
		return nil
	}
	out := &Run{spo: ranked(r.spo, tile.SPO, ranks)}
	for o := range r.orders {
		if rows := r.orders[o].Load(); rows != nil {
			moved := ranked(*rows, tile.Order(o), ranks)
			out.orders[o].Store(&moved)
		}
	}
	return out
}

func ranked(rows []tombstone.Row, o tile.Order, ranks []uint32) []tombstone.Row {
	cols := o.Columns()
	col := slices.Index(cols[:], predicate)
	rows = slices.Clone(rows)
	for i := range rows {
		rows[i].Key[col] = uint64(ranks[rows[i].Key[col]])
	}
	return rows
}

// predicate is the column of the predicate in a triple.
const predicate = 1
