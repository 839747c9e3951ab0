package engine

import (
	"cmp"
	"context"
	"slices"
	"sort"
	"sync/atomic"

	"github.com/rete-go/rete/internal/look"
	"github.com/rete-go/rete/tile"
)

// top is what a view has above the log: the changes of committed batches, as
// sorted runs in view keys, oldest first. Terms that no layer of the log has are
// numbered by arrival in a dictionary of the journal, which is the last owner. All
// of it is immutable, so views share runs.
type top struct {
	core *View // the view of the log alone
	dict *topDict
	runs []*topRun
	idle []*topRun // changes that the log makes needless; for the seal, which keeps them
	seq  uint32    // changes so far: each is an entry of its own to the fold
}

// idleBit marks, in the weight of a row, a change whose outcome is what the log says
// without it. Once no older run speaks of the quad the row has nothing to say.
const idleBit = 2

// topRun is the net changes of one batch, or of several that followed each other.
type topRun struct {
	rows   int
	idle   int         // of them
	graphs []*topGraph // by id, 0 the default graph
}

// topGraph is a run's rows of one graph, in view keys. Orders other than SPO are
// sorted on first use.
type topGraph struct {
	id      ID
	spo     []sideRow
	sorting look.Gate // shut while an order is sorted
	orders  [tile.NumOrders]atomic.Pointer[[]sideRow]
	spots   [tile.NumOrders]atomic.Pointer[[]uint32]
}

// graph returns the rows of a graph, nil if there are none.
func (r *topRun) graph(id ID) *topGraph {
	i := sort.Search(len(r.graphs), func(i int) bool { return r.graphs[i].id >= id })
	if i < len(r.graphs) && r.graphs[i].id == id {
		return r.graphs[i]
	}
	return nil
}

// in returns the rows sorted in an order.
func (g *topGraph) in(ctx context.Context, o Order) ([]sideRow, error) {
	if o == tile.SPO {
		return g.spo, nil
	}
	if rows := g.orders[o].Load(); rows != nil {
		return *rows, nil
	}
	if err := g.sorting.Enter(ctx); err != nil {
		return nil, err
	}
	defer g.sorting.Leave()
	if rows := g.orders[o].Load(); rows != nil {
		return *rows, nil
	}
	rows, err := reordered(ctx, g.spo, o)
	if err != nil {
		return nil, err
	}
	g.orders[o].Store(&rows)
	return rows, nil
}

// sorted is in, with the spots of the rows.
func (g *topGraph) sorted(ctx context.Context, o Order) (sideRows, error) {
	rows, err := g.in(ctx, o)
	if err != nil {
		return sideRows{}, err
	}
	spots := g.spots[o].Load()
	if spots == nil {
		fresh := make([]uint32, len(rows))
		g.spots[o].CompareAndSwap(nil, &fresh)
		spots = g.spots[o].Load()
	}
	return sideRows{rows, *spots}, nil
}

// mergeRuns returns the run that has the effect of a and then b: of a quad that
// both change the later change stays. Orders that the larger one has in memory are
// merged, not sorted again.
func mergeRuns(a, b *topRun) *topRun {
	out := &topRun{graphs: make([]*topGraph, 0, len(a.graphs)+len(b.graphs))}
	i, j := 0, 0
	for i < len(a.graphs) || j < len(b.graphs) {
		switch {
		case j == len(b.graphs) || i < len(a.graphs) && a.graphs[i].id < b.graphs[j].id:
			out.graphs = append(out.graphs, a.graphs[i])
			i++
		case i == len(a.graphs) || a.graphs[i].id > b.graphs[j].id:
			out.graphs = append(out.graphs, b.graphs[j])
			j++
		default:
			out.graphs = append(out.graphs, mergeGraphs(a.graphs[i], b.graphs[j]))
			i, j = i+1, j+1
		}
		out.count(out.graphs[len(out.graphs)-1])
	}
	return out
}

