package algebra

import "github.com/rete-go/rete/sparql/internal/ast"

// expr translates an expression of a pattern: without aggregates.
func (t *translator) expr(e ast.Expr) Expr {
	x := exprs{t: t}
	return x.expr(e)
}

// exprs translates the expressions of one query level. In a grouped query
// (grouped is not nil) aggregates become variables of the [Group], and other
// variables that the groups do not have become samples (section 18.2.4.1).
type exprs struct {
	t       *translator
	grouped *Group
	known   map[string]bool // the variables that may be used as they are
	same    map[string]Var  // aggregates that are there already, by text
}

// define makes a name known from here on: a key, or the value of SELECT.
func (x *exprs) define(name string) {
	if x.grouped != nil {
		x.known[name] = true
	}
}

func (x *exprs) expr(e ast.Expr) Expr {
	t := x.t
	if !t.meter.Step(1) {
		return &Const{Span: e.Range()}
	}
	switch e := e.(type) {
	case *ast.VarExpr:
		return x.variable(e)
	case *ast.TermExpr:
		return &Const{e.Span, e.Term}
	case *ast.TripleExpr:
		return &Call{e.Span, ast.MakeTriple, []Expr{x.expr(e.S), x.expr(e.P), x.expr(e.O)}}
	case *ast.Call:
		switch e.Func {
		case ast.Now:
			t.uses |= UsesNow
		case ast.Rand, ast.UUID, ast.StrUUID:
			t.uses |= UsesRandom
		case ast.BNode:
			t.uses |= UsesBNode
		}
		c := &Call{e.Span, e.Func, x.list(e.Args)}
		if c.Func == ast.Regex || c.Func == ast.Replace {
			t.patterns = append(t.patterns, c)
		}
		return c
	case *ast.FunctionCall:
		if !isCast(e.IRI) {
			t.uses |= UsesExtension
		}
		return &FunctionCall{e.Span, e.IRI, x.list(e.Args)}
	case *ast.Exists:
		return &Exists{e.Span, e.Not, t.group(e.Pattern)}
	case *ast.Aggregate:
		return x.aggregate(e)
	}
	return nil
}

func (x *exprs) list(args []ast.Expr) []Expr {
	out := make([]Expr, len(args))
	for i, a := range args {
		out[i] = x.expr(a)
	}
	return out
}

func (x *exprs) variable(e *ast.VarExpr) Expr {
	v := x.t.variable(e.Name)
	if x.grouped == nil || x.known[e.Name] {
		return &VarExpr{e.Span, v}
	}
	return x.aggregation(Aggregation{Span: e.Span, Kind: ast.Sample, Arg: &VarExpr{e.Span, v}})
}

func (x *exprs) aggregate(e *ast.Aggregate) Expr {
	a := Aggregation{Span: e.Span, Kind: e.Kind, Distinct: e.Distinct, Star: e.Star, Separator: e.Separator}
	if e.Arg != nil {
		a.Arg = x.t.expr(e.Arg)
	}
	return x.aggregation(a)
}

// aggregation returns the variable of an aggregate; equal ones share theirs.
func (x *exprs) aggregation(a Aggregation) Expr {
	text := a.key()
	v, ok := x.same[text]
	if !ok || text == "" {
		v = x.t.generated(Generated)
		a.Var = v
		x.same[text] = v
		x.grouped.Aggs = append(x.grouped.Aggs, a)
	}
	return &VarExpr{a.Span, v}
}

// grouping returns the [Group] of a grouped query over op, and tells x about
// it. Aggregates are added while expressions are translated.
func (t *translator) grouping(q *ast.Query, op Op, x *exprs) Op {
	x.known, x.same = make(map[string]bool), make(map[string]Var)
	var keys []Var
	for _, k := range q.GroupBy {
		e := t.expr(k.Expr)
		v := NoVar
		switch plain, ok := k.Expr.(*ast.VarExpr); {
		case k.Var.Name != "":
			v = t.variable(k.Var.Name)
			x.known[k.Var.Name] = true
		case ok:
			x.known[plain.Name] = true
			keys = append(keys, t.variable(plain.Name))
			continue
		default:
			v = t.generated(Generated)
		}
		op = &Extend{k.Span, op, v, e}
		keys = append(keys, v)
	}
	if q.Values != nil {
		for _, v := range q.Values.Vars {
			x.known[v.Name] = true
		}
	}
	x.grouped = &Group{Input: op, Keys: t.distinct(keys)}
	return x.grouped
}
