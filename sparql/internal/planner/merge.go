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

// merges returns the variable on which two trees can be merged, and the cost of that
// next to the left tree's: each is an operand that can be read in its order, the left one
// maybe a merge on it. The variable is the only one that they share.
func (o *operands) merges(l, r *joinTree) (plan.Var, float64) {
	if r.part < 0 || !o.mayMerge(min(l.facts.rows, r.facts.rows)) {
		return plan.NoVar, 0
	}
	shared := l.facts.vars.And(r.facts.vars).Vars()
	if len(shared) != 1 || l.part < 0 && l.merge != shared[0] {
		return plan.NoVar, 0
	}
	v := shared[0]
	if !o.inOrderOf(r.part, v) || l.part >= 0 && !o.inOrderOf(l.part, v) {
		return plan.NoVar, 0
	}
	if o.p.joins == ManyJoins {
		return v, 0
	}
	all := o.g.parts[r.part].rows
	return v, r.cost - r.perRow*max(0, all-o.tested(l, r)) + (l.facts.rows+all)*costMerge
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

// inOrderOf reports whether an operand is a scan that can be read in the order of a
// variable.
func (o *operands) inOrderOf(part int, v plan.Var) bool {
	s := o.g.parts[part].spec
	if s == nil || s.none || s.terms != [3]*plan.TermSet{} || s.walked || s.text != 0 || len(s.same)+len(s.unfold)+len(s.not) > 0 {
		return false
	}
	g := s.graph
	if g.Var != plan.NoVar || g.Param >= 0 || g.Mode == dataset.Each && len(g.Set) != 1 {
		return false
	}
	_, ok := o.p.orderBy(s.pattern, s.cols, v)
	return ok && s.cols[dataset.P] != v // predicates have an order of their own
}

// merged returns the merge of two plans on a variable; nil if their rows do not come
// in its order.
func (p *Planner) merged(left, right plan.Node, v plan.Var, sc scope, rows float64) *plan.Merge {
	if !p.inOrder(left, v) || !p.inOrder(right, v) {
		return nil
	}
	m := &plan.Merge{Key: v}
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

// inOrder makes a plan deliver its rows in the order of a variable; false if it cannot.
func (p *Planner) inOrder(n plan.Node, v plan.Var) bool {
	if !columnsOf(n).Has(v) {
		return false
	}
	for {
		switch x := n.(type) {
		case *plan.Filter:
			n = x.Input
		case *plan.Merge:
			return x.Key == v
		case *plan.Scan:
			return p.leadWith(x, v)
		default:
			return false
		}
	}
}
