package planner

import (
	"context"

	"github.com/rete-go/rete/dataset"
	"github.com/rete-go/rete/sparql/internal/algebra"
	"github.com/rete-go/rete/sparql/internal/plan"
)

// outerMerge plans a join of a kind other than Inner as a merge on its one key, beside that of the graph
// if there is one; nil if that cannot be, or is dearer than the other ways. What stretches of one side
// the other has nothing to say of are not read, as far as the kind allows that.
func (p *Planner) outerMerge(ctx context.Context, j *plan.Join, leftRows float64, right algebra.Op, rf *facts, conds []algebra.Expr, inner, sc scope) (*plan.Merge, error) {
	if j.Kind == plan.Mark || len(conds) > 0 || len(j.Loose) > 0 || p.joins == PairJoins || len(sc.side) > 0 || p.asWritten || p.once(right) {
		return nil, nil
	}
	on, ok := mergeOf(j)
	if !ok {
		return nil, nil
	}
	if p.joins != ManyJoins {
		cost := (leftRows + rf.rows) * costMerge
		if sc.few > 0 || min(leftRows, rf.rows) < minMerged || cost > probeCost(leftRows, rf, plan.SetOf(j.Keys...)) {
			return nil, nil
		}
	}
	if !p.ordered(j.Left, on) {
		return nil, nil
	}
	n, err := p.plan(ctx, right, p.rightScope(j, leftRows, rf.vars, inner))
	if err != nil || !p.ordered(n, on) {
		return nil, err
	}
	o := *j
	o.Right = n
	p.finish(&o, leftRows, sc)
	if left, ok := mergeOf(&o); !ok || left != on || len(o.Loose) > 0 || !p.inOrder(o.Left, on) || !p.inOrder(n, on) {
		return nil, nil
	}
	if o.Kind == plan.Left {
		o.Rows = max(leftRows, joined(&facts{rows: leftRows, sure: o.Left.Base().Sure}, rf).rows)
	}
	return &plan.Merge{Info: o.Info, Kind: o.Kind, Key: on.key, Graph: on.graph, Args: []plan.Node{o.Left, n}}, nil
}

// mergeOf returns on what a join can be merged by its keys: on the one, or on that of the graph in which
// all of the left side lies and another one.
func mergeOf(j *plan.Join) (on mergeOn, ok bool) {
	on = notMerged
	graph := graphOf(j.Left)
	for _, k := range j.Keys {
		switch {
		case k == graph:
			on.graph = k
		case on.key == plan.NoVar:
			on.key = k
		default:
			return on, false
		}
	}
	return on, on.key != plan.NoVar
}

// graphOf returns the variable of the graph of the rows of a plan that may be read in an order; NoVar if
// there is none.
func graphOf(n plan.Node) plan.Var {
	for {
		switch x := n.(type) {
		case *plan.Filter:
			n = x.Input
		case *plan.Merge:
			return x.Graph
		case *plan.Scan:
			return x.Graph.Var
		default:
			return plan.NoVar
		}
	}
}

// ordered reports whether a plan delivers its rows in the order that a merge wants, or can be
// made to by [Planner.inOrder].
func (p *Planner) ordered(n plan.Node, on mergeOn) bool {
	if !plan.SetOf(on.key, on.graph).Within(columnsOf(n)) {
		return false
	}
	switch x := n.(type) {
	case *plan.Filter:
		return p.ordered(x.Input, on)
	case *plan.Merge:
		return x.Key == on.key && x.Graph == on.graph
	case *plan.Scan:
		if x.Extreme != nil || x.Skip || x.Walked || x.Terms != [3]*plan.TermSet{} || len(x.Same)+len(x.Not) > 0 || x.Within != [4]*plan.Ref{} {
			return false
		}
		if !p.graphInOrder(&x.Graph, on) {
			return false
		}
		_, ok := p.orderBy(x.Pattern, x.Cols, on.key)
		return ok && x.Cols[dataset.P] != on.key // predicates have an order of their own
	}
	return false
}
