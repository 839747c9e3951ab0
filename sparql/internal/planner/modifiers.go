package planner

import (
	"context"
	"math"
	"slices"

	"github.com/rete-go/rete/dataset"
	"github.com/rete-go/rete/sparql/internal/algebra"
	"github.com/rete-go/rete/sparql/internal/ast"
	"github.com/rete-go/rete/sparql/internal/plan"
)

// aggBytes is what an aggregate of a grouping is counted for.
const aggBytes = 512

// planAggregate plans grouping. The active graph's variable is one more key.
func (p *Planner) planAggregate(ctx context.Context, op *algebra.Group, sc scope) (plan.Node, error) {
	f, err := p.learn(ctx, op, sc.graph)
	if err != nil {
		return nil, err
	}
	if sc.graph.Var != plan.NoVar {
		op = &algebra.Group{Input: op.Input, Keys: append(slices.Clip(op.Keys), sc.graph.Var), Aggs: op.Aggs}
	}
	inner := sc
	inner.few = 0
	inner.need = plan.SetOf(op.Keys...)
	narrow := make(sideways)
	for v, s := range sc.side {
		if slices.Contains(op.Keys, v) {
			narrow[v] = s
		}
	}
	inner.side = narrow
	var exprs []algebra.Expr
	aggs := slices.Clone(op.Aggs)
	for i, a := range aggs {
		if a.Star && a.Distinct {
			in, err := p.learn(ctx, op.Input, sc.graph)
			if err != nil {
				return nil, err
			}
			inner.need = inner.need.Union(p.visible(in.vars))
		}
		if a.Arg == nil {
			continue
		}
		// An expression that is bound whenever it is a variable counts rows.
		if v, ok := a.Arg.(*algebra.VarExpr); ok && a.Kind == ast.Count && !a.Distinct {
			in, err := p.learn(ctx, op.Input, sc.graph)
			if err != nil {
				return nil, err
			}
			if in.sure.Has(v.Var) {
				aggs[i].Star, aggs[i].Arg = true, nil
				continue
			}
		}
		exprs = append(exprs, a.Arg)
	}
	inner.need = inner.need.Union(p.exprsVars(exprs))
	if v, ok := distinctOf(op); ok {
		distinct := &algebra.Distinct{Input: &algebra.Project{Input: op.Input, Vars: []plan.Var{v}}}
		op = &algebra.Group{Input: distinct, Aggs: op.Aggs}
	}
	if n, err := p.count(ctx, op, aggs, inner); n != nil || err != nil {
		return n, err
	}
	var in plan.Node
	if v, want, ok := extremesOf(op, aggs); ok {
		in, err = p.planFirst(ctx, op.Input, inner, v, want)
	} else {
		in, err = p.plan(ctx, op.Input, inner)
	}
	if err != nil {
		return nil, err
	}
	for i := range aggs {
		if aggs[i].Arg != nil {
			p.compiled(aggs[i].Arg)
		}
		if aggs[i].Arg != nil && p.hasExists(aggs[i].Arg) {
			if in, aggs[i].Arg, err = p.marks(ctx, in, aggs[i].Arg, inner); err != nil {
				return nil, err
			}
		}
	}
	g := &plan.Group{Input: in, Keys: op.Keys, Aggs: aggs, Named: p.visible(columnsOf(in))}
	g.Vars, g.Rows = slices.Clone(op.Keys), f.rows
	p.meter.Hold(aggBytes * len(aggs))
	for _, a := range aggs {
		g.Vars = append(g.Vars, a.Var)
		if a.Kind == ast.Count {
			g.Sure.Add(a.Var)
		}
	}
	g.Sure = g.Sure.Union(in.Base().Sure.And(plan.SetOf(op.Keys...)))
	return g, nil
}

// distinctOf returns the variable of a grouping without keys all of whose
// aggregates look at the distinct terms of that one variable.
func distinctOf(op *algebra.Group) (plan.Var, bool) {
	if len(op.Keys) > 0 || len(op.Aggs) == 0 {
		return 0, false
	}
	found := plan.NoVar
	for _, a := range op.Aggs {
		v, ok := a.Arg.(*algebra.VarExpr)
		if !ok || !a.Distinct || found != plan.NoVar && found != v.Var {
			return 0, false
		}
		found = v.Var
	}
	return found, true
}

// visible returns the variables that the text names.
func (p *Planner) visible(vars plan.Set) plan.Set {
	var s plan.Set
	for _, v := range vars.Vars() {
		if p.vars[v].Kind == algebra.Named {
			s.Add(v)
		}
	}
	return s
}

// planProject plans a projection. The active graph's variable stays.
func (p *Planner) planProject(ctx context.Context, op *algebra.Project, sc scope) (plan.Node, error) {
	return p.project(ctx, op, sc, -1)
}

// project plans a projection over what may be a sort of which only limit rows
// are wanted.
func (p *Planner) project(ctx context.Context, op *algebra.Project, sc scope, limit int64) (plan.Node, error) {
	keep := plan.SetOf(op.Vars...).And(sc.need)
	inner := sc
	inner.need = keep.Union(plan.SetOf(sc.graph.Var))
	narrow := make(sideways)
	for v, s := range sc.side {
		if slices.Contains(op.Vars, v) || v == sc.graph.Var {
			narrow[v] = s
		}
	}
	inner.side = narrow
	var in plan.Node
	var err error
	if o, ok := op.Input.(*algebra.OrderBy); ok {
		in, err = p.planOrder(ctx, o, inner, limit)
	} else {
		in, err = p.plan(ctx, op.Input, inner)
	}
	if err != nil {
		return nil, err
	}
	n := &plan.Project{Input: in}
	have := columnsOf(in)
	for _, v := range op.Vars {
		if have.Has(v) && keep.Has(v) {
			n.Vars = append(n.Vars, v)
		}
	}
	if g := sc.graph.Var; have.Has(g) && !slices.Contains(n.Vars, g) {
		n.Vars = append(n.Vars, g)
	}
	n.Sure, n.Rows = in.Base().Sure.And(plan.SetOf(n.Vars...)), in.Base().Rows
	return n, nil
}

