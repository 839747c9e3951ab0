package ast

import (
	"strconv"
	"strings"

	"github.com/rete-go/rete/rdf"
)

// String returns q as SPARQL that parses to the same tree: IRIs in full, no
// abbreviations, blank nodes with labels _:b1, _:b2, …
func (q *Query) String() string { return q.print(nil) }

func (q *Query) print(s *slots) string {
	p := &printer{slots: s}
	p.b.Grow(printedRoom)
	p.prologue(q.Version, q.Base)
	p.query(q)
	return p.b.String()
}

// String returns u as SPARQL, as [Query.String] does.
func (u *Update) String() string {
	p := &printer{}
	p.prologue(u.Version, u.Base)
	base := u.Base
	for i, op := range u.Ops {
		if i > 0 {
			p.text(" ;\n")
		}
		if m, ok := op.(*Modify); ok && m.Base != base && m.Base != "" {
			base = m.Base
			p.prologue("", base)
		}
		p.operation(op)
	}
	if base != u.Base {
		p.text(" ;\n")
		p.prologue("", u.Base)
	}
	return p.b.String()
}

// String returns g with its braces as SPARQL, as [Query.String] does.
func (g *Group) String() string {
	p := &printer{}
	p.group(g)
	return p.b.String()
}

// String returns the path as SPARQL.
func (path *Path) String() string {
	p := &printer{}
	p.path(path, looseAlt)
	return p.b.String()
}

// printedRoom is what most queries take less than.
const printedRoom = 256

type printer struct {
	b      strings.Builder
	blanks map[int32]int // new numbers of blank nodes, in the order of printing
	slots  *slots        // nil: constants are written as they are
}

func (p *printer) text(s string) { p.b.WriteString(s) }

func (p *printer) prologue(version, base string) {
	if version != "" {
		p.text("VERSION " + rdf.String(version).String() + "\n")
	}
	if base != "" {
		p.text("BASE <" + base + ">\n")
	}
}

func (p *printer) node(n Node) {
	switch n.Kind {
	case TermNode:
		if n.Term.Kind() == rdf.KindBlank {
			p.text("<" + n.Term.String() + ">") // as Options.BlankNodeIDs has it
			return
		}
		p.constant(n.Term)
	case VarNode:
		p.text("?" + n.Name)
	case BlankNode:
		if p.blanks == nil {
			p.blanks = make(map[int32]int)
		}
		k, ok := p.blanks[n.Blank]
		if !ok {
			k = len(p.blanks) + 1
			p.blanks[n.Blank] = k
		}
		p.text("_:b" + strconv.Itoa(k))
	case TripleNode:
		p.slots.give()
		p.text("<<( ")
		p.node(n.Triple.S)
		p.text(" ")
		p.node(n.Triple.P)
		p.text(" ")
		p.node(n.Triple.O)
		p.text(" )>>")
	}
}

// triples writes triples, their subjects and objects by end.
func (p *printer) triples(list []Triple, end func(Node)) {
	for _, t := range list {
		end(t.S)
		p.text(" ")
		if t.Path != nil {
			p.path(t.Path, looseAlt)
		} else {
			p.node(t.P)
		}
		p.text(" ")
		end(t.O)
		p.text(" .\n")
	}
}

func (p *printer) query(q *Query) {
	switch q.Form {
	case Select:
		p.selectClause(q)
	case Construct:
		p.text("CONSTRUCT ")
		if q.Short {
			p.slots.give()
			break
		}
		p.text("{\n")
		p.triples(q.Template, p.node)
		p.text("} ")
	case Describe:
		p.text("DESCRIBE ")
		if q.Star {
			p.text("* ")
		}
		for _, n := range q.Targets {
			p.end(n)
			p.text(" ")
		}
	case Ask:
		p.text("ASK ")
	}
	p.dataset("FROM ", q.Dataset)
	if q.Where != nil {
		p.text("WHERE ")
		p.group(q.Where)
	}
	p.modifiers(&q.Modifiers)
	if q.Values != nil {
		p.text("\n")
		p.values(q.Values)
	}
}

