package sparql

import (
	"github.com/rete-go/rete/sparql/internal/algebra"
)

// noteUnbound tells of variables that are asked for and that the pattern never binds.
func (s *session) noteUnbound(asked []algebra.Var, c *config) {
	if s.notes == nil || len(asked) == 0 {
		return
	}
	root := s.query.q.Root // of a query of the same shape at least
	bound := bindable(root)
	for _, v := range asked {
		name := s.query.q.Vars.Name(v)
		if _, given := c.bound[name]; given || bound.Has(v) {
			continue
		}
		if !algebra.Mentioned(unprojected(root)).Has(v) {
			s.notes.add("?%s occurs nowhere in the pattern, so it has no value", name)
			continue
		}
		s.notes.add("?%s has no value: the pattern has it only where it is not bound, such as FILTER, MINUS or a sub-select that hides it", name)
	}
}

// unprojected returns what a query projects from.
func unprojected(o algebra.Op) algebra.Op {
	for {
		switch in := o.(type) {
		case *algebra.Slice:
			o = in.Input
		case *algebra.Distinct:
			o = in.Input
		case *algebra.Reduced:
			o = in.Input
		case *algebra.Project:
			return in.Input
		default:
			return o
		}
	}
}

// bindable returns the variables that solutions may bind: [algebra.Possible], but for keys of
// groups that nothing binds.
func bindable(o algebra.Op) algebra.VarSet {
	switch o := o.(type) {
	case *algebra.Project:
		return bindable(o.Input).And(algebra.SetOf(o.Vars...))
	case *algebra.Filter:
		return bindable(o.Input)
	case *algebra.Distinct:
		return bindable(o.Input)
	case *algebra.Reduced:
		return bindable(o.Input)
	case *algebra.OrderBy:
		return bindable(o.Input)
	case *algebra.Slice:
		return bindable(o.Input)
	case *algebra.Extend:
		return bindable(o.Input).Or(algebra.SetOf(o.Var))
	case *algebra.Join: // with the table behind a query
		return bindable(o.Left).Or(bindable(o.Right))
	case *algebra.Group:
		out := algebra.Possible(o.Input).And(algebra.SetOf(o.Keys...))
		for _, a := range o.Aggs {
			out = out.Or(algebra.SetOf(a.Var))
		}
		return out
	}
	return algebra.Possible(o)
}
