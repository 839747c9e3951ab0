package path

import (
	"cmp"
	"context"
	"math/bits"
	"slices"

	"github.com/rete-go/rete/dataset"
	"github.com/rete-go/rete/internal/cancel"
	"github.com/rete-go/rete/internal/ids"
	"github.com/rete-go/rete/sparql/internal/exec/rowset"
	"github.com/rete-go/rete/sparql/internal/exec/scan"
	"github.com/rete-go/rete/sparql/internal/plan"
)

// bfsStarts is the number of starts that are followed together: a bit each.
const bfsStarts = 64

// bfs is a walk along the automaton from a group of starts, breadth first. The
// pairs that it finds are handed on as it goes.
type bfs struct {
	op     *pathOp
	starts []id
	seen   []*rowset.NodeSets // by state: the starts that came to a node
	now    []front            // what the level begins with
	next   []front
}

// front is the nodes of a state that starts came to in one level, with the
// starts. A node may stand in it more than once.
type front struct {
	nodes []id
	sets  []uint64
}

// byNode returns the starts of each node, of a front that is read by a scan.
func (f *front) byNode(ctx context.Context) (func(id) uint64, error) {
	one := true
	err := cancel.Blocks(ctx, len(f.sets), func(from, to int) {
		for _, s := range f.sets[from:to] {
			one = one && s == f.sets[0]
		}
	})
	if one {
		return func(id) uint64 { return f.sets[0] }, err
	}
	m := rowset.NewIDMap()
	err = cmp.Or(err, cancel.Each(ctx, len(f.nodes), func(from, to int) error {
		if err := m.Reserve(ctx, to-from); err != nil {
			return err
		}
		for i, n := range f.nodes[from:to] {
			at, _ := m.Add(n)
			m.Vals[at] |= id(f.sets[from+i])
		}
		return nil
	}))
	return func(n id) uint64 { return uint64(m.Vals[m.Find(n)]) }, err
}

// newBFS begins a walk.
func newBFS(ctx context.Context, o *pathOp, starts []id) *bfs {
	states := len(o.auto.steps)
	w := &bfs{op: o, starts: starts, seen: make([]*rowset.NodeSets, states), now: make([]front, states), next: make([]front, states)}
	for i := range w.seen {
		if o.auto.matters(i) {
			w.seen[i] = rowset.NewNodeSets()
		}
	}
	for i, s := range starts {
		w.reach(ctx, s, 0, 1<<i)
	}
	return w
}

// advance goes on level by level until there are pairs for a batch; it returns false
// at the end of the walk.
func (w *bfs) advance(ctx context.Context) (bool, error) {
	o := w.op
	for len(o.pairs[0]) < dataset.MaxBatch {
		w.now, w.next = w.next, w.now
		busy := false
		for state := range w.now {
			f := &w.now[state]
			if len(f.nodes) == 0 {
				continue
			}
			for i := range o.auto.steps[state] {
				busy = true
				if err := w.follow(ctx, &o.auto.steps[state][i], f); err != nil {
					return false, err
				}
			}
			f.nodes, f.sets = f.nodes[:0], f.sets[:0]
		}
		if err := w.count(ctx); err != nil {
			return false, err
		}
		if !busy || w.arrived() {
			return false, nil
		}
		if err := ctx.Err(); err != nil {
			return false, err
		}
	}
	return true, nil
}

// count counts the memory of the search, unless the context ended inside one of its sets.
func (w *bfs) count(ctx context.Context) error {
	for _, m := range w.seen {
		if m != nil && m.Err != nil {
			return m.Err
		}
	}
	return w.op.hold.To(ctx, w.bytes()+w.op.kept())
}

// given returns, for each start, the ends of the pairs that were found.
func (w *bfs) given(ctx context.Context) ([]*ids.Set, error) {
	out := make([]*ids.Set, len(w.starts))
	for i := range out {
		out[i] = new(ids.Set)
	}
	return out, w.seen[w.op.auto.accept].Each(ctx, func(node id, set uint64) {
		for ; set != 0; set &= set - 1 {
			out[bits.TrailingZeros64(set)].Add(node)
		}
	})
}

