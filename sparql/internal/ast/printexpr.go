package ast

import "github.com/rete-go/rete/rdf"

// expr prints an expression; operators stand in parentheses of their own.
func (p *printer) expr(e Expr) {
	switch e := e.(type) {
	case *VarExpr:
		p.text("?" + e.Name)
	case *TermExpr:
		p.constant(e.Term)
	case *TripleExpr:
		p.slots.give()
		p.text("<<( ")
		p.expr(e.S)
		p.text(" ")
		p.expr(e.P)
		p.text(" ")
		p.expr(e.O)
		p.text(" )>>")
	case *Call:
		p.call(e)
	case *FunctionCall:
		p.constant(e.IRI)
		p.text("(")
		if e.Distinct {
			p.text("DISTINCT ")
		}
		p.list(e.Args, ", ")
		p.text(")")
	case *Aggregate:
		p.aggregate(e)
	case *Exists:
		p.slots.give()
		if e.Not {
			p.text("NOT ")
		}
		p.text("EXISTS ")
		p.group(e.Pattern)
	}
}

func (p *printer) call(e *Call) {
	switch {
	case !e.Func.IsOperator():
		p.text(e.Func.String() + "(")
		p.list(e.Args, ", ")
	case e.Func == In || e.Func == NotIn:
		p.text("(")
		p.expr(e.Args[0])
		p.text(" " + e.Func.String() + " (")
		p.list(e.Args[1:], ", ")
		p.text(")")
	case len(e.Args) == 1:
		p.text("(" + e.Func.String() + " ")
		p.expr(e.Args[0])
	default:
		p.text("(")
		p.list(e.Args, " "+e.Func.String()+" ")
	}
	p.text(")")
}

func (p *printer) list(args []Expr, between string) {
	for i, a := range args {
		if i > 0 {
			p.text(between)
		}
		p.expr(a)
	}
}

func (p *printer) aggregate(a *Aggregate) {
	p.text(a.Kind.String() + "(")
	if a.Distinct {
		p.text("DISTINCT ")
	}
	if a.Star {
		p.text("*")
	} else {
		p.expr(a.Arg)
	}
	if a.Kind == GroupConcat {
		p.text("; SEPARATOR=" + rdf.String(a.Separator).String())
	}
	p.text(")")
}

// looseness says which paths stand without parentheses at a place.
type looseness uint8

const (
	looseAlt     looseness = iota // anything
	looseSeq                      // anything but alternatives
	looseElement                  // links, sets, inverses and modified ones
	looseInverse                  // after ^: links, sets and modified ones
	loosePrimary                  // before a modifier: links and sets
)

func (p *printer) path(path *Path, place looseness) {
	var most looseness // where path may stand without parentheses at most
	switch path.Op {
	case PathAlt:
		most = looseAlt
	case PathSeq:
		most = looseSeq
	case PathInverse:
		most = looseElement
	case PathZeroOrOne, PathZeroOrMore, PathOneOrMore:
		most = looseInverse
	default:
		most = loosePrimary
	}
	if most < place {
		p.text("(")
		defer p.text(")")
	}
	switch path.Op {
	case PathLink:
		p.constant(path.IRI)
	case PathInverse:
		p.text("^")
		p.path(path.Args[0], looseInverse)
	case PathSeq:
		p.paths(path.Args, "/", looseElement)
	case PathAlt:
		p.paths(path.Args, "|", looseSeq)
	case PathZeroOrOne:
		p.path(path.Args[0], loosePrimary)
		p.text("?")
	case PathZeroOrMore:
		p.path(path.Args[0], loosePrimary)
		p.text("*")
	case PathOneOrMore:
		p.path(path.Args[0], loosePrimary)
		p.text("+")
	case PathNegated:
		p.text("!(")
		for i, l := range path.Links {
			if i > 0 {
				p.text("|")
			}
			if l.Inverse {
				p.text("^")
			}
			p.constant(l.IRI)
		}
		p.text(")")
	}
}

func (p *printer) paths(args []*Path, sign string, place looseness) {
	for i, a := range args {
		if i > 0 {
			p.text(sign)
		}
		p.path(a, place)
	}
}
