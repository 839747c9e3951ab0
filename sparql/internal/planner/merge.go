package planner

import (
	"github.com/rete-go/rete/dataset"
	"github.com/rete-go/rete/sparql/internal/plan"
)

// JoinChoice bounds the methods of joins, for tests and benchmarks.
type JoinChoice uint8

const (
	AnyJoin   JoinChoice = iota
	PairJoins            // neither merges nor leapfrogs
	ManyJoins            // these wherever they can be, at any cost
	LongJoins            // all groups of three operands or more are planned as long ones
)

const (
	// costMerge is the cost of a row that a merge compares, in nanoseconds.
	costMerge = 6
	// minMerged is how many rows each side of a merge has at least.
	minMerged = 2000
)

// mergeOn is what rows are merged on: a variable and, unless that is NoVar, that of the graph.
type mergeOn struct{ key, graph plan.Var }

var notMerged = mergeOn{plan.NoVar, plan.NoVar}

// merges returns on what two trees can be merged, and the cost of that next to the left
// tree's: each is an operand that can be read in this order, the left one maybe a merge
// on the same. They share nothing else.
func (o *operands) merges(l, r *joinTree) (mergeOn, float64) {
	if r.part < 0 || !o.mayMerge(min(l.facts.rows, r.facts.rows)) {
		return notMerged, 0
	}
	on := notMerged
	for _, v := range l.facts.vars.And(r.facts.vars).Vars() {
		switch s := o.g.parts[r.part].spec; {
		case s != nil && s.graph.Var == v:
			on.graph = v
		case on.key != plan.NoVar:
			return notMerged, 0
		default:
			on.key = v
		}
	}
	if on.key == plan.NoVar || l.part < 0 && l.merge != on || !o.inOrderOf(r.part, on) || l.part >= 0 && !o.inOrderOf(l.part, on) {
		return notMerged, 0
	}
	if o.p.joins == ManyJoins {
		return on, 0
	}
	all := o.g.parts[r.part].rows
	return on, r.cost - r.perRow*max(0, all-o.tested(l, r)) + (l.facts.rows+all)*costMerge
}

// mayMerge reports whether a join whose smaller side has the given rows may be a merge
// at all.
func (o *operands) mayMerge(rows float64) bool {
	if o.p.joins == PairJoins || len(o.sc.side) > 0 {
		return false
	}
	return o.p.joins == ManyJoins || rows >= minMerged && o.sc.few == 0
}

// tested returns on how many rows the filters of the right operand of a merge are
// looked at: on its own ones, or on those that the merge makes.
func (o *operands) tested(l, r *joinTree) float64 {
	all := &o.g.parts[r.part].facts
	return min(all.rows, joinedRows(l.facts, all))
}

// inOrderOf reports whether an operand is a scan that can be read in the order that a merge wants.
func (o *operands) inOrderOf(part int, on mergeOn) bool {
	s := o.g.parts[part].spec
	if s == nil || s.none || s.terms != [3]*plan.TermSet{} || s.walked || s.text != 0 || len(s.same)+len(s.unfold)+len(s.not) > 0 {
		return false
	}
	if !o.p.graphInOrder(&s.graph, on) {
		return false
	}
	_, ok := o.p.orderBy(s.pattern, s.cols, on.key)
	return ok && s.cols[dataset.P] != on.key // predicates have an order of their own
}

// graphInOrder reports whether the rows of a pattern in a graph come in the order that a merge wants.
func (p *Planner) graphInOrder(g *plan.Graph, on mergeOn) bool {
	if g.Var != on.graph || g.Param >= 0 {
		return false
	}
	if on.graph != plan.NoVar {
		_, placed := p.ds.(dataset.GraphPlacer)
		return placed
	}
	return g.Mode != dataset.Each || len(g.Set) == 1
}

// merged returns the merge of two plans; nil if their rows do not come in its order.
func (p *Planner) merged(left, right plan.Node, on mergeOn, sc scope, rows float64) *plan.Merge {
	if !p.inOrder(left, on) || !p.inOrder(right, on) {
		return nil
	}
	m := &plan.Merge{Key: on.key, Graph: on.graph}
	if l, ok := left.(*plan.Merge); ok && l.Kind == plan.Inner {
		m.Args = append(m.Args, l.Args...)
	} else {
		m.Args = append(m.Args, left)
	}
	m.Args = append(m.Args, right)
	var seen plan.Set
	for _, n := range []plan.Node{left, right} {
		b := n.Base()
		m.Sure = m.Sure.Union(b.Sure)
		for _, w := range b.Vars {
			if sc.need.Has(w) && !seen.Has(w) {
				m.Vars = append(m.Vars, w)
				seen.Add(w)
			}
		}
	}
	m.Sure, m.Rows = m.Sure.And(seen), rows
	return m
}

// inOrder makes a plan deliver its rows in the order that a merge wants; false if it cannot.
func (p *Planner) inOrder(n plan.Node, on mergeOn) bool {
	if !plan.SetOf(on.key, on.graph).Within(columnsOf(n)) {
		return false
	}
	for {
		switch x := n.(type) {
		case *plan.Filter:
			n = x.Input
		case *plan.Merge:
			return x.Key == on.key && x.Graph == on.graph
		case *plan.Scan:
			return p.graphInOrder(&x.Graph, on) && p.leadWith(x, on.key)
		default:
			return false
		}
	}
}
