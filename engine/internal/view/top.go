package view

import (
	"context"
	"maps"
	"slices"
	"sort"

	"github.com/rete-go/rete/dataset"
	"github.com/rete-go/rete/engine/internal/folds"
	"github.com/rete-go/rete/engine/internal/layers"
	"github.com/rete-go/rete/internal/ctxsync"
	"github.com/rete-go/rete/tombstone"
)

// top is what a view has above the log: the changes of committed batches, as
// sorted runs in view keys, oldest first. Terms that no layer of the log has are
// numbered by arrival in a dictionary of the journal, which is the last owner. All
// of it is immutable, so views share runs.
type top struct {
	core *view // the view of the log alone
	dict *layers.JournalDict
	runs []*topRun
	idle []*topRun // changes that the log makes needless; for the seal, which keeps them
	seq  uint32    // changes so far: each is an entry of its own to the fold

	unsure  uint32   // seq after the last batch that was not evaluated here; 0: none
	counted *counted // shared by the tops of one journal
}

// idleBit marks, in the weight of a row, a change whose outcome is what the log says
// without it. Once no older run speaks of the quad the row has nothing to say.
const idleBit = 2

// topRun is the net changes of one batch, or of several that followed each other.
type topRun struct {
	rows   int
	idle   int        // of them
	newest uint32     // weight
	oldest uint32     // weight
	graphs []topGraph // by id, 0 the default graph
	adds   ctxsync.Lazy[folds.Adds]
}

// index returns what the run adds to named graphs, these by their place.
func (r *topRun) index(ctx context.Context) (*folds.Adds, error) {
	return r.adds.Get(ctx, func(context.Context) (*folds.Adds, error) {
		runs := make([]*folds.Run, len(r.graphs))
		for i, g := range r.graphs {
			if g.id > 0 {
				runs[i] = g.Run
			}
		}
		return folds.NewAdds(runs), nil
	})
}

// topGraph is a run's rows of one graph.
type topGraph struct {
	id  dataset.ID
	net int64 // adds less deletes of all its batches
	*folds.Run
}

// find returns the place of a graph, -1 if there is none.
func (r *topRun) find(id dataset.ID) int {
	i := sort.Search(len(r.graphs), func(i int) bool { return r.graphs[i].id >= id })
	if i < len(r.graphs) && r.graphs[i].id == id {
		return i
	}
	return -1
}

// graph returns the rows of a graph, nil if there are none.
func (r *topRun) graph(id dataset.ID) *folds.Run {
	if i := r.find(id); i >= 0 {
		return r.graphs[i].Run
	}
	return nil
}

// whole is the context of what is done with a batch, which is applied whole: it does not
// end.
var whole = context.Background()

// mergeRuns returns the run that has the effect of a and then b: of a quad that
// both change the later change stays.
func mergeRuns(a, b *topRun) *topRun {
	out := &topRun{}
	i, j := 0, 0
	for i < len(a.graphs) || j < len(b.graphs) {
		switch {
		case j == len(b.graphs) || i < len(a.graphs) && a.graphs[i].id < b.graphs[j].id:
			out.add(a.graphs[i])
			i++
		case i == len(a.graphs) || a.graphs[i].id > b.graphs[j].id:
			out.add(b.graphs[j])
			j++
		default:
			both, _ := folds.MergeRuns(whole, a.graphs[i].Run, b.graphs[j].Run) // only a context ends it
			out.add(topGraph{a.graphs[i].id, a.graphs[i].net + b.graphs[j].net, both})
			i, j = i+1, j+1
		}
	}
	return out
}

// add appends a graph that has rows.
func (r *topRun) add(g topGraph) {
	r.graphs = append(r.graphs, g)
	rows := g.SPO()
	if r.rows == 0 {
		r.oldest = rows[0].Weight
	}
	r.rows += len(rows)
	for i := range rows {
		if rows[i].Weight&idleBit != 0 {
			r.idle++
		}
		r.newest = max(r.newest, rows[i].Weight)
		r.oldest = min(r.oldest, rows[i].Weight)
	}
}

// split takes the idle rows out of a run that nothing lies below.
func (r *topRun) split() (live, idle *topRun) {
	if r.idle == 0 {
		return r, nil
	}
	live, idle = &topRun{}, &topRun{}
	isIdle := func(r *tombstone.Row) bool { return r.Weight&idleBit != 0 }
	for _, g := range r.graphs {
		out := g.Where(isIdle)
		rest := g.Where(func(r *tombstone.Row) bool { return !isIdle(r) })
		net := g.net
		if rest.Len() > 0 {
			live.add(topGraph{g.id, net, rest})
			net = 0
		}
		if out.Len() > 0 {
			idle.add(topGraph{g.id, net, out})
		}
	}
	return live, idle
}

