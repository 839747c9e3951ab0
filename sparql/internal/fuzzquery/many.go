package fuzzquery

import (
	"fmt"
	"math/rand/v2"
	"strings"

	"github.com/rete-go/rete/rdf"
)

// ManyName returns the name of one of many graphs.
func ManyName(i int) rdf.Term { return rdf.IRI(fmt.Sprintf("http://ex/m%d", i)) }

// ManyQuads returns random quads of a small default graph and of named graphs, of which a few are
// dense, some have a few quads, and the others have one or two, often the same.
func ManyQuads(r *rand.Rand, graphs int) []rdf.Quad {
	iri := func(s string) rdf.Term { return rdf.IRI("http://ex/" + s) }
	nodes := []rdf.Term{iri("a"), iri("a"), iri("b"), iri("c"), rdf.Blank("n"), iri("g1"), iri("hub"), ManyName(1)}
	objects := append([]rdf.Term{rdf.Integer(1), rdf.Typed("1.0", rdf.XSD+"decimal"), rdf.String("1"), rdf.LangString("x", "en"), ManyName(graphs / 2)}, nodes...)
	predicates := []rdf.Term{iri("p"), iri("p"), iri("q"), iri("q"), iri("r")}
	var out []rdf.Quad
	add := func(g rdf.Term, n int) {
		for range n {
			out = append(out, rdf.Quad{S: nodes[r.IntN(len(nodes))], P: predicates[r.IntN(len(predicates))], O: objects[r.IntN(len(objects))], G: g})
		}
	}
	add(rdf.Term{}, 10+r.IntN(20))
	names := []rdf.Term{iri("g1"), iri("g2"), iri("a"), iri("p"), rdf.Blank("n"), iri("zz")}
	for i := range graphs - len(names) {
		names = append(names, ManyName(i))
	}
	for i, g := range names {
		switch {
		case i < min(16, graphs/2):
			add(g, 6+r.IntN(24))
		case r.IntN(8) == 0:
			add(g, 1+r.IntN(4))
		}
		if i >= 16 || r.IntN(8) > 0 {
			out = append(out, rdf.Quad{S: iri("hub"), P: iri("h"), O: iri("a"), G: g})
		}
		switch r.IntN(8) {
		case 0:
			out = append(out, rdf.Quad{S: g, P: iri("in"), O: rdf.Integer(int64(r.IntN(3))), G: g})
		case 1:
			out = append(out, rdf.Quad{S: iri("hub"), P: iri("r"), O: g, G: g})
		}
	}
	return out
}

// many makes queries over many graphs.
type many struct {
	gen
	graphs int
}

// NewMany returns a random query over as many graphs: the graph is a variable of several patterns,
// of operators around them, and of what is grouped and counted. Tail may be a LIMIT without an
// order, and nothing else then: any of the solutions will do.
func NewMany(r *rand.Rand, depth, graphs int) Query {
	g := &many{gen{r: r}, graphs}
	switch r.IntN(6) {
	case 0:
		return g.merged()
	case 1:
		return g.counted()
	}
	q := Query{Head: "SELECT *", Where: g.group(depth)}
	key := pick(r, "?g", "?g", "?g", "?g ?x", "?x", "?h", "?v")
	switch r.IntN(9) {
	case 0:
		q.Head = "SELECT DISTINCT " + pick(r, "?g", "?g", "?x", "?g ?h", "?g ?x ?y", "?v")
	case 1, 2:
		q.Head, q.Tail = "SELECT "+key+" (COUNT(*) AS ?n) ("+g.aggregate()+" AS ?m)", " GROUP BY "+key+pick(r, "", "", " HAVING (COUNT(*) > 1)")
	case 3:
		q.Head = "SELECT (" + g.count() + " AS ?n)"
		if r.IntN(2) == 0 {
			q.Head = "SELECT (" + g.count() + " AS ?n) (COUNT(*) AS ?m)"
		}
	case 4:
		q.Head, q.Tail = "SELECT ?g ?h ?x ?y ?z ?v", fmt.Sprintf(" ORDER BY %s ?h ?x ?y ?z ?v LIMIT %d OFFSET %d", pick(r, "?g", "DESC(?g)"), r.IntN(40), r.IntN(3))
	case 5:
		q.Tail = fmt.Sprintf(" LIMIT %d", []int{1, 3, 20, 300, 700}[r.IntN(5)])
	}
	q.Head += g.from()
	return q
}

