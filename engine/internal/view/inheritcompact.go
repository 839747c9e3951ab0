package view

import (
	"context"
	"slices"

	"github.com/rete-go/rete/dataset"
	"github.com/rete-go/rete/engine/internal/folds"
	"github.com/rete-go/rete/engine/internal/idspace"
	"github.com/rete-go/rete/engine/internal/layers"
	"github.com/rete-go/rete/internal/ids"
	"github.com/rete-go/rete/tile"
)

// Regrouped is how the layers of a view, of which some entries became one of the same
// effect, lie in the new one.
type regrouped struct {
	old  map[*idspace.Layer]*idspace.Layer // of the older view, by those that the new one has of them
	gone []*idspace.Layer                  // of the entries that were compacted
	made []*idspace.Layer                  // of what they became
}

// Regrouped returns the view of a log in which n entries of v's from first on became
// made, one or none, of the same effect, and more may come after. It reads nothing. nil if
// what v remembers is of no use to it.
func (v *view) Regrouped(old, log []layers.Entry, first, n, made int) *view {
	core := v.core()
	next := &view{budget: v.budget, match: v.match}
	next.Extend(log)
	// The base's terms must sort before all others, and go on to do so.
	if len(log) < len(old)-n+made || v.names.Done.Load() == nil || next.Base == nil || next.Base.Layer != core.Base.Layer || next.Base.Number+core.Base.Number > 0 {
		return nil
	}
	c := &regrouped{old: map[*idspace.Layer]*idspace.Layer{}}
	was, now := core.byEntry(old), next.byEntry(log)
	for _, e := range was[first : first+n] {
		c.gone = append(c.gone, e...)
	}
	for i, e := range now {
		at := i - made + n // its place in the older log
		switch {
		case i < first:
			at = i
		case i < first+made:
			c.made = append(c.made, e...)
			setEntry(e, was[first+n-1][0].Weight>>2)
			continue
		case at >= len(was):
			setEntry(e, core.Entries+uint32(at-len(was)))
			next.Entries = core.Entries + uint32(at-len(was)) + 1
			continue
		}
		if !slices.EqualFunc(e, was[at], func(a, b *idspace.Layer) bool { return a.Layer == b.Layer && a.IsAdds() == b.IsAdds() }) {
			return nil
		}
		for k, l := range e {
			c.old[l] = was[at][k]
		}
		setEntry(e, was[at][0].Weight>>2)
	}
	next.Entries = max(core.Entries, next.Entries)
	next.seed.Store(&seed{from: v, compacted: c})
	return next
}

// byEntry returns the layers of each entry of a log.
func (v *view) byEntry(log []layers.Entry) [][]*idspace.Layer {
	out := make([][]*idspace.Layer, len(log))
	layers := v.Layers
	for i, e := range log {
		n := 0
		if e.Dels != nil {
			n++
		}
		if e.Adds != nil {
			n++
		}
		out[i], layers = layers[:n], layers[n:]
	}
	return out
}

// setEntry gives the layers of an entry their weights. Numbers of entries may be left out.
func setEntry(e []*idspace.Layer, number uint32) {
	for _, l := range e {
		l.Weight = number << 2
		if l.IsAdds() {
			l.Weight++
		}
	}
}

// inheritCompacted is inherit after a compaction. Terms of layers that are gone are looked
// up in those that are there.
func (v *view) inheritCompacted(ctx context.Context, s *seed) (*viewNames, error) {
	n, err := v.readNames(ctx)
	if err != nil {
		return nil, err
	}
	h := &heir{v: v, from: s.from, names: n, old: s.from.names.Done.Load()}
	h.preds, h.graphs = h.old.Preds.RanksIn(&n.Preds), h.old.Graphs.RanksIn(&n.Graphs)
	d, err := h.regroup(ctx, s.compacted)
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case err == nil && d != nil:
		n.delta = newDeltaBox(d)
	}
	for l, old := range s.compacted.old {
		if !n.delta.cur.Load().has(l) && l != v.Base {
			l.Remap.Take(&old.Remap)
		}
	}
	return n, nil
}

