package idspace

import (
	"bytes"
	"context"
	"slices"
	"sync/atomic"

	"github.com/rete-go/rete/dataset"
	"github.com/rete-go/rete/internal/ctxsync"
	"github.com/rete-go/rete/internal/ids"
)

// Names are the predicates and the graph names of a view.
type Names struct {
	Preds, Graphs Table

	ToBase   []uint64                    // by predicate rank: the base's predicate, or the one after; as placed
	BaseView *ctxsync.Lazy[[]dataset.ID] // by predicate of the base: its view id
}

// placed is how ToBase holds predicate: doubled, and one more if it is not the very one.
func placed(p uint32, exact bool) uint64 {
	if exact {
		return 2 * uint64(p)
	}
	return 2*uint64(p) + 1
}

// BasePredicate returns the base's predicate of a rank, or the first one after it.
func (n *Names) BasePredicate(rank uint64) (p uint32, exact bool) {
	if rank >= uint64(len(n.ToBase)) {
		rank = uint64(len(n.ToBase)) - 1
	}
	at := n.ToBase[rank]
	return uint32(at / 2), at&1 == 0
}

// BasePredicates returns the view ids of the base's predicates.
func (v *IDs) BasePredicates(ctx context.Context, n *Names) ([]dataset.ID, error) {
	list, err := n.BaseView.Get(ctx, func(ctx context.Context) (*[]dataset.ID, error) {
		nodes, err := v.Base.PredicateNodes(ctx)
		if err != nil {
			return nil, err
		}
		list := make([]dataset.ID, len(nodes))
		for i, node := range nodes {
			if list[i] = v.Base.ID(node); node == 0 {
				list[i] = v.Base.predicateID(uint32(i) + 1)
			}
		}
		return &list, nil
	})
	if err != nil {
		return nil, err
	}
	return *list, nil
}

// LayerNames reads the names of layers.
func LayerNames(ctx context.Context, layers []*Layer) (preds, graphs [][][]byte, err error) {
	preds, graphs = make([][][]byte, len(layers)), make([][][]byte, len(layers))
	for i, l := range layers {
		if preds[i], err = l.predicates(ctx); err != nil {
			return nil, nil, err
		}
		if graphs[i], err = l.GraphNames(ctx); err != nil {
			return nil, nil, err
		}
	}
	return preds, graphs, nil
}

// ReadNames makes the names from all layers.
func (v *IDs) ReadNames(ctx context.Context) (*Names, error) {
	preds, graphs, err := LayerNames(ctx, v.Layers)
	if err != nil {
		return nil, err
	}
	n := &Names{BaseView: new(ctxsync.Lazy[[]dataset.ID])}
	n.Preds.fill(v, preds)
	n.Graphs.fill(v, graphs)
	n.PlaceBase(v)
	return n, nil
}

// PlaceBase finds the predicates in the base.
func (n *Names) PlaceBase(v *IDs) {
	n.ToBase = make([]uint64, len(n.Preds.Surfaces)+2) // 0 and one after the last are no ranks
	for rank := range n.ToBase {
		if v.Base != nil {
			p, exact := n.Preds.Local(v.Base, uint64(rank))
			n.ToBase[rank] = placed(p, exact && rank > 0)
		}
	}
}

// hasAll reports whether the table has every name of the adds layers among some.
func (t *Table) hasAll(layers []*Layer, names [][][]byte) bool {
	for i, l := range layers {
		for _, s := range names[i] {
			if l.IsAdds() && t.rank(s) == 0 {
				return false
			}
		}
	}
	return true
}

// Extended returns the table with more layers. The names and their ids are shared.
func (t *Table) Extended(names [][][]byte) Table {
	n := Table{Surfaces: t.Surfaces, ids: t.ids, Ranks: slices.Clip(t.Ranks), known: slices.Clip(t.known)}
	for _, list := range names {
		ranks, known := t.place(list)
		n.Ranks, n.known = append(n.Ranks, ranks), append(n.known, known)
	}
	return n
}