// counted returns a query that counts one pattern under GRAPH, also by graph, or lists the graphs that
// have it.
func (g *many) counted() Query {
	pattern, count := g.pattern(), g.count
	if g.r.IntN(2) == 0 { // what a dataset can count
		pattern = pick(g.r, "?x", "?x", ":a", ":hub") + " " + pick(g.r, ":p", ":q", ":h", "?v") + " " + pick(g.r, "?y", "?y", ":a") + " ."
		count = func() string { return pick(g.r, "COUNT(*)", "COUNT(*)", "COUNT(?x)", "COUNT(?g)") }
	}
	q := Query{Head: "SELECT (" + count() + " AS ?n)" + pick(g.r, "", " (COUNT(*) AS ?m)"), Where: Group{g.graph("?g", Group{text(pattern)})}}
	key := pick(g.r, "?g", "?g", "?g", "?x", "?v", "?g ?x")
	switch g.r.IntN(8) {
	case 0, 1:
	case 2:
		q.Head = "SELECT DISTINCT ?g"
	default:
		q.Head = "SELECT " + key + " (" + count() + " AS ?n) (" + count() + " AS ?m)"
		q.Tail = " GROUP BY " + key + pick(g.r, "", "", " HAVING (COUNT(*) > 2)", " ORDER BY DESC(?n) "+key+" LIMIT 10", " ORDER BY ?n "+key+" LIMIT 5 OFFSET 3")
	}
	switch g.r.IntN(8) {
	case 0:
		q.Where = append(q.Where, text(g.rows()))
	case 1:
		q.Where = append(Group{text(pick(g.r, "?x :p ?z .", ":hub ?w ?z .", "VALUES ?g { :g1 :m3 :none }"))}, q.Where...)
	}
	q.Head += g.from()
	return q
}

// merged returns a query whose patterns under GRAPH share a variable, beside that of the graph.
func (g *many) merged() Query {
	shared := pick(g.r, "?x", "?y")
	var b strings.Builder
	for i := range 2 + g.r.IntN(3) {
		own := pick(g.r, fmt.Sprintf("?u%d", i), fmt.Sprintf("?u%d", i), "?z", ":a", "?g", "?w")
		ends := [2]string{shared, own}
		if g.r.IntN(3) == 0 {
			ends[0], ends[1] = own, shared
		}
		fmt.Fprintf(&b, "%s %s %s . ", ends[0], pick(g.r, ":p", ":p", ":q", ":q", ":r", ":r", ":h", ":in", "?v"), ends[1])
	}
	inside := Group{text(b.String())}
	switch g.r.IntN(6) {
	case 0:
		inside = append(inside, text("FILTER("+pick(g.r, g.expr(2), shared+" != ?g", "?z != "+shared)+")"))
	case 1:
		inside = append(inside, &Elem{[]string{pick(g.r, "OPTIONAL ", "MINUS ", "FILTER EXISTS ", "FILTER NOT EXISTS "), ""}, []Group{{text(g.pattern())}}})
	}
	q := Query{Head: pick(g.r, "SELECT *", "SELECT *", "SELECT ?g "+shared, "SELECT DISTINCT ?g", "SELECT (COUNT(*) AS ?n)"), Where: Group{g.graph("?g", inside)}}
	switch g.r.IntN(8) {
	case 0:
		q.Head, q.Tail = "SELECT ?g ("+g.count()+" AS ?n)", " GROUP BY ?g"
	case 1:
		q.Where = append(q.Where, text(g.rows()))
	case 2:
		q.Where = append(q.Where, g.graph(pick(g.r, "?g", "?h"), Group{text(g.pattern())}))
	case 3:
		q.Head, q.Tail = "SELECT *", fmt.Sprintf(" LIMIT %d", 1+g.r.IntN(40))
	case 4: // in two places, which are joined
		q.Where = Group{g.graph("?g", Group{text(b.String())}), g.graph("?g", Group{text(g.shape())})}
	}
	q.Head += g.from()
	return q
}

