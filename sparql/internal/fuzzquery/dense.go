package fuzzquery

import (
	"fmt"
	"math/rand/v2"
	"strings"

	"github.com/rete-go/rete/rdf"
)

// DenseQuads returns a random graph of few nodes with many edges, of which patterns
// that share variables have many solutions.
func DenseQuads(r *rand.Rand) []rdf.Quad {
	iri := func(s string) rdf.Term { return rdf.IRI("http://ex/" + s) }
	nodes := []rdf.Term{iri("a"), iri("b"), iri("c"), iri("d"), iri("e"), rdf.Blank("n"), iri("g1"), iri("p")}
	nodes = nodes[:3+r.IntN(len(nodes)-2)]
	objects := append([]rdf.Term{rdf.Integer(1), rdf.Integer(2), rdf.Typed("1.0", rdf.XSD+"decimal"), rdf.String("1")}, nodes...)
	objects = append(objects, nodes...)
	predicates := []rdf.Term{iri("p"), iri("p"), iri("q"), iri("q"), iri("r")}
	graphs := []rdf.Term{{}, {}, {}, iri("g1"), iri("g2"), iri("a")}
	var out []rdf.Quad
	for range 30 + r.IntN(90) {
		out = append(out, rdf.Quad{S: nodes[r.IntN(len(nodes))], P: predicates[r.IntN(len(predicates))], O: objects[r.IntN(len(objects))], G: graphs[r.IntN(len(graphs))]})
	}
	return out
}

// NewJoin returns a random query whose groups begin with patterns that share variables:
// stars, cycles and chains, which other operators surround to about the depth.
func NewJoin(r *rand.Rand, depth int) Query {
	g := &gen{r: r}
	q := Query{Head: "SELECT *", Where: g.joined(depth)}
	key := pick(r, "?x", "?y", "?g", "?v", "?x ?y")
	switch r.IntN(8) {
	case 0:
		q.Head = "SELECT DISTINCT " + pick(r, "?x", "?x ?y", "?g", "?y ?z")
	case 1, 2:
		q.Head = "SELECT " + key + " (COUNT(*) AS ?n) (" + g.aggregate() + " AS ?m)"
		q.Tail = " GROUP BY " + key + pick(r, "", "", " HAVING (COUNT(*) > 1)")
	case 3:
		q.Head = "SELECT " + pick(r, "?x", "?z ?nothing", "?w ?x")
	case 4:
		q.Head, q.Tail = "SELECT ?x", " ORDER BY "+pick(r, "?y ?x", "?z ?x", "STR(?w) ?x")
	case 5: // one pattern that is counted
		q.Head, q.Tail = "SELECT "+key+" (COUNT(*) AS ?n) (COUNT(DISTINCT "+g.variable()+") AS ?m)", " GROUP BY "+key
		q.Where = Group{g.triple()}
		if r.IntN(2) == 0 {
			q.Where = Group{{[]string{"GRAPH " + pick(r, "?g", ":g1", ":a") + " ", ""}, []Group{q.Where}}}
		}
	}
	return q
}

// joined returns a group that begins with patterns that share variables.
func (g *gen) joined(depth int) Group {
	out := Group{text(g.shape())}
	for range g.r.IntN(3) {
		inner := func() Group { return g.joined(depth - 1) }
		switch {
		case depth == 0 && g.r.IntN(4) > 0:
		case depth == 0:
			out = append(out, text("FILTER("+g.expr(2)+")"))
		case g.r.IntN(3) == 0:
			out = append(out, g.elem(1))
		default:
			before := pick(g.r, "OPTIONAL ", "OPTIONAL ", "MINUS ", "FILTER EXISTS ", "FILTER EXISTS ", "FILTER NOT EXISTS ", "GRAPH ?g ", "GRAPH ?x ", "GRAPH :g1 ", "GRAPH :g1 ", "")
			out = append(out, &Elem{[]string{before, ""}, []Group{inner()}})
		}
	}
	return out
}

// shape returns triple patterns.
func (g *gen) shape() string {
	var b strings.Builder
	add := func(s, p, o string) { fmt.Fprintf(&b, "%s %s %s . ", s, p, o) }
	predicate := func() string { return pick(g.r, ":p", ":p", ":p", ":q", ":q", ":r", "?v") }
	p := predicate()
	switch g.r.IntN(5) {
	case 0: // a star
		for i := range 2 + g.r.IntN(3) {
			add("?x", predicate(), pick(g.r, g.variable(), fmt.Sprintf("?u%d", i), ":b"))
		}
	case 1: // one of arrows that come in
		for i := range 2 + g.r.IntN(2) {
			add(pick(g.r, g.variable(), fmt.Sprintf("?u%d", i)), predicate(), "?y")
		}
	case 2: // a cycle
		add("?x", p, "?y")
		add("?y", p, "?z")
		add(pick(g.r, "?z", "?x"), predicate(), pick(g.r, "?x", "?z"))
	case 3: // a clique
		add("?x", p, "?y")
		add("?x", p, "?z")
		add("?y", p, "?z")
		if g.r.IntN(2) == 0 {
			add("?x", p, "?w")
			add("?y", p, "?w")
			add("?z", p, "?w")
		}
	case 4: // a chain
		vars := []string{"?x", "?y", "?z", "?w"}
		for i := range 1 + g.r.IntN(3) {
			add(vars[i], predicate(), vars[i+1])
		}
	}
	return b.String()
}
