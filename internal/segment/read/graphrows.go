package read

import (
	"context"
	"io"
	"slices"

	"github.com/rete-go/rete/internal/cache"
	"github.com/rete-go/rete/tile"
)

// GraphRow is a triple of a named graph: the ids of its columns in some order, and the
// number of the graph.
type GraphRow [4]uint32

// graphRowBytes is what a row of graph rows takes.
const graphRowBytes = 16

// GraphRows is triples of all named graphs of a segment in one list, so that thousands of
// small graphs need not be opened one by one. Rows are shared: do not change them.
type GraphRows struct {
	Rows []GraphRow
}

// KeepsGraphRows reports whether the triples of the named graphs are likely to fit into the
// cache as graph rows.
func (s *Segment) KeepsGraphRows() bool {
	n := max(s.counts.Quads, s.head.Quads)
	return s.counts.Graphs > 0 && n < 1<<31 && cache.Keeps(s.cache, int64(n)*graphRowBytes)
}

// keepsRows reports whether n graph rows would stay in the cache: one that is made
// for a single scan costs more than it saves.
func (s *Segment) keepsRows(unit uint64, n int) bool {
	return cache.KeepsNow(s.cache, s.key(unit), int64(n)*graphRowBytes)
}

// RowsByOrder returns the graph rows in an order, and then by graph. They are made, of all named graphs,
// unless they are in the cache; if they shall not be made, or would not be kept, they are nil.
func (s *Segment) RowsByOrder(ctx context.Context, o tile.Order, make bool) (_ *GraphRows, err error) {
	if err = s.over(); err != nil {
		return
	}
	defer s.late(&err)
	unit := wholeGraphRows + uint64(o)
	if rows, ok := peek[*GraphRows](s, unit); ok {
		return rows, nil
	}
	lead, err := s.rowsByLead(ctx, LeadingOrder(o), make)
	if lead == nil || err != nil || !s.keepsRows(unit, len(lead.Rows)) {
		return nil, err
	}
	return cached(ctx, s, unit, func(ctx context.Context) (*GraphRows, int64, error) {
		rows, err := rowsByOrder(ctx, lead.Rows, o)
		return rows, int64(len(lead.Rows)) * graphRowBytes, err
	})
}

// LeadRows returns the graph rows whose first column in an order is id, as [Segment.RowsByOrder] does: in
// this order and then by graph, or for graphs by graph and then in this order.
func (s *Segment) LeadRows(ctx context.Context, o tile.Order, id uint32, graphs, make bool) (_ *GraphRows, err error) {
	if err = s.over(); err != nil {
		return
	}
	defer s.late(&err)
	lead, err := s.rowsByLead(ctx, LeadingOrder(o), make)
	if lead == nil || err != nil {
		return nil, err
	}
	those := ofLead(lead.Rows, id)
	if len(those) < smallSort || graphs && o == LeadingOrder(o) {
		return leadRows(ctx, those, o, graphs)
	}
	unit := unitLeadRows | uint64(o)<<33 | uint64(id)
	if graphs {
		unit |= 1 << 32
	}
	if rows, ok := peek[*GraphRows](s, unit); ok {
		return rows, nil
	}
	if !s.keepsRows(unit, len(those)) {
		return nil, nil
	}
	return cached(ctx, s, unit, func(ctx context.Context) (*GraphRows, int64, error) {
		rows, err := leadRows(ctx, those, o, graphs)
		return rows, int64(len(those)) * graphRowBytes, err
	})
}

// rowsByLead returns all graph rows by the first column of a leading order, then by graph, and then
// by the other columns.
func (s *Segment) rowsByLead(ctx context.Context, o tile.Order, make bool) (*GraphRows, error) {
	unit := wholeRowsByLead + uint64(o)
	if rows, ok := peek[*GraphRows](s, unit); ok {
		return rows, nil
	}
	byGraph, err := s.RowsByGraph(ctx, make)
	if byGraph == nil || err != nil || !s.keepsRows(unit, len(byGraph.Rows)) {
		return nil, err
	}
	return cached(ctx, s, unit, func(ctx context.Context) (*GraphRows, int64, error) {
		rows, err := rowsByLead(ctx, byGraph.Rows, o)
		return &GraphRows{Rows: rows}, int64(len(byGraph.Rows)) * graphRowBytes, err
	})
}

// RowsByGraph returns the triples by graph, in the order SPO, as [Segment.RowsByOrder] does.
func (s *Segment) RowsByGraph(ctx context.Context, make bool) (_ *GraphRows, err error) {
	if err = s.over(); err != nil {
		return
	}
	defer s.late(&err)
	const unit = wholeRowsByGraph
	if v, ok := cache.Peek(s.cache, s.key(unit)); ok || !make || !s.KeepsGraphRows() || !s.keepsRows(unit, int(max(s.counts.Quads, s.head.Quads))) {
		p, _ := v.(*GraphRows)
		return p.kept(), nil
	}
	p, err := cached(ctx, s, unit, func(ctx context.Context) (*GraphRows, int64, error) {
		n := min(int64(max(s.counts.Quads, s.head.Quads)), s.obj.Size()/leastRow)
		p := &GraphRows{Rows: slices.Grow([]GraphRow{}, int(n))}
		in := &inlineRows{s: s}
		for g := range s.counts.Graphs {
			if err := s.appendGraph(ctx, g+1, in, p); err != nil {
				return nil, 0, err
			}
			if !cache.Keeps(s.cache, int64(len(p.Rows))*graphRowBytes) {
				return &GraphRows{}, 0, nil // there is more in the file than its header says
			}
		}
		if cap(p.Rows)-len(p.Rows) > len(p.Rows)/4 { // the default graph has most of the quads
			p.Rows = slices.Clone(p.Rows)
		}
		p.Rows = slices.Clip(p.Rows)
		return p, int64(cap(p.Rows)) * graphRowBytes, nil
	})
	return p.kept(), err
}

// kept returns nil for graph rows that were too many.
func (p *GraphRows) kept() *GraphRows {
	if p == nil || p.Rows == nil {
		return nil
	}
	return p
}

// leastRow is how many bytes of a file a triple of a small graph takes at the least, about.
const leastRow = 8

// appendGraph appends the triples of a graph.
func (s *Segment) appendGraph(ctx context.Context, g int, in *inlineRows, p *GraphRows) error {
	if err := s.ready(ctx); err != nil {
		return err
	}
	ref, err := s.graph(ctx, g)
	if err != nil {
		return err
	}
	if ref.Inline {
		return in.append(ctx, g, ref, p)
	}
	sc, err := s.Scan(ctx, g, tile.SPO)
	if err != nil {
		return err
	}
	var cur tile.Cursor
	for {
		run, err := sc.Next(ctx)
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		cur.Reset(run.Tile)
		for ; cur.Valid() && cur.RowNumber() < run.Hi; cur.Next() {
			a, b, c := cur.Row()
			p.Rows = append(p.Rows, GraphRow{a, b, c, uint32(g)})
		}
	}
}
