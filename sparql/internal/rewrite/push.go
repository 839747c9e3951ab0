package rewrite

import (
	"slices"

	"github.com/rete-go/rete/sparql/internal/algebra"
	"github.com/rete-go/rete/sparql/internal/ast"
)

// sees returns a test for filters over two operands: whether all variables have
// the value in the solutions of the one side that they have in the joined ones.
func (r *rewriter) sees(side, other algebra.Op) func(*facts) bool {
	return func(f *facts) bool {
		sure, foreign := r.scopes.Certain(side), r.scopes.Possible(other)
		return f.movable && !f.vars.Minus(sure).Meets(foreign)
	}
}

func (r *rewriter) join(o *algebra.Join, filters []algebra.Expr) algebra.Op {
	left, here := r.split(filters, r.sees(o.Left, o.Right))
	right, here := r.split(here, r.sees(o.Right, o.Left))
	l := r.push(o.Left, left)
	if isNothing(l) {
		return l
	}
	rr := r.push(o.Right, right)
	return pair(l, rr, &algebra.Join{Left: l, Right: rr}, here)
}

// pair places filters on the join or LATERAL of two sides, or on one side where the other
// is the unit; it is nothing where the right side is.
func pair(l, r, both algebra.Op, filters []algebra.Expr) algebra.Op {
	switch {
	case isNothing(r):
		return r
	case algebra.IsUnit(l):
		return place(r, filters)
	case algebra.IsUnit(r):
		return place(l, filters)
	}
	return place(both, filters)
}

func (r *rewriter) leftJoin(o *algebra.LeftJoin, filters []algebra.Expr) algebra.Op {
	if r.demanded(o, filters) {
		j := algebra.Op(&algebra.Join{Left: o.Left, Right: o.Right})
		if o.Expr != nil {
			j = &algebra.Filter{Input: j, Exprs: []algebra.Expr{o.Expr}}
		}
		return r.push(j, filters)
	}
	down, here := r.split(filters, r.sees(o.Left, o.Right))
	l := r.push(o.Left, down)
	if isNothing(l) {
		return l
	}
	var cond []algebra.Expr
	if o.Expr != nil {
		var never bool
		if cond, never = r.conjuncts([]algebra.Expr{o.Expr}, o); never {
			return place(l, here)
		}
	}
	inner, cond := r.split(cond, r.sees(o.Right, o.Left))
	rr := r.push(o.Right, inner)
	if isNothing(rr) {
		return place(l, here)
	}
	return place(&algebra.LeftJoin{Left: l, Right: rr, Expr: and(cond)}, here)
}

// demanded reports whether a filter is never true where the right side of an
// OPTIONAL did not match: then the OPTIONAL is a join. A variable that may get
// a value from outside proves nothing.
func (r *rewriter) demanded(o *algebra.LeftJoin, filters []algebra.Expr) bool {
	var need algebra.VarSet
	for _, e := range filters {
		if pure(e) {
			algebra.Demanded(e, &need)
		}
	}
	only := r.scopes.Possible(o.Right).Minus(r.scopes.Possible(o.Left)).Minus(r.outer)
	return need.Meets(only)
}

func (r *rewriter) lateral(o *algebra.Lateral, filters []algebra.Expr) algebra.Op {
	down, here := r.split(filters, r.sees(o.Left, o.Right))
	l := r.push(o.Left, down)
	if isNothing(l) {
		return l
	}
	inner := *r
	inner.outer = r.outer.Or(r.scopes.Possible(o.Left))
	rr := inner.push(o.Right, nil)
	return pair(l, rr, &algebra.Lateral{Left: l, Right: rr}, here)
}

func (r *rewriter) minus(o *algebra.Minus, filters []algebra.Expr) algebra.Op {
	down, here := r.split(filters, func(f *facts) bool { return f.movable })
	l := r.push(o.Left, down)
	if isNothing(l) {
		return l
	}
	rr := r.push(o.Right, nil)
	if isNothing(rr) || algebra.IsUnit(rr) {
		return place(l, here)
	}
	return place(&algebra.Minus{Left: l, Right: rr}, here)
}

func (r *rewriter) union(o *algebra.Union, filters []algebra.Expr) algebra.Op {
	down, here := r.split(filters, func(f *facts) bool { return f.movable })
	if len(down)*len(o.Args) > *r.moves { // each arm would have them all
		down, here = nil, filters
	}
	var arms []algebra.Op
	for _, a := range o.Args {
		a = r.push(a, down)
		if u, ok := a.(*algebra.Union); ok {
			arms = append(arms, u.Args...)
		} else if !isNothing(a) {
			arms = append(arms, a)
		}
	}
	switch len(arms) {
	case 0:
		return nothing()
	case 1:
		return place(arms[0], here)
	}
	return place(&algebra.Union{Args: arms}, here)
}

