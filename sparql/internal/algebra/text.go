package algebra

import (
	"strconv"
	"strings"

	"github.com/rete-go/rete/rdf"
	"github.com/rete-go/rete/sparql/internal/ast"
)

// VarText returns a variable as SPARQL writes it; a blank node with its label.
func VarText(v Var, vars Vars) string {
	if v < 0 || int(v) >= len(vars) {
		return "?#" + strconv.Itoa(int(v))
	}
	return vars[v].mark() + vars[v].Name
}

// mark returns what stands before the name of a variable.
func (v VarInfo) mark() string {
	if v.Kind == Blank {
		return "_:"
	}
	return "?"
}

// ExprText returns an expression much as SPARQL writes it, with terms as term
// writes them, for people: what stands in EXISTS is left out.
func ExprText(e Expr, vars Vars, term func(rdf.Term) string) string {
	return ExprTextOf(e, vars.text, term)
}

// ExprTextOf is [ExprText] with variables as name writes them.
func ExprTextOf(e Expr, name func(Var) string, term func(rdf.Term) string) string {
	t := &texter{name: name, term: term}
	return t.expr(e, false)
}

// text is VarText.
func (t Vars) text(v Var) string { return VarText(v, t) }

// AggregateText returns an aggregate as [ExprText] does.
func AggregateText(a *Aggregation, vars Vars, term func(rdf.Term) string) string {
	t := &texter{name: vars.text, term: term}
	s := a.Kind.String() + "("
	if a.Distinct {
		s += "DISTINCT "
	}
	if a.Star {
		return s + "*)"
	}
	return s + t.expr(a.Arg, false) + ")"
}

// key returns a text that is equal for equal aggregates; empty where two calls
// need not give one value.
func (a *Aggregation) key() string {
	if a.Arg != nil && !pure(a.Arg) {
		return ""
	}
	return strconv.Quote(a.Separator) + AggregateText(a, nil, rdf.Term.String)
}

// PathText returns a path as SPARQL writes it, with terms as term writes them.
func PathText(p PathExpr, term func(rdf.Term) string) string {
	t := &texter{term: term}
	return t.path(p)
}

type texter struct {
	name func(Var) string
	term func(rdf.Term) string
}

// expr returns e, in parentheses if it is an operator inside another one.
func (t *texter) expr(e Expr, inside bool) string {
	switch e := e.(type) {
	case *VarExpr:
		return t.name(e.Var)
	case *Const:
		if e.Term.IsZero() {
			return "error"
		}
		return t.term(e.Term)
	case *Call:
		text := t.call(e)
		if inside && e.Func.IsOperator() && (len(e.Args) > 1 || e.Func == ast.In || e.Func == ast.NotIn) {
			return "(" + text + ")"
		}
		return text
	case *FunctionCall:
		return t.term(e.IRI) + "(" + t.list(e.Args, ", ", false) + ")"
	case *Exists:
		if e.Not {
			return "NOT EXISTS {…}"
		}
		return "EXISTS {…}"
	}
	return "?"
}

func (t *texter) call(e *Call) string {
	switch {
	case !e.Func.IsOperator():
		return e.Func.String() + "(" + t.list(e.Args, ", ", false) + ")"
	case e.Func == ast.In || e.Func == ast.NotIn:
		return t.expr(e.Args[0], true) + " " + e.Func.String() + " (" + t.list(e.Args[1:], ", ", false) + ")"
	case len(e.Args) == 1:
		return e.Func.String() + t.expr(e.Args[0], true)
	}
	return t.list(e.Args, " "+e.Func.String()+" ", true)
}

func (t *texter) list(args []Expr, between string, inside bool) string {
	out := make([]string, len(args))
	for i, a := range args {
		out[i] = t.expr(a, inside)
	}
	return strings.Join(out, between)
}

// path returns a path; sequences and alternatives stand in parentheses.
func (t *texter) path(p PathExpr) string {
	switch p := p.(type) {
	case *Link:
		return t.term(p.IRI)
	case *Inverse:
		return "^" + t.term(p.IRI)
	case *Seq:
		return "(" + t.paths(p.Args, "/") + ")"
	case *Alt:
		return "(" + t.paths(p.Args, "|") + ")"
	case *ZeroOrOne:
		return t.modified(p.Path) + "?"
	case *ZeroOrMore:
		return t.modified(p.Path) + "*"
	case *OneOrMore:
		return t.modified(p.Path) + "+"
	case *Negated:
		var list []string
		for _, x := range p.Forward {
			list = append(list, t.term(x))
		}
		for _, x := range p.Backward {
			list = append(list, "^"+t.term(x))
		}
		return "!(" + strings.Join(list, "|") + ")"
	}
	return "?"
}

func (t *texter) modified(p PathExpr) string {
	switch p.(type) {
	case *Link, *Seq, *Alt, *Negated:
		return t.path(p)
	}
	return "(" + t.path(p) + ")"
}

func (t *texter) paths(args []PathExpr, between string) string {
	out := make([]string, len(args))
	for i, a := range args {
		out[i] = t.path(a)
	}
	return strings.Join(out, between)
}
