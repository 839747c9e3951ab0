package planner

import (
	"context"

	"github.com/rete-go/rete/sparql/internal/algebra"
	"github.com/rete-go/rete/sparql/internal/plan"
)

// bind is substitute for the parameters of a query: what the query projects has the terms
// also where no pattern binds it.
func (p *Planner) bind(ctx context.Context, op algebra.Op, ids map[plan.Var]plan.ID) (algebra.Op, error) {
	b, err := p.binding(ctx, ids)
	if err != nil {
		return nil, err
	}
	return b.projected(b.op(op)), nil
}

// projected joins the input of the projection of a query with the terms of variables that not
// every solution binds.
func (b binding) projected(op algebra.Op) algebra.Op {
	switch op := op.(type) {
	case *algebra.Project:
		missing := plan.SetOf(op.Vars...).Minus(bindsAlways(op.Input))
		return &algebra.Project{Input: b.rebind(op.Input, missing), Vars: op.Vars}
	case *algebra.Distinct:
		return &algebra.Distinct{Input: b.projected(op.Input)}
	case *algebra.Reduced:
		return &algebra.Reduced{Input: b.projected(op.Input)}
	case *algebra.Slice:
		out := *op
		out.Input = b.projected(op.Input)
		return &out
	}
	return op
}

// bindsAlways returns variables that every solution binds: at least those of patterns that are
// not optional.
func bindsAlways(op algebra.Op) plan.Set {
	switch op := op.(type) {
	case *algebra.BGP, *algebra.Path, *algebra.Search:
		return ownVars(op)
	case *algebra.Values:
		var always plan.Set
		for i, v := range op.Vars {
			bound := true
			for row := range op.Rows.N {
				bound = bound && !op.Rows.Terms[row*op.Rows.Width+i].IsZero()
			}
			if bound {
				always.Add(v)
			}
		}
		return always
	case *algebra.Union:
		always := bindsAlways(op.Args[0])
		for _, a := range op.Args[1:] {
			always = always.And(bindsAlways(a))
		}
		return always
	case *algebra.Join:
		return bindsAlways(op.Left).Union(bindsAlways(op.Right))
	case *algebra.Lateral:
		return bindsAlways(op.Left).Union(bindsAlways(op.Right))
	case *algebra.LeftJoin:
		return bindsAlways(op.Left)
	case *algebra.Minus:
		return bindsAlways(op.Left)
	case *algebra.Filter:
		return bindsAlways(op.Input)
	case *algebra.Graph:
		return bindsAlways(op.Input)
	case *algebra.Extend:
		return bindsAlways(op.Input)
	case *algebra.OrderBy:
		return bindsAlways(op.Input)
	case *algebra.Distinct:
		return bindsAlways(op.Input)
	case *algebra.Project:
		return bindsAlways(op.Input).And(plan.SetOf(op.Vars...))
	}
	return plan.Set{}
}
