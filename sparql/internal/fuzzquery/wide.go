package fuzzquery

import (
	"fmt"
	"math/rand/v2"
	"strings"

	"github.com/rete-go/rete/rdf"
)

// WideQuads returns random quads of every kind of term, in many small graphs.
func WideQuads(r *rand.Rand) []rdf.Quad {
	iri := func(s string) rdf.Term { return rdf.IRI("http://ex/" + s) }
	nodes := []rdf.Term{iri("a"), iri("b"), iri("c"), iri("d"), rdf.Blank("n"), iri("g1"), iri("p")}
	objects := append([]rdf.Term{
		rdf.Integer(1), rdf.Integer(2), rdf.Typed("1.0", rdf.XSD+"decimal"), rdf.Typed("01", rdf.XSD+"integer"),
		rdf.Typed("1e0", rdf.XSDDouble), rdf.Typed("NaN", rdf.XSDDouble), rdf.Typed("-INF", rdf.XSDDouble), rdf.Typed("-0.0", rdf.XSD+"decimal"),
		rdf.Typed("x", rdf.XSD+"integer"), rdf.Typed("true", rdf.XSD+"boolean"), rdf.Typed("0", rdf.XSD+"boolean"),
		rdf.Typed("2020-01-01T00:00:00Z", rdf.XSD+"dateTime"), rdf.Typed("2020-01-01T00:00:00", rdf.XSD+"dateTime"), rdf.Typed("2020-01-01T01:00:00+01:00", rdf.XSD+"dateTime"),
		rdf.Typed("9223372036854775807", rdf.XSD+"integer"), rdf.Typed("9223372036854775808", rdf.XSD+"integer"),
		rdf.String(""), rdf.String("1"), rdf.String("x"), rdf.String("ex"), rdf.LangString("x", "en"), rdf.LangString("x", "en-gb"), rdf.Typed("x", "http://ex/t"), iri("g2"),
		rdf.TripleTerm(iri("a"), iri("p"), iri("b")), rdf.TripleTerm(iri("a"), iri("p"), rdf.Integer(1)), rdf.TripleTerm(rdf.Blank("n"), iri("q"), rdf.TripleTerm(iri("a"), iri("p"), iri("b"))),
	}, nodes...)
	objects = append(objects, nodes...)
	predicates := []rdf.Term{iri("p"), iri("p"), iri("q"), iri("q"), iri("r"), iri("a"), rdf.IRI(rdf.RDF + "reifies")}
	graphs := []rdf.Term{{}, {}, {}, iri("g1"), iri("g2"), iri("a"), iri("p"), rdf.Blank("n"), iri("zz")}
	var out []rdf.Quad
	for range r.IntN(40) {
		out = append(out, rdf.Quad{S: nodes[r.IntN(len(nodes))], P: predicates[r.IntN(len(predicates))], O: objects[r.IntN(len(objects))], G: graphs[r.IntN(len(graphs))]})
	}
	return out
}

// wide makes queries of what gen does not draw.
type wide struct{ gen }

// NewWide returns a random query with what the other ones lack: FROM, functions, EXISTS and
// aggregates at every place where an expression may stand, triple terms, nested paths, and
// VALUES at the end.
func NewWide(r *rand.Rand, depth int) Query {
	g := &wide{gen{r: r}}
	q := Query{Head: "SELECT *", Where: g.group(depth)}
	from := ""
	for range max(0, r.IntN(6)-2) {
		from += pick(r, " FROM", " FROM NAMED", " FROM NAMED") + " " + pick(r, ":g1", ":g2", ":a", ":none", ":p")
	}
	switch r.IntN(10) {
	case 0:
		q.Head = "SELECT DISTINCT " + pick(r, "?x ?y", "?x", "(STR(?x) AS ?k)", "?g", "(DATATYPE(?y) AS ?k) ?z")
	case 1, 2:
		key := pick(r, "?x", "?y", "?x ?g", "?g")
		q.Head = "SELECT " + key + " (COUNT(*) AS ?n) (" + g.aggregate() + " AS ?m) (" + g.aggregate() + " AS ?m2)"
		q.Tail = " GROUP BY " + key
		if r.IntN(3) == 0 {
			q.Tail += " HAVING (" + pick(r, "COUNT(*) > 1", g.aggregate()+" > 1", "COUNT(DISTINCT ?y) = 1 && COUNT(*) > 0") + ")"
		}
	case 3:
		q.Head, q.Tail = "SELECT ?key (COUNT(*) AS ?n) ("+g.aggregate()+" AS ?m)", " GROUP BY ("+g.expr(2)+" AS ?key)"
	case 4:
		q.Head = "SELECT (" + g.aggregate() + " AS ?n) (" + g.aggregate() + " AS ?n2) (COUNT(*) AS ?c)"
	case 5:
		q.Head, q.Tail = "SELECT ?x ?y ?z", fmt.Sprintf(" ORDER BY ?x %s(?y) ?z LIMIT %d OFFSET %d", pick(r, "DESC", "ASC"), r.IntN(6), r.IntN(3))
	case 6:
		q.Head = "SELECT ?x (" + g.expr(2) + " AS ?k) (" + g.expr(1) + " AS ?k2)"
	case 7:
		q.Head, q.Tail = "SELECT *", " ORDER BY "+g.expr(2)
	}
	q.Head += from
	if r.IntN(8) == 0 {
		q.Tail += " " + g.values()
	}
	return q
}