// moved returns the run in other predicate ranks, which keep the order.
func (r *topRun) moved(preds []uint32) *topRun {
	out := &topRun{rows: r.rows, idle: r.idle, newest: r.newest, oldest: r.oldest, graphs: make([]topGraph, len(r.graphs))}
	for i, g := range r.graphs {
		out.graphs[i] = topGraph{g.id, g.net, g.Ranked(preds)}
	}
	return out
}

// pushRun puts a run after the others, and merges.
func pushRun(runs []*topRun, r *topRun) []*topRun {
	runs = append(slices.Clip(runs), r)
	for n := len(runs); n > 1; n = len(runs) {
		a, b := runs[n-2], runs[n-1]
		if folds.Apart(a.rows, b.rows) {
			break
		}
		runs = append(slices.Clip(runs[:n-2]), mergeRuns(a, b))
	}
	return runs
}

// push puts a run above the others. Idle rows are taken out as soon as nothing is below
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

// all returns all net changes as one run, the idle ones included.
func (t *top) all() *topRun {
	all := &topRun{}
	for _, r := range slices.Concat(t.idle, t.runs) {
		all = mergeRuns(all, r)
	}
	return all
}

// Change is a change of a quad, in view ids; g is 0 in the default graph. idle
// is true if the outcome is what the log says without it; false if that is not
// known.
type Change struct {
	G, S, P, O dataset.ID
	Add, Idle  bool
}

// sources appends the rows of the top that match q in a graph, from a weight on. If
// that is one of the top's own, they tell what changed since, idle rows included; else
// what the top has to say of the log.
func (t *top) sources(ctx context.Context, q *query, graph, from uint32, srcs []folds.Source) ([]folds.Source, error) {
	runs := t.runs
	if from > t.core.below() {
		runs = slices.Concat(runs, t.idle)
	}
	for _, r := range runs {
		if r.newest < from {
			continue
		}
		rows, err := r.matching(ctx, q, graph)
		if err != nil {
			return nil, err
		}
		if len(rows) == 0 {
			continue
		}
		src := folds.Slice(rows, false)
		if r.oldest < from {
			src = folds.From(src, from)
		}
		srcs = append(srcs, src)
	}
	return srcs, nil
}

// matching returns the rows that match q in a graph.
func (r *topRun) matching(ctx context.Context, q *query, graph uint32) ([]tombstone.Row, error) {
	var id dataset.ID
	if graph > 0 {
		var err error
		if id, err = q.v.GraphID(ctx, &q.names.Names, graph); err != nil {
			return nil, err
		}
	}
	rows, err := r.graph(id).In(ctx, q.Order)
	return tombstone.Range(rows, q.Lo, q.Hi), err
}

// last returns what the runs say of a quad; ok is false if none speaks of it. The key is
// in SPO.
func (t *top) last(graph dataset.ID, key tombstone.Key) (add, ok bool) {
	var last tombstone.Row
	for _, run := range t.runs {
		if r, found := run.graph(graph).Find(key); found {
			last.Weight, ok = tombstone.Newest(last.Weight, r.Weight), true
		}
	}
	return last.Adds(), ok
}

// net returns the adds less the deletes of all batches in a graph.
func (t *top) net(graph dataset.ID) (n int64) {
	for _, list := range [][]*topRun{t.runs, t.idle} {
		for _, r := range list {
			if i := r.find(graph); i >= 0 {
				n += r.graphs[i].net
			}
		}
	}
	return n
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
func newRun(changes []Change, entry uint32, rank func(dataset.ID) uint32) *topRun {
	byGraph := make(map[dataset.ID][]tombstone.Row, 1)
	for i := range changes {
		c := &changes[i]
		row := tombstone.Row{Key: tombstone.Key{uint64(c.S), uint64(rank(c.P)), uint64(c.O)}, Weight: (entry + uint32(i)) << 2}
		if c.Add {
			row.Weight |= 1
		}
		if c.Idle {
			row.Weight |= idleBit
		}
		byGraph[c.G] = append(byGraph[c.G], row)
	}
	r := &topRun{}
	for _, id := range slices.Sorted(maps.Keys(byGraph)) {
		net := int64(0)
		for _, row := range byGraph[id] {
			if row.Adds() {
				net++
			} else {
				net--
			}
		}
		rows, _ := tombstone.Net(whole, byGraph[id]) // only a context ends it
		r.add(topGraph{id, net, folds.NewRun(rows)})
	}
	return r
}
