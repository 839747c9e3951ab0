package sparql_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/rete-go/rete/rdf"
	"github.com/rete-go/rete/sparql"
)

// TestValueJoin joins patterns that share nothing but a comparison: by the
// values of its sides, with the rows of the comparison.
func TestValueJoin(t *testing.T) {
	values := []rdf.Term{
		rdf.Integer(5), rdf.Typed("05", rdf.XSD+"integer"), rdf.Typed("5.0", rdf.XSD+"decimal"), rdf.Typed("5e0", rdf.XSD+"double"),
		rdf.Typed("NaN", rdf.XSD+"double"), rdf.Typed("0.1", rdf.XSD+"float"), rdf.Typed("0.1", rdf.XSD+"decimal"), rdf.Typed("0.1", rdf.XSD+"double"),
		rdf.String("a"), rdf.LangString("a", "en"), rdf.Typed("a", "http://ex/t"), rdf.IRI("http://ex/a"), rdf.Blank("b"),
		rdf.Typed("2020-01-01T00:00:00Z", rdf.XSD+"dateTime"), rdf.Typed("2020-01-01T01:00:00+01:00", rdf.XSD+"dateTime"),
		rdf.Typed("2020-01-01T00:00:00", rdf.XSD+"dateTime"), rdf.Boolean(true), rdf.Typed("1", rdf.XSD+"boolean"), rdf.Typed("x", rdf.XSD+"integer"),
		rdf.TripleTerm(rdf.IRI("http://ex/a"), rdf.IRI("http://ex/p"), rdf.Integer(5)),
		rdf.TripleTerm(rdf.IRI("http://ex/a"), rdf.IRI("http://ex/p"), rdf.Typed("05", rdf.XSD+"integer")),
	}
	var quads []rdf.Quad
	for i, v := range values {
		s := rdf.IRI(fmt.Sprintf("http://ex/s%d", i))
		quads = append(quads, rdf.Quad{S: s, P: rdf.IRI("http://ex/p"), O: v}, rdf.Quad{S: s, P: rdf.IRI("http://ex/q"), O: v})
	}
	for _, pattern := range []string{
		"?a :p ?x . ?b :q ?y FILTER(?x = ?y)",
		"?a :p ?x OPTIONAL { ?b :q ?y FILTER(?x = ?y) }",
		"?a :p ?x FILTER EXISTS { ?b :q ?y FILTER(?x = ?y && ?b != :s3) }",
		"?a :p ?x FILTER NOT EXISTS { ?b :q ?y FILTER(?x = ?y && ?b != ?a) }",
	} {
		if what, bad := differs(quads, load(quads), "SELECT * { "+pattern+" }"); bad {
			t.Errorf("%s:\n%s", pattern, what)
		}
	}
	// A cross product of ten thousand by ten thousand would not end.
	big := many(10_000)
	a, err := answer(load(big), sparql.MustParse("PREFIX : <http://ex/> SELECT (COUNT(*) AS ?n) { ?a :v ?x . ?b :v ?y FILTER(?x = ?y) }"))
	if err != nil {
		t.Fatal(err)
	}
	if got := a.Set.Rows[0][0]; got != rdf.Integer(10_000) {
		t.Errorf("got %v", got)
	}
}

// TestValueJoinPlans looks for the key of values in all forms of a comparison of two
// variables that nothing else joins.
func TestValueJoinPlans(t *testing.T) {
	ds := load(many(3000))
	for _, pattern := range []string{
		"?a :v ?x . ?b :v ?y FILTER(?x = ?y)",
		"?a :v ?x . ?b :v ?y FILTER(?y = ?x && ?a != ?b)",
		"{ ?a :v ?x } { SELECT ?y { ?b :v ?y } } FILTER(?x = ?y)",
		"?a :v ?x OPTIONAL { ?b :v ?y FILTER(?x = ?y) }",
		"?a :v ?x OPTIONAL { ?b :v ?y FILTER(?y = ?x && ?y > 5) }",
		"?a :v ?x FILTER EXISTS { ?b :v ?y FILTER(?x = ?y && ?a != ?b) }",
		"?a :v ?x FILTER NOT EXISTS { ?b :v ?y FILTER(?x = ?y) }",
	} {
		p, err := sparql.Explain(t.Context(), ds, sparql.MustParse("PREFIX : <http://ex/> SELECT * { "+pattern+" }"))
		if err != nil {
			t.Fatal(err)
		}
		if n := strings.Count(p.String(), "value"); n < 2 {
			t.Errorf("%s: no join by value:\n%s", pattern, p)
		}
	}
}
