package view

import (
	"cmp"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"

	"github.com/rete-go/rete/engine/internal/layers"
	"github.com/rete-go/rete/internal/ctxsync"
)

const (
	localBits = 40
	localMask = ID(1)<<localBits - 1
	maxLayers = 1 << (63 - localBits)
)

// ViewOptions bound what a view keeps in memory. The zero value and nil work.
type ViewOptions struct {
	// DeltaBytes is the most that the rows of small layers may take once they are
	// held in memory, translated and sorted (docs/architecture.md, "The fold"). Zero
	// means 64 MiB; a negative number keeps every layer where it is.
	DeltaBytes int64
	// MatchRows is how many rows of a layer a scan translates and sorts at once
	// where the layer is not in memory. Zero means 65,536.
	MatchRows int
}

// Core is a [View] without an end: what the engine itself works with.
type Core = view

// view is a [View] without an end, which the engine itself works with.
type view struct {
	layers  []*layer    // every adds and dels layer, in log order, dels first
	adds    []*layer    // by number
	owners  []*layer    // adds, largest first
	base    *layer      // owners[0], nil without adds
	entries uint32      // of the log
	top     *top        // committed batches above the log, nil without a journal
	durable atomic.Bool // readers have the view: its batches are on disk

	names  ctxsync.Lazy[viewNames]
	seed   atomic.Pointer[seed] // what names is made of, until it is; nil: of the layers alone
	budget int64
	match  int // ViewOptions.MatchRows
	cut    atomic.Pointer[cutScan]
	chosen atomic.Pointer[graphRowsChoice]
	cards  cardinalities
	number atomic.Uint64 // see State; 0: not asked for yet
}

// views is how many views have been given a number.
var views atomic.Uint64

// State names the view as no other of the process is named; see [Snapshot.State] for
// names of what is stored.
func (v *view) State() string {
	if v.number.Load() == 0 {
		v.number.CompareAndSwap(0, views.Add(1))
	}
	return "view/" + strconv.FormatUint(v.number.Load(), 10)
}

// Space implements [dataset.Spaced]: a view has the same ids for all of its life.
func (v *view) Space() any { return v }

// layer is one layer of a view and what the view remembers of it.
type layer struct {
	layers.Layer
	counts layers.Counts
	index  int    // in View.layers
	number int    // the layer part of ids, -1 for dels
	weight uint32 // entry number and, in the two low bits, 0 for dels and 1 for adds: of equal quads the heavier decides
	rank   int    // place in View.owners; behind all of them for dels

	remap remap
	asked atomic.Uint64 // rows translated so far

	alias     map[uint64]uint64 // nodes that are another spelling, to the node that stands for them
	aliasRows ctxsync.Lazy[aliasRows]

	mu    sync.Mutex
	roles map[ID]roleIDs // how terms of patterns are called in this layer
}

// isAdds reports whether the layer's quads are put in rather than taken away.
func (l *layer) isAdds() bool { return l.number >= 0 }

// NewCore is [NewView].
func NewCore(log []layers.Entry, opt *ViewOptions) *view {
	v := &view{budget: 64 << 20, match: 1 << 16}
	if opt != nil && opt.DeltaBytes != 0 {
		v.budget = max(opt.DeltaBytes, 0)
	}
	if opt != nil && opt.MatchRows > 0 {
		v.match = opt.MatchRows
	}
	v.extend(log)
	return v
}

// Append is [View.Append].
func (v *view) Append(log ...layers.Entry) *view { return v.Appended(log, false) }

// Appended is Append; sealed says that the first entry has the batches of v's top.
func (v *view) Appended(log []layers.Entry, sealed bool) *view {
	next := &view{budget: v.budget, match: v.match, entries: v.entries}
	if core := v.core(); len(core.adds) > 0 { // dels alone take nothing away
		next.base = core.base
		next.layers, next.adds, next.owners = slices.Clip(core.layers), slices.Clip(core.adds), slices.Clip(core.owners)
		next.seed.Store(v.seedOf(sealed))
	}
	next.extend(log)
	return next
}

// core returns the view of the log alone.
func (v *view) core() *view {
	if v.top != nil {
		return v.top.core
	}
	return v
}

// extend puts the entries of a log behind those that are there.
func (v *view) extend(log []layers.Entry) {
	first, below := len(v.adds), len(v.layers)
	for _, e := range log {
		v.append(e.Dels, v.entries<<2, false)
		v.append(e.Adds, v.entries<<2|1, true)
		v.entries++
	}
	fresh := slices.Clone(v.adds[first:])
	slices.SortStableFunc(fresh, func(a, b *layer) int { return cmp.Compare(b.counts.Quads, a.counts.Quads) })
	for _, l := range fresh {
		l.rank = len(v.owners)
		v.owners = append(v.owners, l)
	}
	for _, l := range v.layers[below:] {
		if !l.isAdds() {
			l.rank = len(v.owners)
		}
	}
	if v.base == nil && len(v.owners) > 0 {
		v.base = v.owners[0]
	}
}

// append adds a layer of the log.
func (v *view) append(from layers.Layer, weight uint32, adds bool) {
	if from == nil {
		return
	}
	l := &layer{
		Layer: from, counts: from.Counts(), index: len(v.layers), number: -1, weight: weight,
	}
	l.remap.init(l.counts.Nodes())
	l.setAliases()
	if adds {
		l.number = len(v.adds)
		v.adds = append(v.adds, l)
	}
	v.layers = append(v.layers, l)
}

// id returns the view id of a node, predicate or graph number of an adds layer.
func (l *layer) id(local uint64) ID { return ID(l.number)<<localBits | ID(local) }

// predicateID and graphID return the ids after those of the nodes.
func (l *layer) predicateID(p uint32) ID { return l.id(l.counts.Nodes() + uint64(p)) }

func (l *layer) graphID(g uint32) ID {
	return l.id(l.counts.Nodes() + uint64(l.counts.Predicates) + uint64(g))
}

// owner returns the layer of an id, nil if the view has no such layer.
func (v *view) owner(id ID) *layer {
	if n := id >> localBits; id != 0 && n < ID(len(v.adds)) {
		return v.adds[n]
	}
	return nil
}
