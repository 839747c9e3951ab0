// Package algebratext prints the algebra as S-expressions, for tests.
package algebratext

import (
	"strconv"
	"strings"

	"github.com/rete-go/rete/rdf"
	"github.com/rete-go/rete/sparql/internal/algebra"
	"github.com/rete-go/rete/sparql/internal/ast"
)

// Format returns o as an indented S-expression, with the names of vars.
// Variables whose name is not unique are followed by their slot: ?x#4.
func Format(o algebra.Op, vars algebra.Vars) string {
	p := newPrinter(vars)
	p.op(o, 0)
	return p.b.String()
}

// Query returns q as an S-expression, with what it makes of the
// solutions.
func Query(q *algebra.Query) string {
	p := newPrinter(q.Vars)
	switch q.Form {
	case ast.Select:
		p.text("(select")
		p.vars(q.Columns)
	case ast.Construct:
		p.text("(construct")
		p.template(q.Template, 1)
	case ast.Describe:
		p.text("(describe (")
		for i, a := range q.Describe {
			p.sep(i)
			p.arg(a)
		}
		p.text(")")
	case ast.Ask:
		p.text("(ask")
	}
	if q.Dataset != nil {
		p.dataset(q.Dataset, 1)
	}
	p.line(1)
	p.op(q.Root, 1)
	p.text(")")
	return p.b.String()
}

// Modify returns m as an S-expression.
func Modify(m *algebra.Modify) string {
	p := newPrinter(m.Vars)
	p.text("(modify")
	if !m.With.IsZero() {
		p.text(" (with ")
		p.term(m.With)
		p.text(")")
	}
	if m.Dataset != nil {
		p.dataset(m.Dataset, 1)
	}
	p.line(1)
	p.text("(delete")
	p.template(m.Delete, 2)
	p.text(")")
	p.line(1)
	p.text("(insert")
	p.template(m.Insert, 2)
	p.text(")")
	p.line(1)
	p.op(m.Root, 1)
	p.text(")")
	return p.b.String()
}

type printer struct {
	b     strings.Builder
	table algebra.Vars
	twice map[string]bool
	flat  bool // one line
}

func newPrinter(vars algebra.Vars) *printer {
	p := &printer{table: vars, twice: make(map[string]bool)}
	seen := make(map[string]bool)
	for _, v := range vars {
		name := mark(v) + v.Name
		p.twice[name] = seen[name]
		seen[name] = true
	}
	return p
}

// mark returns what stands before the name of a variable.
func mark(v algebra.VarInfo) string {
	if v.Kind == algebra.Blank {
		return "_:"
	}
	return "?"
}

func (p *printer) text(s string) { p.b.WriteString(s) }

func (p *printer) line(depth int) {
	if p.flat {
		p.text(" ")
		return
	}
	p.text("\n" + strings.Repeat("  ", min(depth, 100)))
}

func (p *printer) sep(i int) {
	if i > 0 {
		p.text(" ")
	}
}

func (p *printer) variable(v algebra.Var) {
	if v < 0 || int(v) >= len(p.table) {
		p.text("?#" + strconv.Itoa(int(v)))
		return
	}
	name := mark(p.table[v]) + p.table[v].Name
	p.text(name)
	if p.twice[name] {
		p.text("#" + strconv.Itoa(int(v)))
	}
}

func (p *printer) vars(list []algebra.Var) {
	p.text(" (")
	for i, v := range list {
		p.sep(i)
		p.variable(v)
	}
	p.text(")")
}

func (p *printer) term(t rdf.Term) {
	switch {
	case t.IsZero():
		p.text("undef")
	case t.Value() == rdf.RDF+"type" && t.Kind() == rdf.KindIRI:
		p.text("a")
	default:
		p.text(t.String())
	}
}

func (p *printer) arg(a algebra.Arg) {
	switch {
	case a.Triple != nil:
		p.text("<<( ")
		for i, part := range a.Triple {
			p.sep(i)
			p.arg(part)
		}
		p.text(" )>>")
	case a.IsVar():
		p.variable(a.Variable())
	default:
		p.term(a.Term)
	}
}

func (p *printer) dataset(d *algebra.Dataset, depth int) {
	p.line(depth)
	p.text("(dataset (default")
	for _, t := range d.Default {
		p.text(" ")
		p.term(t)
	}
	p.text(") (named")
	for _, t := range d.Named {
		p.text(" ")
		p.term(t)
	}
	p.text("))")
}

func (p *printer) template(quads []algebra.QuadTemplate, depth int) {
	for _, q := range quads {
		p.line(depth)
		p.text("(")
		p.arg(q.S)
		p.text(" ")
		p.arg(q.P)
		p.text(" ")
		p.arg(q.O)
		if !q.G.IsZero() {
			p.text(" ")
			p.arg(q.G)
		}
		p.text(")")
	}
}