// from returns dataset clauses, mostly none.
func (g *many) from() string {
	var b strings.Builder
	switch g.r.IntN(20) {
	case 0:
		b.WriteString(" FROM <urn:x-arq:UnionGraph>" + pick(g.r, "", " FROM NAMED :g1 FROM NAMED "+g.name()))
	case 1:
		for range 1 + g.r.IntN(4) {
			b.WriteString(" FROM " + g.name())
		}
	case 2: // as many as are read from one list
		for range 60 + g.r.IntN(120) {
			b.WriteString(pick(g.r, " FROM NAMED ", " FROM NAMED ", " FROM ") + g.name())
		}
	case 3:
		for range 1 + g.r.IntN(5) {
			b.WriteString(pick(g.r, " FROM NAMED ", " FROM NAMED ", " FROM ") + g.name())
		}
	default:
		return ""
	}
	if g.r.IntN(3) == 0 {
		b.WriteString(pick(g.r, " FROM NAMED :g1", " FROM <urn:x-arq:UnionGraph>", " FROM <urn:x-arq:DefaultGraph>"))
	}
	return b.String()
}

// name returns the name of a graph, which may not be there.
func (g *many) name() string {
	switch g.r.IntN(3) {
	case 0:
		return pick(g.r, ":g1", ":g2", ":a", ":p", ":none", ":zz")
	case 1:
		return fmt.Sprintf(":m%d", g.r.IntN(16))
	}
	return fmt.Sprintf(":m%d", g.r.IntN(g.graphs+4))
}

// of returns what GRAPH is of.
func (g *many) of() string {
	switch g.r.IntN(16) {
	case 0:
		return g.name()
	case 1:
		return "<urn:x-arq:UnionGraph>"
	case 2:
		return "?x"
	case 3, 4:
		return "?h"
	}
	return "?g"
}

func (g *many) graph(of string, inner Group) *Elem {
	return &Elem{[]string{"GRAPH " + of + " ", ""}, []Group{inner}}
}

func (g *many) count() string {
	return pick(g.r, "COUNT(*)", "COUNT(*)", "COUNT(?s)", "COUNT(?x)", "COUNT(DISTINCT ?x)", "COUNT(DISTINCT ?y)", "COUNT(DISTINCT ?g)", "COUNT(DISTINCT *)", "COUNT(?g)")
}

// pattern returns a triple pattern in a graph, of which the graph may be a part.
func (g *many) pattern() string {
	switch g.r.IntN(16) {
	case 0:
		return "?x ?v ?y ."
	case 1:
		return "?x :h ?y ."
	case 2:
		return ":hub ?v ?y ."
	case 3:
		return "?g :in ?y ."
	case 4:
		return "?x ?v ?g ."
	case 5:
		return ":hub :r ?g ."
	case 6:
		return "?x :in " + pick(g.r, "1", "?y") + " ."
	case 7:
		return "?x ?v " + pick(g.r, "?x", ":a", "1") + " ."
	}
	return g.end(10) + " " + pick(g.r, ":p", ":p", ":q", ":q", ":r", "?v") + " " + g.end(5) + " ."
}

// end returns the subject or object of a pattern: a term in one of as many cases as terms says, else a
// variable.
func (g *many) end(terms int) string {
	if g.r.IntN(terms) == 0 {
		return pick(g.r, ":a", ":b", ":c", ":g1", ":hub", ":m1", "1")
	}
	return g.variable()
}

// joined returns patterns that share variables, for the inside of one graph.
func (g *many) joined() *Elem {
	switch g.r.IntN(8) {
	case 0, 1:
		return text(g.pattern())
	case 2, 3:
		return text(g.shape())
	case 4:
		return text("?x " + g.path() + " " + g.end(5) + " .")
	case 5:
		return text("?x :p ?y . ?x :q ?z .")
	case 6:
		return text("?x :p ?y . ?y " + pick(g.r, ":p", ":q", "?v") + " ?z .")
	}
	return text(g.pattern() + " " + g.pattern())
}

// inside returns the inside of one graph.
func (g *many) inside(depth int) Group {
	out := Group{g.joined()}
	if depth <= 0 {
		return out
	}
	for range g.r.IntN(3) {
		inner := func() Group { return g.inside(depth - 1) }
		switch g.r.IntN(11) {
		case 0, 1:
			out = append(out, &Elem{[]string{"OPTIONAL ", ""}, []Group{inner()}})
		case 2:
			out = append(out, &Elem{[]string{"MINUS ", ""}, []Group{inner()}})
		case 3:
			out = append(out, g.exists(inner))
		case 4:
			out = append(out, &Elem{[]string{"", " UNION ", ""}, []Group{inner(), inner()}})
		case 5:
			out = append(out, text("FILTER("+pick(g.r, g.expr(2), "?g != :g1", "?x != ?g", "STRSTARTS(STR(?g), \"http://ex/m1\")")+")"))
		case 6, 7:
			out = append(out, g.graph(g.of(), inner()))
		case 8:
			out = append(out, g.subSelect(inner()))
		case 9:
			out = append(out, g.joined())
		case 10:
			out = append(out, text(g.rows()))
		}
	}
	return out
}

