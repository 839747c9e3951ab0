package view

import (
	"context"
	"maps"

	"github.com/rete-go/rete/dataset"
	"github.com/rete-go/rete/engine/internal/folds"
	"github.com/rete-go/rete/engine/internal/idspace"
	"github.com/rete-go/rete/internal/cancel"
	"github.com/rete-go/rete/tile"
	"github.com/rete-go/rete/tombstone"
)

// seed is an older view with layers that a new view has, too. What is known of them goes
// on into the new one: names, rows in memory, and where these belong in the base.
type seed struct {
	from   *view // its names are made; its layers are the first ones of the view, but for a compaction
	sealed bool  // the next entry has the batches of from's top

	compacted *regrouped // nil: none
}

// seedOf returns the seed of a view that goes on from v; nil if nothing is known yet.
func (v *view) seedOf(sealed bool) *seed {
	s := v.seed.Load()
	if v.names.Done.Load() != nil {
		return &seed{from: v, sealed: sealed}
	}
	return s
}

// heir is a view that is made of a seed.
type heir struct {
	v, from       *view
	names, old    *viewNames
	preds, graphs []uint32                    // ranks by those of from; nil: the same
	ids           func(dataset.ID) dataset.ID // by those of from, 0: there is none; nil: the same
}

// inherit makes the names of a view, and the delta, from those of a seed. It reads the
// names of the layers that are new.
func (v *view) inherit(ctx context.Context, s *seed) (*viewNames, error) {
	if s.compacted != nil {
		return v.inheritCompacted(ctx, s)
	}
	core := s.from.core()
	log := core.names.Done.Load() // without names of the top
	fresh := v.Layers[len(core.Layers):]
	preds, graphs, err := idspace.LayerNames(ctx, fresh)
	if err != nil {
		return nil, err
	}
	n := new(viewNames)
	n.ToBase, n.BaseView = log.ToBase, log.BaseView
	var moved []uint32
	n.Graphs, _ = log.Graphs.Grown(fresh, graphs)
	if n.Preds, moved = log.Preds.Grown(fresh, preds); moved != nil {
		n.PlaceBase(&v.IDs)
	}
	h := &heir{v: v, from: s.from, names: n, old: s.from.names.Done.Load()}
	h.preds, h.graphs = h.old.Preds.RanksIn(&n.Preds), h.old.Graphs.RanksIn(&n.Graphs)
	d, err := h.delta(ctx, s.sealed)
	if err != nil {
		return nil, err
	}
	n.delta = newDeltaBox(d)
	return n, nil
}

// delta returns what goes on of the delta.
func (h *heir) delta(ctx context.Context, sealed bool) (*delta, error) {
	d := h.old.delta.cur.Load()
	next := newDelta(len(h.v.Layers))
	copy(next.in, d.in)
	next.bytes = d.bytes
	var b map[uint32]*folds.Run // by graph rank; nil: no batches are sealed, or have no room
	if sealed && d.bytes+int64(h.from.top.rows())*deltaRowBytes <= h.v.budget {
		var err error
		if b, err = h.batches(ctx); err != nil && ctx.Err() != nil {
			return nil, err
		}
	}
	for rank, g := range d.held() {
		if to, ok := ranked(h.graphs, rank); ok || rank == 0 {
			var err error
			if next.graphs[to], err = h.graph(ctx, g, to, b); err != nil {
				return nil, err
			}
		}
	}
	if b == nil {
		return next, nil
	}
	for rank, run := range b {
		next.bytes += int64(run.Len()) * deltaRowBytes
		if next.graphs[rank] == nil {
			var err error
			if next.graphs[rank], err = new(deltaGraph).with(ctx, run); err != nil {
				return nil, err
			}
		}
	}
	for _, l := range h.v.Layers {
		if l.Weight>>2 == h.from.Entries {
			next.in[l.Index] = true
		}
	}
	return next, nil
}

// held returns the changes of the graphs of which there are some, by rank.
func (d *delta) held() map[uint32]*deltaGraph {
	d.mu.Lock()
	defer d.mu.Unlock()
	return maps.Clone(d.graphs)
}

// ranked returns the new rank of a name; ok is false if there is no such name any more.
func ranked(ranks []uint32, old uint32) (rank uint32, ok bool) {
	if ranks == nil {
		return old, true
	}
	return ranks[old], ranks[old] > 0
}

// graph returns what is known of the changes of a graph, by its new rank. Without batches
// that is of the log alone.
func (h *heir) graph(ctx context.Context, g *deltaGraph, rank uint32, b map[uint32]*folds.Run) (*deltaGraph, error) {
	to := &deltaGraph{levels: g.levels}
	if h.preds != nil {
		to.levels = g.levels.Ranked(h.preds)
	}
	all := make([]bool, len(g.orders)) // the batches are placed, too
	for o := range tile.Order(tile.NumOrders) {
		p, after := g.placedLog(o)
		below := p.Below()
		if b != nil {
			// Of what is placed of the top a part may be placed again.
			p, after = g.placed(h.from, o)
			all[o] = p.Below() == h.from.below()
			if below = min(p.Below(), h.from.logBelow()); all[o] {
				below = (h.from.Entries + 1) << 2
			}
		}
		if p == nil {
			continue
		}
		p, err := h.placed(ctx, o, p, below)
		if err != nil {
			return nil, err
		}
		if p == nil {
			continue
		}
		if h.preds != nil {
			after = after.Ranked(h.preds)
		}
		to.orders[o].log.Store(&logPlaced{p, after})
	}
	if b[rank] == nil {
		return to, nil
	}
	next, err := to.with(ctx, b[rank])
	if err != nil {
		return nil, err
	}
	for o, all := range all {
		if all {
			next.orders[o].log.Store(to.orders[o].log.Load())
		}
	}
	return next, nil
}

// key returns the key of a row in the new view; ok is false if it does not have one of
// its terms.
func (h *heir) key(cols [3]int, k tombstone.Key) (_ tombstone.Key, ok bool) {
	for i, col := range cols {
		switch {
		case col == colP:
			rank, _ := ranked(h.preds, uint32(k[i]))
			k[i] = uint64(rank)
		case h.ids != nil:
			k[i] = uint64(h.ids(dataset.ID(k[i])))
		}
		if k[i] == 0 {
			return k, false
		}
	}
	return k, true
}

// placed returns what is placed in an order as it is in the new view; nil if it lacks an
// insert.
func (h *heir) placed(ctx context.Context, o tile.Order, p *folds.Placed, below uint32) (*folds.Placed, error) {
	if h.ids == nil && h.preds == nil {
		return p, nil
	}
	cols := o.Columns()
	return p.Moved(ctx, below, func(k tombstone.Key) (tombstone.Key, bool) { return h.key(cols, k) })
}

// run returns a run in SPO as it is in the new view, with other weights. Deletes of what
// it cannot have are left out.
func (h *heir) run(ctx context.Context, r *folds.Run, weight func(uint32) uint32) (*folds.Run, error) {
	rows := make([]tombstone.Row, 0, r.Len())
	cols := tile.SPO.Columns()
	for i, row := range r.SPO() {
		if err := cancel.Check(ctx, i); err != nil {
			return nil, err
		}
		key, ok := h.key(cols, row.Key)
		switch {
		case ok:
			rows = append(rows, tombstone.Row{Key: key, Weight: weight(row.Weight)})
		case row.Adds():
			return nil, errLacks
		}
	}
	rows, err := tombstone.Net(ctx, rows)
	return folds.NewRun(rows), err
}
