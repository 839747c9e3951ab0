// Package idspace is the ids of terms in a view of many layers: one for each term, in every
// column. It finds them by term, the terms by id, and ranges of them by kind and by value,
// and ranks the predicates and the graph names of all layers.
package idspace

import (
	"cmp"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/rete-go/rete/dataset"
	"github.com/rete-go/rete/engine/internal/layers"
	"github.com/rete-go/rete/internal/ctxsync"
)

// An id is the number of a layer, and LocalBits of a number in it.
const (
	LocalBits = 40
	LocalMask = dataset.ID(1)<<LocalBits - 1
	maxLayers = 1 << (63 - LocalBits)
)

// IDs are the layers of a view, and the ids that their terms have in it. They are
// immutable but for what the layers remember.
type IDs struct {
	Layers  []*Layer // every adds and dels layer, in log order, dels first
	Adds    []*Layer // by number
	Owners  []*Layer // adds, largest first
	Base    *Layer   // Owners[0], nil without adds
	Entries uint32   // of the log
	distant bool     // some layer is
}

// Layer is one layer and what is remembered of it.
type Layer struct {
	layers.Layer
	Sizes  layers.Counts
	Index  int    // in IDs.Layers
	Number int    // the layer part of ids, -1 for dels
	Weight uint32 // entry number and, in the two low bits, 0 for dels and 1 for adds: of equal quads the heavier decides
	Rank   int    // place in IDs.Owners; after all of them for dels

	Remap Remap
	Asked atomic.Uint64 // rows translated so far

	Alias     map[uint64]uint64 // nodes that are another spelling, to the node that stands for them
	AliasRows ctxsync.Lazy[AliasRows]

	mu    sync.Mutex
	roles map[dataset.ID]Roles // how terms of patterns are called in this layer
}

// IsAdds reports whether the layer's quads are put in rather than taken away.
func (l *Layer) IsAdds() bool { return l.Number >= 0 }

// Extend puts the entries of a log after those that are there.
func (v *IDs) Extend(log []layers.Entry) {
	first, below := len(v.Adds), len(v.Layers)
	for _, e := range log {
		v.append(e.Dels, v.Entries<<2, false)
		v.append(e.Adds, v.Entries<<2|1, true)
		v.Entries++
	}
	fresh := slices.Clone(v.Adds[first:])
	slices.SortStableFunc(fresh, func(a, b *Layer) int { return cmp.Compare(b.Sizes.Quads, a.Sizes.Quads) })
	for _, l := range fresh {
		l.Rank = len(v.Owners)
		v.Owners = append(v.Owners, l)
	}
	for _, l := range v.Layers[below:] {
		if !l.IsAdds() {
			l.Rank = len(v.Owners)
		}
	}
	if v.Base == nil && len(v.Owners) > 0 {
		v.Base = v.Owners[0]
	}
}

// append adds a layer of the log.
func (v *IDs) append(from layers.Layer, weight uint32, adds bool) {
	if from == nil {
		return
	}
	l := &Layer{
		Layer: from, Sizes: from.Counts(), Index: len(v.Layers), Number: -1, Weight: weight,
	}
	l.Remap.init(l.Sizes.Nodes())
	l.setAliases()
	if adds {
		l.Number = len(v.Adds)
		v.Adds = append(v.Adds, l)
	}
	v.Layers = append(v.Layers, l)
	v.distant = v.distant || l.Distant()
}

// Clipped returns a copy to which entries can be appended; v does not see them.
func (v *IDs) Clipped() IDs {
	c := *v
	c.Layers, c.Adds, c.Owners = slices.Clip(v.Layers), slices.Clip(v.Adds), slices.Clip(v.Owners)
	return c
}

// ID returns the view id of a node, predicate or graph number of an adds layer.
func (l *Layer) ID(local uint64) dataset.ID {
	return dataset.ID(l.Number)<<LocalBits | dataset.ID(local)
}

// predicateID and graphID return the ids after those of the nodes.
func (l *Layer) predicateID(p uint32) dataset.ID { return l.ID(l.Sizes.Nodes() + uint64(p)) }

func (l *Layer) graphID(g uint32) dataset.ID {
	return l.ID(l.Sizes.Nodes() + uint64(l.Sizes.Predicates) + uint64(g))
}

// Owner returns the layer of an id, nil if the view has no such layer.
func (v *IDs) Owner(id dataset.ID) *Layer {
	if n := id >> LocalBits; id != 0 && n < dataset.ID(len(v.Adds)) {
		return v.Adds[n]
	}
	return nil
}
