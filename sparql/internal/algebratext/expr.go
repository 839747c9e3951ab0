package algebratext

import (
	"strings"

	"github.com/rete-go/rete/sparql/internal/algebra"
)

func (p *printer) expr(e algebra.Expr) {
	switch e := e.(type) {
	case *algebra.VarExpr:
		p.variable(e.Var)
	case *algebra.Const:
		p.text(e.Term.String())
	case *algebra.Call:
		p.text("(" + strings.ToLower(e.Func.String()))
		p.args(e.Args)
	case *algebra.FunctionCall:
		p.text("(" + e.IRI.String())
		p.args(e.Args)
	case *algebra.Exists:
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

func (p *printer) args(list []algebra.Expr) {
	for _, a := range list {
		p.text(" ")
		p.expr(a)
	}
	p.text(")")
}

func (p *printer) path(e algebra.PathExpr) {
	switch e := e.(type) {
	case *algebra.Link:
		p.term(e.IRI)
	case *algebra.Inverse:
		p.text("(^ ")
		p.term(e.IRI)
		p.text(")")
	case *algebra.Seq:
		p.pathList("/", e.Args)
	case *algebra.Alt:
		p.pathList("|", e.Args)
	case *algebra.ZeroOrOne:
		p.pathList("?", []algebra.PathExpr{e.Path})
	case *algebra.ZeroOrMore:
		p.pathList("*", []algebra.PathExpr{e.Path})
	case *algebra.OneOrMore:
		p.pathList("+", []algebra.PathExpr{e.Path})
	case *algebra.Negated:
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

func (p *printer) pathList(sign string, args []algebra.PathExpr) {
	p.text("(" + sign)
	for _, a := range args {
		p.text(" ")
		p.path(a)
	}
	p.text(")")
}
