package view

import (
	"context"
	"slices"
	"sync/atomic"

	"github.com/rete-go/rete/engine/internal/folds"
	"github.com/rete-go/rete/engine/internal/layers"
	"github.com/rete-go/rete/tile"
	"github.com/rete-go/rete/tombstone"
)

// deltaGraph is the changes of one graph that a delta holds, and where they belong in the
// base, by order. What is placed holds whatever layers come into the delta: all layers that
// are older than what is placed are in the delta, or covered (see uncover).
type deltaGraph struct {
	levels folds.Levels
	orders [tile.NumOrders]placedOrder
}

// placedOrder is what is known of the base's places in one order.
type placedOrder struct {
	log   atomic.Pointer[logPlaced]  // of the delta alone
	live  atomic.Pointer[livePlaced] // of batches of the journal, too
	asked atomic.Int64               // changes that were located to be counted
}

// logPlaced is what is placed of the log, and the runs of the delta that are not.
type logPlaced struct {
	*folds.Placed
	after folds.Levels
}

// livePlaced is what is placed of a log and of durable batches above it.
type livePlaced struct {
	*folds.Placed
	dict *layers.JournalDict // of the batches, whose ids its inserts have
}

// placed returns what is placed in an order for the readers of a view, nil for nothing,
// and the changes of the delta that are not.
func (g *deltaGraph) placed(v *view, o tile.Order) (*folds.Placed, folds.Levels) {
	at := &g.orders[o]
	if l := at.live.Load(); l != nil && v.top != nil && v.top.dict == l.dict && l.Below() <= v.below() {
		return l.Placed, nil
	}
	if l := at.log.Load(); l != nil {
		return l.Placed, l.after
	}
	return nil, g.levels
}

// placedLog is placed for the log alone.
func (g *deltaGraph) placedLog(o tile.Order) (*folds.Placed, folds.Levels) {
	if l := g.orders[o].log.Load(); l != nil {
		return l.Placed, l.after
	}
	return nil, g.levels
}

// copied returns a copy, for another delta.
func (g *deltaGraph) copied() *deltaGraph {
	to := &deltaGraph{levels: g.levels}
	for o := range g.orders {
		to.orders[o].log.Store(g.orders[o].log.Load())
		to.orders[o].live.Store(g.orders[o].live.Load())
	}
	return to
}

// with returns the changes with a run after the others.
func (g *deltaGraph) with(ctx context.Context, r *folds.Run) (*deltaGraph, error) {
	to := g.copied()
	var err error
	if to.levels, err = g.levels.Push(ctx, r); err != nil {
		return nil, err
	}
	for o := range to.orders {
		at := &to.orders[o].log
		l := at.Load()
		if l == nil {
			continue
		}
		after, err := l.after.Push(ctx, r)
		if err != nil {
			return nil, err
		}
		if n := after.Len(); n >= stepChanges && 2*n >= l.Size() {
			at.Store(nil) // all is placed anew, in this order, if it is used again
			continue
		}
		at.Store(&logPlaced{l.Placed, after})
	}
	return to, nil
}

// uncover drops what is placed of a layer whose rows come into memory: they are not placed twice.
func (g *deltaGraph) uncover(layer int) {
	for o := range g.orders {
		if l := g.orders[o].log.Load(); l != nil && l.Covers(layer) {
			g.orders[o].log.Store(nil)
		}
		if l := g.orders[o].live.Load(); l != nil && l.Covers(layer) {
			g.orders[o].live.Store(nil)
		}
	}
}

// ranked returns the changes with other predicate ranks, given by the old ones; nil says
// that they are the same. They keep the order, so nothing is sorted.
func (g *deltaGraph) ranked(preds []uint32) *deltaGraph {
	if preds == nil {
		return g.copied()
	}
	to := &deltaGraph{levels: g.levels.Ranked(preds)}
	for o := range g.orders {
		if l := g.orders[o].log.Load(); l != nil {
			to.orders[o].log.Store(&logPlaced{placedRanked(l.Placed, tile.Order(o), preds), l.after.Ranked(preds)})
		}
		if l := g.orders[o].live.Load(); l != nil {
			to.orders[o].live.Store(&livePlaced{placedRanked(l.Placed, tile.Order(o), preds), l.dict})
		}
	}
	return to
}

func placedRanked(p *folds.Placed, o tile.Order, preds []uint32) *folds.Placed {
	cols := o.Columns()
	at := slices.Index(cols[:], colP)
	p, _ = p.Moved(whole, p.Below(), func(k tombstone.Key) (tombstone.Key, bool) { // only a context ends it
		k[at] = uint64(preds[k[at]])
		return k, true
	})
	return p
}
