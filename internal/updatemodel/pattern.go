package updatemodel

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/rete-go/rete/rdf"
)

// node is a position of a pattern: a term, a variable, or the label of a blank
// node of a template.
type node struct {
	term     rdf.Term
	variable string
	label    string
}

func (n node) none() bool { return n == node{} }

func (n node) String() string {
	switch {
	case n.variable != "":
		return "?" + n.variable
	case n.label != "":
		return "_:" + n.label
	}
	return spell(n.term)
}

// pattern is a quad with variables. A graph that is none is the default graph.
type pattern struct{ s, p, o, g node }

func (p pattern) String() string {
	t := fmt.Sprintf("%v %v %v", p.s, p.p, p.o)
	if p.g.none() {
		return t
	}
	return fmt.Sprintf("GRAPH %v { %s }", p.g, t)
}

func block(list []pattern) string {
	var parts []string
	for _, p := range list {
		parts = append(parts, p.String())
	}
	text := "{ "
	for _, part := range parts {
		text += part
		if strings.HasSuffix(part, "}") {
			text += " "
		} else {
			text += " . "
		}
	}
	return text + "}"
}

// row is a solution.
type row map[string]rdf.Term

// fill makes a quad of a template; false if it is none.
func (p pattern) fill(r row, with rdf.Term, solution int, m *model) (rdf.Quad, bool) {
	value := func(n node) rdf.Term {
		switch {
		case n.variable != "":
			return r[n.variable]
		case n.label != "":
			return rdf.Blank(fmt.Sprintf("m%x-%s-%d", m.request.id, n.label, solution))
		}
		return n.term
	}
	q := rdf.Quad{S: value(p.s), P: value(p.p), O: value(p.o), G: with}
	ok := named(q.S) && q.P.Kind() == rdf.KindIRI && !q.O.IsZero()
	if !p.g.none() {
		q.G = value(p.g)
		ok = ok && named(q.G)
	}
	return q, ok
}

func named(t rdf.Term) bool { return t.Kind() == rdf.KindIRI || t.Kind() == rdf.KindBlank }

// view is what a WHERE sees: the quads of the default graph (with a zero graph) and
// those of the named graphs.
func (m *model) view(with rdf.Term, using, usingNamed []rdf.Term) Store {
	out := make(Store)
	clauses := len(using)+len(usingNamed) > 0
	for q := range m.quads {
		unnamed := q.G == with
		if clauses {
			unnamed = slices.Contains(using, q.G) && !q.G.IsZero()
		}
		if unnamed {
			out[rdf.Quad{S: q.S, P: q.P, O: q.O}] = struct{}{}
		}
		if !q.G.IsZero() && (!clauses || slices.Contains(usingNamed, q.G)) {
			out[q] = struct{}{}
		}
	}
	return out
}

// match extends each row by the quads that fit a pattern.
func match(rows []row, p pattern, data Store) []row {
	var out []row
	for _, r := range rows {
		for q := range data {
			if q.G.IsZero() != p.g.none() {
				continue
			}
			if x, ok := unify(r, p, q); ok {
				out = append(out, x)
			}
		}
	}
	return out
}

func unify(r row, p pattern, q rdf.Quad) (row, bool) {
	r = maps.Clone(r)
	if r == nil {
		r = make(row)
	}
	for _, pair := range []struct {
		n node
		t rdf.Term
	}{{p.s, q.S}, {p.p, q.P}, {p.o, q.O}, {p.g, q.G}} {
		if pair.n.none() {
			continue
		}
		if v := pair.n.variable; v != "" {
			if was, bound := r[v]; bound && was != pair.t {
				return nil, false
			}
			r[v] = pair.t
		} else if pair.n.term != pair.t {
			return nil, false
		}
	}
	return r, true
}

// modify is DELETE … INSERT … WHERE, or DELETE WHERE.
type modify struct {
	short             bool // DELETE WHERE
	with              rdf.Term
	using, usingNamed []rdf.Term
	del, ins          []pattern
	where             []pattern
	optional          []pattern // at most one
	unequal           [2]node   // FILTER(?x != term), or none
}

func (o *modify) text() string {
	if o.short {
		return "DELETE WHERE " + block(o.where)
	}
	var b strings.Builder
	if !o.with.IsZero() {
		b.WriteString("WITH " + spell(o.with) + " ")
	}
	if o.del != nil || o.ins == nil {
		b.WriteString("DELETE " + block(o.del) + " ")
	}
	if o.ins != nil {
		b.WriteString("INSERT " + block(o.ins) + " ")
	}
	for _, g := range o.using {
		b.WriteString("USING " + spell(g) + " ")
	}
	for _, g := range o.usingNamed {
		b.WriteString("USING NAMED " + spell(g) + " ")
	}
	where := strings.TrimSuffix(block(o.where), "}")
	for _, p := range o.optional {
		where += "OPTIONAL { " + p.String() + " } "
	}
	if !o.unequal[0].none() {
		where += fmt.Sprintf("FILTER(%v != %v) ", o.unequal[0], o.unequal[1])
	}
	b.WriteString("WHERE " + where + "}")
	return b.String()
}

func (o *modify) apply(m *model) error {
	data := m.view(o.with, o.using, o.usingNamed)
	rows := []row{nil}
	for _, p := range o.where {
		rows = match(rows, p, data)
	}
	for _, p := range o.optional {
		var out []row
		for _, r := range rows {
			if more := match([]row{r}, p, data); len(more) > 0 {
				out = append(out, more...)
			} else {
				out = append(out, r)
			}
		}
		rows = out
	}
	var del, ins []rdf.Quad
	for _, r := range rows {
		if n := o.unequal; !n[0].none() {
			// All integers here have one spelling, so terms are as equal as values.
			if t, bound := r[n[0].variable]; !bound || t == n[1].term {
				continue
			}
		}
		m.fresh++
		for _, p := range o.deletes() {
			if q, ok := p.fill(r, o.with, m.fresh, m); ok {
				del = append(del, q)
			}
		}
		for _, p := range o.ins {
			if q, ok := p.fill(r, o.with, m.fresh, m); ok {
				ins = append(ins, q)
			}
		}
	}
	for _, q := range del {
		delete(m.quads, q)
	}
	for _, q := range ins {
		m.quads[q] = struct{}{}
	}
	return nil
}

func (o *modify) deletes() []pattern {
	if o.short {
		return o.where
	}
	return o.del
}
