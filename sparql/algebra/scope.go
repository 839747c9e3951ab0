package algebra

import "github.com/rete-go/rete/sparql/ast"

// Possible returns the variables that o may bind (its in-scope variables,
// SPARQL 1.1 section 18.2.1, and the blank nodes of its patterns).
func Possible(o Op) VarSet {
	var s VarSet
	addPossible(o, &s)
	return s
}

func addPossible(o Op, s *VarSet) {
	switch o := o.(type) {
	case *BGP:
		addPatterns(o.Patterns, s)
	case *Path:
		addArg(o.S, s)
		addArg(o.O, s)
	case *Join:
		addPossible(o.Left, s)
		addPossible(o.Right, s)
	case *LeftJoin:
		addPossible(o.Left, s)
		addPossible(o.Right, s)
	case *Union:
		for _, a := range o.Args {
			addPossible(a, s)
		}
	case *Graph:
		addArg(o.Name, s)
		addPossible(o.Input, s)
	case *Extend:
		addPossible(o.Input, s)
		s.Add(o.Var)
	case *Minus:
		addPossible(o.Left, s)
	case *Group:
		for _, v := range o.Keys {
			s.Add(v)
		}
		for _, a := range o.Aggs {
			s.Add(a.Var)
		}
	case *Values:
		for _, v := range o.Vars {
			s.Add(v)
		}
	case *Service:
		addArg(o.Name, s)
		addPossible(o.Input, s)
	case *Project:
		s.AddAll(SetOf(o.Vars...).And(Possible(o.Input)))
	default:
		if in := input(o); in != nil {
			addPossible(in, s)
		}
	}
}

// input returns the input of an operator that binds what its input binds.
func input(o Op) Op {
	switch o := o.(type) {
	case *Filter:
		return o.Input
	case *Distinct:
		return o.Input
	case *Reduced:
		return o.Input
	case *OrderBy:
		return o.Input
	case *Slice:
		return o.Input
	}
	return nil
}

func addPatterns(patterns []TriplePattern, s *VarSet) {
	for i := range patterns {
		t := &patterns[i]
		addArg(t.S, s)
		addArg(t.P, s)
		addArg(t.O, s)
	}
}

func addArg(a Arg, s *VarSet) {
	if a.Triple != nil {
		for _, part := range a.Triple {
			addArg(part, s)
		}
		return
	}
	s.Add(a.Variable())
}

// ArgVars adds the variables at a position to s.
func ArgVars(a Arg, s *VarSet) { addArg(a, s) }

// Certain returns variables that o binds in every solution. It may miss some,
// and never names one that a solution leaves unbound.
func Certain(o Op) VarSet {
	var s VarSet
	switch o := o.(type) {
	case *BGP:
		addPatterns(o.Patterns, &s)
	case *Path:
		addArg(o.S, &s)
		addArg(o.O, &s)
	case *Join:
		s = Certain(o.Left)
		s.AddAll(Certain(o.Right))
	case *LeftJoin:
		s = Certain(o.Left)
	case *Filter:
		s = Certain(o.Input)
		for _, e := range o.Exprs {
			addDemanded(e, &s)
		}
		s = s.And(Possible(o.Input))
	case *Union:
		s = Certain(o.Args[0])
		for _, a := range o.Args[1:] {
			s = s.And(Certain(a))
		}
	case *Graph:
		s = Certain(o.Input)
		addArg(o.Name, &s)
	case *Extend:
		s = Certain(o.Input)
		if neverFails(o.Expr, s) {
			s.Add(o.Var)
		}
	case *Minus:
		s = Certain(o.Left)
	case *Group:
		s = certainOfGroup(o)
	case *Values:
		s = certainOfValues(o)
	case *Service:
		if !o.Silent {
			s = Certain(o.Input)
		}
	case *Project:
		s = SetOf(o.Vars...).And(Certain(o.Input))
	default:
		if in := input(o); in != nil {
			s = Certain(in)
		}
	}
	return s
}

// addDemanded adds variables without which e is not true.
func addDemanded(e Expr, s *VarSet) {
	c, ok := e.(*Call)
	if !ok {
		return
	}
	switch c.Func {
	case ast.And:
		for _, a := range c.Args {
			addDemanded(a, s)
		}
	case ast.Bound, ast.Equal, ast.NotEqual, ast.Less, ast.Greater, ast.LessOrEqual, ast.GreaterOrEqual, ast.SameTerm:
		for _, a := range c.Args {
			if v, ok := a.(*VarExpr); ok {
				s.Add(v.Var)
			}
		}
	}
}

// neverFails reports whether e has a value wherever the variables of bound are
// bound.
func neverFails(e Expr, bound VarSet) bool {
	switch e := e.(type) {
	case *Const, *Exists:
		return true
	case *VarExpr:
		return bound.Has(e.Var)
	case *Call:
		switch e.Func {
		case ast.Bound, ast.Now, ast.Rand, ast.UUID, ast.StrUUID:
			return true
		case ast.SameTerm, ast.IsIRI, ast.IsBlank, ast.IsLiteral, ast.IsNumeric, ast.IsTriple:
			for _, a := range e.Args {
				if !neverFails(a, bound) {
					return false
				}
			}
			return true
		case ast.Coalesce:
			for _, a := range e.Args {
				if neverFails(a, bound) {
					return true
				}
			}
		}
	}
	return false
}

func certainOfGroup(g *Group) VarSet {
	in := Certain(g.Input)
	var s VarSet
	for _, v := range g.Keys {
		if in.Has(v) {
			s.Add(v)
		}
	}
	for _, a := range g.Aggs {
		if a.Kind == ast.Count {
			s.Add(a.Var)
		}
	}
	return s
}

func certainOfValues(t *Values) VarSet {
	s := SetOf(t.Vars...)
	for _, row := range t.Rows {
		for i, v := range t.Vars {
			if row[i].IsZero() {
				s.Remove(v)
			}
		}
	}
	return s
}

// ExprVars adds the variables of an expression to s: also those that the
// patterns of its [Exists] may bind or mention.
func ExprVars(e Expr, s *VarSet) {
	switch e := e.(type) {
	case *VarExpr:
		s.Add(e.Var)
	case *Call:
		for _, a := range e.Args {
			ExprVars(a, s)
		}
	case *FunctionCall:
		for _, a := range e.Args {
			ExprVars(a, s)
		}
	case *Exists:
		s.AddAll(Mentioned(e.Pattern))
	}
}

// Mentioned returns all variables that stand anywhere in o, bound or not.
func Mentioned(o Op) VarSet {
	var s VarSet
	Walk(o, func(o Op) {
		switch o := o.(type) {
		case *BGP, *Path, *Values:
			addPossible(o, &s)
		case *Graph:
			addArg(o.Name, &s)
		case *Service:
			addArg(o.Name, &s)
		case *Group:
			for _, v := range o.Keys {
				s.Add(v)
			}
			for _, a := range o.Aggs {
				s.Add(a.Var)
			}
		case *Extend:
			s.Add(o.Var)
		case *Project:
			s.AddAll(SetOf(o.Vars...))
		}
		for _, e := range Exprs(o) {
			ExprVars(e, &s)
		}
	})
	return s
}