func (r *rewriter) graph(o *algebra.Graph, filters []algebra.Expr) algebra.Op {
	name := algebra.SetOf(o.Name.Variable())
	down, here := r.split(filters, func(f *facts) bool { return f.movable && !f.vars.Meets(name) })
	in := r.push(o.Input, down)
	if isNothing(in) {
		return in
	}
	return r.fix(&algebra.Graph{Span: o.Span, Name: o.Name, Input: in}, here, name)
}

func (r *rewriter) extend(o *algebra.Extend, filters []algebra.Expr) algebra.Op {
	e := r.expr(o.Expr, o.Input)
	if from, ok := e.(*algebra.VarExpr); ok && !r.outer.Has(o.Var) {
		filters = r.rename(filters, o.Var, from.Var)
	}
	own := algebra.SetOf(o.Var)
	down, here := r.split(filters, func(f *facts) bool { return f.movable && !f.vars.Meets(own) })
	in := r.push(o.Input, down)
	if isNothing(in) {
		return in
	}
	if k, ok := e.(*algebra.Const); ok && !k.Term.IsZero() {
		t := table(o.Span, o.Var, k.Term)
		if algebra.IsUnit(in) {
			return place(t, here)
		}
		return place(&algebra.Join{Left: in, Right: t}, here)
	}
	return place(&algebra.Extend{Span: o.Span, Input: in, Var: o.Var, Expr: e}, here)
}

// rename puts variable to in the place of from, which has its value, also where
// that is none. EXISTS is left alone: its pattern binds variables.
func (r *rewriter) rename(filters []algebra.Expr, from, to algebra.Var) []algebra.Expr {
	out := make([]algebra.Expr, len(filters))
	for i, e := range filters {
		out[i] = e
		if f := r.factsOf(e); f.movable && f.vars.Has(from) {
			out[i] = r.renamed(e, from, to)
		}
	}
	return out
}

func (r *rewriter) renamed(e algebra.Expr, from, to algebra.Var) algebra.Expr {
	switch e := e.(type) {
	case *algebra.VarExpr:
		if e.Var == from {
			return &algebra.VarExpr{Span: e.Span, Var: to}
		}
	case *algebra.Call:
		return &algebra.Call{Span: e.Span, Func: e.Func, Args: r.allRenamed(e.Args, from, to)}
	case *algebra.FunctionCall:
		return &algebra.FunctionCall{Span: e.Span, IRI: e.IRI, Args: r.allRenamed(e.Args, from, to)}
	}
	return e
}

func (r *rewriter) allRenamed(list []algebra.Expr, from, to algebra.Var) []algebra.Expr {
	if !r.meter.Step(len(list)) || !r.meter.Hold(callBytes+argBytes*len(list)) {
		return list
	}
	*r.moves -= len(list)
	out := make([]algebra.Expr, len(list))
	for i, e := range list {
		out[i] = r.renamed(e, from, to)
	}
	return out
}

// group pushes filters over keys below the grouping: all solutions of a group
// have them. Without keys there is a group also over nothing.
func (r *rewriter) group(o *algebra.Group, filters []algebra.Expr) algebra.Op {
	hidden := r.scopes.Possible(o.Input).Or(r.outer)
	for _, v := range o.Keys {
		hidden.Remove(v)
	}
	for _, a := range o.Aggs {
		hidden.Add(a.Var)
	}
	down, here := r.split(filters, func(f *facts) bool { return f.movable && len(o.Keys) > 0 && !f.vars.Meets(hidden) })
	g := &algebra.Group{Input: r.push(o.Input, down), Keys: o.Keys, Aggs: slices.Clone(o.Aggs)}
	if isNothing(g.Input) && len(g.Keys) > 0 {
		return nothing()
	}
	for i := range g.Aggs {
		if g.Aggs[i].Arg != nil {
			g.Aggs[i].Arg = r.expr(g.Aggs[i].Arg, o.Input)
		}
	}
	return place(g, here)
}

// leaf puts filters over an operator that they cannot go below.
func (r *rewriter) leaf(o algebra.Op, filters []algebra.Expr) algebra.Op {
	switch o.(type) {
	case *algebra.BGP, *algebra.Path:
		return r.fix(o, filters, r.scopes.Certain(o))
	}
	return place(o, filters)
}

// fix puts filters over o; those that fix one of the variables in sure, which o
// binds always, become tables next to it.
func (r *rewriter) fix(o algebra.Op, filters []algebra.Expr, sure algebra.VarSet) algebra.Op {
	var rest []algebra.Expr
	for _, e := range filters {
		if t := fixes(e, sure); t != nil {
			o = &algebra.Join{Left: o, Right: t}
		} else {
			rest = append(rest, e)
		}
	}
	return place(o, rest)
}

// and returns the conjunction of expressions, nil for none.
func and(exprs []algebra.Expr) algebra.Expr {
	switch len(exprs) {
	case 0:
		return nil
	case 1:
		return exprs[0]
	}
	at := exprs[0].Range()
	at.End = max(at.End, exprs[len(exprs)-1].Range().End)
	return &algebra.Call{Span: at, Func: ast.And, Args: exprs}
}
