package folds

import (
	"context"
	"sort"
	"unsafe"

	"github.com/rete-go/rete/internal/cancel"
	"github.com/rete-go/rete/internal/ctxsync"
	"github.com/rete-go/rete/tile"
	"github.com/rete-go/rete/tombstone"
)

// Adds finds which of many runs add a row within some bounds, without a look at each of them: their rows
// are sorted together, in an order on its first use. It may be used concurrently.
type Adds struct {
	runs   []*Run
	orders [tile.NumOrders]ctxsync.Lazy[[]spot]
}

// AddBytes is what a row that adds takes in each order.
const AddBytes = int64(unsafe.Sizeof(spot{}))

// spot is the place of a row: a run, and the row in its SPO.
type spot struct{ run, row uint32 }

// NewAdds returns the Adds of some runs, which it keeps.
func NewAdds(runs []*Run) *Adds { return &Adds{runs: runs} }

// Find calls f with the number of the run of each row that adds, from lo (included) to hi (excluded) in
// an order, until it returns false.
func (a *Adds) Find(ctx context.Context, o tile.Order, lo, hi tombstone.Key, f func(run int) bool) error {
	spots, err := a.orders[o].Get(ctx, func(ctx context.Context) (*[]spot, error) { return a.sorted(ctx, o) })
	if err != nil {
		return err
	}
	list, cols := *spots, o.Columns()
	list = list[sort.Search(len(list), func(i int) bool { return a.key(list[i], cols).Compare(lo) >= 0 }):]
	for i, s := range list {
		if err := cancel.Check(ctx, i); err != nil {
			return err
		}
		if a.key(s, cols).Compare(hi) >= 0 || !f(int(s.run)) {
			break
		}
	}
	return nil
}

// key returns the key of a row in an order, given by its columns.
func (a *Adds) key(s spot, cols [3]int) tombstone.Key {
	spo := &a.runs[s.run].spo[s.row].Key
	return tombstone.Key{spo[cols[0]], spo[cols[1]], spo[cols[2]]}
}

// sorted returns the rows that add, sorted in an order.
func (a *Adds) sorted(ctx context.Context, o tile.Order) (*[]spot, error) {
	n := 0
	for i, r := range a.runs {
		if err := cancel.Check(ctx, i); err != nil {
			return nil, err
		}
		n += r.Len()
	}
	list := make([]spot, 0, n)
	for run, r := range a.runs {
		if err := cancel.Check(ctx, run); err != nil {
			return nil, err
		}
		err := cancel.Blocks(ctx, r.Len(), func(from, to int) {
			for row := from; row < to; row++ {
				if r.spo[row].Adds() {
					list = append(list, spot{uint32(run), uint32(row)})
				}
			}
		})
		if err != nil {
			return nil, err
		}
	}
	cols := o.Columns()
	err := cancel.Sort(ctx, list, func(x, y spot) int { return a.key(x, cols).Compare(a.key(y, cols)) })
	return &list, err
}
