package view

import (
	"context"
	"math/bits"

	"github.com/rete-go/rete/dataset"
	"github.com/rete-go/rete/engine/internal/idspace"
	"github.com/rete-go/rete/engine/internal/layers"
	"github.com/rete-go/rete/tile"
)

// sampleTiles is how many tiles an estimate reads at most.
const sampleTiles = 8

// Orders is [View.Orders].
func (v *view) Orders(p dataset.Pattern) []dataset.Order {
	bound := p.Columns()
	n := 0
	for _, id := range bound {
		if id != 0 {
			n++
		}
	}
	first := firstOrder(p)
	out := []dataset.Order{dataset.Order(first)}
	for o := range tile.Order(tile.NumOrders) {
		cols, lead := o.Columns(), 0
		for lead < 3 && bound[cols[lead]] != 0 {
			lead++
		}
		if lead == n && o != first && (v.stores(o) || v.putsInOrder(&p.G)) {
			out = append(out, dataset.Order(o))
		}
	}
	return out
}

// firstOrder is the first of the orders of a pattern.
func firstOrder(p dataset.Pattern) tile.Order {
	bound := p.Columns()
	return tile.Choose(bound[0] != 0, bound[1] != 0, bound[2] != 0)
}

// stores reports whether the base has the rows in an order.
func (v *view) stores(o tile.Order) bool {
	if v.Base == nil {
		return true
	}
	s, ok := v.Base.Layer.(interface{ HasOrder(tile.Order) bool })
	return !ok || s.HasOrder(o)
}

// putsInOrder reports whether rows of several graphs, as small as they are, come in any order at little cost.
func (v *view) putsInOrder(g *dataset.Graphs) bool {
	if g.Mode == dataset.Unnamed || g.Set != nil && len(g.Set) < manyGraphs {
		return false
	}
	l := v.smallGraphs()
	return l != nil && l.KeepsGraphRows() && int(v.Base.Sizes.Graphs) >= manyGraphs
}

// estimate is Estimate without what the view keeps.
func (v *view) estimate(ctx context.Context, p dataset.Pattern) (dataset.Cardinality, error) {
	if n, ok, err := v.allNamed(p); ok || err != nil {
		c := dataset.Cardinality{Low: n, High: n, Guess: n}
		v.distinctAtMost(&c, p, uint64(v.Base.Sizes.Graphs))
		return c, err
	}
	q, graphs, err := v.counting(ctx, p)
	if err != nil || q.Empty {
		return dataset.Cardinality{}, err
	}
	known, rest, err := q.estimateKnown(ctx, p, graphs)
	if err != nil {
		return dataset.Cardinality{}, err
	}
	var c dataset.Cardinality
	const look = 16
	for i, g := range rest {
		if i == look {
			f := uint64(len(rest)) / look
			c.Low, c.High, c.Guess = 0, v.mostQuads(), mul(c.Guess, f)
			break
		}
		one, err := q.estimateGraph(ctx, g)
		if err != nil {
			return dataset.Cardinality{}, err
		}
		c.High, c.Guess = c.High+one.High, c.Guess+one.Guess
		if p.G.Mode == dataset.Merge {
			c.Low = max(c.Low, one.Low)
		} else {
			c.Low += one.Low
		}
	}
	c.High, c.Guess = c.High+known.High, c.Guess+known.Guess
	if p.G.Mode == dataset.Merge {
		c.Low = max(c.Low, min(known.Low, 1))
	} else {
		c.Low += known.Low
	}
	c.Guess = min(max(c.Guess, c.Low), c.High)
	return c, v.distinct(ctx, q, &c, p, graphs)
}

// mostQuads is at least the number of all quads.
func (v *view) mostQuads() uint64 {
	n := uint64(v.top.rows())
	for _, l := range v.Layers {
		if l.IsAdds() {
			n += l.Sizes.Quads
		}
	}
	return n
}

// estimateKnown bounds the rows of those of some graphs, given by rank, whose numbers or rows are known
// together, and returns the other ones.
func (q *query) estimateKnown(ctx context.Context, p dataset.Pattern, graphs []uint32) (c dataset.Cardinality, rest []uint32, err error) {
	if p.G.Mode == dataset.Each && q.Lead == 0 {
		sizes, rest, err := q.graphSizes(ctx, graphs, false)
		if err != nil {
			return c, nil, err
		}
		if sizes.rows != nil {
			n, err := sizes.sum(ctx)
			return dataset.Cardinality{Low: n, High: n, Guess: n}, rest, err
		}
	}
	rows, rest, err := q.graphRows(ctx, graphs, nil, anyOrder, p.G.Mode == dataset.Merge)
	if rows == nil || err != nil {
		return c, rest, err
	}
	c.Low, c.High, c.Guess, err = rows.guess(ctx)
	return c, rest, err
}

func mul(a, b uint64) uint64 {
	hi, lo := bits.Mul64(a, b)
	if hi != 0 {
		return 1<<64 - 1
	}
	return lo
}