// exists returns EXISTS as a filter, as a part of an expression, or in the condition of OPTIONAL.
func (g *many) exists(inner func() Group) *Elem {
	not := pick(g.r, "", "NOT ")
	switch g.r.IntN(8) {
	case 0:
		return &Elem{[]string{"BIND(" + not + "EXISTS ", pick(g.r, "", " || ?x = :a", " && BOUND(?z)") + " AS ?e)"}, []Group{inner()}}
	case 1:
		return &Elem{[]string{"FILTER(" + pick(g.r, "?y = 1", "?x = :a", "?g = :g1") + " || " + not + "EXISTS ", ")"}, []Group{inner()}}
	case 2:
		return &Elem{[]string{"OPTIONAL { " + g.pattern() + " FILTER " + not + "EXISTS ", " }"}, []Group{inner()}}
	case 3:
		return &Elem{[]string{"{ " + g.rows() + " FILTER " + not + "EXISTS ", " }"}, []Group{inner()}}
	}
	return &Elem{[]string{"FILTER " + not + "EXISTS ", ""}, []Group{inner()}}
}

// subSelect returns a sub-select, also of what is grouped by graph.
func (g *many) subSelect(where Group) *Elem {
	head, tail := "?g ?x", ""
	switch g.r.IntN(9) {
	case 7:
		head, tail = "?x ("+g.aggregate()+" AS ?k)", " GROUP BY ?x"+pick(g.r, "", " HAVING (COUNT(*) > 1)")
	case 8:
		head, tail = "("+g.count()+" AS ?k)", " GROUP BY ?x ?y"
	case 0:
		head = "DISTINCT ?g"
	case 1:
		head, tail = "?g ("+g.count()+" AS ?k)", " GROUP BY ?g"
	case 2:
		head, tail = "?x ("+g.count()+" AS ?k)", " GROUP BY ?x"
	case 3:
		head, tail = "?g ?x ?y", fmt.Sprintf(" ORDER BY ?g ?x ?y LIMIT %d", 1+g.r.IntN(30))
	case 4:
		head = "(" + g.count() + " AS ?k)"
	case 5:
		head = "?y ?h"
	}
	return &Elem{[]string{"{ SELECT " + head + " ", tail + " }"}, []Group{where}}
}

// rows returns VALUES of graphs.
func (g *many) rows() string {
	switch g.r.IntN(3) {
	case 0:
		return "VALUES (?g ?x) { (" + g.name() + " UNDEF) (" + g.name() + " :a) (UNDEF " + g.term() + ") }"
	case 1:
		return "VALUES ?x { " + g.term() + " :hub " + g.name() + " }"
	}
	return "VALUES ?g { " + g.name() + " " + g.name() + " :g1 }"
}

func (g *many) group(depth int) Group {
	out := Group{g.graph(g.of(), g.inside(depth))}
	for range g.r.IntN(3) {
		inner := func() Group { return Group{g.graph(g.of(), g.inside(depth-1))} }
		switch g.r.IntN(14) {
		case 0, 1, 2:
			out = append(out, inner()...)
		case 3, 4:
			out = append(out, &Elem{[]string{"OPTIONAL ", ""}, []Group{inner()}})
		case 5:
			out = append(out, &Elem{[]string{"MINUS ", ""}, []Group{inner()}})
		case 6:
			out = append(out, g.exists(inner))
		case 7:
			out = append(out, &Elem{[]string{"", " UNION ", ""}, []Group{inner(), inner()}})
		case 8:
			out = append(out, g.subSelect(inner()))
		case 9:
			out = append(out, text(g.rows()))
		case 10:
			out = append(out, text("FILTER("+pick(g.r, g.expr(2), "?g = ?h", "?g != :g1", "?x = ?g")+")"))
		case 11:
			out = append(out, g.triple()) // of the default graph
		case 12:
			out = append(out, &Elem{[]string{"LATERAL ", ""}, []Group{inner()}})
		case 13:
			out = Group{g.subSelect(out)}
		}
	}
	return out
}
