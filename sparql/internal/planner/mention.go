package planner

import (
	"github.com/rete-go/rete/sparql/internal/algebra"
	"github.com/rete-go/rete/sparql/internal/ast"
	"github.com/rete-go/rete/sparql/internal/plan"
)

// ownVars returns the variables that stand in an operator itself, but for its expressions.
func ownVars(op algebra.Op) plan.Set {
	var s plan.Set
	switch op := op.(type) {
	case *algebra.BGP:
		for _, t := range op.Patterns {
			addArg(&s, t.S)
			addArg(&s, t.P)
			addArg(&s, t.O)
		}
	case *algebra.Path:
		addArg(&s, op.S)
		addArg(&s, op.O)
	case *algebra.Graph:
		addArg(&s, op.Name)
	case *algebra.Extend:
		s.Add(op.Var)
	case *algebra.Values:
		s = plan.SetOf(op.Vars...)
	case *algebra.Search:
		s = plan.SetOf(op.Vars...)
	case *algebra.Group:
		s = plan.SetOf(op.Keys...)
		for _, a := range op.Aggs {
			s.Add(a.Var)
		}
	case *algebra.Project:
		s = plan.SetOf(op.Vars...)
	case *algebra.Service:
		s = plan.SetOf(op.Vars...)
		addArg(&s, op.Name)
	}
	return s
}

func addArg(s *plan.Set, a algebra.Arg) {
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
	case *algebra.Lateral:
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
