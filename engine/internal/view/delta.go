package view

import (
	"context"
	"errors"
	"slices"
	"sync"
	"sync/atomic"
	"unsafe"

	"github.com/rete-go/rete/engine/internal/folds"
	"github.com/rete-go/rete/engine/internal/idspace"
	"github.com/rete-go/rete/engine/internal/layers"
	"github.com/rete-go/rete/engine/internal/pattern"
	"github.com/rete-go/rete/internal/cancel"
	"github.com/rete-go/rete/internal/ctxsync"
	"github.com/rete-go/rete/tombstone"
)

// deltaRowBytes is about what a row of a layer costs in a delta: in SPO and in two other
// orders, and in the index of what is added.
const deltaRowBytes = 3 * (int64(unsafe.Sizeof(tombstone.Row{})) + folds.AddBytes)

// delta is the rows of the layers that are held in memory, netted, in view keys, and
// where they belong in the base. It is immutable but for what it finds on first use.
type delta struct {
	in    []bool // by layer index
	bytes int64

	mu     sync.Mutex // guards graphs
	graphs map[uint32]*deltaGraph

	adds ctxsync.Lazy[deltaAdds]
}

// deltaAdds finds the named graphs of a delta by the rows that they add.
type deltaAdds struct {
	*folds.Adds
	graphs []uint32 // the rank of the graph of each run
}

// index returns what the delta adds to named graphs.
func (d *delta) index(ctx context.Context) (*deltaAdds, error) {
	return d.adds.Get(ctx, func(context.Context) (*deltaAdds, error) {
		var runs []*folds.Run
		var graphs []uint32
		for rank, g := range d.held() {
			for _, r := range g.levels {
				if rank > 0 {
					runs, graphs = append(runs, r), append(graphs, rank)
				}
			}
		}
		return &deltaAdds{folds.NewAdds(runs), graphs}, nil
	})
}

func newDelta(layers int) *delta {
	return &delta{in: make([]bool, layers), graphs: map[uint32]*deltaGraph{}}
}

// graph returns the changes of a graph, by its rank; 0 is the default graph.
func (d *delta) graph(rank uint32) *deltaGraph {
	d.mu.Lock()
	defer d.mu.Unlock()
	g := d.graphs[rank]
	if g == nil {
		g = new(deltaGraph)
		d.graphs[rank] = g
	}
	return g
}

// large returns the layers of the log, by index, that neither the delta holds nor p covers:
// they are too large. ok is false if what they do cannot be placed: they add, so that inserts
// would take as much memory as they do, or rows of the base have other spellings.
func (d *delta) large(v *view, p *folds.Placed) (list []int, ok bool) {
	for _, l := range v.Layers {
		switch {
		case l == v.Base:
			if len(l.Alias) > 0 {
				return nil, false
			}
		case d.has(l) || p.Covers(l.Index):
		case l.IsAdds():
			return nil, false
		default:
			list = append(list, l.Index)
		}
	}
	return list, true
}

// whole reports whether the delta and p have what every layer of the log but the base says,
// and no row of the base has other spellings.
func (d *delta) whole(v *view, p *folds.Placed) bool {
	large, ok := d.large(v, p)
	return ok && len(large) == 0
}

// with returns the delta with the rows of more layers, by graph rank.
func (d *delta) with(ctx context.Context, layers []*idspace.Layer, loaded []map[uint32][]tombstone.Row, bytes int64) (*delta, error) {
	next := newDelta(len(d.in))
	copy(next.in, d.in)
	next.bytes = d.bytes + bytes
	d.mu.Lock()
	for g, held := range d.graphs {
		next.graphs[g] = held.copied()
	}
	d.mu.Unlock()
	runs := make(map[uint32][]*folds.Run)
	for i, l := range layers {
		next.in[l.Index] = true
		for _, g := range next.graphs {
			g.uncover(l.Index)
		}
		for g, rows := range loaded[i] {
			runs[g] = append(runs[g], folds.NewRun(rows))
		}
	}
	for g, list := range runs {
		run, err := mergeAll(ctx, list)
		if err != nil {
			return nil, err
		}
		if next.graphs[g], err = next.graph(g).with(ctx, run); err != nil {
			return nil, err
		}
	}
	return next, nil
}

// mergeAll merges runs pair by pair.
func mergeAll(ctx context.Context, list []*folds.Run) (*folds.Run, error) {
	for len(list) > 1 {
		half := list[:0:0]
		for i := 0; i+1 < len(list); i += 2 {
			both, err := folds.MergeRuns(ctx, list[i], list[i+1])
			if err != nil {
				return nil, err
			}
			half = append(half, both)
		}
		if len(list)%2 == 1 {
			half = append(half, list[len(list)-1])
		}
		list = half
	}
	return list[0], nil
}