// distinctFirst turns DISTINCT over ORDER BY into ORDER BY over DISTINCT, which
// is the same when the keys read nothing but columns that are compared.
func (p *Planner) distinctFirst(op *algebra.Distinct) (*algebra.OrderBy, bool) {
	pr, ok := op.Input.(*algebra.Project)
	if !ok {
		return nil, false
	}
	o, ok := pr.Input.(*algebra.OrderBy)
	if !ok {
		return nil, false
	}
	for _, k := range o.Keys {
		if p.volatile(k.Expr) || p.hasExists(k.Expr) || !p.exprVars(k.Expr).Within(plan.SetOf(pr.Vars...)) {
			return nil, false
		}
	}
	inner := &algebra.Distinct{Input: &algebra.Project{Input: o.Input, Vars: pr.Vars}}
	return &algebra.OrderBy{Input: inner, Keys: o.Keys}, true
}

// planDistinct plans DISTINCT, which needs all columns that it compares.
func (p *Planner) planDistinct(ctx context.Context, op *algebra.Distinct, sc scope) (plan.Node, error) {
	if o, ok := p.distinctFirst(op); ok {
		return p.planOrder(ctx, o, sc, -1)
	}
	if n, err := p.graphs(ctx, op, sc); n != nil || err != nil {
		return n, err
	}
	f, err := p.learn(ctx, op, sc.graph)
	if err != nil {
		return nil, err
	}
	inner := sc
	inner.need = f.vars
	in, err := p.plan(ctx, op.Input, inner)
	if err != nil {
		return nil, err
	}
	p.skip(in)
	n := &plan.Distinct{Input: in}
	n.Info = *in.Base()
	n.Rows = min(f.rows, n.Rows)
	return n, nil
}

// skip lets the scan below a DISTINCT of one column jump over repeats, if there
// is an order for that.
func (p *Planner) skip(n plan.Node) {
	if pr, ok := n.(*plan.Project); ok {
		n = pr.Input
	}
	s, ok := n.(*plan.Scan)
	if !ok || len(s.Vars) != 1 || len(s.Same) > 0 || len(s.Not) > 0 || s.Graph.Mode == dataset.Each && len(s.Graph.Set) != 1 {
		return
	}
	s.Skip = p.leadWith(s, s.Vars[0])
}

// planOrder plans ORDER BY; a limit that is not negative says how many rows are
// wanted.
func (p *Planner) planOrder(ctx context.Context, op *algebra.OrderBy, sc scope, limit int64) (plan.Node, error) {
	inner := sc
	inner.few = 0
	for _, k := range op.Keys {
		inner = inner.needing(p.exprVars(k.Expr))
	}
	var in plan.Node
	var err error
	first, isVar := op.Keys[0].Expr.(*algebra.VarExpr)
	if isVar && limit > 0 {
		want := plan.Extreme{Limit: limit, Up: !op.Keys[0].Desc, Down: op.Keys[0].Desc}
		in, err = p.planFirst(ctx, op.Input, inner, first.Var, want)
	} else {
		in, err = p.plan(ctx, op.Input, inner)
	}
	if err != nil {
		return nil, err
	}
	keys := slices.Clone(op.Keys)
	for i := range keys {
		p.compiled(keys[i].Expr)
		if p.hasExists(keys[i].Expr) {
			if in, keys[i].Expr, err = p.marks(ctx, in, keys[i].Expr, inner); err != nil {
				return nil, err
			}
		}
	}
	n := &plan.Order{Input: in, Keys: keys, Limit: limit}
	n.Info = *in.Base()
	if limit >= 0 {
		n.Rows = min(n.Rows, float64(limit))
	}
	return n, nil
}

// planSlice plans LIMIT and OFFSET.
func (p *Planner) planSlice(ctx context.Context, op *algebra.Slice, sc scope) (plan.Node, error) {
	limit, wanted := int64(-1), int64(-1)
	if op.HasLimit {
		limit = clamp(op.Limit)
		wanted = clamp(op.Limit + min(op.Offset, math.MaxUint64-op.Limit))
		if limit == 0 {
			return plan.Empty(), nil
		}
	}
	// What is cut must not be narrowed before.
	sc.side, sc.few = nil, 0
	if wanted >= 0 {
		sc.few = float64(wanted)
	}
	var in plan.Node
	var err error
	switch x := op.Input.(type) {
	case *algebra.OrderBy:
		in, err = p.planOrder(ctx, x, sc, wanted)
	case *algebra.Project:
		in, err = p.project(ctx, x, sc, wanted)
	case *algebra.Distinct:
		if o, ok := p.distinctFirst(x); ok {
			in, err = p.planOrder(ctx, o, sc, wanted)
		} else {
			in, err = p.plan(ctx, x, sc)
		}
	default:
		in, err = p.plan(ctx, op.Input, sc)
	}
	if err != nil {
		return nil, err
	}
	n := &plan.Slice{Input: in, Offset: clamp(op.Offset), Limit: limit}
	n.Info = *in.Base()
	if limit >= 0 {
		n.Rows = min(n.Rows, float64(limit))
	}
	return n, nil
}

func clamp(n uint64) int64 { return int64(min(n, math.MaxInt64)) }