// count adds the rows of a graph to those of the run.
func (r *topRun) count(g *topGraph) {
	r.rows += len(g.spo)
	for i := range g.spo {
		if g.spo[i].weight&idleBit != 0 {
			r.idle++
		}
	}
}

// split takes the idle rows out of a run that nothing lies below.
func (r *topRun) split() (live, idle *topRun) {
	if r.idle == 0 {
		return r, nil
	}
	live, idle = &topRun{}, &topRun{}
	for _, g := range r.graphs {
		rest, out := &topGraph{id: g.id}, &topGraph{id: g.id}
		rest.spo, out.spo = splitRows(g.spo)
		if len(out.spo) > 0 {
			idle.graphs = append(idle.graphs, out)
			idle.count(out)
		}
		if len(rest.spo) == 0 {
			continue
		}
		for o := range g.orders {
			if rows := g.orders[o].Load(); rows != nil {
				kept, _ := splitRows(*rows)
				rest.orders[o].Store(&kept)
			}
			if spots := g.spots[o].Load(); spots != nil {
				kept := liveSpots(sideRows{g.here(Order(o)), *spots})
				rest.spots[o].Store(&kept)
			}
		}
		live.graphs = append(live.graphs, rest)
		live.count(rest)
	}
	return live, idle
}

func splitRows(rows []sideRow) (live, idle []sideRow) {
	for i := range rows {
		if rows[i].weight&idleBit != 0 {
			idle = append(idle, rows[i])
		} else {
			live = append(live, rows[i])
		}
	}
	return live, idle
}

// liveSpots returns the spots of the rows that are not idle.
func liveSpots(in sideRows) []uint32 {
	var out []uint32
	for i := range in.rows {
		if in.rows[i].weight&idleBit == 0 {
			out = append(out, uint32(in.known(i)))
		}
	}
	return out
}

func mergeGraphs(a, b *topGraph) *topGraph {
	m := &topGraph{id: a.id}
	large := a
	if len(b.spo) > len(a.spo) {
		large = b
	}
	for o := range m.orders {
		spo := o == int(tile.SPO)
		if !spo && large.orders[o].Load() == nil {
			continue
		}
		merged, _ := mergeSides(whole, a.sofar(Order(o)), b.sofar(Order(o)))
		if spo {
			m.spo = merged.rows
		} else {
			m.orders[o].Store(&merged.rows)
		}
		if merged.spots != nil {
			m.spots[o].Store(&merged.spots)
		}
	}
	return m
}

// whole is the context of what is done with a batch, which is applied whole: it does not
// end.
var whole = context.Background()

// here is in for those who change the top.
func (g *topGraph) here(o Order) []sideRow {
	rows, _ := g.in(whole, o) // only a context ends it
	return rows
}

// sofar is in, with the spots of the rows if there are any.
func (g *topGraph) sofar(o Order) sideRows {
	in := sideRows{rows: g.here(o)}
	if spots := g.spots[o].Load(); spots != nil {
		in.spots = *spots
	}
	return in
}

// moved returns the run in other predicate ranks, which keep the order.
func (r *topRun) moved(preds []uint32) *topRun {
	out := &topRun{rows: r.rows, idle: r.idle, graphs: make([]*topGraph, len(r.graphs))}
	for i, g := range r.graphs {
		next := &topGraph{id: g.id, spo: movedRows(g.spo, ColP, preds)}
		for o := range g.orders {
			next.spots[o].Store(g.spots[o].Load())
			if rows := g.orders[o].Load(); rows != nil {
				cols := Order(o).Columns()
				moved := movedRows(*rows, slices.Index(cols[:], ColP), preds)
				next.orders[o].Store(&moved)
			}
		}
		out.graphs[i] = next
	}
	return out
}

func movedRows(rows []sideRow, col int, preds []uint32) []sideRow {
	rows = slices.Clone(rows)
	for i := range rows {
		rows[i].key[col] = uint64(preds[rows[i].key[col]])
	}
	return rows
}

