package engine

import "context"

// part returns the query narrowed to the scan's part: cut at tile bounds of the
// base, at the first row of a leading free id. The graphs are cut alike, by the
// one of them that has the most tiles.
func (c *Cursor) part(ctx context.Context, graphs []uint32) (*query, error) {
	if c.opt.Parts <= 1 || c.q.lead > 2 {
		if c.opt.Parts > 1 && c.opt.Part > 0 { // one row: it is in the first part
			q := *c.q
			q.empty = true
			return &q, nil
		}
		return c.q, nil
	}
	cuts, err := c.q.cuts(ctx, graphs)
	if err != nil {
		return nil, err
	}
	q := *c.q
	cut := func(i int) (key3, bool) {
		at := len(cuts) * i / c.opt.Parts
		return cuts[min(at, len(cuts)-1)], at < len(cuts)
	}
	if len(cuts) == 0 {
		q.empty = c.opt.Part > 0
		return &q, nil
	}
	if c.opt.Part > 0 {
		lo, ok := cut(c.opt.Part)
		if q.raise(lo); !ok {
			q.empty = true
		}
	}
	if c.opt.Part+1 < c.opt.Parts {
		if hi, ok := cut(c.opt.Part + 1); ok {
			q.lower(hi)
		}
	}
	return &q, nil
}

// cuts returns the keys at which the base's tiles for the query begin, one for
// each tile, ascending; equal ones where an id is spread over several.
func (q *query) cuts(ctx context.Context, graphs []uint32) ([]key3, error) {
	b := q.v.base
	if b == nil || !q.baseHas() {
		return nil, nil
	}
	lo, _ := q.baseKey(q.lo)
	hi, _ := q.baseKey(q.hi)
	prefix, _ := q.baseKey(q.prefix())
	var best []key3
	for _, g := range graphs {
		lg, ok := q.names.localGraph(b, g)
		if !ok {
			continue
		}
		entries, err := b.Tiles(ctx, lg, q.order, prefix[:q.lead]...)
		if err != nil {
			return nil, err
		}
		var cuts []key3
		for _, e := range touched(entries, lo, hi) {
			first := [3]uint32{e.MinA, e.MinB, e.MinC}
			if q.lead > 0 && !e.HasSynopsis {
				continue
			}
			k := q.lo
			if q.lead == 0 || e.MinA == e.MaxA && (q.lead == 1 || e.MinB == e.MaxB) {
				k = q.cutKey(first)
			}
			if len(cuts) == 0 || cuts[len(cuts)-1].compare(k) <= 0 {
				cuts = append(cuts, k)
			}
		}
		if len(cuts) > len(best) {
			best = cuts
		}
	}
	return best, nil
}

// cutKey returns the merge key of a row of the base up to the first free column.
func (q *query) cutKey(local [3]uint32) key3 {
	for i := range local {
		if local[i] == 0 {
			local[i] = 1 // a directory without synopsis
		}
	}
	k := q.viewKey(local)
	clear(k[q.lead+1:])
	return k
}

// prefix returns the key that has the bound columns in front and nothing behind.
func (q *query) prefix() (k key3) {
	for i := range q.lead {
		k[i] = q.boundKey(q.cols[i])
	}
	return k
}
