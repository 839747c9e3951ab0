package view

import (
	"cmp"
	"context"
	"slices"

	"github.com/rete-go/rete/dataset"
	"github.com/rete-go/rete/engine/internal/idspace"
	"github.com/rete-go/rete/engine/internal/layers"
	"github.com/rete-go/rete/tombstone"
)

// QuadKey is a quad by ids; g is 0 in the default graph.
type QuadKey struct{ G, S, P, O dataset.ID }

// sortedQuads is the least number of quads that are looked up in one pass through the
// layers, not one by one.
const sortedQuads = 128

// HasQuads sets out[i] to whether the quad keys[i] is visible, and log[i] to whether
// it is so without the top.
func (v *view) HasQuads(ctx context.Context, keys []QuadKey, out, log []bool) error {
	if err := v.hasBelow(ctx, keys, log); err != nil {
		return err
	}
	copy(out, log)
	if v.top == nil || len(v.top.runs) == 0 {
		return nil
	}
	n, err := v.table(ctx)
	if err != nil {
		return err
	}
	for i, k := range keys {
		if !v.knows(k.S) || !v.knows(k.P) || !v.knows(k.O) || k.G != 0 && !v.knows(k.G) {
			continue // terms that arrived later
		}
		rank, err := v.PredicateRank(ctx, &n.Names, k.P)
		if err != nil {
			return err
		}
		if add, ok := v.top.last(k.G, tombstone.Key{uint64(k.S), uint64(rank), uint64(k.O)}); ok {
			out[i] = add
		}
	}
	return nil
}

// hasBelow is hasQuads without the top.
func (v *view) hasBelow(ctx context.Context, keys []QuadKey, out []bool) error {
	core := v
	var rest []int // those whose terms the log has
	if v.top != nil {
		core = v.top.core
	}
	coreNames, err := core.table(ctx)
	if err != nil {
		return err
	}
	for i, k := range keys {
		out[i] = false
		if core.Owner(k.S) != nil && core.Owner(k.P) != nil && core.Owner(k.O) != nil && (k.G == 0 || core.Owner(k.G) != nil) {
			rest = append(rest, i)
		}
	}
	if len(rest) >= sortedQuads {
		return core.hasSorted(ctx, coreNames, keys, rest, out)
	}
	for _, i := range rest {
		k := keys[i]
		p := dataset.Pattern{S: k.S, P: k.P, O: k.O}
		if k.G != 0 {
			p.G = dataset.Graphs{Mode: dataset.Each, Set: []dataset.ID{k.G}}
		}
		count, err := core.Count(ctx, p)
		if err != nil {
			return err
		}
		out[i] = count > 0
	}
	return nil
}

// knows reports whether an id is one of the view's.
func (v *view) knows(id dataset.ID) bool {
	l := v.Owner(id)
	if l == nil {
		return false
	}
	sec, _ := l.Sizes.Section(uint64(id & idspace.LocalMask))
	return sec != layers.NoSection
}

// hasSorted looks up the quads keys[i] of rest in order, graph by graph.
func (v *view) hasSorted(ctx context.Context, n *viewNames, keys []QuadKey, rest []int, out []bool) error {
	type probe struct {
		graph dataset.ID
		key   tombstone.Key
		at    int
	}
	probes := make([]probe, 0, len(rest))
	for _, i := range rest {
		rank, err := v.PredicateRank(ctx, &n.Names, keys[i].P)
		if err != nil {
			return err
		}
		if rank > 0 {
			probes = append(probes, probe{keys[i].G, tombstone.Key{uint64(keys[i].S), uint64(rank), uint64(keys[i].O)}, i})
		}
	}
	slices.SortFunc(probes, func(a, b probe) int {
		return cmp.Or(cmp.Compare(a.graph, b.graph), a.key.Compare(b.key))
	})
	q, err := v.newQuery(ctx, n, dataset.Pattern{}, 0, nil)
	if err != nil {
		return err
	}
	var f *fold
	for i, p := range probes {
		if i == 0 || p.graph != probes[i-1].graph {
			rank := uint32(0)
			if p.graph != 0 {
				if rank, err = v.graphRank(ctx, n, p.graph); err != nil {
					return err
				}
			}
			if f = q.fold(rank); p.graph != 0 && rank == 0 {
				f = nil
			}
		}
		if f == nil {
			continue
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := f.seek(ctx, p.key); err != nil {
			return err
		}
		at, ok, err := f.peek(ctx)
		if err != nil {
			return err
		}
		out[p.at] = ok && at == p.key
	}
	return nil
}