const (
	// topTail is up to how many rows the newest run is merged with the one before
	// it at once: less than what looking into a run of its own costs each reader.
	topTail = 256
	// topRatio is how much larger than the run behind it a run is at least, so
	// that there are few runs and a row is merged a few times.
	topRatio = 4
)

// pushRun puts a run behind the others, and merges.
func pushRun(runs []*topRun, r *topRun) []*topRun {
	runs = append(slices.Clip(runs), r)
	for n := len(runs); n > 1; n = len(runs) {
		a, b := runs[n-2], runs[n-1]
		if a.rows+b.rows > topTail && a.rows >= topRatio*b.rows {
			break
		}
		runs = append(slices.Clip(runs[:n-2]), mergeRuns(a, b))
	}
	return runs
}

// push puts a run above the others. Idle rows go aside as soon as nothing is below
// them.
func (t *top) push(r *topRun) {
	t.runs = pushRun(t.runs, r)
	live, idle := t.runs[0].split()
	if idle == nil {
		return
	}
	t.idle = pushRun(t.idle, idle)
	if rest := t.runs[1:]; live.rows > 0 {
		t.runs = append([]*topRun{live}, rest...)
	} else {
		t.runs = slices.Clone(rest)
	}
}

// topChange is a change of a quad, in view ids; g is 0 in the default graph. idle
// is true if the outcome is what the log says without it; false if that is not
// known.
type topChange struct {
	g, s, p, o ID
	add, idle  bool
}

// sources appends the rows of the top that match q in a graph.
func (t *top) sources(ctx context.Context, q *query, graph uint32, srcs []sideSource) ([]sideSource, error) {
	if len(t.runs) == 0 {
		return srcs, nil
	}
	var id ID
	if graph > 0 {
		var err error
		if id, err = q.v.graphID(ctx, q.names, graph); err != nil {
			return nil, err
		}
	}
	for _, r := range t.runs {
		if g := r.graph(id); g != nil {
			all, err := g.sorted(ctx, q.order)
			if err != nil {
				return nil, err
			}
			if in := all.within(q.lo, q.hi); len(in.rows) > 0 {
				srcs = append(srcs, &sideSlice{sideRows: in})
			}
		}
	}
	return srcs, nil
}

// last returns what the newest run that speaks of a quad says; ok is false if none
// does. The key is in SPO.
func (t *top) last(graph ID, key key3) (add, ok bool) {
	for i := len(t.runs) - 1; i >= 0; i-- {
		g := t.runs[i].graph(graph)
		if g == nil {
			continue
		}
		at, found := slices.BinarySearchFunc(g.spo, key, func(r sideRow, k key3) int { return r.key.compare(k) })
		if found {
			return g.spo[at].adds(), true
		}
	}
	return false, false
}

// rows is the number of net changes, a little more where runs overlap.
func (t *top) rows() (n int) {
	if t == nil {
		return 0
	}
	for _, r := range t.runs {
		n += r.rows
	}
	return n
}

// newRun sorts changes into a run; of those of one quad the last one stays. entry
// is the weight of the first, as an entry of the log; rank gives the ranks of the
// predicates.
func newRun(changes []topChange, entry uint32, rank func(ID) uint32) *topRun {
	byGraph := make(map[ID][]sideRow, 1)
	for i := range changes {
		c := &changes[i]
		row := sideRow{key: key3{uint64(c.s), uint64(rank(c.p)), uint64(c.o)}, weight: (entry + uint32(i)) << 2}
		if c.add {
			row.weight |= 1
		}
		if c.idle {
			row.weight |= idleBit
		}
		byGraph[c.g] = append(byGraph[c.g], row)
	}
	r := &topRun{graphs: make([]*topGraph, 0, len(byGraph))}
	for id, rows := range byGraph {
		rows, _ = netRows(whole, rows)
		r.graphs = append(r.graphs, &topGraph{id: id, spo: rows})
		r.count(r.graphs[len(r.graphs)-1])
	}
	slices.SortFunc(r.graphs, func(a, b *topGraph) int { return cmp.Compare(a.id, b.id) })
	return r
}
