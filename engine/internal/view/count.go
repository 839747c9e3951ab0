package view

import (
	"context"
	"io"
	"sync"

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/rete-go/rete/dataset"
	"github.com/rete-go/rete/engine/internal/folds"
	"github.com/rete-go/rete/engine/internal/layers"
	"github.com/rete-go/rete/internal/cancel"
	"github.com/rete-go/rete/tombstone"
)

// Count is [View.Count].
func (v *view) Count(ctx context.Context, p dataset.Pattern) (uint64, error) {
	if n, ok, err := v.allNamed(p); ok || err != nil {
		return n, err
	}
	q, graphs, err := v.counting(ctx, p)
	if err != nil || q.Empty {
		return 0, err
	}
	var total uint64
	switch {
	case p.G.Mode == dataset.Each && q.Lead == 0:
		known, rest, err := q.graphSizes(ctx, graphs, p.G.Set == nil)
		if err != nil {
			return 0, err
		}
		if total, err = known.sum(ctx); err != nil {
			return 0, err
		}
		graphs = rest
	case p.G.Mode != dataset.Unnamed:
		wanted := inOrder
		if p.G.Mode == dataset.Each {
			wanted = anyOrder
		}
		graphRows, rest, err := q.graphRows(ctx, graphs, nil, wanted, true)
		switch {
		case err != nil:
			return 0, err
		case p.G.Mode == dataset.Merge && len(graphs) > 1:
			return countRows(ctx, q.mergeSource(graphRows, rest))
		case graphRows != nil:
			if total, err = graphRows.count(ctx); err != nil {
				return 0, err
			}
			graphs = rest
		}
	}
	for _, g := range graphs {
		if err := ctx.Err(); err != nil {
			return 0, err
		}
		c, err := q.count(ctx, g)
		if err != nil {
			return 0, err
		}
		total += c
	}
	return total, nil
}

// counting makes a pattern ready to be counted, and returns the graphs by rank.
func (v *view) counting(ctx context.Context, p dataset.Pattern) (*query, []uint32, error) {
	n, err := v.table(ctx)
	if err != nil {
		return nil, nil, err
	}
	q, err := v.newQuery(ctx, n, p, firstOrder(p), nil)
	if err != nil || q.Empty {
		return q, nil, err
	}
	graphs, err := v.graphRanks(ctx, n, p.G, nil)
	return q, graphs, err
}

// countRows drains a source.
func countRows(ctx context.Context, src rowSource) (uint64, error) {
	var n uint64
	for {
		if err := ctx.Err(); err != nil {
			return 0, err
		}
		p, err := src.next(ctx, 1<<30, nil)
		if err == io.EOF {
			return n, nil
		}
		if err != nil {
			return 0, err
		}
		n += uint64(p.len())
	}
}

// count counts one graph.
func (q *query) count(ctx context.Context, graph uint32) (uint64, error) {
	b := q.v.Base
	if b == nil {
		return 0, nil
	}
	if err := q.promoteAsked(ctx, false); err != nil {
		return 0, err
	}
	c := counter{q: q, graph: graph}
	c.local, c.has = q.names.LocalGraph(b, graph)
	c.lo, _ = q.BaseKey(q.Lo)
	c.hi, _ = q.BaseKey(q.Hi)
	c.has = c.has && q.BaseHas() && layers.Compare(c.lo, c.hi) < 0
	if q.v.stores(q.Order) {
		placed, err := q.placedLog(ctx, graph)
		if err != nil {
			return 0, err
		}
		if placed != nil {
			return c.countPlaced(ctx, placed)
		}
	}
	placed, changes, err := q.changes(ctx, graph)
	if err != nil {
		return 0, err
	}
	return c.count(ctx, placed, changes)
}

// counter counts the rows of one graph that match a query.
type counter struct {
	q      *query
	graph  uint32
	has    bool      // the base may have rows
	local  uint32    // the graph in the base
	lo, hi [3]uint32 // the rows in the base
}

// countPlaced counts by what is placed of the log, and the top.
func (c *counter) countPlaced(ctx context.Context, p *folds.Placed) (uint64, error) {
	q := c.q
	total, err := c.visible(ctx, p)
	if err != nil {
		return 0, err
	}
	t := q.v.top
	if t == nil || len(t.runs) == 0 {
		return total, nil
	}
	var id dataset.ID
	if c.graph > 0 {
		var err error
		if id, err = q.v.GraphID(ctx, &q.names.Names, c.graph); err != nil {
			return 0, err
		}
	}
	whole := q.Lead == 0
	if whole {
		if n, ok := t.counted.of(t, id, total); ok {
			return n, nil
		}
	}
	srcs, err := t.sources(ctx, q, c.graph, 0, nil)
	if err != nil || len(srcs) == 0 {
		return total, err
	}
	changes := folds.Merge(srcs)
	if t.unsure > 0 {
		total, err = c.count(ctx, p, changes)
	} else {
		err = drain(ctx, changes, func(r *tombstone.Row) error {
			switch {
			case r.Weight&idleBit != 0:
			case r.Adds():
				total++
			default:
				total--
			}
			return nil
		})
	}
	if err == nil && whole {
		t.counted.put(t, id, total)
	}
	return total, err
}

