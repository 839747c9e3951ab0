package view

import (
	"context"
	"io"

	"github.com/rete-go/rete/engine/internal/folds"
	"github.com/rete-go/rete/engine/internal/layers"
	"github.com/rete-go/rete/tile"
	"github.com/rete-go/rete/tombstone"
)

// below returns the weight that all rows of the view are below, logBelow that of the
// rows of the log.
func (v *view) below() uint32 {
	if v.top != nil {
		return (v.Entries + v.top.seq) << 2
	}
	return v.logBelow()
}

func (v *view) logBelow() uint32 { return v.Entries << 2 }

const (
	// stepChanges and stepShare say when changes that are not placed are placed: when
	// they are stepChanges, and a stepShare-th of those that are. Until then they are
	// located as they pass.
	stepChanges = 64
	stepShare   = 8
)

// placeable returns the layers that are too large for the delta and are not placed yet; ok
// is false if nothing can be placed in the order of q.
func (q *query) placeable(placed *folds.Placed) (large []int, ok bool) {
	if !q.v.stores(q.Order) {
		return nil, false
	}
	if t := q.v.top; t != nil && t.seq > 0 && !q.v.durable.Load() {
		return nil, false // another batch may take the place of the last ones
	}
	return q.names.delta.cur.Load().large(q.v, placed)
}

// all reports whether q asks for all rows of a graph.
func (q *query) all() bool { return q.Lo == (tombstone.Key{}) && q.Hi == tombstone.MaxKey }

// record decides whether what passes is placed, which only a scan of all rows does.
func (f *fold) record() {
	q := f.q
	if f.base == nil || f.changes == nil || !q.all() {
		return
	}
	large, ok := q.placeable(f.placed)
	if !ok {
		return
	}
	if f.placed != nil && len(large) == 0 {
		_, after := q.names.delta.cur.Load().graph(f.graph).placed(q.v, q.Order)
		waiting := q.v.top.changes(f.placed.Below()) + after.Len()
		if waiting < stepChanges || waiting*stepShare < f.placed.Size() {
			return
		}
	}
	f.rec = folds.NewPlacer(f.placed, q.v.below(), large...)
}

// placeLarge places the changes of layers that are too large for the delta, in the order in
// which the base's rows are read, once as many of their rows were asked for as they have. It
// reads all of them, and the base; done says that it did.
func (q *query) placeLarge(ctx context.Context, graph uint32, found []*match) (done bool, err error) {
	if q.all() && q.v.stores(q.Order) {
		return false, nil // they are placed as they pass
	}
	for _, m := range found {
		if !m.l.IsAdds() && m.l.Asked.Load() >= m.l.Sizes.Quads {
			m.l.Asked.Store(0)
			done = true
		}
	}
	if !done {
		return false, nil
	}
	whole := &query{q.Whole(q.v.readOrder(q.Order), tombstone.Key{}), q.v, q.names}
	from, changes, err := whole.changes(ctx, graph)
	if err != nil || changes == nil {
		return false, err
	}
	large, ok := whole.placeable(from)
	if !ok || len(large) == 0 {
		return false, nil
	}
	p, err := whole.place(ctx, graph, from, changes, q.v.below(), large...)
	if err != nil {
		return false, err
	}
	whole.publish(graph, p)
	return true, nil
}

// changes returns the number of changes of the top from a weight on, a little more
// where runs overlap.
func (t *top) changes(weight uint32) (n int) {
	if t == nil {
		return 0
	}
	for _, r := range t.runs {
		if r.newest >= weight {
			n += r.rows
		}
	}
	return n
}

// publish shows others what was placed.
func (f *fold) publish() {
	q := f.q
	q.publish(f.graph, f.rec.Done())
	f.rec = nil
}

// publish shows others what was placed in a graph.
func (q *query) publish(graph uint32, p *folds.Placed) {
	g := q.names.delta.cur.Load().graph(graph)
	at := &g.orders[q.Order]
	t := q.v.top
	if t == nil || t.seq == 0 {
		at.log.Store(&logPlaced{Placed: p})
	} else if old := at.live.Load(); old == nil || old.dict != t.dict || old.Below() < p.Below() {
		at.live.Store(&livePlaced{p, t.dict})
	}
	q.v.dropOrders(g, q.Order)
}

