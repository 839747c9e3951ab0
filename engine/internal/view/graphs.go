package view

import (
	"context"
	"errors"
	"io"
	"slices"

	"github.com/rete-go/rete/dataset"
	"github.com/rete-go/rete/engine/internal/folds"
	"github.com/rete-go/rete/engine/internal/idspace"
	"github.com/rete-go/rete/engine/internal/layers"
	"github.com/rete-go/rete/internal/cancel"
	"github.com/rete-go/rete/internal/ids"
	"github.com/rete-go/rete/tile"
	"github.com/rete-go/rete/tombstone"
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
		all, err := v.allRanks(ctx, n)
		if err != nil || g.Mode == dataset.Merge && !g.NamedOnly {
			return all, err
		}
		return all[1:], nil
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

// allRanks returns the ranks of all graphs, the default graph first. They are kept: a scan of thousands of
// graphs may have few rows.
func (v *view) allRanks(ctx context.Context, n *viewNames) ([]uint32, error) {
	size := len(n.Graphs.Surfaces) + 1
	if kept := v.ranks.Load(); kept != nil && len(*kept) == size {
		return *kept, nil
	}
	all := make([]uint32, size)
	err := cancel.Blocks(ctx, size, func(from, to int) {
		for i := from; i < to; i++ {
			all[i] = uint32(i)
		}
	})
	if err == nil {
		v.ranks.Store(&all)
	}
	return all, err
}

// graphRank returns the rank of a term among the graph names, 0 if it is none.
func (v *view) graphRank(ctx context.Context, n *viewNames, id dataset.ID) (uint32, error) {
	own := v.Owner(id)
	if sec, g := own.Sizes.Section(uint64(id & idspace.LocalMask)); sec == layers.GraphSection {
		return n.Graphs.Ranks[own.Index][g-1], nil
	}
	return v.NameRank(ctx, &n.Graphs, id)
}

// GraphPlace is [View.GraphPlace].
func (v *view) GraphPlace(ctx context.Context, id dataset.ID) (uint64, error) {
	n, err := v.table(ctx)
	if err != nil || v.Owner(id) == nil {
		return 0, err
	}
	rank, err := v.graphRank(ctx, n, id)
	return uint64(rank), err
}

// NamedGraphs is [View.NamedGraphs].
func (v *view) NamedGraphs(ctx context.Context) ([]dataset.ID, error) {
	q, graphs, err := v.counting(ctx, dataset.Pattern{G: dataset.Graphs{Mode: dataset.Each}})
	if err != nil {
		return nil, err
	}
	known, rest, err := q.graphSizes(ctx, graphs, false)
	if err == nil && known.rows == nil {
		known, rest, err = q.sizesOfRows(ctx, graphs, anyRoom)
	}
	if err != nil {
		return nil, err
	}
	ids, _, err := q.counts(ctx, known, rest, func(graph uint32) (uint64, error) {
		id, err := v.GraphID(ctx, &q.names.Names, graph)
		if err != nil {
			return 0, err
		}
		exists, err := v.any(ctx, dataset.Pattern{G: dataset.Graphs{Mode: dataset.Each, Set: []dataset.ID{id}}})
		if exists {
			return 1, err
		}
		return 0, err
	}, anyRoom)
	return ids, err
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

// graphChoice is which graphs of a query over all graphs the base answers for alone.
type graphChoice struct {
	names  *viewNames
	graphs int // how many, the default graph included or not
	only   []bool
	rest   []uint32
}

// choose returns the named graphs, by their numbers in the base, of which no other layer speaks
// among some, which are given by rank and ascend; nil stands for all that the base has. rest are
// the other ones.
func (q *query) choose(ctx context.Context, graphs []uint32) (only []bool, rest []uint32, err error) {
	known := q.v.chosen.Load()
	all := len(graphs) >= len(q.names.Graphs.Surfaces)+1 || len(graphs) == len(q.names.Graphs.Surfaces) && graphs[0] > 0
	if all && known != nil && known.names == q.names && known.graphs == len(graphs) {
		return known.only, known.rest, nil
	}
	others, err := q.v.otherGraphs(ctx, q.names)
	if err != nil {
		return nil, nil, err
	}
	n, at := 0, 0
	base := q.names.Graphs.Ranks[q.v.Base.Index] // ascends, and has no 0
	only = make([]bool, len(base)+1)
	for i, g := range graphs {
		if err := cancel.Check(ctx, i); err != nil {
			return nil, nil, err
		}
		for at < len(base) && base[at] < g {
			at++
		}
		if at == len(base) || base[at] != g || others[g] {
			rest = append(rest, g)
			continue
		}
		only[at+1] = true
		n++
	}
	if n == len(base) {
		only = nil
	}
	if all {
		q.v.chosen.Store(&graphChoice{q.names, len(graphs), only, slices.Clip(rest)})
	}
	return only, rest, nil
}

// changedGraphs calls add with the named graphs, by rank, to which changes may add rows of q, of those with
// some keys of the leading free column if these are given, until it returns false; more says that it did not.
func (q *query) changedGraphs(ctx context.Context, keys []uint64, add func(graph uint32) bool) (more bool, err error) {
	if err := q.promoteAsked(ctx, true); err != nil {
		return false, err
	}
	more = true
	d := q.names.delta.cur.Load()
	for _, l := range q.v.Layers {
		if l == q.v.Base || !l.IsAdds() || d.has(l) {
			continue
		}
		for _, rank := range q.names.Graphs.Ranks[l.Index] { // it is too large to be searched
			if more = add(rank); !more {
				return false, nil
			}
		}
	}
	inDelta, err := d.index(ctx)
	if err != nil {
		return false, err
	}
	more, err = q.adds(ctx, keys, inDelta.Adds, func(run int) bool { return add(inDelta.graphs[run]) })
	if q.v.top == nil {
		return more, err
	}
	for i := 0; i < len(q.v.top.runs) && more && err == nil; i++ {
		r := q.v.top.runs[i]
		inRun, failed := r.index(ctx)
		if failed != nil {
			return false, failed
		}
		more, err = q.adds(ctx, keys, inRun, func(run int) bool {
			var rank uint32
			rank, failed = q.v.graphRank(ctx, q.names, r.graphs[run].id)
			return failed == nil && add(rank)
		})
		if failed != nil {
			return false, failed
		}
	}
	return more, err
}

// adds calls f with the numbers of the runs that add a row of q, as [query.changedGraphs] does with graphs.
func (q *query) adds(ctx context.Context, keys []uint64, in *folds.Adds, f func(run int) bool) (more bool, err error) {
	var bound [3]uint64 // by column; 0: free
	for col, id := range q.Bound {
		if id != 0 {
			bound[col] = q.BoundKey(col)
		}
	}
	more = true
	find := func() error {
		order := tile.Choose(bound[colS] != 0, bound[colP] != 0, bound[colO] != 0)
		lo, n := tombstone.Key{}, 0
		for _, col := range order.Columns() {
			if bound[col] != 0 { // these come first
				lo[n] = bound[col]
				n++
			}
		}
		return in.Find(ctx, order, lo, lo.After(n), func(run int) bool {
			more = f(run)
			return more
		})
	}
	if keys == nil {
		err = find()
		return more, err
	}
	for i := 0; i < len(keys) && more && err == nil; i++ {
		if keys[i] > 0 { // no term is 0
			bound[q.Cols[q.Lead]] = keys[i]
			err = find()
		}
	}
	return more, err
}

// otherGraphs tells, by rank, of which named graphs another layer than the base may have something to say.
func (v *view) otherGraphs(ctx context.Context, n *viewNames) ([]bool, error) {
	out := make([]bool, len(n.Graphs.Surfaces)+1)
	for _, l := range v.Layers {
		if l == v.Base {
			continue
		}
		for i, rank := range n.Graphs.Ranks[l.Index] {
			if err := cancel.Check(ctx, i); err != nil {
				return nil, err
			}
			out[rank] = true // 0 is none
		}
	}
	if v.top == nil {
		return out, nil
	}
	for _, r := range v.top.runs {
		for i, g := range r.graphs {
			if err := cancel.Check(ctx, i); err != nil {
				return nil, err
			}
			if g.id == 0 {
				continue
			}
			rank, err := v.graphRank(ctx, n, g.id)
			if err != nil {
				return nil, err
			}
			out[rank] = true
		}
	}
	return out, nil
}
