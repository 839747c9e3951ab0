package engine

import (
	"context"
	"errors"
)

const (
	// promoteShare is the share of a layer that must have been asked for before
	// it is taken into memory whole.
	promoteShare = 16
	// promoteRows is how many rows must have been asked for at least, so that a
	// point query does not translate a tiny layer.
	promoteRows = 64
)

// localGraph returns the number of a view's graph in a layer, false if the layer
// does not have it.
func (n *viewNames) localGraph(l *layer, graph uint32) (uint32, bool) {
	if graph == 0 {
		return 0, true
	}
	return n.graphs.local(l, uint64(graph))
}

// side opens the rows of all layers but the base that match q in a graph.
func (q *query) side(ctx context.Context, graph uint32) (sideSource, error) {
	v := q.v
	type match struct {
		l   *layer
		src sideSource
	}
	var found []match
	for _, l := range v.layers {
		if v.delta.Load().in[l.index] {
			continue
		}
		if rows, err := q.aliasMatch(ctx, l, graph); err != nil {
			return nil, err
		} else if len(rows) > 0 {
			found = append(found, match{l, &sideSlice{rows}})
		}
		if l == v.base {
			continue
		}
		src, err := q.match(ctx, l, graph)
		if err != nil {
			return nil, err
		}
		if src != nil {
			found = append(found, match{l, src})
		}
	}
	d := v.delta.Load()
	var srcs []sideSource
	if rows := sideRange(d.run(graph, q.order), q.lo, q.hi); len(rows) > 0 {
		srcs = append(srcs, &sideSlice{rows})
	}
	for _, m := range found {
		if !d.in[m.l.index] {
			srcs = append(srcs, m.src)
		}
	}
	if len(srcs) == 0 {
		return nil, nil
	}
	return newSideMerge(srcs), nil
}

// match opens the rows of one layer that match q, nil if there are none or if
// the layer was taken into the delta.
func (q *query) match(ctx context.Context, l *layer, graph uint32) (sideSource, error) {
	v := q.v
	lg, ok := q.names.localGraph(l, graph)
	if !ok {
		return nil, nil
	}
	o, lo, hi, lead, ok, err := q.localPattern(ctx, l)
	if err != nil || !ok {
		return nil, err
	}
	share := max(l.counts.Quads/promoteShare, promoteRows)
	fits := v.fits(v.delta.Load(), l)
	if fits && (lead == 0 || l.asked.Load() >= share) {
		if err := v.promote(ctx, q.names, l); err != nil || v.delta.Load().in[l.index] {
			return nil, err
		}
	}
	local, err := l.collect(ctx, lg, o, lo, hi, int64(v.match))
	if errors.Is(err, errTooLarge) {
		return q.window(ctx, l, lg)
	}
	if err != nil {
		return nil, err
	}
	if asked := l.asked.Add(uint64(len(local)) + 1); fits && asked >= share && len(local) > 0 {
		if err := v.promote(ctx, q.names, l); err != nil || v.delta.Load().in[l.index] {
			return nil, err
		}
	}
	rows, err := v.toKeys(ctx, q.names, l, q.order, local)
	if err != nil {
		return nil, err
	}
	rows = sideRange(netRows(rows), q.lo, q.hi)
	if len(rows) == 0 {
		return nil, nil
	}
	return &sideSlice{rows}, nil
}