// bytes returns the memory of what was seen, of the fronts and of the pairs.
func (w *bfs) bytes() int64 {
	n := int64(cap(w.op.pairs[0])+cap(w.op.pairs[1])) * 8
	for i, m := range w.seen {
		if m != nil {
			n += m.Bytes()
		}
		n += int64(cap(w.now[i].nodes)+cap(w.next[i].nodes)) * 16
	}
	return n
}

// arrived reports whether every start has come to the far end, if that is one
// node: then there is nothing left to find.
func (w *bfs) arrived() bool {
	far := w.op.far()
	if far.Var != plan.NoVar {
		return false
	}
	return bits.OnesCount64(w.seen[w.op.auto.accept].Get(far.ID)) == len(w.starts)
}

// reach notes that starts have come to a node in a state, and in all states
// that are reached from there without a step.
func (w *bfs) reach(ctx context.Context, node id, state int, set uint64) {
	auto := w.op.auto
	for _, s := range auto.closed[state] {
		s := int(s)
		fresh := w.seen[s].Add(ctx, node, set)
		if fresh == 0 {
			continue
		}
		if len(auto.steps[s]) > 0 {
			f := &w.next[s]
			f.nodes, f.sets = append(f.nodes, node), append(f.sets, fresh)
		}
		if s == auto.accept {
			w.found(node, fresh)
		}
	}
}

// found adds the pairs of starts and an end.
func (w *bfs) found(end id, set uint64) {
	o := w.op
	if far := o.far(); far.Var == plan.NoVar && far.ID != end {
		return
	}
	for ; set != 0; set &= set - 1 {
		o.pairs[0] = append(o.pairs[0], w.starts[bits.TrailingZeros64(set)])
		o.pairs[1] = append(o.pairs[1], end)
	}
}

// follow takes one step from all nodes of a front: along edges in memory, if
// the step has them, else by one scan.
func (w *bfs) follow(ctx context.Context, st *step, f *front) error {
	e, err := w.op.edgesOf(ctx, st)
	if err != nil {
		return err
	}
	if e != nil {
		for i, n := range f.nodes {
			for list, more := e.from(n), true; more; more = len(list) > 0 {
				part := list[:min(len(list), cancel.Block)]
				list = list[len(part):]
				for _, to := range part {
					w.reach(ctx, to, st.to, f.sets[i])
				}
				if err := w.op.since.Pass(ctx, 1+len(part)); err != nil {
					return err
				}
			}
		}
		return nil
	}
	list := make([]id, 0, len(f.nodes))
	err = cancel.Blocks(ctx, len(f.nodes), func(from, to int) {
		for _, n := range f.nodes[from:to] {
			if !n.IsLocal() {
				list = append(list, n)
			}
		}
	})
	if len(list) == 0 || err != nil {
		return err
	}
	set := new(ids.Set)
	if err := cancel.Ordered(ctx, list); err != nil {
		return err
	}
	if err := rowset.AddSorted(ctx, set, list); err != nil {
		return err
	}
	starts, err := f.byNode(ctx)
	if err != nil {
		return err
	}
	edges := 0
	err = w.op.scanStep(ctx, st, set, func(from, to id) {
		w.reach(ctx, to, st.to, starts(from))
		edges++
	})
	if err != nil || edges < cancel.Every {
		return err
	}
	return w.count(ctx)
}

// scanStep reads the edges of a step, from the nodes of a set if it is not nil.
func (o *pathOp) scanStep(ctx context.Context, st *step, nodes *dataset.IDSet, edge func(from, to id)) error {
	from, to := dataset.S, dataset.O
	if st.back {
		from, to = to, from
	}
	p := dataset.Pattern{P: st.predicate, G: o.graph}
	opt := &dataset.ScanOptions{Cols: from.Bit() | to.Bit()}
	if len(st.not) > 0 {
		opt.Cols |= dataset.P.Bit()
	}
	opt.Within[from] = nodes
	return scan.All(ctx, o.run, p, from, opt, func(b *dataset.Batch) error {
		for row := range b.N {
			if len(st.not) > 0 && slices.Contains(st.not, b.Col[dataset.P][row]) {
				continue
			}
			edge(b.Col[from][row], b.Col[to][row])
		}
		return ctx.Err()
	})
}
