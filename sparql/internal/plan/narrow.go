package plan

import (
	"slices"

	"github.com/rete-go/rete/dataset"
	"github.com/rete-go/rete/sparql/internal/algebra"
)

// narrowing copies the right side of a join that was planned to run once, so that its
// leaves refer to an input.
type narrowing struct {
	input   int
	dropped int // an input to which the scan at hand is not to refer any more; -1: none
	orders  func(dataset.Pattern) []dataset.Order
	copied  func(to, from Node)
}

// Narrowed returns the right side of a join as if the join were applied: narrowed by the
// ids that the rows of the left side, as the join's input, have for its keys. A join that
// was planned to store its right side uses that if the left one proves to be small. It
// returns nil if nothing on the right side can be narrowed. copied, if not nil, is told of
// each node that the result has in the place of another one.
func (j *Join) Narrowed(orders func(dataset.Pattern) []dataset.Order, copied func(to, from Node)) Node {
	if runsOnce(j.Right) {
		return nil
	}
	x := &narrowing{input: j.Input, dropped: -1, orders: orders, copied: copied}
	n, ok := x.node(j.Right, SetOf(j.Keys...), false)
	if !ok {
		return nil
	}
	if s, ok := n.(*Scan); ok {
		s.Direct = j.Input + 1
	}
	return n
}

// runsOnce reports whether rows are counted in a node, or values are made that another
// run would not give again.
func runsOnce(n Node) bool {
	switch n := n.(type) {
	case *Filter:
		if n.Counted || slices.ContainsFunc(n.Exprs, volatile) {
			return true
		}
	case *Extend:
		if slices.ContainsFunc(n.Added, func(a Added) bool { return volatile(a.Expr) }) {
			return true
		}
	case *Group:
		if slices.ContainsFunc(n.Aggs, func(a algebra.Aggregation) bool { return a.Arg != nil && volatile(a.Arg) }) {
			return true
		}
	case *Substitute:
		if n.Each {
			return true
		}
	case *Lateral:
		if n.Each {
			return true
		}
	}
	return slices.ContainsFunc(n.Inputs(), runsOnce)
}

// node returns a copy of a node that delivers no fewer of the rows whose keys are among
// the ids of the input; false if it is the node itself. sorted says that the order of its
// rows matters.
func (x *narrowing) node(n Node, keys Set, sorted bool) (Node, bool) {
	keys = keys.And(n.Base().Sure)
	if keys.Empty() {
		return n, false
	}
	to, ok := x.copy(n, keys, sorted)
	if !ok {
		return n, false
	}
	if x.copied != nil {
		x.copied(to, n)
	}
	return to, true
}

// copy is node without what it does for all kinds; false if the copy is of no use.
func (x *narrowing) copy(n Node, keys Set, sorted bool) (Node, bool) {
	switch n := n.(type) {
	case *Scan:
		return x.scan(n, keys, sorted)
	case *Path:
		return x.path(n, keys)
	case *Exchange: // few rows: one goroutine
		return x.node(n.Input, keys, sorted)
	case *Filter, *Extend, *Project, *Unfold, *Distinct, *Union:
		return x.inputs(n, keys, sorted, len(n.Inputs()))
	case *Group:
		return x.inputs(n, keys.And(SetOf(n.Keys...)), true, 1)
	case *Merge:
		if n.Kind != Inner { // whether a left row has a match must not depend on what is around
			return x.inputs(n, keys, true, 1)
		}
		return x.inputs(n, keys, true, len(n.Args))
	case *Join:
		return x.join(n, keys, sorted)
	}
	return n, false
}

// join narrows both sides of an inner join, else the left one: whether a left row has a
// match must not depend on what is around. If the right side of two alone can be narrowed,
// it becomes the left one, which then may narrow the other.
func (x *narrowing) join(n *Join, keys Set, sorted bool) (Node, bool) {
	c := *n
	left := x.put(&c.Left, keys, sorted)
	if n.Kind != Inner {
		return &c, left
	}
	turn := !left && n.Cond == nil && (!n.Apply || ofScan(n.Right))
	if turn && n.Apply {
		x.dropped = n.Input
	}
	right := x.put(&c.Right, keys, false)
	x.dropped = -1
	if right && turn {
		c.Left, c.Right, c.Apply = c.Right, c.Left, false
	}
	return &c, left || right
}

// ofScan reports whether a plan is one scan and what is done with each of its rows.
func ofScan(n Node) bool {
	for {
		switch n.(type) {
		case *Scan:
			return true
		case *Filter, *Extend, *Project, *Unfold:
			n = n.Inputs()[0]
		default:
			return false
		}
	}
}

// put narrows a node in its place; false if it stays as it is.
func (x *narrowing) put(n *Node, keys Set, sorted bool) bool {
	to, ok := x.node(*n, keys, sorted)
	*n = to
	return ok
}

// inputs narrows those of the first inputs of a node that can be; false if none can.
func (x *narrowing) inputs(n Node, keys Set, sorted bool, first int) (Node, bool) {
	to := Rewrite(n, func(i int, in Node) Node {
		if i < first {
			in, _ = x.node(in, keys, sorted)
		}
		return in
	})
	return to, to != n
}

func (x *narrowing) scan(n *Scan, keys Set, sorted bool) (Node, bool) {
	if n.Extreme != nil || n.Walked {
		return n, false
	}
	c := *n
	if x.dropped >= 0 {
		for i, ref := range n.Within {
			if ref != nil && ref.Input == x.dropped {
				c.Within[i], c.Direct = nil, 0
			}
		}
	}
	narrow, some := c.Within, false
	for i, v := range n.Cols {
		if v != NoVar && keys.Has(v) && narrow[i] == nil {
			c.Within[i] = &Ref{Input: x.input, Var: v}
			some = true
		}
	}
	if !some {
		return n, false
	}
	if !sorted && !n.Skip && narrow == [4]*Ref{} {
		c.Order = BestOrder(x.orders(n.Pattern), FixedIn(&n.Pattern), c.Within)
	}
	return &c, true
}

func (x *narrowing) path(n *Path, keys Set) (Node, bool) {
	c := *n
	some := false
	for i, end := range []Arg{n.S, n.O, {Var: n.Graph.Var}} {
		if end.Var != NoVar && keys.Has(end.Var) && n.Within[i] == nil {
			c.Within[i] = &Ref{Input: x.input, Var: end.Var}
			some = true
		}
	}
	if !some {
		return n, false
	}
	return &c, true
}
