package view

import (
	"context"
	"slices"

	"github.com/rete-go/rete/engine/internal/layers"
	"github.com/rete-go/rete/tile"
	"github.com/rete-go/rete/tombstone"
)

// part returns the query narrowed to the scan's part: cut at tile bounds of the
// base, and between them where there are few tiles, at the first row of a leading
// free id. The graphs are cut alike, by the one of a few of them that has the most tiles.
func (c *cursor) part(ctx context.Context, graphs []uint32) (*query, error) {
	if c.opt.Parts <= 1 || c.q.Lead > 2 {
		if c.opt.Parts > 1 && c.opt.Part > 0 { // one row: it is in the first part
			q := *c.q
			q.Empty = true
			return &q, nil
		}
		return c.q, nil
	}
	cuts, err := c.q.cutsOf(ctx, graphs, c.opt.Parts)
	if err != nil {
		return nil, err
	}
	q := *c.q
	cut := func(i int) (tombstone.Key, bool) {
		at := len(cuts) * i / c.opt.Parts
		return cuts[min(at, len(cuts)-1)], at < len(cuts)
	}
	if len(cuts) == 0 {
		q.Empty = c.opt.Part > 0
		return &q, nil
	}
	if c.opt.Part > 0 {
		lo, ok := cut(c.opt.Part)
		if q.Raise(lo); !ok {
			q.Empty = true
		}
	}
	if c.opt.Part+1 < c.opt.Parts {
		if hi, ok := cut(c.opt.Part + 1); ok {
			q.Lower(hi)
		}
	}
	return &q, nil
}

// cutScan is the cuts of a scan of one graph or of all, which the view remembers for the next
// part of the scan.
type cutScan struct {
	key  cutScanKey
	cuts []tombstone.Key
}

// cutScanKey is what the cuts of a scan depend on.
type cutScanKey struct {
	order       tile.Order
	lead, parts int
	lo, hi      tombstone.Key
	graph       uint32
}

// cutsOf returns the cuts of a scan, those of the last one if that was the same.
func (q *query) cutsOf(ctx context.Context, graphs []uint32, parts int) ([]tombstone.Key, error) {
	graph := graphs[0]
	switch all := uint32(len(q.names.Graphs.Surfaces)); {
	case len(graphs) == 1:
	case len(graphs) == int(all) && graph > 0, len(graphs) == int(all)+1:
		graph += all + 1 // stands for all of them, with the default graph or without
	default:
		return q.cuts(ctx, graphs, parts)
	}
	key := cutScanKey{q.Order, q.Lead, parts, q.Lo, q.Hi, graph}
	if known := q.v.cut.Load(); known != nil && known.key == key {
		return known.cuts, nil
	}
	cuts, err := q.cuts(ctx, graphs, parts)
	if err == nil {
		q.v.cut.Store(&cutScan{key, cuts})
	}
	return cuts, err
}

// cutGraphs is about the number of graphs that are looked at for cuts: a scan of
// thousands of small graphs is cut once for each part, and any cuts do.
const cutGraphs = 64

// cuts returns keys at which the base can be cut for the query, ascending: those at
// which its tiles begin, equal ones where an id is spread over several; and where
// there are fewer than twice the parts, also keys between them.
func (q *query) cuts(ctx context.Context, graphs []uint32, parts int) ([]tombstone.Key, error) {
	b := q.v.Base
	if b == nil || !q.BaseHas() {
		return nil, nil
	}
	lo, _ := q.BaseKey(q.Lo)
	hi, _ := q.BaseKey(q.Hi)
	prefix, _ := q.BaseKey(q.prefix())
	var best []tombstone.Key
	for i := 0; i < len(graphs); i += 1 + len(graphs)/cutGraphs {
		g := graphs[i]
		lg, ok := q.names.LocalGraph(b, g)
		if !ok {
			continue
		}
		entries, err := b.Tiles(ctx, lg, q.Order, prefix[:q.Lead]...)
		if err != nil {
			return nil, err
		}
		var cuts []tombstone.Key
		entries = layers.TilesIn(entries, lo, hi)
		cuts = slices.Grow(cuts, len(entries)+2*parts)
		for _, e := range entries {
			first := [3]uint32{e.MinA, e.MinB, e.MinC}
			if q.Lead > 0 && !e.HasSynopsis {
				continue
			}
			k := q.Lo
			if q.Lead == 0 || e.MinA == e.MaxA && (q.Lead == 1 || e.MinB == e.MaxB) {
				k = q.cutKey(first)
			}
			if len(cuts) == 0 || cuts[len(cuts)-1].Compare(k) <= 0 {
				cuts = append(cuts, k)
			}
			cuts = q.between(cuts, e, (2*parts-1)/len(entries))
		}
		if len(cuts) > len(best) {
			best = cuts
		}
	}
	return best, nil
}

// between adds `more` cuts inside a tile, at equal distances of its leading free ids.
func (q *query) between(cuts []tombstone.Key, e tile.Entry, more int) []tombstone.Key {
	span := [3][2]uint32{{e.MinA, e.MaxA}, {e.MinB, e.MaxB}, {e.MinC, e.MaxC}}[q.Lead]
	if q.Lead > 0 && !e.HasSynopsis || span[1] <= span[0] {
		return cuts
	}
	row, _ := q.BaseKey(q.prefix())
	for i := range more {
		row[q.Lead] = span[0] + uint32(uint64(span[1]-span[0])*uint64(i+1)/uint64(more+1))
		if k := q.cutKey(row); len(cuts) == 0 || cuts[len(cuts)-1].Compare(k) < 0 && k.Compare(q.Hi) < 0 {
			cuts = append(cuts, k)
		}
	}
	return cuts
}

// cutKey returns the merge key of a row of the base up to the first free column.
func (q *query) cutKey(local [3]uint32) tombstone.Key {
	for i := range local {
		if local[i] == 0 {
			local[i] = 1 // a directory without synopsis
		}
	}
	k := q.ViewKey(local)
	clear(k[q.Lead+1:])
	return k
}

// prefix returns the key that has the bound columns in front and nothing after.
func (q *query) prefix() (k tombstone.Key) {
	for i := range q.Lead {
		k[i] = q.BoundKey(q.Cols[i])
	}
	return k
}
