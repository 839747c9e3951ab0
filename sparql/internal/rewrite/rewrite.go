// Package rewrite changes algebra into algebra with the same solutions that is
// cheaper to evaluate, by rules that hold for all data:
//
//   - expressions of constants are computed; FILTERs that are always true, and
//     patterns that never match, go;
//   - conjuncts of FILTERs move down to where their variables have the values
//     that they have above: into the arms of UNION, the left side of OPTIONAL
//     and MINUS, below BIND, DISTINCT, ORDER BY and sub-selects, to a side of a
//     join; those of the condition of an OPTIONAL into its right side;
//   - an OPTIONAL whose right side a FILTER demands becomes a join;
//   - `?x = <iri>`, `?x = "string"`, IN and sameTerm with such constants over a
//     pattern that binds ?x, and BIND of a constant, become joins with a table.
//
// Nothing that is not a function of its arguments (RAND, UUID, STRUUID, BNODE)
// is moved, computed early, or written twice, and nothing moves past LIMIT or
// OFFSET.
//
// Many filters over many operators are not all moved down all of them: what is left of the
// query's moves decides, and the filters that have none stay where they are.
package rewrite

import (
	"slices"

	"github.com/rete-go/rete/sparql/internal/algebra"
	"github.com/rete-go/rete/sparql/internal/ast"
	"github.com/rete-go/rete/sparql/internal/work"
)

// Op returns the rewritten form of o, which does not change. The variables of o
// must not get values from outside afterwards: put parameters in before. An error of the
// meter ends the work; what is returned then is of no use.
func Op(m *work.Meter, o algebra.Op) algebra.Op {
	r := &rewriter{meter: m, scopes: &algebra.Scopes{Meter: m}, known: make(map[algebra.Expr]*facts), moves: new(int)}
	*r.moves = maxMoves
	return r.push(o, nil)
}

// maxMoves is how often filters move below an operator, in one query.
var maxMoves = 1 << 18

// rewriter rewrites one operator tree.
type rewriter struct {
	// outer are the variables that may get values from outside: in a pattern of
	// EXISTS, those of the solutions that it is tested for, and on the right of LATERAL those
	// of the left.
	outer  algebra.VarSet
	scopes *algebra.Scopes
	meter  *work.Meter
	known  map[algebra.Expr]*facts // of filters
	moves  *int                    // that are left
}

// push returns Filter(o, filters), rewritten. The filters have been folded.
func (r *rewriter) push(o algebra.Op, filters []algebra.Expr) algebra.Op {
	if !r.meter.Step(1 + len(filters)) {
		return o
	}
	if *r.moves -= len(filters); *r.moves < 0 && len(filters) > 0 {
		return place(r.push(o, nil), filters)
	}
	switch o := o.(type) {
	case *algebra.Filter:
		own, never := r.conjuncts(o.Exprs, o.Input)
		if never {
			return nothing()
		}
		return r.push(o.Input, append(own, filters...))
	case *algebra.Join:
		return r.join(o, filters)
	case *algebra.LeftJoin:
		return r.leftJoin(o, filters)
	case *algebra.Lateral:
		return r.lateral(o, filters)
	case *algebra.Minus:
		return r.minus(o, filters)
	case *algebra.Union:
		return r.union(o, filters)
	case *algebra.Graph:
		return r.graph(o, filters)
	case *algebra.Extend:
		return r.extend(o, filters)
	case *algebra.Group:
		return r.group(o, filters)
	}
	return r.modifier(o, filters)
}

