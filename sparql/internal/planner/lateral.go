package planner

import (
	"context"

	"github.com/rete-go/rete/sparql/internal/algebra"
	"github.com/rete-go/rete/sparql/internal/plan"
)

// planLateral plans LATERAL: as a join where putting the rows of the left side into the right
// one means the same, else row by row.
func (p *Planner) planLateral(ctx context.Context, op *algebra.Lateral, sc scope) (plan.Node, error) {
	lf, err := p.learn(ctx, op.Left, sc.graph)
	if err != nil {
		return nil, err
	}
	rf, err := p.learn(ctx, op.Right, sc.graph)
	if err != nil {
		return nil, err
	}
	chancy := p.chancy(op.Right)
	if !chancy {
		switch ok, err := p.joinable(ctx, op.Right, lf.vars, sc.graph); {
		case err != nil:
			return nil, err
		case ok:
			return p.plan(ctx, &algebra.Join{Left: op.Left, Right: op.Right}, sc)
		}
	}
	mentioned := p.mentioned(op.Right).Union(plan.SetOf(sc.graph.Var))
	inner := sc.needing(mentioned)
	inner.few = 0
	left, err := p.plan(ctx, op.Left, inner)
	if err != nil || plan.IsEmpty(left) {
		return left, err
	}
	n := &plan.Lateral{Input: left, Keys: columnsOf(left).And(mentioned).Vars(), Each: chancy}
	n.Info = *left.Base()
	n.Rows = max(n.Rows, joined(&facts{rows: n.Rows, sure: n.Sure}, rf).rows)
	n.Vars = append([]plan.Var(nil), n.Vars...)
	n.Vars = append(n.Vars, rf.vars.And(sc.need).Minus(columnsOf(left)).Vars()...)
	n.Sure = n.Sure.Union(rf.sure).And(columnsOf(n))
	n.Plan = p.later(op.Right, n.Keys, scope{graph: sc.graph, need: sc.need.Union(plan.SetOf(n.Keys...))})
	return n, nil
}
