package view

import (
	"context"
	"errors"
	"io"
	"slices"

	"github.com/rete-go/rete/dataset"
	"github.com/rete-go/rete/engine/internal/idspace"
	"github.com/rete-go/rete/engine/internal/layers"
	"github.com/rete-go/rete/internal/cancel"
	"github.com/rete-go/rete/internal/ids"
	"github.com/rete-go/rete/tile"
)

// unnamed is the ranks of the default graph alone.
var unnamed = []uint32{0}

// graphRanks returns the graphs of a pattern by rank, 0 for the default graph. They must
// not be changed.
func (v *view) graphRanks(ctx context.Context, n *viewNames, g dataset.Graphs, within *ids.Set) ([]uint32, error) {
	if g.Mode == dataset.Unnamed {
		return unnamed, nil
	}
	var out []uint32
	if g.Set == nil && within != nil && g.Mode == dataset.Each {
		var err error
		if g.Set, err = within.AppendChecking(make([]dataset.ID, 0, within.Len()), ctx.Err); err != nil {
			return nil, err
		}
		within = nil
	}
	if g.Set == nil {
		if g.Mode == dataset.Merge && !g.NamedOnly {
			out = append(out, 0)
		}
		err := cancel.Blocks(ctx, len(n.Graphs.Surfaces), func(from, to int) {
			for i := from; i < to; i++ {
				out = append(out, uint32(i)+1)
			}
		})
		return out, err
	}
	for i, id := range g.Set {
		if err := cancel.Check(ctx, i); err != nil {
			return nil, err
		}
		if id == 0 && g.Mode == dataset.Merge {
			out = append(out, 0)
			continue
		}
		if v.Owner(id) == nil || within != nil && g.Mode == dataset.Each && !within.Contains(id) {
			continue
		}
		rank, err := v.graphRank(ctx, n, id)
		if err != nil {
			return nil, err
		}
		if rank > 0 {
			out = append(out, rank)
		}
	}
	slices.Sort(out)
	return slices.Compact(out), nil
}

// graphRank returns the rank of a term among the graph names, 0 if it is none.
func (v *view) graphRank(ctx context.Context, n *viewNames, id dataset.ID) (uint32, error) {
	own := v.Owner(id)
	if sec, g := own.Sizes.Section(uint64(id & idspace.LocalMask)); sec == layers.GraphSection {
		return n.Graphs.Ranks[own.Index][g-1], nil
	}
	return v.NameRank(ctx, &n.Graphs, id)
}

// NamedGraphs is [View.NamedGraphs].
func (v *view) NamedGraphs(ctx context.Context) ([]dataset.ID, error) {
	n, err := v.table(ctx)
	if err != nil {
		return nil, err
	}
	q, err := v.newQuery(ctx, n, dataset.Pattern{}, tile.SPO, nil)
	if err != nil {
		return nil, err
	}
	ranks, err := v.graphRanks(ctx, n, dataset.Graphs{Mode: dataset.Each}, nil)
	if err != nil {
		return nil, err
	}
	graphRows, rest, err := q.graphRows(ctx, ranks, true, true)
	if err != nil {
		return nil, err
	}
	if graphRows != nil {
		if ranks, err = graphRows.present(ctx); err != nil {
			return nil, err
		}
	} else {
		ranks = nil
	}
	for _, rank := range rest {
		id, err := v.GraphID(ctx, &n.Names, rank)
		if err != nil {
			return nil, err
		}
		exists, err := v.any(ctx, dataset.Pattern{G: dataset.Graphs{Mode: dataset.Each, Set: []dataset.ID{id}}})
		if err != nil {
			return nil, err
		}
		if exists {
			ranks = append(ranks, rank)
		}
	}
	slices.Sort(ranks)
	var out []dataset.ID
	for i, rank := range ranks {
		if err := cancel.Check(ctx, i); err != nil {
			return nil, err
		}
		id, err := v.GraphID(ctx, &n.Names, rank)
		if err != nil {
			return nil, err
		}
		out = append(out, id)
	}
	return out, nil
}

// any reports whether a pattern has a visible quad.
func (v *view) any(ctx context.Context, p dataset.Pattern) (bool, error) {
	c, err := v.Scan(ctx, p, v.Orders(p)[0], &dataset.ScanOptions{Cols: 1 << colS})
	if err != nil {
		return false, err
	}
	defer c.Close()
	var b dataset.Batch
	err = c.Next(ctx, &b)
	if errors.Is(err, io.EOF) {
		return false, nil
	}
	return err == nil, err
}
