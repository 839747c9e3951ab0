package read

import (
	"context"

	"github.com/rete-go/rete/internal/damage"
	"github.com/rete-go/rete/internal/segment/format"
	"github.com/rete-go/rete/tile"
)

// NamedQuads returns the exact number of quads of all named graphs together, from the root page
// of a pinned map; ok is false without one.
func (s *Segment) NamedQuads() (n uint64, ok bool, err error) {
	if err = s.over(); err != nil || !s.counts.QuadsKnown {
		return 0, false, err
	}
	rest := s.mappedRows(0)
	if rest > s.counts.Quads || s.counts.Graphs == 0 && rest != s.counts.Quads {
		return 0, false, s.named(damage.New("map root", "%d quads, %d of them in the default graph, in %d named graphs", s.counts.Quads, rest, s.counts.Graphs))
	}
	return s.counts.Quads - rest, true, nil
}

// mappedRows returns how many rows the pages of the map list for a graph.
func (s *Segment) mappedRows(graph int) (n uint64) {
	for _, p := range s.root.Table(format.TileTable, format.TileArg(graph, tile.SPO)) {
		n += p.Rows
	}
	return n
}

// GraphSizes returns the exact number of quads of each named graph: entry i is that of graph i+1.
// A pinned map has them. Without one all named graphs are read, once, if the sizes may be made;
// else they are nil. The slice is shared and must not be changed.
func (s *Segment) GraphSizes(ctx context.Context, make bool) (_ []uint64, err error) {
	if err = s.over(); err != nil {
		return
	}
	defer s.late(&err)
	if sizes, ok := peek[[]uint64](s, wholeGraphSizes); ok || s.root == nil && !make {
		return sizes, nil
	}
	return cached(ctx, s, wholeGraphSizes, func(ctx context.Context) ([]uint64, int64, error) {
		sizes, err := s.graphSizes(ctx)
		return sizes, int64(cap(sizes))*8 + 64, err
	})
}

func (s *Segment) graphSizes(ctx context.Context) ([]uint64, error) {
	sizes := make([]uint64, 0, min(s.counts.Graphs, 1<<16))
	in := &inlineRows{s: s}
	left, known, err := s.NamedQuads()
	if err != nil {
		return nil, err
	}
	err = s.eachGraph(ctx, func(g *format.GraphRef) error {
		n, at := g.Rows, len(sizes)+1
		var err error
		switch {
		case known && !g.Inline:
			n = s.mappedRows(at)
		case !known && g.Inline:
			n, err = in.count(ctx, g)
		case !known:
			n, err = s.Count(ctx, at, tile.SPO)
		}
		if err == nil && known && n > left {
			err = damage.New("map", "more quads in its %d graphs than in the file", s.counts.Graphs)
		}
		sizes, left = append(sizes, n), left-n
		return err
	})
	if err == nil && known && left > 0 {
		err = damage.New("map", "%d quads of named graphs are in none", left)
	}
	return sizes, err
}
