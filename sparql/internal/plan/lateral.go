package plan

import (
	"context"

	"github.com/rete-go/rete/sparql/internal/algebra"
)

// planLateral plans LATERAL: as a join where putting the rows of the left side into the right
// one means the same, else row by row.
func (p *Planner) planLateral(ctx context.Context, op *algebra.Lateral, sc scope) (Node, error) {
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
	mentioned := p.mentioned(op.Right).union(SetOf(sc.graph.Var))
	inner := sc.needing(mentioned)
	inner.few = 0
	left, err := p.plan(ctx, op.Left, inner)
	if err != nil || isEmpty(left) {
		return left, err
	}
	n := &Lateral{Input: left, Keys: columnsOf(left).and(mentioned).Vars(), Each: chancy}
	n.Info = *left.Base()
	n.Rows = max(n.Rows, joined(&facts{rows: n.Rows, sure: n.Sure}, rf).rows)
	n.Vars = append([]Var(nil), n.Vars...)
	n.Vars = append(n.Vars, rf.vars.and(sc.need).minus(columnsOf(left)).Vars()...)
	n.Sure = n.Sure.union(rf.sure).and(columnsOf(n))
	n.Plan = p.later(op.Right, n.Keys, scope{graph: sc.graph, need: sc.need.union(SetOf(n.Keys...))})
	return n, nil
}
