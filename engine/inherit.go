package engine

import (
	"context"
	"errors"
	"maps"
	"strings"

	"github.com/rete-go/rete/internal/look"
	"github.com/rete-go/rete/tile"
	"github.com/rete-go/rete/tombstone"
)

// seed is an older view of which the layers are the first ones of a new view. What is
// known of them goes on into the new one: names, rows in memory, and where these belong
// in the base.
type seed struct {
	from   *view // its names are made
	sealed bool  // the next entry has the batches of from's top
}

// seedOf returns the seed of a view that goes on from v; nil if nothing is known yet.
func (v *view) seedOf(sealed bool) *seed {
	s := v.seed.Load()
	if v.names.done.Load() != nil {
		return &seed{v, sealed}
	}
	return s
}

// heir is a view that is made of a seed.
type heir struct {
	v, from       *view
	names, old    *viewNames
	preds, graphs []uint32 // ranks by those of from; nil: the same
}

// inherit makes the names of a view, and the delta, from those of a seed. It reads the
// names of the layers that are new.
func (v *view) inherit(ctx context.Context, s *seed) (*viewNames, error) {
	core := s.from.core()
	log := core.names.done.Load() // without names of the top
	fresh := v.layers[len(core.layers):]
	preds, graphs, err := layerNames(ctx, fresh)
	if err != nil {
		return nil, err
	}
	n := &viewNames{toBase: log.toBase, baseView: log.baseView}
	var moved []uint32
	n.graphs, _ = log.graphs.grown(fresh, graphs)
	if n.preds, moved = log.preds.grown(fresh, preds); moved != nil {
		n.placeBase(v)
	}
	h := &heir{v: v, from: s.from, names: n, old: s.from.names.done.Load()}
	h.preds, h.graphs = h.old.preds.ranksIn(&n.preds), h.old.graphs.ranksIn(&n.graphs)
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
	next := newDelta(len(h.v.layers))
	copy(next.in, d.in)
	next.bytes = d.bytes
	var b *batches
	if sealed && d.bytes+int64(h.from.top.rows())*deltaRowBytes <= h.v.budget {
		var err error
		if b, err = h.batches(ctx); err != nil && ctx.Err() != nil {
			return nil, err
		}
	}
	d.mu.Lock()
	held := maps.Clone(d.graphs)
	d.mu.Unlock()
	for rank, g := range held {
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
	for rank, run := range b.runs {
		next.bytes += int64(run.Len()) * deltaRowBytes
		if next.graphs[rank] == nil {
			var err error
			if next.graphs[rank], err = new(deltaGraph).with(ctx, run); err != nil {
				return nil, err
			}
		}
	}
	for _, l := range h.v.layers {
		if l.weight>>2 == h.from.entries {
			next.in[l.index] = true
		}
	}
	return next, nil
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
func (h *heir) graph(ctx context.Context, g *deltaGraph, rank uint32, b *batches) (*deltaGraph, error) {
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
				below = (h.from.entries + 1) << 2
			}
		}
		if p == nil {
			continue
		}
		if b != nil || h.preds != nil {
			var err error
			p, err = p.Moved(ctx, below, func(k tombstone.Key) (tombstone.Key, bool) { return h.key(o.Columns(), k, b) })
			if err != nil {
				return nil, err
			}
			if p == nil { // cannot be: an insert is a quad of the entry
				continue
			}
		}
		if h.preds != nil {
			after = after.Ranked(h.preds)
		}
		to.orders[o].log.Store(&logPlaced{p, after})
	}
	if b == nil || b.runs[rank] == nil {
		return to, nil
	}
	next, err := to.with(ctx, b.runs[rank])
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
// its terms. b are the batches whose terms may be in it, or nil.
func (h *heir) key(cols [3]int, k tombstone.Key, b *batches) (_ tombstone.Key, ok bool) {
	for i, col := range cols {
		switch {
		case col == ColP:
			rank, ok := ranked(h.preds, uint32(k[i]))
			if !ok {
				return k, false
			}
			k[i] = uint64(rank)
		case b != nil && k[i]>>localBits == b.number:
			if k[i] = uint64(b.ids[k[i]&uint64(localMask)-1]); k[i] == 0 {
				return k, false
			}
		}
	}
	return k, true
}

// batches are the changes of a top that became an entry of the log.
type batches struct {
	number uint64                    // of the top's dictionary as a layer
	ids    []ID                      // of its terms in the new view, 0 of those that no adds layer has
	runs   map[uint32]*tombstone.Run // by graph rank, as those of the entry
}

// errNotSealed says that an entry is not that of the batches of a top.
var errNotSealed = errors.New("engine: the entry lacks a quad of the journal")

// batches returns the changes of the top as rows of the next entry.
func (h *heir) batches(ctx context.Context) (*batches, error) {
	terms := h.from.adds[len(h.from.adds)-1]
	b := &batches{number: uint64(terms.number), runs: map[uint32]*tombstone.Run{}}
	var err error
	if b.ids, err = h.lookUp(ctx, terms.Layer.(*topTerms).terms); err != nil {
		return nil, err
	}
	cols := tile.SPO.Columns()
	for _, g := range h.from.top.all().graphs {
		rank, known := uint32(0), true
		if g.id != 0 {
			if rank, err = h.from.graphRank(ctx, h.old, g.id); err != nil {
				return nil, err
			}
			if rank, known = ranked(h.graphs, rank); rank == 0 {
				known = false
			}
		}
		rows := make([]tombstone.Row, 0, g.Len())
		for i, r := range g.SPO() {
			if i%translateBatch == 0 && ctx.Err() != nil {
				return nil, ctx.Err()
			}
			row := tombstone.Row{Weight: h.from.entries<<2 | r.Weight&1}
			ok := known
			if ok {
				row.Key, ok = h.key(cols, r.Key, b)
			}
			switch {
			case ok:
				rows = append(rows, row)
			case r.Adds():
				return nil, errNotSealed
			}
		}
		if rows, err = tombstone.Net(ctx, rows); err != nil {
			return nil, err
		}
		if len(rows) > 0 {
			b.runs[rank] = tombstone.NewRun(rows)
		}
	}
	return b, nil
}

// lookUp returns the ids of terms that no older layer has, 0 of those that none has.
func (h *heir) lookUp(ctx context.Context, terms []string) ([]ID, error) {
	order := make([]int, len(terms))
	for i := range order {
		order[i] = i
	}
	if err := look.Sort(ctx, order, func(a, b int) int { return strings.Compare(terms[a], terms[b]) }); err != nil {
		return nil, err
	}
	out := make([]ID, len(terms))
	fresh := h.v.owners[len(h.from.core().owners):]
	sorted, got := make([][]byte, 0, translateBatch), make([]ID, translateBatch)
	for len(order) > 0 {
		part := order[:min(len(order), translateBatch)]
		order = order[len(part):]
		sorted = sorted[:0]
		for _, i := range part {
			sorted = append(sorted, []byte(terms[i]))
		}
		if err := h.v.own(ctx, h.names, fresh, sorted, got[:len(part)]); err != nil {
			return nil, err
		}
		for k, i := range part {
			out[i] = got[k]
		}
	}
	return out, nil
}