func (g *wide) term() string {
	return pick(g.r, ":a", ":b", ":c", ":p", "1", "2", "1.0", "1e0", `"1"`, `"x"@en`, `"x"`, `""`, ":g1", ":none", "true", `"NaN"^^xsd:double`, `"x"^^xsd:integer`, "01",
		`"2020-01-01T00:00:00Z"^^xsd:dateTime`, "9223372036854775807", "9223372036854775808", "<<( :a :p :b )>>", "<<( :a :p 1 )>>")
}

func (g *wide) node() string {
	switch g.r.IntN(16) {
	case 0, 1, 2:
		return pick(g.r, ":a", ":b", ":c", ":p", ":g1")
	case 3:
		return "_:b" + pick(g.r, "1", "2")
	}
	return g.variable()
}

func (g *wide) object() string {
	switch g.r.IntN(12) {
	case 0, 1, 2:
		return g.term()
	case 3:
		return fmt.Sprintf("<<( %s %s %s )>>", g.variable(), pick(g.r, ":p", ":q", "?v"), g.variable())
	}
	return g.node()
}

func (g *wide) triple() *Elem {
	switch g.r.IntN(9) {
	case 0, 1:
		g.fresh++ // blank nodes of one label may not be in two groups
		return text(strings.ReplaceAll(g.node(), "_:b", fmt.Sprintf("_:b%d", g.fresh)) + " " + g.path(3) + " " + strings.ReplaceAll(g.object(), "_:b", fmt.Sprintf("_:c%d", g.fresh)) + " .")
	case 2:
		return text(fmt.Sprintf("<< %s %s %s >> %s %s .", g.variable(), pick(g.r, ":p", ":q"), g.variable(), pick(g.r, ":p", ":q", "rdf:reifies"), g.variable()))
	}
	g.fresh++
	return text(strings.ReplaceAll(g.node(), "_:b", fmt.Sprintf("_:d%d", g.fresh)) + " " + pick(g.r, ":p", ":p", ":q", ":q", ":r", "?v", "?y", "rdf:reifies") + " " + strings.ReplaceAll(g.object(), "_:b", fmt.Sprintf("_:d%d", g.fresh)) + " .")
}

func (g *wide) path(depth int) string {
	if depth <= 0 || g.r.IntN(5) == 0 {
		return pick(g.r, ":p", ":p", ":q", ":r", "^:p", "!:p", "!(:p|:q)", "!(^:p|:q)", "!(^:p|^:q)", "!()")
	}
	a := g.path(depth - 1)
	switch g.r.IntN(7) {
	case 0:
		return "(" + a + ")*"
	case 1:
		return "(" + a + ")+"
	case 2:
		return "(" + a + ")?"
	case 3:
		return "(" + a + ")/(" + g.path(depth-1) + ")"
	case 4:
		return "(" + a + ")|(" + g.path(depth-1) + ")"
	case 5:
		return "^(" + a + ")"
	}
	return a
}

func (g *wide) group(depth int) Group {
	var out Group
	for range 1 + g.r.IntN(3) {
		out = append(out, g.elem(depth))
	}
	return out
}