// drain calls f for the rows of a source.
func drain(ctx context.Context, src folds.Source, f func(*tombstone.Row) error) error {
	for step := 0; ; {
		rows, err := src.Next(ctx)
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		for i := range rows {
			if err := cancel.Check(ctx, step); err != nil {
				return err
			}
			step++
			if err := f(&rows[i]); err != nil {
				return err
			}
		}
	}
}

// visible returns the number of rows that match and that are visible by what is placed:
// those of the base that are not hidden, and inserts.
func (c *counter) visible(ctx context.Context, p *folds.Placed) (uint64, error) {
	inserts := uint64(len(tombstone.Range(p.Inserts(), c.q.Lo, c.q.Hi)))
	if !c.has {
		return inserts, nil
	}
	var first layers.Run
	if c.q.Lead > 0 && p.HiddenRows() > 0 {
		var err error
		if first, err = c.first(ctx, c.lo, c.hi); err != nil || first.Tile == nil {
			return inserts, err
		}
		if first.Hi < first.Tile.Len() { // all rows are in one tile
			in := p.Hidden(uint32(first.Number))
			return inserts + uint64(first.Hi-first.Lo) - (rank(in, first.Hi) - rank(in, first.Lo)), nil
		}
	}
	rows, err := c.q.v.Base.Count(ctx, c.local, c.q.Order, c.lo[:c.q.Lead]...)
	if err != nil || rows == 0 {
		return inserts, err
	}
	hidden, err := c.hidden(ctx, p, first)
	return inserts + rows - hidden, err
}

// hidden returns the number of rows of the base that match and are hidden, of which first
// is the first run.
func (c *counter) hidden(ctx context.Context, p *folds.Placed, first layers.Run) (uint64, error) {
	if first.Tile == nil {
		return p.HiddenRows(), nil
	}
	number := uint32(first.Number)
	before := p.HiddenBefore(number) + rank(p.Hidden(number), first.Lo)
	end, err := c.first(ctx, c.hi, layers.EndRow)
	if err != nil {
		return 0, err
	}
	if end.Tile == nil {
		return p.HiddenRows() - before, nil
	}
	number = uint32(end.Number)
	return p.HiddenBefore(number) + rank(p.Hidden(number), end.Lo) - before, nil
}

// first returns the first run of the base from one row to another, without a tile if
// there is none.
func (c *counter) first(ctx context.Context, lo, hi [3]uint32) (layers.Run, error) {
	runs, err := c.q.v.Base.Scan(ctx, c.local, c.q.Order, lo, hi)
	if err != nil {
		return layers.Run{}, err
	}
	run, err := runs.Next(ctx)
	if err == io.EOF {
		return layers.Run{}, nil
	}
	return run, err
}

// rank returns the number of elements below row.
func rank(b *roaring.Bitmap, row int) uint64 {
	if b == nil || row == 0 {
		return 0
	}
	return b.Rank(uint32(row - 1))
}

// count locates each change in the base, or in what is placed, and corrects the
// number of rows.
func (c *counter) count(ctx context.Context, p *folds.Placed, changes folds.Source) (uint64, error) {
	q, b := c.q, c.q.v.Base
	total, err := c.visible(ctx, p)
	if err != nil || changes == nil {
		return total, err
	}
	inserts := tombstone.Range(p.Inserts(), q.Lo, q.Hi)
	probe := &baseProbe{q: q}
	if c.has {
		if probe.runs, err = b.Scan(ctx, c.local, q.Order, c.lo, c.hi); err != nil {
			return 0, err
		}
	}
	err = drain(ctx, changes, func(r *tombstone.Row) error {
		if !r.Adds() && r.Weight < b.Weight {
			return nil
		}
		has, err := probe.has(ctx, r.Key)
		if err != nil {
			return err
		}
		if has {
			hidden := p.Hidden(uint32(probe.run.Number))
			has = hidden == nil || !hidden.Contains(uint32(probe.pos.Row))
		} else {
			inserts = inserts[tombstone.Gallop(inserts, r.Key):]
			has = len(inserts) > 0 && inserts[0].Key == r.Key
		}
		switch {
		case r.Adds() && !has:
			total++
		case !r.Adds() && has:
			total--
		}
		return nil
	})
	return total, err
}

// counted remembers the number of quads of whole graphs over batches of the journal,
// of which each is a number of real changes.
type counted struct {
	mu     sync.Mutex // guards graphs
	graphs map[dataset.ID]countedGraph
}

type countedGraph struct {
	unsure uint32 // of the top that it was counted under
	net    int64  // likewise
	total  uint64
}

// of returns the number of quads of a graph under a top, by its number in the log;
// ok is false if it has to be counted.
func (c *counted) of(t *top, graph dataset.ID, log uint64) (n uint64, ok bool) {
	net := t.net(graph)
	if t.unsure == 0 {
		return log + uint64(net), true
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	at, ok := c.graphs[graph]
	return at.total + uint64(net-at.net), ok && at.unsure == t.unsure
}

func (c *counted) put(t *top, graph dataset.ID, total uint64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.graphs == nil {
		c.graphs = map[dataset.ID]countedGraph{}
	}
	c.graphs[graph] = countedGraph{t.unsure, t.net(graph), total}
}
