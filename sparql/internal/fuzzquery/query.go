// Package fuzzquery makes random graphs and random queries, with each operator
// inside each other one, and shrinks them. Only tests import it.
package fuzzquery

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
)

// Group is the inside of braces.
type Group []*Elem

// Elem is an element of a group: text with groups in between.
type Elem struct {
	Text   []string // one more than Groups
	Groups []Group
}

// Query is a SELECT query as a tree.
type Query struct {
	Head, Tail string
	Where      Group
}

// String returns the text of the query.
func (q Query) String() string {
	return q.Head + " " + q.Where.String() + q.Tail
}

// String returns the group with its braces.
func (g Group) String() string {
	var b strings.Builder
	b.WriteString("{ ")
	for _, e := range g {
		for i, t := range e.Text {
			b.WriteString(t)
			if i < len(e.Groups) {
				b.WriteString(e.Groups[i].String())
			}
		}
		b.WriteString(" ")
	}
	b.WriteString("}")
	return b.String()
}

// Smaller calls yield with queries that have one thing less, until it returns
// true.
func (q Query) Smaller(yield func(Query) bool) bool {
	if q.Tail != "" {
		if yield(Query{q.Head, "", q.Where}) {
			return true
		}
	}
	if q.Head != "SELECT *" && yield(Query{"SELECT *", "", q.Where}) {
		return true
	}
	return q.Where.smaller(func(g Group) bool { return yield(Query{q.Head, q.Tail, g}) })
}

func (g Group) smaller(yield func(Group) bool) bool {
	for i, e := range g {
		if yield(slices.Delete(slices.Clone(g), i, i+1)) {
			return true
		}
		for k, inner := range e.Groups {
			if yield(slices.Replace(slices.Clone(g), i, i+1, inner...)) {
				return true
			}
			done := inner.smaller(func(s Group) bool {
				c := slices.Clone(g)
				groups := slices.Clone(e.Groups)
				groups[k] = s
				c[i] = &Elem{Text: e.Text, Groups: groups}
				return yield(c)
			})
			if done {
				return true
			}
		}
	}
	return false
}

// gen makes one query.
type gen struct {
	r     *rand.Rand
	fresh int
}

// New returns a random query of about the depth.
func New(r *rand.Rand, depth int) Query {
	g := &gen{r: r}
	q := Query{Head: "SELECT *", Where: g.group(depth)}
	switch r.IntN(8) {
	case 0:
		q.Head = "SELECT DISTINCT ?x ?y"
	case 1:
		q.Head = "SELECT ?x (COUNT(*) AS ?n) (" + g.aggregate() + " AS ?m)"
		q.Tail = " GROUP BY ?x"
		if r.IntN(3) == 0 {
			q.Tail += " HAVING (COUNT(*) > 1)"
		}
	case 2:
		q.Head = "SELECT (" + g.aggregate() + " AS ?n) (COUNT(*) AS ?c)"
	case 3:
		q.Head, q.Tail = "SELECT ?x ?y ?z", fmt.Sprintf(" ORDER BY ?x DESC(?y) ?z LIMIT %d OFFSET %d", 1+r.IntN(6), r.IntN(3))
	}
	return q
}

func pick(r *rand.Rand, list ...string) string { return list[r.IntN(len(list))] }

func (g *gen) variable() string {
	return pick(g.r, "?x", "?x", "?x", "?y", "?y", "?z", "?w")
}

func (g *gen) node() string {
	if g.r.IntN(4) == 0 {
		return g.term()
	}
	return g.variable()
}

func (g *gen) term() string {
	return pick(g.r, ":a", ":b", ":c", ":d", "1", "2", "1.0", `"1"`, `"x"@en`, ":g1", ":none")
}

func (g *gen) predicate() string {
	return pick(g.r, ":p", ":p", ":q", ":q", ":r", "?v", "?y")
}

func (g *gen) aggregate() string {
	return pick(g.r, "COUNT(?y)", "SUM(?y)", "MIN(?y)", "MAX(?z)", "AVG(?y)", "COUNT(DISTINCT ?y)", "COUNT(DISTINCT *)", "SUM(DISTINCT ?z)", "MAX(STR(?z))", "SUM(IF(isNumeric(?y), ?y, 1))")
}

func text(s string) *Elem { return &Elem{Text: []string{s}} }

func (g *gen) group(depth int) Group {
	var out Group
	for range 1 + g.r.IntN(3) {
		out = append(out, g.elem(depth))
	}
	return out
}

func (g *gen) triple() *Elem {
	if g.r.IntN(7) == 0 {
		return text(g.node() + " " + g.path() + " " + g.node() + " .")
	}
	return text(g.node() + " " + g.predicate() + " " + g.node() + " .")
}

