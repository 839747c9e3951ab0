package view

import (
	"bytes"
	"context"
	"slices"
	"sync/atomic"

	"github.com/rete-go/rete/internal/ctxsync"
)

// viewNames are the predicates and the graph names of a view, and what is ordered
// by their ranks.
type viewNames struct {
	preds, graphs nameTable

	toBase   []uint64            // by predicate rank: the base's predicate, or the one behind; as placed
	baseView *ctxsync.Lazy[[]ID] // by predicate of the base: its view id
	delta    *deltaBox
}

// toBase holds a predicate doubled, and one more if it is not the very one.
func placed(p uint32, exact bool) uint64 {
	if exact {
		return 2 * uint64(p)
	}
	return 2*uint64(p) + 1
}

// basePredicate returns the base's predicate of a rank, or the first one behind it.
func (n *viewNames) basePredicate(rank uint64) (p uint32, exact bool) {
	if rank >= uint64(len(n.toBase)) {
		rank = uint64(len(n.toBase)) - 1
	}
	at := n.toBase[rank]
	return uint32(at / 2), at&1 == 0
}

// basePredicates returns the view ids of the base's predicates.
func (v *view) basePredicates(ctx context.Context, n *viewNames) ([]ID, error) {
	list, err := n.baseView.Get(ctx, func(ctx context.Context) (*[]ID, error) {
		nodes, err := v.base.PredicateNodes(ctx)
		if err != nil {
			return nil, err
		}
		list := make([]ID, len(nodes))
		for i, node := range nodes {
			if list[i] = v.base.id(node); node == 0 {
				list[i] = v.base.predicateID(uint32(i) + 1)
			}
		}
		return &list, nil
	})
	if err != nil {
		return nil, err
	}
	return *list, nil
}

// table returns the names of the view, made on first use: read from every layer, or made
// from those of a view that has the same first layers.
func (v *view) table(ctx context.Context) (*viewNames, error) {
	return v.names.Get(ctx, func(ctx context.Context) (*viewNames, error) {
		s := v.seed.Load()
		if s == nil {
			return v.readNames(ctx)
		}
		n, err := v.inherit(ctx, s)
		if err == nil {
			v.seed.Store(nil)
		}
		return n, err
	})
}

// layerNames reads the names of layers.
func layerNames(ctx context.Context, layers []*layer) (preds, graphs [][][]byte, err error) {
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

// readNames makes the names from all layers.
func (v *view) readNames(ctx context.Context) (*viewNames, error) {
	preds, graphs, err := layerNames(ctx, v.layers)
	if err != nil {
		return nil, err
	}
	n := &viewNames{baseView: new(ctxsync.Lazy[[]ID]), delta: newDeltaBox(newDelta(len(v.layers)))}
	n.preds.fill(v, preds)
	n.graphs.fill(v, graphs)
	n.placeBase(v)
	return n, nil
}

// placeBase finds the predicates in the base.
func (n *viewNames) placeBase(v *view) {
	n.toBase = make([]uint64, len(n.preds.surfaces)+2) // 0 and one behind the last are no ranks
	for rank := range n.toBase {
		if v.base != nil {
			p, exact := n.preds.local(v.base, uint64(rank))
			n.toBase[rank] = placed(p, exact && rank > 0)
		}
	}
}

// hasAll reports whether the table has every name of the adds layers among some.
func (t *nameTable) hasAll(layers []*layer, names [][][]byte) bool {
	for i, l := range layers {
		for _, s := range names[i] {
			if l.isAdds() && t.rank(s) == 0 {
				return false
			}
		}
	}
	return true
}

// extended returns the table with more layers. The names and their ids are shared.
func (t *nameTable) extended(names [][][]byte) nameTable {
	n := nameTable{surfaces: t.surfaces, ids: t.ids, ranks: slices.Clip(t.ranks), known: slices.Clip(t.known)}
	for _, list := range names {
		ranks, known := t.place(list)
		n.ranks, n.known = append(n.ranks, ranks), append(n.known, known)
	}
	return n
}

// grown returns the table with more layers, and the ranks in it by those in t; these are
// nil if they are the same. The ids that are known go over.
func (t *nameTable) grown(layers []*layer, names [][][]byte) (nameTable, []uint32) {
	if t.hasAll(layers, names) {
		return t.extended(names), nil
	}
	var n nameTable
	n.surfaces = slices.Clone(t.surfaces)
	for i, l := range layers {
		if l.isAdds() {
			n.surfaces = append(n.surfaces, names[i]...)
		}
	}
	slices.SortFunc(n.surfaces, bytes.Compare)
	n.surfaces = slices.CompactFunc(n.surfaces, bytes.Equal)
	n.ids = make([]atomic.Uint64, len(n.surfaces))
	moves := t.ranksIn(&n)
	for i, to := range moves[1:] {
		n.ids[to-1].Store(t.ids[i].Load())
	}
	n.known = t.known
	for _, ranks := range t.ranks {
		moved := make([]uint32, len(ranks))
		for i, r := range ranks {
			moved[i] = moves[r]
		}
		n.ranks = append(n.ranks, moved)
	}
	return n.extended(names), moves
}

// ranksIn returns the ranks in another table by those in this one, 0 of names that it
// does not have; nil if the tables have the same names.
func (t *nameTable) ranksIn(to *nameTable) []uint32 {
	if n := len(t.surfaces); n == len(to.surfaces) && (n == 0 || &t.surfaces[0] == &to.surfaces[0]) {
		return nil
	}
	out := make([]uint32, len(t.surfaces)+1)
	for i, s := range t.surfaces {
		out[i+1] = to.rank(s)
	}
	return out
}

// fill ranks the names of all layers.
func (t *nameTable) fill(v *view, names [][][]byte) {
	for _, l := range v.adds {
		t.surfaces = append(t.surfaces, names[l.index]...)
	}
	slices.SortFunc(t.surfaces, bytes.Compare)
	t.surfaces = slices.CompactFunc(t.surfaces, bytes.Equal)
	t.ids = make([]atomic.Uint64, len(t.surfaces))
	t.ranks, t.known = make([][]uint32, len(names)), make([][]uint32, len(names))
	for i, list := range names {
		t.ranks[i], t.known[i] = t.place(list)
	}
}
