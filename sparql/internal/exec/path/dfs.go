package path

import (
	"context"

	"github.com/rete-go/rete/dataset"
	"github.com/rete-go/rete/internal/cancel"
	"github.com/rete-go/rete/internal/ids"
	"github.com/rete-go/rete/sparql/internal/plan"
)

// dfs follows the automaton from one start, where there is no memory to follow many:
// the nodes that were seen are compressed sets.
type dfs struct {
	op    *pathOp
	start id
	seen  []*ids.Set // by state
	now   [][]id
	next  [][]id
	given *ids.Set // ends that were delivered before; nil: none
	last  id       // the end that was delivered last
}

// dfsFrom walks from a start and keeps the ends for the pairs to be made, but for those
// that were given before.
func (o *pathOp) dfsFrom(ctx context.Context, start id, given *ids.Set) error {
	states := len(o.auto.steps)
	w := &dfs{op: o, start: start, given: given, seen: make([]*ids.Set, states), now: make([][]id, states), next: make([][]id, states)}
	for i := range w.seen {
		w.seen[i] = new(ids.Set)
	}
	w.reach(start, 0)
	for busy := true; busy && !w.arrived(); {
		w.now, w.next = w.next, w.now
		busy = false
		for state, nodes := range w.now {
			w.now[state] = nil
			for i := range o.auto.steps[state] {
				if len(nodes) == 0 {
					break
				}
				busy = true
				if err := w.follow(ctx, &o.auto.steps[state][i], nodes); err != nil {
					return err
				}
			}
		}
		if err := ctx.Err(); err != nil {
			return err
		}
	}
	w.seen = []*ids.Set{w.seen[o.auto.accept]}
	o.walk = w
	return o.hold.To(ctx, w.bytes()+o.kept())
}

func (w *dfs) bytes() int64 {
	var n int64
	if w.given != nil {
		n = w.given.Bytes()
	}
	for _, s := range w.seen {
		n += s.Bytes()
	}
	for state := range w.next {
		n += int64(cap(w.next[state])+cap(w.now[state])) * 8
	}
	return n
}

// arrived reports whether there is nothing left to find: the far end is one node.
func (w *dfs) arrived() bool {
	far := w.op.far()
	return far.Var == plan.NoVar && w.seen[w.op.auto.accept].Contains(far.ID)
}

// reach notes that a node was reached in a state, and in those that follow it without a step.
func (w *dfs) reach(node id, state int) {
	if w.seen[state].Contains(node) {
		return
	}
	w.seen[state].Add(node)
	if len(w.op.auto.steps[state]) > 0 {
		w.next[state] = append(w.next[state], node)
	}
	for _, next := range w.op.auto.empty[state] {
		w.reach(node, next)
	}
}

// walkNodes is how many nodes are followed by one scan.
const walkNodes = 64 << 10

// follow takes one step from nodes.
func (w *dfs) follow(ctx context.Context, st *step, nodes []id) error {
	e := st.walked.edges
	if e != nil && st.walked.graph != w.op.now {
		e = nil
	}
	if err := cancel.Ordered(ctx, nodes); err != nil {
		return err
	}
	for len(nodes) > 0 {
		n := min(len(nodes), walkNodes)
		part := nodes[:n]
		nodes = nodes[n:]
		if e != nil {
			for _, from := range part {
				for list, more := e.from(from), true; more; more = len(list) > 0 {
					block := list[:min(len(list), cancel.Block)]
					list = list[len(block):]
					for _, to := range block {
						w.reach(to, st.to)
					}
					if err := w.op.since.Pass(ctx, 1+len(block)); err != nil {
						return err
					}
				}
			}
		} else {
			for len(part) > 0 && part[len(part)-1].IsLocal() {
				part = part[:len(part)-1]
			}
			if len(part) == 0 {
				continue
			}
			set := new(ids.Set)
			set.AddSorted(part)
			if err := w.op.scanStep(ctx, st, set, func(_, to id) { w.reach(to, st.to) }); err != nil {
				return err
			}
		}
		if err := w.op.hold.To(ctx, w.bytes()+w.op.kept()); err != nil {
			return err
		}
	}
	return nil
}

// pairs appends the next pairs, at most dataset.MaxBatch; false if there are none.
func (w *dfs) pairs(pairs *[2][]id) bool {
	n := 0
	for n < dataset.MaxBatch {
		end, ok := w.seen[0].Next(w.last + 1)
		if !ok {
			break
		}
		w.last = end
		if w.given != nil && w.given.Contains(end) {
			continue
		}
		pairs[0], pairs[1] = append(pairs[0], w.start), append(pairs[1], end)
		n++
	}
	return n > 0
}