// modifier pushes filters through the operators of a query level.
func (r *rewriter) modifier(o algebra.Op, filters []algebra.Expr) algebra.Op {
	switch o := o.(type) {
	case *algebra.Project:
		kept := algebra.SetOf(o.Vars...)
		// A solution that is put into EXISTS reaches a sub-select by what it
		// projects only.
		hidden := r.scopes.Possible(o.Input).Or(r.outer).Minus(kept)
		down, here := r.split(filters, func(f *facts) bool { return f.movable && !f.vars.Meets(hidden) })
		in := r.push(o.Input, down)
		if isNothing(in) {
			return in
		}
		return place(&algebra.Project{Input: in, Vars: o.Vars}, here)
	case *algebra.Distinct:
		return r.through(o.Input, filters, func(in algebra.Op) algebra.Op { return &algebra.Distinct{Input: in} })
	case *algebra.Reduced:
		return r.through(o.Input, filters, func(in algebra.Op) algebra.Op { return &algebra.Reduced{Input: in} })
	case *algebra.OrderBy:
		keys := slices.Clone(o.Keys)
		for i := range keys {
			keys[i].Expr = r.expr(keys[i].Expr, o.Input)
		}
		return r.through(o.Input, filters, func(in algebra.Op) algebra.Op { return &algebra.OrderBy{Input: in, Keys: keys} })
	case *algebra.Slice:
		in := r.push(o.Input, nil)
		if isNothing(in) || o.HasLimit && o.Limit == 0 {
			return nothing()
		}
		return place(&algebra.Slice{Input: in, Offset: o.Offset, HasLimit: o.HasLimit, Limit: o.Limit}, filters)
	}
	return r.leaf(o, filters)
}

// through pushes filters below an operator that keeps the values of solutions.
func (r *rewriter) through(in algebra.Op, filters []algebra.Expr, wrap func(algebra.Op) algebra.Op) algebra.Op {
	down, here := r.split(filters, func(f *facts) bool { return f.movable })
	below := r.push(in, down)
	if isNothing(below) {
		return below
	}
	return place(wrap(below), here)
}

// place returns Filter(o, filters) as it is.
func place(o algebra.Op, filters []algebra.Expr) algebra.Op {
	if len(filters) == 0 || isNothing(o) {
		return o
	}
	if f, ok := o.(*algebra.Filter); ok {
		return &algebra.Filter{Input: f.Input, Exprs: append(slices.Clone(f.Exprs), filters...)}
	}
	return &algebra.Filter{Input: o, Exprs: filters}
}

// facts are what a filter depends on.
type facts struct {
	vars algebra.VarSet
	// movable is set for functions of the variables alone: EXISTS also depends
	// on the active graph, and is dear.
	movable bool
}

func (r *rewriter) factsOf(e algebra.Expr) *facts {
	f := r.known[e]
	if f == nil {
		f = &facts{movable: pure(e)}
		algebra.ExprVars(e, &f.vars)
		r.known[e] = f
	}
	return f
}

// split divides filters into those that may go down and the rest, in order.
func (r *rewriter) split(filters []algebra.Expr, down func(*facts) bool) (yes, no []algebra.Expr) {
	for _, e := range filters {
		if down(r.factsOf(e)) {
			yes = append(yes, e)
		} else {
			no = append(no, e)
		}
	}
	return yes, no
}

// pure reports whether e is a function of its variables: no EXISTS, nothing by
// chance, no extension.
func pure(e algebra.Expr) bool {
	switch e := e.(type) {
	case *algebra.VarExpr, *algebra.Const:
		return true
	case *algebra.Call:
		switch e.Func {
		case ast.Rand, ast.UUID, ast.StrUUID, ast.BNode:
			return false
		}
		return !slices.ContainsFunc(e.Args, func(a algebra.Expr) bool { return !pure(a) })
	case *algebra.FunctionCall:
		return isCast(e.IRI) && !slices.ContainsFunc(e.Args, func(a algebra.Expr) bool { return !pure(a) })
	}
	return false
}

// nothing returns the pattern without solutions.
func nothing() algebra.Op { return &algebra.Values{} }

func isNothing(o algebra.Op) bool {
	v, ok := o.(*algebra.Values)
	return ok && v.Rows.N == 0
}