// exists returns text with EXISTS in a place of an expression.
func (g *wide) exists(before, after string, inner Group) *Elem {
	e := pick(g.r, "EXISTS ", "NOT EXISTS ")
	a, b := [2]string{"IF(", ", " + g.expr(1) + ", " + g.expr(1) + ")"}, [2]string{"COALESCE(" + g.expr(1) + " + 1, ", ")"}
	w := [][2]string{a, b, {"(", " = " + g.expr(1) + ")"}, {"!", ""}, {"(" + g.expr(1) + " || ", ")"}, {"STR(", ")"}}[g.r.IntN(6)]
	return &Elem{[]string{before + w[0] + e, w[1] + after}, []Group{inner}}
}

func (g *wide) elem(depth int) *Elem {
	if depth <= 0 {
		return g.triple()
	}
	inner := func() Group { return g.group(depth - 1) }
	switch g.r.IntN(24) {
	case 0, 1:
		return &Elem{[]string{"OPTIONAL ", ""}, []Group{inner()}}
	case 2:
		return &Elem{[]string{"OPTIONAL ", ""}, []Group{append(inner(), text("FILTER("+g.expr(2)+")"))}}
	case 3:
		return &Elem{[]string{"", " UNION ", ""}, []Group{inner(), inner()}}
	case 4:
		return &Elem{[]string{"MINUS ", ""}, []Group{inner()}}
	case 5, 6:
		return text("FILTER(" + g.expr(2) + ")")
	case 7:
		return &Elem{[]string{pick(g.r, "FILTER EXISTS ", "FILTER NOT EXISTS "), ""}, []Group{inner()}}
	case 8:
		return g.exists("FILTER(", ")", inner())
	case 9:
		g.fresh++
		return g.exists("BIND(", fmt.Sprintf(" AS ?n%d)", g.fresh), inner())
	case 10:
		g.fresh++
		return text(fmt.Sprintf("BIND(%s AS ?%s)", g.expr(2), pick(g.r, fmt.Sprintf("n%d", g.fresh), "w", "z")))
	case 11:
		return text(g.values())
	case 12, 13, 14:
		return &Elem{[]string{"GRAPH " + pick(g.r, "?g", "?g", "?x", "?y", ":g1", ":a", ":none") + " ", ""}, []Group{inner()}}
	case 15:
		return &Elem{[]string{"", ""}, []Group{inner()}}
	case 16, 17:
		return g.subSelect(inner())
	case 18:
		return &Elem{[]string{pick(g.r, "OPTIONAL ", "MINUS ", "FILTER EXISTS ", "LATERAL ", "GRAPH ?g "), ""}, []Group{{g.subSelect(inner())}}}
	case 19:
		return &Elem{[]string{"LATERAL ", ""}, []Group{inner()}}
	case 20: // conditions of EXISTS in OPTIONAL
		return &Elem{[]string{"OPTIONAL ", ""}, []Group{append(inner(), g.exists("FILTER(", ")", g.group(0)))}}
	}
	return g.triple()
}

func (g *wide) subSelect(where Group) *Elem {
	head, tail := "SELECT ?x ", ""
	switch g.r.IntN(8) {
	case 0:
		head = "SELECT DISTINCT ?x ?y "
	case 1:
		head, tail = "SELECT ?x (COUNT(?y) AS ?k) ", " GROUP BY ?x"
	case 2:
		head, tail = "SELECT ?x ?y ", fmt.Sprintf(" ORDER BY ?x %s LIMIT %d OFFSET %d", pick(g.r, "?y", "DESC(?y)"), g.r.IntN(4), g.r.IntN(2))
	case 3:
		head = "SELECT (" + g.aggregate() + " AS ?k) "
	case 4:
		head = "SELECT ?y ?g "
	case 5:
		head = "SELECT ?x (" + g.expr(2) + " AS " + pick(g.r, "?k", "?z") + ") "
	case 6:
		head, tail = "SELECT ?key (COUNT(*) AS ?k) ", " GROUP BY ("+g.expr(1)+" AS ?key) HAVING (COUNT(*) > 1)"
	}
	return &Elem{[]string{"{ " + head, tail + " }"}, []Group{where}}
}

