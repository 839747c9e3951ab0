package idspace

import (
	"bytes"
	"context"
	"fmt"
	"slices"

	"golang.org/x/sync/errgroup"

	"github.com/rete-go/rete/dataset"
	"github.com/rete-go/rete/engine/internal/layers"
	"github.com/rete-go/rete/internal/ids"
	"github.com/rete-go/rete/internal/segment"
)

// find sets out[i], where it is still 0, to the id of sorted[i] in layer l: its
// node, or its place among the predicates or the graph names. named is that of the terms that are
// sorted, the zero value for the first layer.
func (v *IDs) find(ctx context.Context, n *Names, l *Layer, sorted [][]byte, named *named, out []dataset.ID) error {
	rest := make([][]byte, 0, len(sorted))
	at := make([]int, 0, len(sorted))
	for i, s := range sorted {
		if out[i] == 0 {
			rest, at = append(rest, s), append(at, i)
		}
	}
	groups := nearSections
	if l.Distant() {
		groups = distantSections
	}
	memory := make([]uint32, len(groups[len(groups)-1])*len(rest))
	for _, secs := range groups {
		if len(rest) == 0 {
			break
		}
		if err := l.locate(ctx, secs, rest, memory); err != nil {
			return err
		}
		k := 0
	terms:
		for i := range rest {
			for s, sec := range secs {
				if local := memory[s*len(rest)+i]; local != 0 {
					out[at[i]] = l.ID(l.Sizes.SectionBase(sec) + uint64(local))
					continue terms
				}
			}
			rest[k], at[k] = rest[i], at[i]
			k++
		}
		rest, at = rest[:k], at[:k]
	}
	for _, x := range named.among(n, rest, at) {
		if out[x.at] != 0 {
			continue
		}
		if p, ok := n.Preds.Local(l, uint64(x.pred)); ok && x.pred > 0 {
			out[x.at] = l.predicateID(p)
		} else if g, ok := n.Graphs.Local(l, uint64(x.graph)); ok && x.graph > 0 {
			out[x.at] = l.graphID(g)
		}
	}
	return nil
}

// The sections of nodes in which terms are looked up one after another, and side by side.
// Of a distant layer those that have a term in one role only are asked together, after the
// one where most constants of queries are.
var (
	nearSections    = [][]layers.Section{{layers.Shared}, {layers.SubjectOnly}, {layers.ObjectOnly}}
	distantSections = [][]layers.Section{{layers.Shared}, {layers.SubjectOnly, layers.ObjectOnly}}
)

// locate looks terms up in sections, for each of which it writes as many local ids to out;
// 0 stands for none.
func (l *Layer) locate(ctx context.Context, secs []layers.Section, sorted [][]byte, out []uint32) error {
	clear(out)
	if len(secs) == 1 {
		if l.Sizes.Size(secs[0]) == 0 {
			return nil
		}
		return l.Locate(ctx, secs[0], sorted, out[:len(sorted)])
	}
	return sideBySide(ctx, true, len(secs), func(ctx context.Context, i int) error {
		return l.locate(ctx, secs[i:i+1], sorted, out[i*len(sorted):][:len(sorted)])
	})
}

// Own sets out[i] to the id of sorted[i] in the first of the owners that has it,
// 0 if none has.
func (v *IDs) Own(ctx context.Context, n *Names, owners []*Layer, sorted [][]byte, out []dataset.ID) error {
	clear(out)
	if len(owners) > 1 && slices.ContainsFunc(owners, (*Layer).Distant) {
		return v.ownDistant(ctx, n, owners, sorted, out)
	}
	var names named
	for _, l := range owners {
		if !slices.Contains(out, 0) {
			return nil
		}
		if err := v.find(ctx, n, l, sorted, &names, out); err != nil {
			return err
		}
	}
	return nil
}

// LookupIn sets out[i] to the id of the term with the canonical surface terms[i], 0 if
// there is none. n are the names of these layers.
func (v *IDs) LookupIn(ctx context.Context, n *Names, terms [][]byte, out []dataset.ID) error {
	if len(terms) != len(out) {
		return fmt.Errorf("engine: look-up of %d terms into %d ids", len(terms), len(out))
	}
	var err error
	order := make([]int, 0, len(terms))
	for i, t := range terms {
		out[i] = 0
		if r := n.Preds.rank(t); r > 0 {
			if out[i], err = v.PredicateID(ctx, n, r); err != nil {
				return err
			}
			continue
		}
		order = append(order, i)
	}
	slices.SortFunc(order, func(a, b int) int { return bytes.Compare(terms[a], terms[b]) })
	sorted, got := make([][]byte, len(order)), make([]dataset.ID, len(order))
	for i, k := range order {
		sorted[i] = terms[k]
	}
	if err := v.Own(ctx, n, v.Owners, sorted, got); err != nil {
		return err
	}
	for i, k := range order {
		out[k] = got[i]
	}
	return nil
}

