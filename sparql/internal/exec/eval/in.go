package eval

import (
	"slices"
	"strings"

	"github.com/rete-go/rete/sparql/internal/algebra"
	"github.com/rete-go/rete/sparql/internal/ast"
	"github.com/rete-go/rete/sparql/internal/value"
)

// minSet is the number of constants from which on a list is a set.
const minSet = 8

// in compiles IN and NOT IN. The constants of a long list are one set, so that a row
// costs a look-up.
func (c *Compiler) in(e *algebra.Call) (Truth, error) {
	x, rest := e.Args[0], e.Args[1:]
	isConst := func(a algebra.Expr) bool { _, ok := a.(*algebra.Const); return ok }
	var sets []Truth
	if constants := slices.Collect(filtered(rest, isConst)); len(constants) >= minSet {
		set, err := c.set(x, constants)
		if err != nil {
			return nil, err
		}
		sets = append(sets, set)
		rest = slices.Collect(filtered(rest, func(a algebra.Expr) bool { return !isConst(a) }))
	}
	if len(rest) > 0 || len(sets) == 0 {
		list, err := c.list(x, rest)
		if err != nil {
			return nil, err
		}
		sets = append(sets, list)
	}
	not := e.Func == ast.NotIn
	return func(row int) value.Tri {
		t := sets[0](row)
		for _, s := range sets[1:] {
			t = t.Or(s(row))
		}
		if not {
			return t.Not()
		}
		return t
	}, nil
}

func filtered(es []algebra.Expr, keep func(algebra.Expr) bool) func(yield func(algebra.Expr) bool) {
	return func(yield func(algebra.Expr) bool) {
		for _, e := range es {
			if keep(e) && !yield(e) {
				return
			}
		}
	}
}

// list compiles x IN (list) by going through the list.
func (c *Compiler) list(x algebra.Expr, list []algebra.Expr) (Truth, error) {
	k, err := c.Compile(x)
	if err != nil {
		return nil, err
	}
	args, err := c.compileAll(list)
	if err != nil {
		return nil, err
	}
	values := make([]value.Value, len(args))
	return func(row int) value.Tri {
		for i, a := range args {
			values[i] = a(row)
		}
		return value.In(k(row), values)
	}, nil
}

// set compiles x IN (constants): by ids if all are IRIs and x is a variable.
func (c *Compiler) set(x algebra.Expr, constants []algebra.Expr) (Truth, error) {
	if t := c.idSet(x, constants); t != nil {
		return t, nil
	}
	k, err := c.Compile(x)
	if err != nil {
		return nil, err
	}
	list := make([]value.Value, len(constants))
	for i, e := range constants {
		list[i] = value.FromTerm(e.(*algebra.Const).Term)
	}
	set := value.NewSet(list)
	return func(row int) value.Tri { return set.In(k(row)) }, nil
}

// idSet compiles v IN (IRIs), which compares ids: nil if it is something else.
func (c *Compiler) idSet(x algebra.Expr, constants []algebra.Expr) Truth {
	v, ok := x.(*algebra.VarExpr)
	if !ok {
		return nil
	}
	set := make(map[id]struct{}, len(constants))
	for _, e := range constants {
		surface := e.(*algebra.Const).Term.Surface()
		known, ok := c.run.Constants[surface]
		if !ok || !strings.HasPrefix(surface, "<") || strings.HasPrefix(surface, "<<") {
			return nil
		}
		set[known] = struct{}{}
	}
	i := c.column(v.Var, false)
	if i < 0 {
		return func(int) value.Tri { return value.TriError }
	}
	return func(row int) value.Tri {
		id := c.ids[i][row]
		if id == 0 {
			return value.TriError
		}
		_, in := set[id]
		return tri(in)
	}
}

// lists returns the arguments of || or &&, nested ones of the same kind included, with
// long chains ?x = a || ?x = b as ?x IN (a, b), and ?x != a && ?x != b as ?x NOT IN
// (a, b), which are the same by definition (SPARQL 17.4.1.9, 17.4.1.10).
func lists(e *algebra.Call) []algebra.Expr {
	args := algebra.Flat(e)
	if len(args) < minSet {
		return args
	}
	compare, in := ast.Equal, ast.In
	if e.Func == ast.And {
		compare, in = ast.NotEqual, ast.NotIn
	}
	chains := map[algebra.Var][]algebra.Expr{}
	for _, a := range args {
		if v, k := constantSide(a, compare); k != nil {
			chains[v.Var] = append(chains[v.Var], k)
		}
	}
	var out []algebra.Expr
	for _, a := range args {
		v, k := constantSide(a, compare)
		if k == nil || len(chains[v.Var]) < minSet {
			out = append(out, a)
			continue
		}
		if chains[v.Var][0] == k {
			list := append([]algebra.Expr{v}, chains[v.Var]...)
			out = append(out, &algebra.Call{Span: a.(*algebra.Call).Span, Func: in, Args: list})
		}
	}
	return out
}

// constantSide returns the sides of ?v = constant, nil for other expressions.
func constantSide(e algebra.Expr, f ast.Func) (*algebra.VarExpr, *algebra.Const) {
	c, ok := e.(*algebra.Call)
	if !ok || c.Func != f {
		return nil, nil
	}
	x, y := c.Args[0], c.Args[1]
	if _, ok := x.(*algebra.Const); ok {
		x, y = y, x
	}
	v, isVar := x.(*algebra.VarExpr)
	k, isConst := y.(*algebra.Const)
	if !isVar || !isConst {
		return nil, nil
	}
	return v, k
}
