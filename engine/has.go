package engine

import (
	"cmp"
	"context"
	"slices"

	"github.com/rete-go/rete/tombstone"
)

// quadKey is a quad by ids; g is 0 in the default graph.
type quadKey struct{ g, s, p, o ID }

// sweepQuads is from how many quads on they are looked up in one sweep through the
// layers, not one by one.
const sweepQuads = 128

// hasQuads sets out[i] to whether the quad keys[i] is visible, and log[i] to whether
// it is so without the top.
func (v *view) hasQuads(ctx context.Context, keys []quadKey, out, log []bool) error {
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
		if !v.knows(k.s) || !v.knows(k.p) || !v.knows(k.o) || k.g != 0 && !v.knows(k.g) {
			continue // terms that arrived later
		}
		rank, err := v.predicateRank(ctx, n, k.p)
		if err != nil {
			return err
		}
		if add, ok := v.top.last(k.g, tombstone.Key{uint64(k.s), uint64(rank), uint64(k.o)}); ok {
			out[i] = add
		}
	}
	return nil
}

// hasBelow is hasQuads without the top.
func (v *view) hasBelow(ctx context.Context, keys []quadKey, out []bool) error {
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
		if core.owner(k.s) != nil && core.owner(k.p) != nil && core.owner(k.o) != nil && (k.g == 0 || core.owner(k.g) != nil) {
			rest = append(rest, i)
		}
	}
	if len(rest) >= sweepQuads {
		return core.sweep(ctx, coreNames, keys, rest, out)
	}
	for _, i := range rest {
		k := keys[i]
		p := Pattern{S: k.s, P: k.p, O: k.o}
		if k.g != 0 {
			p.G = Graphs{Mode: Each, Set: []ID{k.g}}
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
func (v *view) knows(id ID) bool {
	l := v.owner(id)
	if l == nil {
		return false
	}
	sec, _ := l.counts.section(uint64(id & localMask))
	return sec != noSection
}

// sweep looks for the quads keys[i] of rest in order, graph by graph.
func (v *view) sweep(ctx context.Context, n *viewNames, keys []quadKey, rest []int, out []bool) error {
	type probe struct {
		graph ID
		key   tombstone.Key
		at    int
	}
	probes := make([]probe, 0, len(rest))
	for _, i := range rest {
		rank, err := v.predicateRank(ctx, n, keys[i].p)
		if err != nil {
			return err
		}
		if rank > 0 {
			probes = append(probes, probe{keys[i].g, tombstone.Key{uint64(keys[i].s), uint64(rank), uint64(keys[i].o)}, i})
		}
	}
	slices.SortFunc(probes, func(a, b probe) int {
		return cmp.Or(cmp.Compare(a.graph, b.graph), a.key.Compare(b.key))
	})
	q, err := v.newQuery(ctx, n, Pattern{}, 0, nil)
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
