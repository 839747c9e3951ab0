package view

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"github.com/rete-go/rete/dataset"
	"github.com/rete-go/rete/engine/internal/layers"
	"github.com/rete-go/rete/internal/cancel"
)

// graphSizes are numbers of rows of the graphs of which the base alone speaks.
type graphSizes struct {
	rows []uint64 // by graph of the base, which count from 1
	only []bool   // the graphs that are meant, by number; nil: all
}

// allNamed returns the number of quads of all named graphs where that is what a pattern asks for,
// the base is all there is, and it knows the number without reading its names. ok is false otherwise.
func (v *view) allNamed(p dataset.Pattern) (n uint64, ok bool, err error) {
	b := v.Base
	if p.G.Mode != dataset.Each || p.G.Set != nil || p.Columns() != [3]dataset.ID{} ||
		b == nil || len(v.Layers) > 1 || v.top.rows() > 0 || len(b.Alias) > 0 {
		return 0, false, nil
	}
	l, ok := b.Layer.(layers.GraphSizes)
	if !ok {
		return 0, false, nil
	}
	return l.NamedQuads()
}

// graphSizes returns the sizes of those of some graphs, given by rank, of which the base alone speaks,
// and the graphs that are to be counted one by one. make says that the sizes may be made by
// reading all quads.
func (q *query) graphSizes(ctx context.Context, graphs []uint32, make bool) (known graphSizes, rest []uint32, err error) {
	b := q.v.Base
	if b == nil || len(graphs) < manyGraphs || len(b.Alias) > 0 {
		return known, graphs, nil
	}
	l, ok := b.Layer.(layers.GraphSizes)
	if !ok {
		return known, graphs, nil
	}
	if known.rows, err = l.GraphSizes(ctx, make); known.rows == nil || err != nil {
		return known, graphs, err
	}
	known.only, rest, err = q.choose(ctx, graphs)
	return known, rest, err
}

// of returns the rows of the graph i+1 of the base; 0 of one that is not meant.
func (s *graphSizes) of(i int) uint64 {
	if s.only != nil && !s.only[i+1] {
		return 0
	}
	return s.rows[i]
}

// sum adds the sizes up.
func (s *graphSizes) sum(ctx context.Context) (n uint64, err error) {
	err = cancel.Blocks(ctx, len(s.rows), func(from, to int) {
		for i := from; i < to; i++ {
			n += s.of(i)
		}
	})
	return n, err
}

// filled returns how many graphs have rows.
func (s *graphSizes) filled(ctx context.Context) (n int, err error) {
	err = cancel.Blocks(ctx, len(s.rows), func(from, to int) {
		for i := from; i < to; i++ {
			if s.of(i) > 0 {
				n++
			}
		}
	})
	return n, err
}

// sizesOfRows is graphSizes by the graph rows of the base, which may be made. room is asked for the sizes.
func (q *query) sizesOfRows(ctx context.Context, graphs []uint32, room func(bytes int64) error) (known graphSizes, rest []uint32, err error) {
	p, rest, err := q.graphRows(ctx, graphs, nil, anyOrder, true)
	if p == nil || err != nil {
		return known, rest, err
	}
	if err := room(sizeBytes * int64(q.v.Base.Sizes.Graphs)); err != nil {
		return known, rest, err
	}
	known, err = p.sizes(ctx)
	return known, rest, err
}

// sizes counts the rows of each graph.
func (p *graphRowScan) sizes(ctx context.Context) (graphSizes, error) {
	s := graphSizes{rows: make([]uint64, p.q.v.Base.Sizes.Graphs), only: p.only}
	rows := p.within(p.q)
	err := cancel.Blocks(ctx, len(rows), func(from, to int) {
		for i := from; i < to; i++ {
			s.rows[rows[i][3]-1]++
		}
	})
	return s, err
}

var errCountsEach = errors.New("engine: only rows of each graph can be counted by graph")

// sizeBytes is what the size of a graph takes, and countBytes its count while the answer is made.
const (
	sizeBytes  = 8
	countBytes = 32
)

// anyRoom has no bound.
func anyRoom(int64) error { return nil }

// GraphCounts is [View.GraphCounts].
func (v *view) GraphCounts(ctx context.Context, p dataset.Pattern, room func(bytes int64) error) ([]dataset.ID, []uint64, error) {
	if p.G.Mode != dataset.Each {
		return nil, nil, errCountsEach
	}
	if room == nil {
		room = anyRoom
	}
	q, graphs, err := v.counting(ctx, p)
	if err != nil || q.Empty {
		return nil, nil, err
	}
	var known graphSizes
	var rest []uint32
	if q.Lead == 0 {
		known, rest, err = q.graphSizes(ctx, graphs, p.G.Set == nil)
	} else {
		known, rest, err = q.sizesOfRows(ctx, graphs, room)
	}
	if err != nil {
		return nil, nil, err
	}
	return q.counts(ctx, known, rest, func(graph uint32) (uint64, error) { return q.count(ctx, graph) }, room)
}

// counts returns the ids of the graphs that have rows, by name, and how many: those of which the number is
// known, and others, by rank, of which count tells. room is asked for sizes and answer.
func (q *query) counts(ctx context.Context, known graphSizes, others []uint32, count func(graph uint32) (uint64, error), room func(bytes int64) error) ([]dataset.ID, []uint64, error) {
	type graph struct {
		rank uint32
		rows uint64
	}
	most, err := known.filled(ctx)
	if err != nil {
		return nil, nil, err
	}
	most += len(others)
	if err := room(sizeBytes*int64(len(known.rows)) + countBytes*int64(most)); err != nil {
		return nil, nil, err
	}
	list := make([]graph, 0, most)
	err = cancel.Blocks(ctx, len(known.rows), func(from, to int) {
		for i := from; i < to; i++ {
			if n := known.of(i); n > 0 {
				list = append(list, graph{q.names.Graphs.Ranks[q.v.Base.Index][i], n})
			}
		}
	})
	for i := 0; i < len(others) && err == nil; i++ {
		if err = ctx.Err(); err != nil {
			break
		}
		var n uint64
		if n, err = count(others[i]); n > 0 {
			list = append(list, graph{others[i], n})
		}
	}
	if err != nil {
		return nil, nil, err
	}
	if len(others) > 0 {
		slices.SortFunc(list, func(a, b graph) int { return cmp.Compare(a.rank, b.rank) })
	}
	ids, rows := make([]dataset.ID, len(list)), make([]uint64, len(list))
	for i, g := range list {
		if err := cancel.Check(ctx, i); err != nil {
			return nil, nil, err
		}
		if ids[i], err = q.v.GraphID(ctx, &q.names.Names, g.rank); err != nil {
			return nil, nil, err
		}
		rows[i] = g.rows
	}
	return ids, rows, nil
}