func (p *printer) selectClause(q *Query) {
	p.text("SELECT ")
	switch {
	case q.Distinct:
		p.text("DISTINCT ")
	case q.Reduced:
		p.text("REDUCED ")
	}
	if q.Star {
		p.text("* ")
	}
	for _, it := range q.Items {
		if it.Expr == nil {
			p.text("?" + it.Var.Name + " ")
			continue
		}
		p.text("(")
		p.expr(it.Expr)
		p.text(" AS ?" + it.Var.Name + ") ")
	}
}

func (p *printer) dataset(word string, list []DatasetClause) {
	for _, d := range list {
		p.text(word)
		if d.Named {
			p.text("NAMED ")
		}
		p.constant(d.IRI)
		p.text(" ")
	}
}

func (p *printer) modifiers(m *Modifiers) {
	for i, k := range m.GroupBy {
		if i == 0 {
			p.text("\nGROUP BY")
		}
		p.text(" ")
		if v, ok := k.Expr.(*VarExpr); ok && k.Var.Name == "" {
			p.text("?" + v.Name)
			continue
		}
		p.text("(")
		p.expr(k.Expr)
		if k.Var.Name != "" {
			p.text(" AS ?" + k.Var.Name)
		}
		p.text(")")
	}
	for i, e := range m.Having {
		if i == 0 {
			p.text("\nHAVING")
		}
		p.text(" (")
		p.expr(e)
		p.text(")")
	}
	for i, k := range m.OrderBy {
		if i == 0 {
			p.text("\nORDER BY")
		}
		p.text(" ")
		if k.Desc {
			p.text("DESC")
		}
		p.text("(")
		p.expr(k.Expr)
		p.text(")")
	}
	if m.HasLimit {
		p.text("\nLIMIT " + strconv.FormatUint(m.Limit, 10))
	}
	if m.Offset > 0 {
		p.text("\nOFFSET " + strconv.FormatUint(m.Offset, 10))
	}
}

func (p *printer) group(g *Group) {
	p.text("{\n")
	for _, el := range g.Elements {
		p.element(el)
	}
	p.text("}")
}

func (p *printer) element(el Element) {
	switch el := el.(type) {
	case *Triples:
		p.triples(el.Triples, p.end)
		return
	case *Group:
		p.group(el)
	case *Optional:
		p.text("OPTIONAL ")
		p.group(el.Group)
	case *Lateral:
		p.slots.give()
		p.text("LATERAL ")
		p.group(el.Group)
	case *Minus:
		p.text("MINUS ")
		p.group(el.Group)
	case *Union:
		for i, g := range el.Groups {
			if i > 0 {
				p.text(" UNION ")
			}
			p.group(g)
		}
	case *GraphPattern:
		p.text("GRAPH ")
		p.node(el.Name)
		p.text(" ")
		p.group(el.Group)
	case *Service:
		p.slots.give()
		p.text("SERVICE ")
		if el.Silent {
			p.text("SILENT ")
		}
		p.node(el.Name)
		p.text(" ")
		p.group(el.Group)
	case *Filter:
		p.text("FILTER (")
		p.expr(el.Expr)
		p.text(")")
	case *Bind:
		p.text("BIND (")
		p.expr(el.Expr)
		p.text(" AS ?" + el.Var.Name + ")")
	case *Values:
		p.values(el)
	case *Search:
		p.search(el)
	case *SubSelect:
		p.query(el.Query)
	}
	p.text("\n")
}

// search writes a search, whose words have no slot.
func (p *printer) search(s *Search) {
	p.slots.give()
	p.text("(")
	for _, v := range s.Vars {
		p.text(" ?" + v.Name)
	}
	p.text(" ) <" + SearchIRI + "> ( " + rdf.String(s.Words).String())
	if s.Limit > 0 {
		p.text(" " + strconv.Itoa(s.Limit))
	}
	p.text(" ) .")
}

func (p *printer) values(v *Values) {
	p.text("VALUES (")
	for _, x := range v.Vars {
		p.text(" ?" + x.Name)
	}
	p.text(" ) {\n")
	for row := range v.Rows.All() {
		p.text("(")
		for _, t := range row {
			if t.IsZero() {
				p.text(" UNDEF")
				continue
			}
			p.text(" ")
			p.cell(t)
		}
		p.text(" )\n")
	}
	p.text("}")
}
