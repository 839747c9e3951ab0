package naive

import (
	"slices"

	"github.com/rete-go/rete/sparql/internal/algebra"
	"github.com/rete-go/rete/sparql/internal/ast"
	"github.com/rete-go/rete/sparql/internal/value"
)

// holds reports whether all conditions are true for a row.
func (e *evaluator) holds(conds []algebra.Expr, r Row, s scope) bool {
	return !slices.ContainsFunc(conds, func(c algebra.Expr) bool { return e.truth(c, r, s) != value.TriTrue })
}

func (e *evaluator) truth(x algebra.Expr, r Row, s scope) value.Tri {
	return value.TriOf(e.value(x, r, s))
}

// value evaluates an expression for a row; None is an error or unbound.
func (e *evaluator) value(x algebra.Expr, r Row, s scope) value.Value {
	switch x := x.(type) {
	case *algebra.VarExpr:
		if s.put != nil && !s.put[x.Var].IsZero() {
			return value.FromTerm(s.put[x.Var])
		}
		return value.FromTerm(r[x.Var])
	case *algebra.Const:
		return value.FromTerm(x.Term)
	case *algebra.Call:
		return e.call(x, r, s)
	case *algebra.FunctionCall:
		return e.apply(x.IRI.Value(), x.Args, r, s)
	case *algebra.Exists:
		return value.OfBool(e.exists(x, r, s) != x.Not)
	}
	panic("naive: unknown expression")
}

// exists puts the row, and what was put in before, into the pattern.
func (e *evaluator) exists(x *algebra.Exists, r Row, s scope) bool {
	return len(e.eval(x.Pattern, s.with(r))) > 0
}

func (e *evaluator) call(c *algebra.Call, r Row, s scope) value.Value {
	switch c.Func {
	case ast.And, ast.Or:
		t := e.truth(c.Args[0], r, s)
		for _, a := range c.Args[1:] {
			if c.Func == ast.And {
				t = t.And(e.truth(a, r, s))
			} else {
				t = t.Or(e.truth(a, r, s))
			}
		}
		return ofTri(t)
	case ast.Not:
		return ofTri(e.truth(c.Args[0], r, s).Not())
	case ast.Bound:
		return value.OfBool(!e.value(c.Args[0], r, s).IsNone())
	case ast.If:
		switch e.truth(c.Args[0], r, s) {
		case value.TriTrue:
			return e.value(c.Args[1], r, s)
		case value.TriFalse:
			return e.value(c.Args[2], r, s)
		}
		return value.Value{}
	case ast.Coalesce:
		for _, a := range c.Args {
			if v := e.value(a, r, s); !v.IsNone() {
				return v
			}
		}
		return value.Value{}
	case ast.In, ast.NotIn:
		list := e.list(c.Args, r, s)
		t := value.In(list[0], list[1:])
		if c.Func == ast.NotIn {
			t = t.Not()
		}
		return ofTri(t)
	}
	return e.apply(c.Func.Key(), c.Args, r, s)
}

func (e *evaluator) list(args []algebra.Expr, r Row, s scope) []value.Value {
	out := make([]value.Value, len(args))
	for i, a := range args {
		out[i] = e.value(a, r, s)
	}
	return out
}

// apply calls a function of the registry; others are errors.
func (e *evaluator) apply(name string, args []algebra.Expr, r Row, s scope) value.Value {
	f, ok := value.Lookup(name)
	values := e.list(args, r, s)
	if !ok || len(args) < f.MinArgs || f.MaxArgs >= 0 && len(args) > f.MaxArgs || slices.ContainsFunc(values, value.Value.IsNone) {
		return value.Value{}
	}
	v, ok := f.Call(e.env, values)
	if !ok {
		return value.Value{}
	}
	return v
}

func ofTri(t value.Tri) value.Value {
	v, ok := t.Value()
	if !ok {
		return value.Value{}
	}
	return v
}
