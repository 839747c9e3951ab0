package idspace

import (
	"bytes"
	"context"
	"slices"
	"sort"
	"sync/atomic"

	"github.com/rete-go/rete/dataset"
	"github.com/rete-go/rete/engine/internal/layers"
	"github.com/rete-go/rete/internal/ids"
)

// Table ranks the names of one kind, predicates or graphs, among all those
// of a view's adds layers, by surface and from 1. Ranks are merge keys: every
// layer's own order agrees with them.
type Table struct {
	Surfaces [][]byte        // by rank-1
	ids      []atomic.Uint64 // by rank-1; 0: not resolved yet
	Ranks    [][]uint32      // by layer index: the rank of each local name; 0 where a dels layer's is unknown
	known    [][]uint32      // by layer index: the local names with a rank, if not all have one
}

// rank returns the rank of a surface, 0 if no adds layer has that name.
func (t *Table) rank(surface []byte) uint32 {
	i, ok := slices.BinarySearchFunc(t.Surfaces, surface, bytes.Compare)
	if !ok {
		return 0
	}
	return uint32(i) + 1
}

// Local returns the local name of a rank in a layer, and whether it is there; if
// not, the local name before which it would stand, of a dels layer nothing useful.
func (t *Table) Local(l *Layer, rank uint64) (uint32, bool) {
	ranks, known := t.Ranks[l.Index], t.known[l.Index]
	if known != nil {
		i := sort.Search(len(known), func(i int) bool { return uint64(ranks[known[i]-1]) >= rank })
		if i == len(known) || uint64(ranks[known[i]-1]) != rank {
			return 0, false
		}
		return known[i], true
	}
	i := sort.Search(len(ranks), func(i int) bool { return uint64(ranks[i]) >= rank })
	return uint32(i) + 1, i < len(ranks) && uint64(ranks[i]) == rank
}

// predicates returns the surfaces of a layer's predicates.
func (l *Layer) predicates(ctx context.Context) ([][]byte, error) {
	local := make([]uint32, l.Sizes.Predicates)
	for i := range local {
		local[i] = uint32(i) + 1
	}
	var terms ids.Terms
	if err := l.Decode(ctx, layers.Predicates, local, &terms); err != nil {
		return nil, err
	}
	return layers.TermsOf(&terms), nil
}

// place ranks the names of a layer, which ascend.
func (t *Table) place(list [][]byte) (ranks, known []uint32) {
	ranks = make([]uint32, len(list))
	all := true
	next := 0 // the name of the table after the last one that was found: mostly the next of the list
	for j, s := range list {
		if next < len(t.Surfaces) && bytes.Equal(t.Surfaces[next], s) {
			ranks[j] = uint32(next) + 1
		} else {
			ranks[j] = t.rank(s)
		}
		next = max(next, int(ranks[j]))
		all = all && ranks[j] > 0
	}
	if all {
		return ranks, nil
	}
	known = make([]uint32, 0, len(list))
	for j, r := range ranks {
		if r > 0 {
			known = append(known, uint32(j)+1)
		}
	}
	return ranks, known
}

// PredicateID returns the view id of the predicate with a rank.
func (v *IDs) PredicateID(ctx context.Context, n *Names, rank uint32) (dataset.ID, error) {
	if id := n.Preds.ids[rank-1].Load(); id != 0 {
		return dataset.ID(id), nil
	}
	surface := n.Preds.Surfaces[rank-1]
	id, err := v.resolveName(ctx, n, surface, rank, n.Graphs.rank(surface))
	if err != nil {
		return 0, err
	}
	n.Preds.ids[rank-1].Store(uint64(id))
	return id, nil
}

// GraphID returns the view id of the graph name with a rank.
func (v *IDs) GraphID(ctx context.Context, n *Names, rank uint32) (dataset.ID, error) {
	if id := n.Graphs.ids[rank-1].Load(); id != 0 {
		return dataset.ID(id), nil
	}
	surface := n.Graphs.Surfaces[rank-1]
	id, err := v.resolveName(ctx, n, surface, n.Preds.rank(surface), rank)
	if err != nil {
		return 0, err
	}
	n.Graphs.ids[rank-1].Store(uint64(id))
	return id, nil
}

// resolveName finds the id of one name by its ranks, 0 where it is no predicate or no graph; a layer that
// knows which nodes its names are answers without a look-up.
func (v *IDs) resolveName(ctx context.Context, n *Names, surface []byte, pred, graph uint32) (dataset.ID, error) {
	var names named
	for _, l := range v.Owners {
		if p, ok := n.Preds.Local(l, uint64(pred)); ok && pred > 0 {
			nodes, err := l.PredicateNodes(ctx)
			if err != nil {
				return 0, err
			}
			if node := nodes[p-1]; node > 0 {
				return l.ID(node), nil
			}
			return l.predicateID(p), nil
		}
		if g, ok := n.Graphs.Local(l, uint64(graph)); ok && graph > 0 {
			nodes, err := l.GraphNodes(ctx)
			if err != nil {
				return 0, err
			}
			if node := nodes[g-1]; node > 0 {
				return l.ID(node), nil
			}
			return l.graphID(g), nil
		}
		out := [1]dataset.ID{}
		if err := v.find(ctx, n, l, [][]byte{surface}, &names, out[:]); err != nil || out[0] != 0 {
			return out[0], err
		}
	}
	return 0, nil
}

// Bound returns the rank of the first name that is not below surface.
func (t *Table) Bound(surface []byte) uint32 {
	i, _ := slices.BinarySearchFunc(t.Surfaces, surface, bytes.Compare)
	return uint32(i) + 1
}

// LocalGraph returns the number of a view's graph in a layer, false if the layer
// does not have it.
func (n *Names) LocalGraph(l *Layer, graph uint32) (uint32, bool) {
	if graph == 0 {
		return 0, true
	}
	return n.Graphs.Local(l, uint64(graph))
}
