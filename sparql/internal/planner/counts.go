package planner

import (
	"context"

	"github.com/rete-go/rete/dataset"
	"github.com/rete-go/rete/sparql/internal/algebra"
	"github.com/rete-go/rete/sparql/internal/ast"
	"github.com/rete-go/rete/sparql/internal/plan"
)

// counts plans COUNT(*) and COUNT(DISTINCT ?v) over one pattern, by one of its variables;
// nil if the grouping is something else.
func (p *Planner) counts(ctx context.Context, op *algebra.Group, aggs []algebra.Aggregation, sc scope) (plan.Node, error) {
	bgp, ok := op.Input.(*algebra.BGP)
	if !ok || len(op.Keys) != 1 || len(bgp.Patterns) != 1 || len(aggs) == 0 || len(sc.side) > 0 {
		return nil, nil
	}
	s, err := p.specOf(ctx, &bgp.Patterns[0], sc.graph)
	if err != nil {
		return nil, err
	}
	n := &plan.Counts{Key: op.Keys[0], Distinct: plan.NoVar}
	for _, a := range aggs {
		out := plan.Output{Var: a.Var}
		if !a.Star || a.Distinct {
			v, ok := a.Arg.(*algebra.VarExpr)
			out.Distinct = a.Kind == ast.Count && a.Distinct
			if !ok || !out.Distinct || v.Var == n.Key || n.Distinct != plan.NoVar && n.Distinct != v.Var {
				return nil, nil
			}
			n.Distinct = v.Var
		}
		n.Outs = append(n.Outs, out)
	}
	g := s.graph
	if s.none || len(s.same)+len(s.unfold)+len(s.not) > 0 || g.Var != plan.NoVar || g.Param >= 0 || g.Mode == dataset.Each && len(g.Set) != 1 {
		return nil, nil
	}
	o, ok := p.sortedBy(s, n.Key, n.Distinct)
	if !ok {
		return nil, nil
	}
	sc.need = plan.SetOf(n.Key)
	if n.Distinct == plan.NoVar {
		n.Keys = p.scan(s, sc).(*plan.Scan)
		n.Keys.Order, n.Keys.Skip = o, true
	} else {
		sc.need.Add(n.Distinct)
	}
	n.Rows = p.scan(s, sc).(*plan.Scan)
	n.Rows.Order = o
	n.Vars, n.Info.Rows = []plan.Var{n.Key}, s.of(n.Key)
	for _, out := range n.Outs {
		n.Vars = append(n.Vars, out.Var)
	}
	n.Sure = plan.SetOf(n.Vars...)
	return n, nil
}

// sortedBy returns an order in which one variable stands behind the constants of a
// pattern, and another one, unless it is NoVar, behind that.
func (p *Planner) sortedBy(s *spec, first, second plan.Var) (dataset.Order, bool) {
	fixed := plan.FixedIn(&s.pattern)
	for _, o := range p.ds.Orders(s.pattern) {
		cols, n := o.Columns(), o.Leads(fixed)
		if n != fixed.Len() || n == len(cols) || s.cols[cols[n]] != first {
			continue
		}
		if second == plan.NoVar || n+1 < len(cols) && s.cols[cols[n+1]] == second {
			return o, true
		}
	}
	return 0, false
}
