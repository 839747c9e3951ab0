package planner

import (
	"context"

	"github.com/rete-go/rete/dataset"
	"github.com/rete-go/rete/sparql/internal/algebra"
	"github.com/rete-go/rete/sparql/internal/plan"
)

// outerMerge plans a join of a kind other than Inner as a merge on its one key; nil if
// that cannot be, or is dearer than the other ways. What stretches of one side the other
// has nothing to say of are not read, as far as the kind allows that.
func (p *Planner) outerMerge(ctx context.Context, j *plan.Join, leftRows float64, right algebra.Op, rf *facts, conds []algebra.Expr, inner, sc scope) (*plan.Merge, error) {
	if j.Kind == plan.Mark || len(conds) > 0 || len(j.Keys) != 1 || len(j.Loose) > 0 || p.joins == PairJoins || len(sc.side) > 0 || p.asWritten || p.once(right) {
		return nil, nil
	}
	if p.joins != ManyJoins {
		cost := (leftRows + rf.rows) * costMerge
		if sc.few > 0 || min(leftRows, rf.rows) < minMerged || cost > probeCost(leftRows, rf, plan.SetOf(j.Keys...)) {
			return nil, nil
		}
	}
	key := j.Keys[0]
	if !p.ordered(j.Left, key) {
		return nil, nil
	}
	n, err := p.plan(ctx, right, p.rightScope(j, leftRows, rf.vars, inner))
	if err != nil || !p.ordered(n, key) {
		return nil, err
	}
	on := mergeOn{key, plan.NoVar}
	o := *j
	o.Right = n
	p.finish(&o, leftRows, sc)
	if len(o.Keys) != 1 || len(o.Loose) > 0 || !p.inOrder(o.Left, on) || !p.inOrder(n, on) {
		return nil, nil
	}
	if o.Kind == plan.Left {
		o.Rows = max(leftRows, joined(&facts{rows: leftRows, sure: o.Left.Base().Sure}, rf).rows)
	}
	return &plan.Merge{Info: o.Info, Kind: o.Kind, Key: key, Graph: plan.NoVar, Args: []plan.Node{o.Left, n}}, nil
}

// ordered reports whether a plan delivers its rows in the order of a variable, or can be
// made to by [Planner.inOrder].
func (p *Planner) ordered(n plan.Node, v plan.Var) bool {
	if !columnsOf(n).Has(v) {
		return false
	}
	switch x := n.(type) {
	case *plan.Filter:
		return p.ordered(x.Input, v)
	case *plan.Merge:
		return x.Key == v && x.Graph == plan.NoVar
	case *plan.Scan:
		if x.Extreme != nil || x.Skip || x.Walked || x.Terms != [3]*plan.TermSet{} || len(x.Same)+len(x.Not) > 0 || x.Within != [4]*plan.Ref{} {
			return false
		}
		if !p.graphInOrder(&x.Graph, mergeOn{v, plan.NoVar}) {
			return false
		}
		_, ok := p.orderBy(x.Pattern, x.Cols, v)
		return ok && x.Cols[dataset.P] != v // predicates have an order of their own
	}
	return false
}
