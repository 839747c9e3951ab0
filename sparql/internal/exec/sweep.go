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

// placeKey is a node in a state.
type placeKey struct {
	node  id
	state int
}

// sweep follows the automaton from a group of starts, breadth first, and adds
// the pairs that it finds.
func (o *pathOp) sweep(ctx context.Context, starts []id) error {
	seen := make(map[placeKey]uint64)
	frontier := make([]map[id]uint64, len(o.auto.steps))
	reach := func(node id, state int, bits uint64) {
		o.reach(seen, frontier, node, state, bits)
	}
	for i, s := range starts {
		reach(s, 0, 1<<i)
	}
	for {
		level := frontier
		frontier = make([]map[id]uint64, len(o.auto.steps))
		busy := false
		for state, nodes := range level {
			if len(nodes) == 0 {
				continue
			}
			for _, st := range o.auto.steps[state] {
				busy = true
				if err := o.follow(ctx, st, nodes, reach); err != nil {
					return err
				}
			}
		}
		if !busy || o.arrived(seen, len(starts)) {
			break
		}
		if err := o.hold.to(int64(len(seen)) * 48); err != nil {
			return err
		}
	}
	return o.collect(starts, seen)
}

// arrived reports whether every start has come to the far end, if that is one
// node: then there is nothing left to find.
func (o *pathOp) arrived(seen map[placeKey]uint64, starts int) bool {
	far := o.far()
	return far.Var == plan.NoVar && bits.OnesCount64(seen[placeKey{far.ID, o.auto.accept}]) == starts
}

// reach notes that starts have come to a node in a state, and in all states
// that are reached from there without a step.
func (o *pathOp) reach(seen map[placeKey]uint64, frontier []map[id]uint64, node id, state int, set uint64) {
	key := placeKey{node, state}
	fresh := set &^ seen[key]
	if fresh == 0 {
		return
	}
	seen[key] |= fresh
	if len(o.auto.steps[state]) > 0 {
		if frontier[state] == nil {
			frontier[state] = make(map[id]uint64)
		}
		frontier[state][node] |= fresh
	}
	for _, next := range o.auto.empty[state] {
		o.reach(seen, frontier, node, next, fresh)
	}
}

// follow takes one step from all nodes of a frontier, by one scan.
func (o *pathOp) follow(ctx context.Context, st step, nodes map[id]uint64, reach func(id, int, uint64)) error {
	list := make([]id, 0, len(nodes))
	for n := range nodes {
		if !n.IsLocal() {
			list = append(list, n)
		}
	}
	if len(list) == 0 {
		return nil
	}
	slices.Sort(list)
	from, to := dataset.S, dataset.O
	if st.back {
		from, to = to, from
	}
	p := dataset.Pattern{P: st.predicate, G: o.graph}
	opt := &dataset.ScanOptions{Cols: from.Bit() | to.Bit()}
	if st.any && len(st.not) > 0 {
		opt.Cols |= dataset.P.Bit()
	}
	opt.Within[from] = ids.SetOf(list...)
	return scanAll(ctx, o.run, p, from, opt, func(b *dataset.Batch) error {
		for row := range b.N {
			if len(st.not) > 0 && slices.Contains(st.not, b.Col[dataset.P][row]) {
				continue
			}
			reach(b.Col[to][row], st.to, nodes[b.Col[from][row]])
		}
		return ctx.Err()
	})
}

// collect adds the pairs of starts and the nodes in the state of the end.
func (o *pathOp) collect(starts []id, seen map[placeKey]uint64) error {
	type found struct {
		node id
		bits uint64
	}
	var ends []found
	for key, set := range seen {
		if key.state == o.auto.accept {
			ends = append(ends, found{key.node, set})
		}
	}
	slices.SortFunc(ends, func(a, b found) int {
		if a.node < b.node {
			return -1
		}
		return 1
	})
	for _, e := range ends {
		for set := e.bits; set != 0; set &= set - 1 {
			o.pairs[0] = append(o.pairs[0], starts[bits.TrailingZeros64(set)])
			o.pairs[1] = append(o.pairs[1], e.node)
		}
	}
	return o.hold.to(int64(cap(o.pairs[0])+cap(o.pairs[1])) * 8)
}

// noEOF turns the end of a scan into no error.
func noEOF(err error) error {
	if err == io.EOF {
		return nil
	}
	return err
}