// moved returns the delta in other ranks: preds and graphs give them by the old
// ones; preds is nil if they are the same. They keep the order, so nothing is sorted.
func (d *delta) moved(preds, graphs []uint32) *delta {
	next := newDelta(len(d.in))
	copy(next.in, d.in)
	next.bytes = d.bytes
	d.mu.Lock()
	defer d.mu.Unlock()
	for rank, g := range d.graphs {
		next.graphs[graphs[rank]] = g.ranked(preds)
	}
	if adds := d.adds.Done.Load(); adds != nil && preds == nil {
		ranks := make([]uint32, len(adds.graphs))
		for i, old := range adds.graphs {
			ranks[i] = graphs[old]
		}
		next.adds.Done.Store(&deltaAdds{adds.Adds, ranks})
	}
	return next
}

// deltaBox is the delta of a view, and of those appended to it that have the same
// names.
type deltaBox struct {
	lock ctxsync.Mutex // held while the delta is rebuilt
	cur  atomic.Pointer[delta]
}

func newDeltaBox(d *delta) *deltaBox {
	b := new(deltaBox)
	b.cur.Store(d)
	return b
}

// has reports whether the delta holds a layer.
func (d *delta) has(l *idspace.Layer) bool { return l.Index < len(d.in) && d.in[l.Index] }

// fits reports whether the delta has room for a layer.
func (v *view) fits(d *delta, l *idspace.Layer) bool {
	return d.bytes+int64(l.Sizes.Quads)*deltaRowBytes <= v.budget
}

// promote takes whole layers into the delta, those of them that still fit.
func (v *view) promote(ctx context.Context, n *viewNames, layers []*idspace.Layer) error {
	if err := n.delta.lock.Lock(ctx); err != nil {
		return err
	}
	defer n.delta.lock.Unlock()
	d := n.delta.cur.Load()
	bytes := int64(0)
	layers = slices.DeleteFunc(slices.Clone(layers), func(l *idspace.Layer) bool {
		size := int64(l.Sizes.Quads) * deltaRowBytes
		if d.has(l) || d.bytes+bytes+size > v.budget {
			return true
		}
		bytes += size
		return false
	})
	if len(layers) >= idspace.TranslateMany {
		if err := v.TranslateAll(ctx, &n.Names, layers); err != nil {
			return err
		}
	}
	var taken []*idspace.Layer
	var loaded []map[uint32][]tombstone.Row
	bytes = 0
	for _, l := range layers {
		rows, count, err := v.load(ctx, n, l, (v.budget-d.bytes-bytes)/deltaRowBytes)
		if errors.Is(err, pattern.ErrTooLarge) {
			l.Asked.Store(0) // look again when as much was asked for once more
			continue
		}
		if err != nil {
			return err
		}
		taken, loaded = append(taken, l), append(loaded, rows)
		bytes += count * deltaRowBytes
	}
	if len(taken) > 0 {
		next, err := d.with(ctx, taken, loaded, bytes)
		if err != nil {
			return err
		}
		n.delta.cur.Store(next)
	}
	return nil
}

// load reads a whole layer, at most limit rows, by graph rank.
func (v *view) load(ctx context.Context, n *viewNames, l *idspace.Layer, limit int64) (rows map[uint32][]tombstone.Row, count int64, err error) {
	rows = make(map[uint32][]tombstone.Row)
	for g := range l.Sizes.Graphs + 1 {
		rank := uint32(0)
		if g > 0 {
			if rank = n.Graphs.Ranks[l.Index][g-1]; rank == 0 {
				continue // a dels layer's graph that no adds layer has
			}
		}
		got, err := v.loadGraph(ctx, n, l, g, limit-count)
		if err != nil {
			return nil, 0, err
		}
		if len(got) > 0 {
			rows[rank] = got
			count += int64(len(got))
		}
	}
	return rows, count, nil
}

// loadGraph returns all rows of one graph of a layer in view keys, SPO.
func (v *view) loadGraph(ctx context.Context, n *viewNames, l *idspace.Layer, graph uint32, limit int64) ([]tombstone.Row, error) {
	local, err := pattern.Collect(ctx, l, graph, 0, [3]uint32{}, layers.EndRow, limit)
	if err != nil {
		return nil, err
	}
	rows, err := pattern.ToKeys(ctx, &v.IDs, &n.Names, l, 0, local)
	if err != nil {
		return nil, err
	}
	if len(l.Alias) > 0 {
		aliased, err := pattern.Aliased(ctx, &v.IDs, &n.Names, l)
		if err != nil {
			return nil, err
		}
		for i, r := range aliased[graph] {
			if err := cancel.Check(ctx, i); err != nil {
				return nil, err
			}
			r.Key[colP] = uint64(n.Preds.Ranks[l.Index][r.Key[colP]-1])
			if r.Key[colP] != 0 {
				rows = append(rows, r)
			}
		}
	}
	return tombstone.Net(ctx, rows)
}
