package rewrite

import (
	"github.com/rete-go/rete/rdf"
	"github.com/rete-go/rete/sparql/internal/algebra"
	"github.com/rete-go/rete/sparql/internal/ast"
)

// table returns VALUES ?v { terms… }.
func table(at ast.Span, v algebra.Var, terms ...rdf.Term) *algebra.Values {
	return &algebra.Values{Span: at, Vars: []algebra.Var{v}, Rows: ast.Rows{Width: 1, N: len(terms), Terms: terms}}
}

// fixes returns the table of the values that e lets a variable of sure have, if
// e is true for those terms and no others; else nil.
func fixes(e algebra.Expr, sure algebra.VarSet) *algebra.Values {
	c, ok := e.(*algebra.Call)
	if !ok {
		return nil
	}
	var x algebra.Expr
	var list []algebra.Expr
	switch c.Func {
	case ast.SameTerm, ast.Equal:
		x, list = c.Args[0], c.Args[1:]
		if _, constant := x.(*algebra.Const); constant {
			x, list = c.Args[1], c.Args[:1]
		}
	case ast.In:
		x, list = c.Args[0], c.Args[1:]
	default:
		return nil
	}
	v, ok := x.(*algebra.VarExpr)
	if !ok || !sure.Has(v.Var) {
		return nil
	}
	terms, known := make([]rdf.Term, 0, len(list)), make(map[rdf.Term]struct{}, len(list))
	for _, a := range list {
		k, ok := a.(*algebra.Const)
		if !ok || k.Term.IsZero() || c.Func != ast.SameTerm && !singular(k.Term) {
			return nil
		}
		if _, twice := known[k.Term]; !twice {
			known[k.Term] = struct{}{}
			terms = append(terms, k.Term)
		}
	}
	return table(c.Span, v.Var, terms...)
}

// singular reports whether no other term is equal to t in value: IRIs, and
// strings without a language. Comparing a literal that is neither number nor
// date with another one is false or an error, which a filter treats alike.
func singular(t rdf.Term) bool {
	switch t.Kind() {
	case rdf.KindIRI:
		return true
	case rdf.KindLiteral:
		return t.Datatype() == rdf.XSDString
	}
	return false
}
