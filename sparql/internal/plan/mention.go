package plan

import (
	"slices"

	"github.com/rete-go/rete/sparql/algebra"
	"github.com/rete-go/rete/sparql/ast"
)

// exprVars returns the variables that an expression reads, those that the
// patterns of EXISTS mention included.
func exprVars(e algebra.Expr) Set {
	var s Set
	addExpr(&s, e)
	return s
}

func exprsVars(es []algebra.Expr) Set {
	var s Set
	for _, e := range es {
		addExpr(&s, e)
	}
	return s
}

func addExpr(s *Set, e algebra.Expr) {
	switch e := e.(type) {
	case *algebra.VarExpr:
		s.Add(e.Var)
	case *algebra.Call:
		for _, a := range e.Args {
			addExpr(s, a)
		}
	case *algebra.FunctionCall:
		for _, a := range e.Args {
			addExpr(s, a)
		}
	case *algebra.Exists:
		addOp(s, e.Pattern)
	}
}

// mentioned returns every variable that stands in an operator, in patterns and
// in expressions. What a sub-select hides has slots of its own.
func mentioned(op algebra.Op) Set {
	var s Set
	addOp(&s, op)
	return s
}

func addOp(s *Set, op algebra.Op) {
	switch op := op.(type) {
	case *algebra.BGP:
		for _, t := range op.Patterns {
			addArg(s, t.S)
			addArg(s, t.P)
			addArg(s, t.O)
		}
	case *algebra.Path:
		addArg(s, op.S)
		addArg(s, op.O)
	case *algebra.LeftJoin:
		if op.Expr != nil {
			addExpr(s, op.Expr)
		}
	case *algebra.Filter:
		for _, e := range op.Exprs {
			addExpr(s, e)
		}
	case *algebra.Graph:
		addArg(s, op.Name)
	case *algebra.Extend:
		s.Add(op.Var)
		addExpr(s, op.Expr)
	case *algebra.Values:
		for _, v := range op.Vars {
			s.Add(v)
		}
	case *algebra.Group:
		for _, k := range op.Keys {
			s.Add(k)
		}
		for _, a := range op.Aggs {
			s.Add(a.Var)
			if a.Arg != nil {
				addExpr(s, a.Arg)
			}
		}
	case *algebra.Project:
		for _, v := range op.Vars {
			s.Add(v)
		}
	case *algebra.OrderBy:
		for _, k := range op.Keys {
			addExpr(s, k.Expr)
		}
	case *algebra.Service:
		addArg(s, op.Name)
		for _, v := range op.Vars {
			s.Add(v)
		}
	}
	for _, c := range children(op) {
		addOp(s, c)
	}
}

func addArg(s *Set, a algebra.Arg) {
	if a.IsVar() {
		s.Add(a.Variable())
	}
	if a.Triple != nil {
		for _, x := range a.Triple {
			addArg(s, x)
		}
	}
}

// children returns the operators directly below op; the pattern of SERVICE is
// none.
func children(op algebra.Op) []algebra.Op {
	switch op := op.(type) {
	case *algebra.Join:
		return []algebra.Op{op.Left, op.Right}
	case *algebra.LeftJoin:
		return []algebra.Op{op.Left, op.Right}
	case *algebra.Minus:
		return []algebra.Op{op.Left, op.Right}
	case *algebra.Union:
		return op.Args
	case *algebra.Filter:
		return []algebra.Op{op.Input}
	case *algebra.Graph:
		return []algebra.Op{op.Input}
	case *algebra.Extend:
		return []algebra.Op{op.Input}
	case *algebra.Group:
		return []algebra.Op{op.Input}
	case *algebra.Project:
		return []algebra.Op{op.Input}
	case *algebra.Distinct:
		return []algebra.Op{op.Input}
	case *algebra.Reduced:
		return []algebra.Op{op.Input}
	case *algebra.OrderBy:
		return []algebra.Op{op.Input}
	case *algebra.Slice:
		return []algebra.Op{op.Input}
	}
	return nil
}

// conditions returns the parts of conditions that may stand in different places.
func (p *Planner) conditions(es []algebra.Expr) []algebra.Expr {
	if p.asWritten {
		return es
	}
	return conjuncts(es)
}

// once reports whether an operator must be evaluated once, over all its rows: rows are
// counted in it, or it has values that another run would not give again.
func (p *Planner) once(op algebra.Op) bool {
	switch op := op.(type) {
	case *algebra.Filter:
		if p.asWritten {
			return true
		}
	case *algebra.LeftJoin:
		if p.asWritten && op.Expr != nil {
			return true
		}
	}
	return slices.ContainsFunc(algebra.Exprs(op), volatile) || slices.ContainsFunc(algebra.Inputs(op), p.once)
}

// conjuncts splits expressions at && into those that must all be true.
func conjuncts(es []algebra.Expr) []algebra.Expr {
	var out []algebra.Expr
	for _, e := range es {
		if c, ok := e.(*algebra.Call); ok && c.Func == ast.And {
			out = append(out, conjuncts(c.Args)...)
			continue
		}
		out = append(out, e)
	}
	return out
}

// hasExists reports whether EXISTS stands somewhere in e.
func hasExists(e algebra.Expr) bool {
	switch e := e.(type) {
	case *algebra.Exists:
		return true
	case *algebra.Call:
		for _, a := range e.Args {
			if hasExists(a) {
				return true
			}
		}
	case *algebra.FunctionCall:
		for _, a := range e.Args {
			if hasExists(a) {
				return true
			}
		}
	}
	return false
}

// volatile reports whether e may have another value the next time: such
// expressions are not moved.
func volatile(e algebra.Expr) bool {
	switch e := e.(type) {
	case *algebra.Call:
		switch e.Func {
		case ast.Rand, ast.UUID, ast.StrUUID, ast.BNode:
			return true
		}
		for _, a := range e.Args {
			if volatile(a) {
				return true
			}
		}
	case *algebra.FunctionCall:
		for _, a := range e.Args {
			if volatile(a) {
				return true
			}
		}
	case *algebra.Exists:
		return chancy(e.Pattern)
	}
	return false
}

// chancy reports whether a pattern has volatile expressions.
func chancy(op algebra.Op) bool {
	return slices.ContainsFunc(algebra.Exprs(op), volatile) || slices.ContainsFunc(algebra.Inputs(op), chancy)
}

// callSelectivity guesses the share of rows for which a call is true.
func callSelectivity(c *algebra.Call) float64 {
	switch c.Func {
	case ast.Equal, ast.SameTerm:
		return 0.05
	case ast.NotEqual, ast.Not, ast.Bound:
		return 0.9
	case ast.Less, ast.LessOrEqual, ast.Greater, ast.GreaterOrEqual:
		return 0.4
	case ast.In:
		return min(1, 0.05*float64(len(c.Args)))
	case ast.Regex, ast.Contains, ast.StrStarts, ast.StrEnds:
		return 0.2
	case ast.And:
		s := 1.0
		for _, a := range c.Args {
			s *= selectivity(a)
		}
		return s
	case ast.Or:
		s := 0.0
		for _, a := range c.Args {
			s += selectivity(a)
		}
		return min(1, s)
	}
	return 0.5
}
