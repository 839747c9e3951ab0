package planner

import (
	"context"
	"slices"

	"github.com/rete-go/rete/rdf"
	"github.com/rete-go/rete/sparql/internal/algebra"
	"github.com/rete-go/rete/sparql/internal/ast"
	"github.com/rete-go/rete/sparql/internal/plan"
)

// binding is a solution to be put into a pattern.
type binding map[plan.Var]rdf.Term

func (b binding) only(vars []plan.Var) binding {
	out := make(binding)
	for _, v := range vars {
		if t, ok := b[v]; ok {
			out[v] = t
		}
	}
	return out
}

// substitute puts ids into an operator: constants stand where the variables
// stood, in patterns and in expressions, and every leaf that had one of the
// variables still binds it.
func (p *Planner) substitute(ctx context.Context, op algebra.Op, ids map[plan.Var]plan.ID) (algebra.Op, error) {
	b, err := p.binding(ctx, ids)
	if err != nil {
		return nil, err
	}
	return b.op(op), nil
}

func (p *Planner) binding(ctx context.Context, ids map[plan.Var]plan.ID) (binding, error) {
	b := make(binding, len(ids))
	for v, i := range ids {
		s, err := p.terms.SurfaceOf(ctx, i)
		if err != nil {
			return nil, err
		}
		b[v] = rdf.FromSurface(s)
	}
	return b, nil
}

func (b binding) op(op algebra.Op) algebra.Op {
	if len(b) == 0 {
		return op
	}
	switch op := op.(type) {
	case *algebra.BGP:
		out := &algebra.BGP{}
		for _, t := range op.Patterns {
			t.S, t.P, t.O = b.arg(t.S), b.arg(t.P), b.arg(t.O)
			out.Patterns = append(out.Patterns, t)
		}
		return b.rebind(out, ownVars(op))
	case *algebra.Path:
		out := &algebra.Path{Span: op.Span, S: b.arg(op.S), Path: op.Path, O: b.arg(op.O)}
		return b.rebind(out, ownVars(op))
	case *algebra.Join:
		return &algebra.Join{Left: b.op(op.Left), Right: b.op(op.Right)}
	case *algebra.LeftJoin:
		out := &algebra.LeftJoin{Left: b.op(op.Left), Right: b.op(op.Right)}
		if op.Expr != nil {
			out.Expr = b.expr(op.Expr)
		}
		return out
	case *algebra.Lateral:
		return &algebra.Lateral{Left: b.op(op.Left), Right: b.op(op.Right)}
	case *algebra.Minus:
		return &algebra.Minus{Left: b.op(op.Left), Right: b.op(op.Right)}
	case *algebra.Filter:
		return &algebra.Filter{Input: b.op(op.Input), Exprs: b.exprs(op.Exprs)}
	case *algebra.Union:
		out := &algebra.Union{}
		for _, a := range op.Args {
			out.Args = append(out.Args, b.op(a))
		}
		return out
	case *algebra.Graph:
		out := &algebra.Graph{Span: op.Span, Name: b.arg(op.Name), Input: b.op(op.Input)}
		return b.rebind(out, plan.SetOf(op.Name.Variable()))
	case *algebra.Extend:
		out := &algebra.Extend{Span: op.Span, Input: b.op(op.Input), Var: op.Var, Expr: b.expr(op.Expr)}
		return b.rebind(out, plan.SetOf(op.Var))
	case *algebra.Values:
		return b.rebind(op, plan.SetOf(op.Vars...))
	case *algebra.Search:
		return b.rebind(op, ownVars(op))
	case *algebra.Service:
		out := *op
		out.Name = b.arg(op.Name)
		return b.rebind(&out, ownVars(op))
	}
	return b.modifier(op)
}

// modifier substitutes in the operators of a select. Variables that a sub-select
// hides have slots of their own, so what it does not project is not in b; at the
// root of a query it may be.
func (b binding) modifier(op algebra.Op) algebra.Op {
	switch op := op.(type) {
	case *algebra.Project:
		return &algebra.Project{Input: b.op(op.Input), Vars: op.Vars}
	case *algebra.Group:
		out := *op
		out.Input, out.Aggs = b.op(op.Input), slices.Clone(op.Aggs)
		var made plan.Set
		for i, a := range op.Aggs {
			made.Add(a.Var)
			if a.Arg != nil {
				out.Aggs[i].Arg = b.expr(a.Arg)
			}
		}
		return b.rebind(&out, made)
	case *algebra.Distinct:
		return &algebra.Distinct{Input: b.op(op.Input)}
	case *algebra.Reduced:
		return &algebra.Reduced{Input: b.op(op.Input)}
	case *algebra.OrderBy:
		out := &algebra.OrderBy{Input: b.op(op.Input)}
		for _, k := range op.Keys {
			k.Expr = b.expr(k.Expr)
			out.Keys = append(out.Keys, k)
		}
		return out
	case *algebra.Slice:
		out := *op
		out.Input = b.op(op.Input)
		return &out
	}
	return op
}

// rebind joins op with the terms of those of vars that b has.
func (b binding) rebind(op algebra.Op, vars plan.Set) algebra.Op {
	row := b.only(vars.Vars())
	if len(row) == 0 {
		return op
	}
	table := &algebra.Values{}
	var terms []rdf.Term
	for _, v := range vars.Vars() {
		if t, ok := row[v]; ok {
			table.Vars = append(table.Vars, v)
			terms = append(terms, t)
		}
	}
	table.Rows = ast.Rows{Width: len(terms), N: 1, Terms: terms}
	return &algebra.Join{Left: op, Right: table}
}

func (b binding) arg(a algebra.Arg) algebra.Arg {
	if a.IsVar() {
		if t, ok := b[a.Variable()]; ok {
			return algebra.TermArg(t)
		}
	}
	if a.Triple == nil {
		return a
	}
	t := [3]algebra.Arg{b.arg(a.Triple[0]), b.arg(a.Triple[1]), b.arg(a.Triple[2])}
	for _, x := range t {
		if x.Term.IsZero() {
			return algebra.Arg{Triple: &t}
		}
	}
	return algebra.TermArg(rdf.TripleTerm(t[0].Term, t[1].Term, t[2].Term))
}

func (b binding) exprs(es []algebra.Expr) []algebra.Expr {
	out := make([]algebra.Expr, len(es))
	for i, e := range es {
		out[i] = b.expr(e)
	}
	return out
}

func (b binding) expr(e algebra.Expr) algebra.Expr {
	switch e := e.(type) {
	case *algebra.VarExpr:
		if t, ok := b[e.Var]; ok {
			return &algebra.Const{Span: e.Span, Term: t}
		}
	case *algebra.Call:
		return &algebra.Call{Span: e.Span, Func: e.Func, Args: b.exprs(e.Args)}
	case *algebra.FunctionCall:
		return &algebra.FunctionCall{Span: e.Span, IRI: e.IRI, Args: b.exprs(e.Args)}
	case *algebra.Exists:
		return &algebra.Exists{Span: e.Span, Not: e.Not, Pattern: b.op(e.Pattern)}
	}
	return e
}
