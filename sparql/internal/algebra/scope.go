package algebra

import (
	"github.com/rete-go/rete/sparql/internal/ast"
	"github.com/rete-go/rete/sparql/internal/work"
)

// Possible returns the variables that o may bind: its in-scope variables (SPARQL
// 1.1, section 18.2.1) without those that a sub-select names and never binds, and the
// blank nodes of its patterns.
func Possible(o Op) VarSet { return new(Scopes).Possible(o) }

// Certain returns variables that o binds in every solution. It may miss some,
// and never names one that a solution leaves unbound.
func Certain(o Op) VarSet { return new(Scopes).Certain(o) }

// Scopes answers as [Possible] and [Certain] do and remembers the answers, for
// callers that ask about many operators of a tree. The zero value is ready. The
// sets are shared: clone one to change it.
type Scopes struct {
	// Meter, if not nil, counts what is remembered.
	Meter             *work.Meter
	possible, certain map[Op]VarSet
}

// Possible is [Possible].
func (sc *Scopes) Possible(o Op) VarSet {
	s, ok := sc.possible[o]
	if !ok {
		s = sc.findPossible(o)
		if sc.possible == nil {
			sc.possible = make(map[Op]VarSet)
		}
		sc.possible[o] = s
		sc.count(s)
	}
	return s
}

func (sc *Scopes) findPossible(o Op) VarSet {
	var s VarSet
	switch o := o.(type) {
	case *BGP, *Path, *Values, *Search:
		addLeaf(o, &s)
	case *Join:
		return sc.Possible(o.Left).Or(sc.Possible(o.Right))
	case *LeftJoin:
		return sc.Possible(o.Left).Or(sc.Possible(o.Right))
	case *Lateral:
		return sc.Possible(o.Left).Or(sc.Possible(o.Right))
	case *Union:
		for _, a := range o.Args {
			s.addAll(sc.Possible(a))
		}
	case *Graph:
		s = sc.Possible(o.Input).Clone()
		addArg(o.Name, &s)
	case *Extend:
		s = sc.Possible(o.Input).Clone()
		s.Add(o.Var)
	case *Minus:
		return sc.Possible(o.Left)
	case *Group:
		s = SetOf(o.Keys...)
		for _, a := range o.Aggs {
			s.Add(a.Var)
		}
	case *Service:
		s = sc.Possible(o.Input).Clone()
		addArg(o.Name, &s)
	case *Project:
		return SetOf(o.Vars...).And(sc.Possible(o.Input))
	default:
		if in := input(o); in != nil {
			return sc.Possible(in)
		}
	}
	return s
}

// addLeaf adds the variables of a leaf.
func addLeaf(o Op, s *VarSet) {
	switch o := o.(type) {
	case *BGP:
		addPatterns(o.Patterns, s)
	case *Path:
		addArg(o.S, s)
		addArg(o.O, s)
	case *Values:
		for _, v := range o.Vars {
			s.Add(v)
		}
	case *Search:
		for _, v := range o.Vars {
			s.Add(v)
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
	eachOfArg(a, s.Add)
}

// Certain is [Certain].
func (sc *Scopes) Certain(o Op) VarSet {
	s, ok := sc.certain[o]
	if !ok {
		s = sc.findCertain(o)
		if sc.certain == nil {
			sc.certain = make(map[Op]VarSet)
		}
		sc.certain[o] = s
		sc.count(s)
	}
	return s
}

func (sc *Scopes) findCertain(o Op) VarSet {
	var s VarSet
	switch o := o.(type) {
	case *BGP, *Path, *Search:
		addLeaf(o, &s)
	case *Join:
		return sc.Certain(o.Left).Or(sc.Certain(o.Right))
	case *LeftJoin:
		return sc.Certain(o.Left)
	case *Lateral:
		return sc.Certain(o.Left).Or(sc.Certain(o.Right))
	case *Filter:
		for _, e := range o.Exprs {
			Demanded(e, &s)
		}
		return s.And(sc.Possible(o.Input)).Or(sc.Certain(o.Input))
	case *Union:
		s = sc.Certain(o.Args[0])
		for _, a := range o.Args[1:] {
			s = s.And(sc.Certain(a))
		}
	case *Graph:
		s = sc.Certain(o.Input).Clone()
		addArg(o.Name, &s)
	case *Extend:
		s = sc.Certain(o.Input)
		if neverFails(o.Expr, s) {
			s = s.Clone()
			s.Add(o.Var)
		}
	case *Minus:
		return sc.Certain(o.Left)
	case *Group:
		return certainOfGroup(o, sc.Certain(o.Input))
	case *Values:
		return certainOfValues(o)
	case *Service:
		if !o.Silent {
			return sc.Certain(o.Input)
		}
	case *Project:
		return SetOf(o.Vars...).And(sc.Certain(o.Input))
	default:
		if in := input(o); in != nil {
			return sc.Certain(in)
		}
	}
	return s
}

// count counts a set that is remembered.
func (sc *Scopes) count(s VarSet) {
	if sc.Meter != nil {
		sc.Meter.Step(1 + len(s.words)/64)
		sc.Meter.Hold(setBytes + 8*len(s.words))
	}
}

// setBytes is what a set that is remembered is counted for in addition to its words.
const setBytes = 64

// Demanded adds variables to s that must be bound for e to be true.
func Demanded(e Expr, s *VarSet) {
	c, ok := e.(*Call)
	if !ok {
		return
	}
	switch c.Func {
	case ast.And:
		for _, a := range c.Args {
			Demanded(a, s)
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
	case *Const:
		return !e.Term.IsZero()
	case *Exists:
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

// certainOfGroup returns the certain variables of a group over an input whose
// certain variables are in.
func certainOfGroup(g *Group, in VarSet) VarSet {
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
	for row := range t.Rows.All() {
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
		s.addAll(Mentioned(e.Pattern))
	}
}

// Mentioned returns all variables that stand anywhere in o, bound or not.
func Mentioned(o Op) VarSet {
	var s VarSet
	Walk(o, func(o Op) {
		switch o := o.(type) {
		case *BGP, *Path, *Values, *Search:
			addLeaf(o, &s)
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
			s.addAll(SetOf(o.Vars...))
		}
		for _, e := range Exprs(o) {
			ExprVars(e, &s)
		}
	})
	return s
}
