package algebra

import (
	"strings"

	"github.com/rete-go/rete/sparql/ast"
)

func (p *printer) expr(e Expr) {
	switch e := e.(type) {
	case *VarExpr:
		p.variable(e.Var)
	case *Const:
		p.text(e.Term.String())
	case *Call:
		p.text("(" + strings.ToLower(e.Func.String()))
		p.args(e.Args)
	case *FunctionCall:
		p.text("(" + e.IRI.String())
		p.args(e.Args)
	case *Exists:
		if e.Not {
			p.text("(not ")
		}
		p.text("(exists ")
		flat := p.flat
		p.flat = true
		p.op(e.Pattern, 0)
		p.flat = flat
		p.text(")")
		if e.Not {
			p.text(")")
		}
	}
}

func (p *printer) args(list []Expr) {
	for _, a := range list {
		p.text(" ")
		p.expr(a)
	}
	p.text(")")
}

func (p *printer) path(e PathExpr) {
	switch e := e.(type) {
	case *Link:
		p.term(e.IRI)
	case *Inverse:
		p.text("(^ ")
		p.term(e.IRI)
		p.text(")")
	case *Seq:
		p.pathList("/", e.Args)
	case *Alt:
		p.pathList("|", e.Args)
	case *ZeroOrOne:
		p.pathList("?", []PathExpr{e.Path})
	case *ZeroOrMore:
		p.pathList("*", []PathExpr{e.Path})
	case *OneOrMore:
		p.pathList("+", []PathExpr{e.Path})
	case *Negated:
		p.text("(!")
		for _, t := range e.Forward {
			p.text(" ")
			p.term(t)
		}
		if e.HasBackward {
			p.text(" (^")
			for _, t := range e.Backward {
				p.text(" ")
				p.term(t)
			}
			p.text(")")
		}
		p.text(")")
	}
}

func (p *printer) pathList(sign string, args []PathExpr) {
	p.text("(" + sign)
	for _, a := range args {
		p.text(" ")
		p.path(a)
	}
	p.text(")")
}

// pure reports whether e has the same value for the same solution whenever it
// is computed.
func pure(e Expr) bool {
	switch e := e.(type) {
	case *Call:
		switch e.Func {
		case ast.Rand, ast.UUID, ast.StrUUID, ast.BNode:
			return false
		}
		return allPure(e.Args)
	case *FunctionCall:
		return isCast(e.IRI) && allPure(e.Args)
	case *Exists:
		return false
	}
	return true
}

func allPure(args []Expr) bool {
	for _, a := range args {
		if !pure(a) {
			return false
		}
	}
	return true
}