// regroup returns what goes on of the delta; nil if it does not hold all rows of the
// entries that were compacted, or has no room.
func (h *heir) regroup(ctx context.Context, c *regrouped) (*delta, error) {
	d := h.old.delta.cur.Load()
	if slices.ContainsFunc(c.gone, func(l *idspace.Layer) bool { return !d.has(l) }) {
		return nil, nil
	}
	next := newDelta(len(h.v.Layers))
	for l, old := range c.old {
		next.in[l.Index] = d.has(old)
	}
	for _, l := range c.made {
		next.in[l.Index] = true
	}
	held := d.held()
	if err := h.lookUpAgain(ctx, held); err != nil {
		return nil, err
	}
	for rank, g := range held {
		to, ok := ranked(h.graphs, rank)
		if !ok && rank > 0 {
			continue
		}
		var err error
		if next.graphs[to], err = h.regroupGraph(ctx, g); err != nil {
			return nil, err
		}
		next.bytes += int64(next.graphs[to].levels.Len()) * deltaRowBytes
	}
	return next, nil
}

// regroupGraph returns what is known of the changes of the log in a graph.
func (h *heir) regroupGraph(ctx context.Context, g *deltaGraph) (*deltaGraph, error) {
	to := new(deltaGraph)
	var err error
	if to.levels, err = h.levels(ctx, g.levels); err != nil {
		return nil, err
	}
	for o := range tile.Order(len(g.orders)) {
		l := g.orders[o].log.Load()
		if l == nil || l.CoversLarge() { // they have other indexes
			continue
		}
		p, err := h.placed(ctx, o, l.Placed, l.Below())
		if err != nil {
			return nil, err
		}
		after, err := h.levels(ctx, l.after)
		if err != nil {
			return nil, err
		}
		if p != nil {
			to.orders[o].log.Store(&logPlaced{p, after})
		}
	}
	return to, nil
}

// levels returns runs, netted into one, as they are in the new view.
func (h *heir) levels(ctx context.Context, from folds.Levels) (to folds.Levels, err error) {
	var all *folds.Run
	for _, r := range from {
		if all, err = folds.MergeRuns(ctx, all, r); err != nil {
			return nil, err
		}
	}
	if all, err = h.run(ctx, all, func(w uint32) uint32 { return w }); err != nil {
		return nil, err
	}
	return to.Push(ctx, all)
}

// lookUpAgain finds the ids of the terms of rows that the base does not own.
func (h *heir) lookUpAgain(ctx context.Context, held map[uint32]*deltaGraph) error {
	found := map[dataset.ID]dataset.ID{}
	for _, g := range held {
		for _, r := range g.levels {
			for _, row := range r.SPO() {
				for _, id := range []uint64{row.Key[0], row.Key[2]} {
					if id>>idspace.LocalBits != 0 {
						found[dataset.ID(id)] = 0
					}
				}
			}
		}
	}
	list := make([]dataset.ID, 0, len(found))
	for id := range found {
		list = append(list, id)
	}
	slices.Sort(list)
	var terms ids.Terms
	got := make([]dataset.ID, idspace.TranslateBatch)
	for len(list) > 0 {
		part := list[:min(len(list), idspace.TranslateBatch)]
		list = list[len(part):]
		terms.Reset()
		if err := h.from.core().Decode(ctx, part, &terms); err != nil {
			return err
		}
		order := make([]uint32, len(part))
		for i := range order {
			order[i] = uint32(i)
		}
		sorted := idspace.Ascending(layers.TermsOf(&terms), order)
		if err := h.v.Own(ctx, &h.names.Names, h.v.Owners[1:], sorted, got[:len(part)]); err != nil {
			return err
		}
		for k, i := range order {
			found[part[i]] = got[k]
		}
	}
	h.ids = func(id dataset.ID) dataset.ID {
		if to, ok := found[id]; ok {
			return to
		}
		return id
	}
	return nil
}