func (g *wide) values() string {
	cell := func() string { return pick(g.r, "UNDEF", g.term(), ":a", ":b", "1") }
	switch g.r.IntN(4) {
	case 0:
		return "VALUES " + g.variable() + " { " + cell() + " " + cell() + " }"
	case 1:
		return "VALUES (?x ?y ?z) { (" + cell() + " " + cell() + " " + cell() + ") (" + cell() + " " + cell() + " " + cell() + ") (:a UNDEF " + cell() + ") }"
	case 2:
		return "VALUES (?g ?x) { (:g1 " + cell() + ") (" + cell() + " :a) (UNDEF " + cell() + ") }"
	}
	return "VALUES (?x ?y) { (" + cell() + " " + cell() + ") (" + cell() + " " + cell() + ") }"
}

func (g *wide) aggregate() string {
	d := pick(g.r, "", "DISTINCT ")
	switch g.r.IntN(6) {
	case 0:
		return "COUNT(" + pick(g.r, "*", "DISTINCT *", d+g.expr(1)) + ")"
	case 1:
		return "SUM(" + d + g.expr(1) + ")"
	case 2:
		return "MIN(" + d + g.expr(1) + ")"
	case 3:
		return "MAX(" + d + g.expr(1) + ")"
	case 4:
		return "AVG(" + d + g.expr(1) + ")"
	}
	return "STRLEN(GROUP_CONCAT(" + d + "STR(" + g.variable() + `); separator="--"))`
}

func (g *wide) variable() string {
	return pick(g.r, "?x", "?x", "?x", "?y", "?y", "?z", "?w", "?g")
}

func (g *wide) expr(depth int) string {
	if depth <= 0 || g.r.IntN(5) == 0 {
		return pick(g.r, g.variable(), g.variable(), g.term())
	}
	e := func() string { return g.expr(depth - 1) }
	switch g.r.IntN(26) {
	case 0, 1:
		return "(" + e() + pick(g.r, " = ", " != ") + e() + ")"
	case 2, 3:
		return "(" + e() + pick(g.r, " < ", " > ", " <= ", " >= ") + e() + ")"
	case 4:
		return "bound(" + g.variable() + ")"
	case 5:
		return "(" + e() + pick(g.r, " && ", " || ") + e() + ")"
	case 6:
		return "!(" + e() + ")"
	case 7:
		return "COALESCE(" + e() + ", " + e() + ")"
	case 8:
		return "sameTerm(" + e() + ", " + e() + ")"
	case 9, 10:
		return "(" + e() + pick(g.r, " + ", " - ", " * ", " / ") + e() + ")"
	case 11:
		return pick(g.r, "STR", "LANG", "DATATYPE", "isIRI", "isBLANK", "isLITERAL", "isNUMERIC", "isTRIPLE", "hasLANG", "hasLANGDIR", "LANGDIR") + "(" + e() + ")"
	case 12:
		return pick(g.r, "STRLEN", "UCASE", "LCASE", "ABS", "CEIL", "FLOOR", "ROUND", "YEAR", "TZ", "IRI") + "(" + e() + ")"
	case 13:
		return pick(g.r, "STRSTARTS", "STRENDS", "CONTAINS", "STRBEFORE", "STRAFTER", "LANGMATCHES", "STRDT") + "(" + pick(g.r, "STR(", "(") + e() + "), " + pick(g.r, `"x"`, `"http://ex/"`, `""`, `"en"`, `"*"`, ":t", e()) + ")"
	case 14:
		return "REGEX(STR(" + e() + "), " + pick(g.r, `"^http://ex/a$"`, `"x"`, `"^"`, `"[0-9]"`, `"E", "i"`) + ")"
	case 15:
		return "IF(" + e() + ", " + e() + ", " + e() + ")"
	case 16:
		return pick(g.r, "SUBJECT", "PREDICATE", "OBJECT") + "(" + e() + ")"
	case 17:
		return "TRIPLE(" + e() + ", " + pick(g.r, ":p", e()) + ", " + e() + ")"
	case 18, 19:
		return "(" + e() + pick(g.r, " IN (", " NOT IN (") + e() + ", " + g.term() + pick(g.r, ")", ", 1/0)") + ")"
	case 20:
		return "xsd:" + pick(g.r, "integer", "decimal", "double", "boolean", "string", "dateTime") + "(" + e() + ")"
	case 21:
		return "-(" + e() + ")"
	}
	return pick(g.r, g.variable(), g.term())
}
