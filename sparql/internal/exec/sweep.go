package exec

import (
	"context"
	"io"
	"math/bits"
	"slices"

	"github.com/rete-go/rete/internal/ids"
	"github.com/rete-go/rete/sparql/dataset"
	"github.com/rete-go/rete/sparql/internal/plan"
)

// sweepStarts is the number of starts that are followed together: a bit each.
const sweepStarts = 64

// sweep is a walk along the automaton from a group of starts, breadth first.
type sweep struct {
	op   *pathOp
	seen []*idMap // by state: node to the starts that came there
	now  []front  // what the level begins with
	next []front
}

// front is the nodes of a state that starts came to in one level, with the
// starts. A node may stand in it more than once.
type front struct {
	nodes []id
	sets  []uint64
}

// byNode returns the starts of each node, of a front that is read by a scan.
func (f *front) byNode() func(id) uint64 {
	one := true
	for _, s := range f.sets {
		one = one && s == f.sets[0]
	}
	if one {
		return func(id) uint64 { return f.sets[0] }
	}
	m := newIDMap()
	for i, n := range f.nodes {
		if slot, ok := m.slot(n); ok {
			m.vals[slot] |= id(f.sets[i])
		} else {
			m.put(n, id(f.sets[i]))
		}
	}
	return func(n id) uint64 {
		slot, _ := m.slot(n)
		return uint64(m.vals[slot])
	}
}

// sweep follows the automaton from a group of starts and adds the pairs that it
// finds.
func (o *pathOp) sweep(ctx context.Context, starts []id) error {
	states := len(o.auto.steps)
	w := &sweep{op: o, seen: make([]*idMap, states), now: make([]front, states), next: make([]front, states)}
	for i := range w.seen {
		w.seen[i] = newIDMap()
	}
	for i, s := range starts {
		w.reach(s, 0, 1<<i)
	}
	for {
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
					return err
				}
			}
			f.nodes, f.sets = f.nodes[:0], f.sets[:0]
		}
		if !busy || w.arrived(len(starts)) {
			break
		}
		if err := w.count(); err != nil {
			return err
		}
		if err := ctx.Err(); err != nil {
			return err
		}
	}
	return w.collect(starts)
}

// count counts the memory of the sweep.
func (w *sweep) count() error { return w.op.hold.to(w.bytes() + w.op.kept()) }

// bytes returns the memory of what was seen and of the fronts.
func (w *sweep) bytes() int64 {
	var n int64
	for state := range w.now {
		n += int64(cap(w.now[state].nodes)+cap(w.next[state].nodes)) * 16
	}
	for _, m := range w.seen {
		n += m.bytes()
	}
	return n
}

// arrived reports whether every start has come to the far end, if that is one
// node: then there is nothing left to find.
func (w *sweep) arrived(starts int) bool {
	far := w.op.far()
	if far.Var != plan.NoVar {
		return false
	}
	accept := w.seen[w.op.auto.accept]
	slot, ok := accept.slot(far.ID)
	return ok && bits.OnesCount64(uint64(accept.vals[slot])) == starts
}

// reach notes that starts have come to a node in a state, and in all states
// that are reached from there without a step.
func (w *sweep) reach(node id, state int, set uint64) {
	m := w.seen[state]
	slot, ok := m.slot(node)
	if ok {
		set &^= uint64(m.vals[slot])
		if set == 0 {
			return
		}
		m.vals[slot] |= id(set)
	} else {
		m.put(node, id(set))
	}
	if len(w.op.auto.steps[state]) > 0 {
		f := &w.next[state]
		f.nodes, f.sets = append(f.nodes, node), append(f.sets, set)
	}
	for _, next := range w.op.auto.empty[state] {
		w.reach(node, next, set)
	}
}

// follow takes one step from all nodes of a front: along edges in memory, if
// the step has them, else by one scan.
func (w *sweep) follow(ctx context.Context, st *step, f *front) error {
	e, err := w.op.edgesOf(ctx, st)
	if err != nil {
		return err
	}
	if e != nil {
		for i, n := range f.nodes {
			for _, to := range e.from(n) {
				w.reach(to, st.to, f.sets[i])
			}
		}
		return nil
	}
	list := make([]id, 0, len(f.nodes))
	for _, n := range f.nodes {
		if !n.IsLocal() {
			list = append(list, n)
		}
	}
	if len(list) == 0 {
		return nil
	}
	slices.Sort(list)
	set := new(ids.Set)
	set.AddSorted(list)
	starts := f.byNode()
	edges := 0
	err = w.op.scanStep(ctx, st, set, func(from, to id) {
		w.reach(to, st.to, starts(from))
		edges++
	})
	if err != nil || edges < looks {
		return err
	}
	return w.count()
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
	return scanAll(ctx, o.run, p, from, opt, func(b *dataset.Batch) error {
		for row := range b.N {
			if len(st.not) > 0 && slices.Contains(st.not, b.Col[dataset.P][row]) {
				continue
			}
			edge(b.Col[from][row], b.Col[to][row])
		}
		return ctx.Err()
	})
}

// noEOF turns the end of a scan into no error.
func noEOF(err error) error {
	if err == io.EOF {
		return nil
	}
	return err
}