// dropOrders drops the rows of a graph's changes in the orders that read the base in one in
// which they are placed: they are kept in SPO alone.
func (v *view) dropOrders(g *deltaGraph, read tile.Order) {
	for o := range tile.Order(tile.NumOrders) {
		if v.readOrder(o) == read {
			g.levels.Drop(o)
		}
	}
}

// placedLog returns what the log makes of the base, nil if that is not known. The first
// queries locate the changes that they need; once these are as many as there are, all
// are placed.
func (q *query) placedLog(ctx context.Context, graph uint32) (*folds.Placed, error) {
	d := q.names.delta.cur.Load()
	g := d.graph(graph)
	p, after := g.placedLog(q.Order)
	if !d.whole(q.v, p) {
		return nil, nil
	}
	if p != nil && len(after) == 0 {
		return p, nil
	}
	n, err := after.Count(ctx, q.Order, q.Lo, q.Hi)
	if err != nil {
		return nil, err
	}
	if g.orders[q.Order].asked.Add(int64(n)) < int64(after.Len()) {
		return nil, nil
	}
	return q.placeLog(ctx, graph, g, p, after)
}

// placeLog places the changes of the log in a graph, of which g knows, that from lacks.
func (q *query) placeLog(ctx context.Context, graph uint32, g *deltaGraph, from *folds.Placed, levels folds.Levels) (*folds.Placed, error) {
	changes, err := levels.Sources(ctx, q.Order, tombstone.Key{}, tombstone.MaxKey, nil)
	if err != nil {
		return nil, err
	}
	p, err := q.place(ctx, graph, from, folds.Merge(changes), q.v.logBelow())
	if err != nil {
		return nil, err
	}
	g.orders[q.Order].log.Store(&logPlaced{Placed: p})
	q.v.dropOrders(g, q.Order)
	return p, nil
}

// place places changes of a graph, all that from lacks below a weight. It reads the tiles of the
// base that they touch.
func (q *query) place(ctx context.Context, graph uint32, from *folds.Placed, changes folds.Source, below uint32, large ...int) (*folds.Placed, error) {
	b := q.v.Base
	all := &query{q.Whole(q.Order, tombstone.Key{}), q.v, q.names}
	probe := &baseProbe{q: all}
	if lg, ok := q.names.LocalGraph(b, graph); ok {
		var err error
		if probe.runs, err = b.Scan(ctx, lg, q.Order, [3]uint32{}, layers.EndRow); err != nil {
			return nil, err
		}
	}
	placer := folds.NewPlacer(from, below, large...)
	inserts := folds.Step{Inserts: from.Inserts()}
	err := drain(ctx, changes, func(r *tombstone.Row) error {
		if !r.Adds() && r.Weight < b.Weight {
			return nil
		}
		has, err := probe.has(ctx, r.Key)
		if err != nil {
			return err
		}
		c := folds.Change{Row: *r, Same: has}
		c.At = uint32(probe.pos.Row)
		placer.Change(uint32(probe.run.Number), &c)
		if !has {
			inserts.Change(&c)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	placer.Inserts(inserts.End(0, tombstone.MaxKey).Inserts)
	return placer.Done(), nil
}

// baseProbe tells of ascending keys whether the base has the row.
type baseProbe struct {
	q    *query
	runs layers.Runs // nil: no rows, or no more
	run  layers.Run
	pos  layers.Pos // of the base's first row that is not below the key
}

func (p *baseProbe) has(ctx context.Context, key tombstone.Key) (bool, error) {
	local, exact := p.q.BaseKey(key)
	for p.runs != nil {
		if p.pos.Row < p.run.Hi {
			p.pos = layers.SeekTile(p.run.Tile, p.pos, p.run.Hi, local)
			if p.pos.Row < p.run.Hi {
				return exact && layers.KeyAt(p.run.Tile, p.pos) == local, nil
			}
		}
		if err := p.runs.Seek(ctx, local); err != nil {
			return false, err
		}
		run, err := p.runs.Next(ctx)
		if err == io.EOF {
			p.runs = nil
			break
		}
		if err != nil {
			return false, err
		}
		p.run, p.pos = run, layers.PosOf(run.Tile, run.Lo)
	}
	return false, nil
}
