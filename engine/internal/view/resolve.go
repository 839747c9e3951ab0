package view

import (
	"bytes"
	"context"
	"fmt"
	"slices"

	"github.com/rete-go/rete/dataset"
	"github.com/rete-go/rete/engine/internal/layers"
	"github.com/rete-go/rete/rdf"
)

// find sets out[i], where it is still 0, to the id of sorted[i] in layer l: its
// node, or its place among the predicates or the graph names.
func (v *view) find(ctx context.Context, n *viewNames, l *layer, sorted [][]byte, out []ID) error {
	rest := make([][]byte, 0, len(sorted))
	at := make([]int, 0, len(sorted))
	for i, s := range sorted {
		if out[i] == 0 {
			rest, at = append(rest, s), append(at, i)
		}
	}
	local := make([]uint32, len(rest))
	for sec := layers.Shared; sec <= layers.ObjectOnly && len(rest) > 0; sec++ {
		if l.counts.Size(sec) == 0 {
			continue
		}
		if err := l.Locate(ctx, sec, rest, local[:len(rest)]); err != nil {
			return err
		}
		base, k := l.counts.SectionBase(sec), 0
		for i := range rest {
			if local[i] != 0 {
				out[at[i]] = l.id(base + uint64(local[i]))
				continue
			}
			rest[k], at[k] = rest[i], at[i]
			k++
		}
		rest, at = rest[:k], at[:k]
	}
	for i, s := range rest {
		if r := n.preds.rank(s); r > 0 {
			if p, ok := n.preds.local(l, uint64(r)); ok {
				out[at[i]] = l.predicateID(p)
				continue
			}
		}
		if r := n.graphs.rank(s); r > 0 {
			if g, ok := n.graphs.local(l, uint64(r)); ok {
				out[at[i]] = l.graphID(g)
			}
		}
	}
	return nil
}

// own sets out[i] to the id of sorted[i] in the first of the owners that has it,
// 0 if none has.
func (v *view) own(ctx context.Context, n *viewNames, owners []*layer, sorted [][]byte, out []ID) error {
	clear(out)
	for _, l := range owners {
		if !slices.Contains(out, 0) {
			return nil
		}
		if err := v.find(ctx, n, l, sorted, out); err != nil {
			return err
		}
	}
	return nil
}

// Lookup is [View.Lookup].
func (v *view) Lookup(ctx context.Context, terms []rdf.Term, out []ID) error {
	surfaces := make([][]byte, len(terms))
	for i, t := range terms {
		surfaces[i] = []byte(t.Surface())
	}
	return v.LookupSurfaces(ctx, surfaces, out)
}

// LookupSurfaces is Lookup of canonical surfaces.
func (v *view) LookupSurfaces(ctx context.Context, terms [][]byte, out []ID) error {
	if len(terms) != len(out) {
		return fmt.Errorf("engine: look-up of %d terms into %d ids", len(terms), len(out))
	}
	n, err := v.table(ctx)
	if err != nil {
		return err
	}
	order := make([]int, 0, len(terms))
	for i, t := range terms {
		out[i] = 0
		if r := n.preds.rank(t); r > 0 {
			if out[i], err = v.predicateID(ctx, n, r); err != nil {
				return err
			}
			continue
		}
		order = append(order, i)
	}
	slices.SortFunc(order, func(a, b int) int { return bytes.Compare(terms[a], terms[b]) })
	sorted, got := make([][]byte, len(order)), make([]ID, len(order))
	for i, k := range order {
		sorted[i] = terms[k]
	}
	if err := v.own(ctx, n, v.owners, sorted, got); err != nil {
		return err
	}
	for i, k := range order {
		out[k] = got[i]
	}
	return nil
}

// Decode is [View.Decode].
func (v *view) Decode(ctx context.Context, list []ID, out *dataset.Terms) error {
	local := make([]uint32, 0, min(len(list), 4096))
	for i := 0; i < len(list); {
		l := v.owner(list[i])
		if l == nil {
			return fmt.Errorf("engine: %d is no id of this view", list[i])
		}
		sec, _ := l.counts.Section(uint64(list[i] & localMask))
		local = local[:0]
		for ; i < len(list) && v.owner(list[i]) == l && len(local) < 4096; i++ {
			s, k := l.counts.Section(uint64(list[i] & localMask))
			if s != sec {
				break
			}
			local = append(local, k)
		}
		if err := layers.Surfaces(ctx, l, sec, local, out); err != nil {
			return err
		}
	}
	return nil
}