// estimateGraph bounds the rows of one graph.
func (q *query) estimateGraph(ctx context.Context, graph uint32) (c dataset.Cardinality, err error) {
	for _, l := range q.v.Layers {
		got, err := q.estimateLayer(ctx, l, graph)
		if err != nil {
			return dataset.Cardinality{}, err
		}
		if len(l.Alias) > 0 {
			rows, err := q.AliasMatch(ctx, l, graph)
			if err != nil {
				return dataset.Cardinality{}, err
			}
			if len(rows) > 0 { // any number of the layer's own rows may be one quad
				got.Low, got.High = 0, got.High+uint64(len(rows))
			}
		}
		if !l.IsAdds() {
			c.Low -= min(c.Low, got.High)
			continue
		}
		c = dataset.Cardinality{Low: max(c.Low, got.Low), High: c.High + got.High, Guess: c.Guess + got.Guess}
	}
	if q.v.top == nil {
		return c, nil
	}
	for _, r := range q.v.top.runs {
		rows, err := r.matching(ctx, q, graph)
		if err != nil {
			return c, err
		}
		n := uint64(len(rows)) // adds and dels: to count them apart is not worth a walk
		c.Low -= min(c.Low, n)
		c.High += n
		if len(rows) > 0 && rows[0].Adds() {
			c.Guess += n
		}
	}
	return c, nil
}

// estimateLayer bounds the rows of one layer.
func (q *query) estimateLayer(ctx context.Context, l *idspace.Layer, graph uint32) (dataset.Cardinality, error) {
	lg, ok := q.names.LocalGraph(l, graph)
	if !ok {
		return dataset.Cardinality{}, nil
	}
	o, lo, hi, lead, ok, err := q.LocalPattern(ctx, l)
	if err != nil || !ok {
		return dataset.Cardinality{}, err
	}
	entries, err := l.Tiles(ctx, lg, o, lo[:lead]...)
	if err != nil {
		return dataset.Cardinality{}, err
	}
	return estimateTiles(ctx, l, lg, o, entries, lo, hi, lead)
}

// estimateTiles adds up the tiles of a layer; those that may stick out of the bounds count for the
// upper bound alone, and by half for the guess. A few tiles are counted exactly.
func estimateTiles(ctx context.Context, l *idspace.Layer, graph uint32, o tile.Order, entries []tile.Entry, lo, hi [3]uint32, lead int) (c dataset.Cardinality, err error) {
	if len(entries) == 0 {
		return c, nil
	}
	if l.Distant() {
		return guess(entries, lo, hi, lead), nil
	}
	if len(entries) <= 2 {
		n, err := l.Count(ctx, graph, o, lo[:lead]...)
		return dataset.Cardinality{Low: n, High: n, Guess: n}, err
	}
	var unknown uint64
	for i := range entries {
		e := &entries[i]
		if e.Rows == 0 {
			unknown += uint64(e.Len)
			continue
		}
		c.High += uint64(e.Rows)
		if layers.Compare(layers.MinRow(e), lo) >= 0 && layers.Compare(layers.MaxRow(e), hi) < 0 {
			c.Low += uint64(e.Rows)
		}
	}
	c.Guess = (c.Low + c.High) / 2
	if unknown == 0 {
		return c, nil
	}
	rows, sampled, err := sample(ctx, l, graph, o, entries)
	if err != nil {
		return c, err
	}
	guess := uint64(float64(unknown) * float64(rows) / float64(max(sampled, 1)))
	// A stored byte of a compressed tile holds a few rows at most; the bound is
	// generous on purpose.
	return dataset.Cardinality{Low: c.Low, High: c.High + mul(unknown, 64), Guess: c.Guess + guess}, nil
}

// sample reads a few of the tiles and returns their rows and stored bytes.
func sample(ctx context.Context, l *idspace.Layer, graph uint32, o tile.Order, entries []tile.Entry) (rows, bytes uint64, err error) {
	for i := range sampleTiles {
		e := &entries[i*len(entries)/sampleTiles]
		lo := layers.MinRow(e)
		hi := [3]uint32{e.MaxA, 1<<32 - 1, 1<<32 - 1}
		runs, err := l.Scan(ctx, graph, o, lo, hi)
		if err != nil {
			return 0, 0, err
		}
		run, err := runs.Next(ctx)
		if err != nil {
			return rows, bytes, err
		}
		rows, bytes = rows+uint64(run.Tile.Len()), bytes+uint64(e.Len)
	}
	return rows, bytes, nil
}

// guessRows guesses how many rows of a tile have a prefix, by its directory entry: as if
// the ids were spread evenly. A prefix is not empty.
func guessRows(e *tile.Entry, lead int) float64 {
	rows := float64(e.Rows)
	spans := [3][2]uint32{{e.MinA, e.MaxA}, {e.MinB, e.MaxB}, {e.MinC, e.MaxC}}
	for i := range lead {
		if i > 0 && !e.HasSynopsis {
			break
		}
		rows /= float64(spans[i][1]-spans[i][0]) + 1
	}
	return max(rows, 1)
}

// guess guesses the rows with a prefix by directory entries alone.
func guess(entries []tile.Entry, lo, hi [3]uint32, lead int) (c dataset.Cardinality) {
	sum := 0.0
	for i := range entries {
		e := &entries[i]
		c.High += uint64(e.Rows)
		if lead == 0 || layers.Compare(layers.MinRow(e), lo) >= 0 && layers.Compare(layers.MaxRow(e), hi) < 0 {
			c.Low += uint64(e.Rows)
			sum += float64(e.Rows)
		} else {
			sum += min(guessRows(e, lead), float64(e.Rows))
		}
	}
	c.Guess = min(max(uint64(sum), c.Low), c.High)
	return c
}
