package view

import (
	"context"
	"errors"
	"io"
	"slices"

	"github.com/rete-go/rete/engine/internal/layers"
	"github.com/rete-go/rete/internal/cancel"
	"github.com/rete-go/rete/internal/ids"
	"github.com/rete-go/rete/tile"
)

// graphRanks returns the graphs of a pattern by rank, 0 for the default graph.
func (v *view) graphRanks(ctx context.Context, n *viewNames, g Graphs, within *ids.Set) ([]uint32, error) {
	if g.Mode == Unnamed {
		return []uint32{0}, nil
	}
	var out []uint32
	if g.Set == nil && within != nil && g.Mode == Each {
		var err error
		if g.Set, err = within.AppendChecking(make([]ID, 0, within.Len()), ctx.Err); err != nil {
			return nil, err
		}
		within = nil
	}
	if g.Set == nil {
		if g.Mode == Merge && !g.NamedOnly {
			out = append(out, 0)
		}
		err := cancel.Blocks(ctx, len(n.graphs.surfaces), func(from, to int) {
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
		if id == 0 && g.Mode == Merge {
			out = append(out, 0)
			continue
		}
		if v.owner(id) == nil || within != nil && g.Mode == Each && !within.Contains(id) {
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
func (v *view) graphRank(ctx context.Context, n *viewNames, id ID) (uint32, error) {
	own := v.owner(id)
	if sec, g := own.counts.Section(uint64(id & localMask)); sec == layers.GraphSection {
		return n.graphs.ranks[own.index][g-1], nil
	}
	return v.nameRank(ctx, &n.graphs, id)
}

// NamedGraphs is [View.NamedGraphs].
func (v *view) NamedGraphs(ctx context.Context) ([]ID, error) {
	n, err := v.table(ctx)
	if err != nil {
		return nil, err
	}
	q, err := v.newQuery(ctx, n, Pattern{}, tile.SPO, nil)
	if err != nil {
		return nil, err
	}
	ranks, err := v.graphRanks(ctx, n, Graphs{Mode: Each}, nil)
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
		id, err := v.graphID(ctx, n, rank)
		if err != nil {
			return nil, err
		}
		exists, err := v.any(ctx, Pattern{G: Graphs{Mode: Each, Set: []ID{id}}})
		if err != nil {
			return nil, err
		}
		if exists {
			ranks = append(ranks, rank)
		}
	}
	slices.Sort(ranks)
	var out []ID
	for i, rank := range ranks {
		if err := cancel.Check(ctx, i); err != nil {
			return nil, err
		}
		id, err := v.graphID(ctx, n, rank)
		if err != nil {
			return nil, err
		}
		out = append(out, id)
	}
	return out, nil
}

// any reports whether a pattern has a visible quad.
func (v *view) any(ctx context.Context, p Pattern) (bool, error) {
	c, err := v.Scan(ctx, p, v.Orders(p)[0], &ScanOptions{Cols: 1 << colS})
	if err != nil {
		return false, err
	}
	defer c.Close()
	var b Batch
	err = c.Next(ctx, &b)
	if errors.Is(err, io.EOF) {
		return false, nil
	}
	return err == nil, err
}