// Decode implements [dataset.Dataset].
func (v *IDs) Decode(ctx context.Context, list []dataset.ID, out *dataset.Terms) error {
	distant := v.Distant()
	var groups []decodeGroup
	local := make([]uint32, 0, min(len(list), 4096))
	for i := 0; i < len(list); {
		l := v.Owner(list[i])
		if l == nil {
			return fmt.Errorf("engine: %d is no id of this view", list[i])
		}
		sec, _ := l.Sizes.Section(uint64(list[i] & LocalMask))
		local = local[:0]
		for ; i < len(list) && v.Owner(list[i]) == l && len(local) < 4096; i++ {
			s, k := l.Sizes.Section(uint64(list[i] & LocalMask))
			if s != sec {
				break
			}
			local = append(local, k)
		}
		if distant {
			groups = append(groups, decodeGroup{l: l, sec: sec, local: slices.Clone(local)})
			continue
		}
		if err := layers.Surfaces(ctx, l, sec, local, out); err != nil {
			return err
		}
	}
	if distant {
		return v.decodeDistant(ctx, groups, out)
	}
	return nil
}

// A layer is distant if its bytes come over a network and are read by a map: what is asked
// for together costs one wait, what is asked for one after another a wait each. So terms
// are looked up in all layers and sections side by side, the tiles that a join will probe
// are asked for before the first is read, and plans are made of what the map says.

// Distant reports whether the layer's bytes come over a network.
func (l *Layer) Distant() bool {
	s, ok := l.Layer.(interface{ Distant() bool })
	return ok && s.Distant()
}

// Distant implements [dataset.Distant].
func (v *IDs) Distant() bool { return v.distant }

// sideBySide calls f for 0 to n-1 together, or one after the other if they are not distant.
func sideBySide(ctx context.Context, distant bool, n int, f func(ctx context.Context, i int) error) error {
	if !distant || n < 2 {
		for i := range n {
			if err := f(ctx, i); err != nil {
				return err
			}
		}
		return nil
	}
	g, ctx := errgroup.WithContext(ctx)
	for i := range n {
		g.Go(func() error { return f(ctx, i) })
	}
	return g.Wait()
}

// ownDistant is own where the layers are asked side by side.
func (v *IDs) ownDistant(ctx context.Context, n *Names, owners []*Layer, sorted [][]byte, out []dataset.ID) error {
	found := make([][]dataset.ID, len(owners))
	err := sideBySide(ctx, true, len(owners), func(ctx context.Context, i int) error {
		found[i] = make([]dataset.ID, len(sorted))
		return v.find(ctx, n, owners[i], sorted, new(named), found[i])
	})
	for i := range out {
		for k := 0; k < len(owners) && out[i] == 0 && err == nil; k++ {
			out[i] = found[k][i]
		}
	}
	return err
}

// decodeGroup is ids of one section of a layer.
type decodeGroup struct {
	l     *Layer
	sec   layers.Section
	local []uint32
	terms *ids.Terms
}

// decodeDistant is Decode where what all layers and sections need is asked for together.
// The ids of a layer's section are in one group, but for very many.
func (v *IDs) decodeDistant(ctx context.Context, groups []decodeGroup, out *dataset.Terms) error {
	var parts [][]decodeGroup // those of a segment together
	for i := range groups {
		g := &groups[i]
		g.terms = new(ids.Terms)
		if n := len(parts) - 1; n >= 0 && parts[n][0].l == g.l && parts[n][len(parts[n])-1].sec < g.sec {
			parts[n] = append(parts[n], *g)
			continue
		}
		parts = append(parts, []decodeGroup{*g})
	}
	err := sideBySide(ctx, true, len(parts), func(ctx context.Context, i int) error { return decodeParts(ctx, parts[i]) })
	if err != nil {
		return err
	}
	for i := range groups {
		for k := range groups[i].terms.Len() {
			out.Append(groups[i].terms.At(k))
		}
	}
	return nil
}

// decodeParts decodes groups of one layer.
func decodeParts(ctx context.Context, groups []decodeGroup) error {
	s, ok := groups[0].l.Layer.(*layers.Segment)
	var local [segment.Sections][]uint32
	for i := range groups {
		if g := &groups[i]; !ok || g.sec > layers.Predicates {
			if err := layers.Surfaces(ctx, g.l, g.sec, g.local, g.terms); err != nil {
				return err
			}
		} else {
			local[g.sec] = g.local
		}
	}
	if !ok {
		return nil
	}
	var terms [segment.Sections]ids.Terms
	if err := s.Seg.DecodeAll(ctx, local[:], terms[:]); err != nil {
		return err
	}
	for i := range groups {
		if g := &groups[i]; g.sec <= layers.Predicates {
			*g.terms = terms[g.sec]
		}
	}
	return nil
}
