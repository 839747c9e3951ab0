package sparql_test

import (
	"testing"

	"github.com/rete-go/rete/rdf"
)

// TestExistsInGraph tests EXISTS inside GRAPH next to operands of another graph: it is
// tested in the graph that it stands in, wherever the filter goes.
func TestExistsInGraph(t *testing.T) {
	iri := func(s string) rdf.Term { return rdf.IRI("http://ex/" + s) }
	quads := []rdf.Quad{
		{S: iri("a"), P: iri("p"), O: iri("b"), G: iri("g1")},
		{S: iri("a"), P: iri("q"), O: iri("c"), G: iri("g1")},
		{S: iri("b"), P: iri("p"), O: iri("c"), G: iri("g2")},
		{S: iri("b"), P: iri("q"), O: iri("c")},
		{S: iri("a"), P: iri("r"), O: iri("a")},
	}
	for _, graph := range []string{":g1", ":g2", "?g"} {
		for _, beside := range []string{"OPTIONAL { }", "?s :r ?t .", "VALUES ?w { 1 2 }", "GRAPH :g2 { ?x2 :p ?y2 }", "{ ?b :q ?c } UNION { ?a :r ?b }"} {
			for _, cond := range []string{
				"FILTER NOT EXISTS { ?x ?v ?y }", "FILTER EXISTS { ?y :q ?z }", "FILTER(?x = :a || EXISTS { ?x :q ?y })",
				"FILTER NOT EXISTS { GRAPH :g2 { ?x :p ?y } }", "FILTER EXISTS { FILTER(?v = :p) ?x :q ?z }",
			} {
				for _, text := range []string{
					"SELECT * { " + beside + " GRAPH " + graph + " { " + cond + " ?x ?v ?y } }",
					"SELECT * { GRAPH " + graph + " { { ?x ?v ?y " + cond + " } ?x :q ?o } " + beside + " }",
					"SELECT (COUNT(*) AS ?n) { " + beside + " { GRAPH " + graph + " { ?x ?v ?y " + cond + " } } }",
				} {
					if what, bad := differs(quads, load(quads), text); bad {
						t.Errorf("%s\n%s", text, what)
					}
				}
			}
		}
	}
}
