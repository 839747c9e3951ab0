package read

import (
	"cmp"
	"context"
	"io"
	"math/bits"
	"slices"

	"github.com/rete-go/rete/internal/cache"
	"github.com/rete-go/rete/internal/cancel"
	"github.com/rete-go/rete/tile"
)

// GraphRow is a triple of a named graph: the ids of its columns in some order, and the
// number of the graph.
type GraphRow [4]uint32

// Rows are sorted by digits, unless there are few.
const (
	digitBits = 11
	digits    = 1 << digitBits
	smallSort = 512
)

// graphRowBytes is what a row of graph rows takes.
const graphRowBytes = 16

// GraphRows is the triples of all named graphs of a segment in one list, so that thousands
// of small graphs need not be opened one by one. Rows are shared: do not change them.
type GraphRows struct {
	// Rows ascend by the columns and then by the graph; those of [Segment.RowsByLead] by the
	// graph after the first column, those of [Segment.RowsByGraph] by the graph first.
	Rows []GraphRow
}

// NewGraphRows sorts rows, which ascend by graph and then in the order SPO, by the columns of an
// order and then by graph, or with lead by the first column, the graph and the others.
func NewGraphRows(ctx context.Context, byGraph []GraphRow, o tile.Order, lead bool) (*GraphRows, error) {
	rows := make([]GraphRow, len(byGraph))
	cols := o.Columns()
	var most GraphRow
	err := cancel.Blocks(ctx, len(rows), func(from, to int) {
		for i, r := range byGraph[from:to] {
			row := GraphRow{r[cols[0]], r[cols[1]], r[cols[2]], r[3]}
			for c := range most {
				most[c] = max(most[c], row[c])
			}
			rows[from+i] = row
		}
	})
	if err == nil {
		rows, err = sortGraphRows(ctx, rows, most, passes(cols, lead))
	}
	return &GraphRows{Rows: rows}, err
}

// passes returns the columns by which rows that ascend by graph and then in the order SPO are sorted
// one after the other, the last one first.
func passes(cols [3]int, lead bool) []int {
	const graph = 3
	switch {
	case !lead:
		return []int{2, 1, 0}
	case cols[1] < cols[2]: // so they ascend among the rows of a graph that share the first column
		return []int{0}
	}
	return []int{1, graph, 0} // rows that share these three ascend by the fourth
}

// sortGraphRows sorts rows stably by columns, of which the first one counts least.
func sortGraphRows(ctx context.Context, rows []GraphRow, most GraphRow, passes []int) ([]GraphRow, error) {
	if len(rows) < smallSort {
		for _, c := range passes {
			slices.SortStableFunc(rows, func(x, y GraphRow) int { return cmp.Compare(x[c], y[c]) })
		}
		return rows, nil
	}
	other := make([]GraphRow, len(rows))
	for _, c := range passes {
		for shift := 0; shift < bits.Len32(most[c]); shift += digitBits {
			var at [digits]int
			err := cancel.Blocks(ctx, len(rows), func(from, to int) {
				for i := from; i < to; i++ {
					at[rows[i][c]>>shift&(digits-1)]++
				}
			})
			if err != nil {
				return nil, err
			}
			sum := 0
			for i, n := range at {
				at[i] = sum
				sum += n
			}
			err = cancel.Blocks(ctx, len(rows), func(from, to int) {
				for i := from; i < to; i++ {
					d := rows[i][c] >> shift & (digits - 1)
					other[at[d]] = rows[i]
					at[d]++
				}
			})
			if err != nil {
				return nil, err
			}
			rows, other = other, rows
		}
	}
	return rows, nil
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

// RowsByOrder returns the graph rows in an order. They are made, of all named graphs, unless it is in
// the cache; if it shall not be made, or would not be kept, it is nil.
func (s *Segment) RowsByOrder(ctx context.Context, o tile.Order, make bool) (*GraphRows, error) {
	return s.sortedRows(ctx, wholeGraphRows+uint64(o), o, false, make)
}

// RowsByLead returns the graph rows by the first column of an order, then by graph, and then by the
// other columns, as [Segment.RowsByOrder] does.
func (s *Segment) RowsByLead(ctx context.Context, o tile.Order, make bool) (*GraphRows, error) {
	return s.sortedRows(ctx, wholeRowsByLead+uint64(o), o, true, make)
}

func (s *Segment) sortedRows(ctx context.Context, unit uint64, o tile.Order, lead, make bool) (_ *GraphRows, err error) {
	if err = s.over(); err != nil {
		return
	}
	defer s.late(&err)
	if v, ok := cache.Peek(s.cache, s.key(unit)); ok {
		return v.(*GraphRows), nil
	}
	byGraph, err := s.RowsByGraph(ctx, make)
	if byGraph == nil || err != nil || !s.keepsRows(unit, len(byGraph.Rows)) {
		return nil, err
	}
	return cached(ctx, s, unit, func(ctx context.Context) (*GraphRows, int64, error) {
		p, err := NewGraphRows(ctx, byGraph.Rows, o, lead)
		return p, int64(len(byGraph.Rows)) * graphRowBytes, err
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