func (g *gen) path() string {
	return pick(g.r, ":p*", ":p+", ":q?", ":p/:q", ":p|:q", "^:p", "(:p|:q)+", "(:p/:q)*", "!:p", "!(:p|^:q)", "!^:q", "^(:p/:q)", "(^:p)*", "(:p?/:q)+", ":p*/:q*")
}

func (g *gen) elem(depth int) *Elem {
	if depth <= 0 {
		return g.triple()
	}
	inner := func() Group { return g.group(depth - 1) }
	switch g.r.IntN(20) {
	case 14, 15:
		return g.lateral(inner)
	case 0, 1:
		return &Elem{[]string{"OPTIONAL ", ""}, []Group{inner()}}
	case 2:
		return &Elem{[]string{"", " UNION ", ""}, []Group{inner(), inner()}}
	case 3:
		return &Elem{[]string{"MINUS ", ""}, []Group{inner()}}
	case 4:
		return text("FILTER(" + g.expr(2) + ")")
	case 5:
		return &Elem{[]string{"FILTER EXISTS ", ""}, []Group{inner()}}
	case 6:
		return &Elem{[]string{"FILTER NOT EXISTS ", ""}, []Group{inner()}}
	case 7:
		g.fresh++
		return text(fmt.Sprintf("BIND(%s AS ?n%d)", g.expr(2), g.fresh))
	case 8:
		return text(g.values())
	case 9, 10:
		return &Elem{[]string{"GRAPH " + pick(g.r, "?g", "?g", "?x", ":g1", ":none") + " ", ""}, []Group{inner()}}
	case 11:
		return &Elem{[]string{"", ""}, []Group{inner()}}
	case 12:
		return g.subSelect(inner())
	case 13:
		return &Elem{[]string{"FILTER(" + g.expr(1) + pick(g.r, " || ", " && ") + pick(g.r, "", "NOT ") + "EXISTS ", ")"}, []Group{inner()}}
	}
	return g.triple()
}

// lateral returns LATERAL, half of the times over a sub-select.
func (g *gen) lateral(inner func() Group) *Elem {
	if g.r.IntN(2) == 0 {
		return &Elem{[]string{"LATERAL ", ""}, []Group{inner()}}
	}
	return &Elem{[]string{"LATERAL ", ""}, []Group{{g.subSelect(inner())}}}
}

func (g *gen) subSelect(where Group) *Elem {
	head, tail := "SELECT ?x ", ""
	switch g.r.IntN(6) {
	case 0:
		head = "SELECT DISTINCT ?x ?y "
	case 1:
		head, tail = "SELECT ?x (COUNT(?y) AS ?k) ", " GROUP BY ?x"
	case 2:
		head, tail = "SELECT ?x ?y ", " ORDER BY ?x ?y LIMIT 3"
	case 3:
		head = "SELECT (" + g.aggregate() + " AS ?k) "
	case 4:
		head = "SELECT ?y ?z "
	}
	return &Elem{[]string{"{ " + head, tail + " }"}, []Group{where}}
}

func (g *gen) values() string {
	if g.r.IntN(2) == 0 {
		return "VALUES " + g.variable() + " { " + g.term() + " " + pick(g.r, "UNDEF", g.term()) + " }"
	}
	return "VALUES (?x ?y) { (" + g.term() + " " + pick(g.r, "UNDEF", g.term()) + ") (" + pick(g.r, "UNDEF", g.term()) + " " + g.term() + ") }"
}

func (g *gen) expr(depth int) string {
	if depth <= 0 || g.r.IntN(4) == 0 {
		return pick(g.r, g.variable(), g.variable(), g.term())
	}
	a, b := g.expr(depth-1), g.expr(depth-1)
	switch g.r.IntN(12) {
	case 0:
		return "(" + a + " = " + b + ")"
	case 1:
		return "(" + a + " != " + b + ")"
	case 2:
		return "(" + a + " < " + b + ")"
	case 3:
		return "bound(" + g.variable() + ")"
	case 4:
		return "(" + a + " && " + b + ")"
	case 5:
		return "(" + a + " || " + b + ")"
	case 6:
		return "!(" + a + ")"
	case 7:
		return "COALESCE(" + a + ", " + b + ")"
	case 8:
		return "sameTerm(" + a + ", " + b + ")"
	case 9:
		return "(" + a + " + " + b + ")"
	case 10:
		return "STR(" + a + ")"
	}
	return "(" + a + " IN (" + b + ", " + g.term() + "))"
}