// Grown returns the table with more layers, and the ranks in it by those in t; these are
// nil if they are the same. The ids that are known go over.
func (t *Table) Grown(layers []*Layer, names [][][]byte) (Table, []uint32) {
	if t.hasAll(layers, names) {
		return t.Extended(names), nil
	}
	var n Table
	n.Surfaces = slices.Clone(t.Surfaces)
	for i, l := range layers {
		if l.IsAdds() {
			n.Surfaces = append(n.Surfaces, names[i]...)
		}
	}
	slices.SortFunc(n.Surfaces, bytes.Compare)
	n.Surfaces = slices.CompactFunc(n.Surfaces, bytes.Equal)
	n.ids = make([]atomic.Uint64, len(n.Surfaces))
	moves := t.RanksIn(&n)
	for i, to := range moves[1:] {
		n.ids[to-1].Store(t.ids[i].Load())
	}
	n.known = t.known
	for _, ranks := range t.Ranks {
		moved := make([]uint32, len(ranks))
		for i, r := range ranks {
			moved[i] = moves[r]
		}
		n.Ranks = append(n.Ranks, moved)
	}
	return n.Extended(names), moves
}

// RanksIn returns the ranks in another table by those in this one, 0 of names that it
// does not have; nil if the tables have the same names.
func (t *Table) RanksIn(to *Table) []uint32 {
	if n := len(t.Surfaces); n == len(to.Surfaces) && (n == 0 || &t.Surfaces[0] == &to.Surfaces[0]) {
		return nil
	}
	out := make([]uint32, len(t.Surfaces)+1)
	for i, s := range t.Surfaces {
		out[i+1] = to.rank(s)
	}
	return out
}

// fill ranks the names of all layers.
func (t *Table) fill(v *IDs, names [][][]byte) {
	for _, l := range v.Adds {
		t.Surfaces = append(t.Surfaces, names[l.Index]...)
	}
	slices.SortFunc(t.Surfaces, bytes.Compare)
	t.Surfaces = slices.CompactFunc(t.Surfaces, bytes.Equal)
	t.ids = make([]atomic.Uint64, len(t.Surfaces))
	t.Ranks, t.known = make([][]uint32, len(names)), make([][]uint32, len(names))
	for i, list := range names {
		t.Ranks[i], t.known[i] = t.place(list)
	}
}

// Inserted returns a table with the names of more terms, and its ranks of the old
// names by their old ranks.
func (v *IDs) Inserted(ctx context.Context, t *Table, terms map[dataset.ID]bool) (Table, []uint32, error) {
	type fresh struct {
		surface []byte
		id      dataset.ID
	}
	list := make([]dataset.ID, 0, len(terms))
	for id := range terms {
		list = append(list, id)
	}
	slices.Sort(list)
	var decoded ids.Terms
	if err := v.Decode(ctx, list, &decoded); err != nil {
		return Table{}, nil, err
	}
	add := make([]fresh, len(list))
	for i, id := range list {
		add[i] = fresh{bytes.Clone(decoded.At(i)), id}
	}
	slices.SortFunc(add, func(a, b fresh) int { return bytes.Compare(a.surface, b.surface) })

	size := len(t.Surfaces) + len(add)
	out := Table{Surfaces: make([][]byte, 0, size), ids: make([]atomic.Uint64, size)}
	moves := make([]uint32, len(t.Surfaces)+1)
	put := func(surface []byte, id uint64) {
		out.ids[len(out.Surfaces)].Store(id)
		out.Surfaces = append(out.Surfaces, surface)
	}
	for i, s := range t.Surfaces {
		for len(add) > 0 && bytes.Compare(add[0].surface, s) < 0 {
			put(add[0].surface, uint64(add[0].id))
			add = add[1:]
		}
		put(s, t.ids[i].Load())
		moves[i+1] = uint32(len(out.Surfaces))
	}
	for _, f := range add {
		put(f.surface, uint64(f.id))
	}
	out.known = t.known
	out.Ranks = make([][]uint32, len(t.Ranks))
	for i, ranks := range t.Ranks {
		moved := make([]uint32, len(ranks))
		for k, r := range ranks {
			moved[k] = moves[r]
		}
		out.Ranks[i] = moved
	}
	return out, moves, nil
}
