package fuzzquery

import (
	"fmt"
	"math/rand/v2"
)

// NewSmall returns a random query that begins with what often has few rows or none, joined with
// right sides of every kind, to about the depth.
func NewSmall(r *rand.Rand, depth int) Query {
	g := &gen{r: r}
	q := Query{Head: "SELECT *", Where: Group{text(g.few())}}
	if r.IntN(4) == 0 {
		q.Where = append(q.Where, text(g.few()))
	}
	for range 1 + r.IntN(2) {
		q.Where = append(q.Where, g.rightSide(depth))
	}
	switch r.IntN(8) {
	case 0:
		q.Head = "SELECT DISTINCT " + pick(r, "?x", "?x ?y", "?y ?z")
	case 1:
		q.Head, q.Tail = "SELECT ?x (COUNT(*) AS ?n) ("+g.aggregate()+" AS ?m)", " GROUP BY ?x"
	case 2:
		q.Head = "SELECT (" + g.aggregate() + " AS ?n) (COUNT(*) AS ?c)"
	case 3:
		q.Head, q.Tail = "SELECT ?x ?y ?z", fmt.Sprintf(" ORDER BY ?x DESC(?y) ?z LIMIT %d", 1+r.IntN(6))
	}
	return q
}

// few returns what often has few rows.
func (g *gen) few() string {
	switch g.r.IntN(10) {
	case 0:
		return g.values()
	case 1:
		return "VALUES " + g.variable() + " { " + g.term() + " :none " + g.term() + " }"
	case 2:
		return g.variable() + " " + g.predicate() + " " + g.term() + " ."
	case 3:
		return g.term() + " " + g.predicate() + " " + g.variable() + " ."
	case 4:
		return "?x " + pick(g.r, ":none", ":r") + " " + g.variable() + " ."
	case 5:
		return fmt.Sprintf("{ SELECT ?x { ?x %s ?y } ORDER BY ?x LIMIT %d }", g.predicate(), g.r.IntN(4))
	case 6:
		return "?x :p ?y FILTER(" + g.expr(2) + ")"
	case 7:
		return "GRAPH ?g { ?x " + g.predicate() + " " + g.node() + " }"
	case 8:
		return "?x " + g.predicate() + " ?y . ?y " + g.predicate() + " ?z ."
	}
	return "OPTIONAL { ?x " + g.predicate() + " " + g.node() + " }"
}

// rightSide returns a right side, and how it is joined.
func (g *gen) rightSide(depth int) *Elem {
	before := pick(g.r, "", "", "", "OPTIONAL ", "OPTIONAL ", "LATERAL ", "LATERAL ", "MINUS ", "FILTER EXISTS ", "FILTER NOT EXISTS ", "GRAPH ?g ", "GRAPH ?x ")
	return &Elem{[]string{before, ""}, []Group{g.side(depth)}}
}

// side returns a group of which something can be narrowed by the ids of other rows.
func (g *gen) side(depth int) Group {
	inner := func() Group { return g.side(depth - 1) }
	if depth <= 0 {
		switch g.r.IntN(4) {
		case 0:
			return Group{text(g.node() + " " + g.path() + " " + g.node() + " .")}
		case 1:
			return Group{g.triple()}
		}
		return Group{text(g.shape())}
	}
	sub := func(head, tail string) Group {
		return Group{{[]string{"{ SELECT " + head + " ", tail + " }"}, []Group{inner()}}}
	}
	switch g.r.IntN(16) {
	case 0:
		return sub("DISTINCT "+pick(g.r, "?x", "?x ?y", "?y"), "")
	case 1:
		key := pick(g.r, "?x", "?y", "?x ?y")
		return sub(key+" ("+g.aggregate()+" AS ?k)", " GROUP BY "+key)
	case 2:
		return sub("?x ("+g.aggregate()+" AS ?k)", " GROUP BY ?x HAVING (COUNT(*) > 1)")
	case 3:
		return sub("?x ?y ?z", fmt.Sprintf(" ORDER BY ?x ?y ?z LIMIT %d OFFSET %d", 1+g.r.IntN(4), g.r.IntN(3)))
	case 4:
		return sub(pick(g.r, "?x", "?y ?z", "?x (STR(?y) AS ?k)"), "")
	case 5:
		return Group{{[]string{"", " UNION ", ""}, []Group{inner(), inner()}}}
	case 6:
		return append(inner(), text("FILTER("+g.expr(2)+")"))
	case 7:
		g.fresh++
		return append(inner(), text(fmt.Sprintf("BIND(%s AS ?n%d)", g.expr(2), g.fresh)))
	case 8:
		return append(inner(), text(g.values()))
	case 9:
		return append(inner(), g.elem(1))
	case 10, 11:
		return append(inner(), g.rightSide(depth-1))
	case 12:
		return Group{{[]string{pick(g.r, "GRAPH ?g ", "GRAPH :g1 ", "GRAPH ?x "), ""}, []Group{inner()}}}
	case 13:
		return Group{{[]string{"", ""}, []Group{inner()}}, {[]string{"", ""}, []Group{inner()}}}
	}
	return append(inner(), text(g.shape()))
}
