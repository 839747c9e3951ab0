package sparql_test

import (
	"testing"

	"github.com/rete-go/rete/rdf"
)

// TestSubSelectInGraph tests sub-selects inside GRAPH ?g: their rows join in the graph that they
// come from, whatever the query around them keeps.
func TestSubSelectInGraph(t *testing.T) {
	iri := func(s string) rdf.Term { return rdf.IRI("http://ex/" + s) }
	quads := []rdf.Quad{
		{S: iri("a"), P: iri("p"), O: iri("b"), G: iri("g1")},
		{S: iri("d"), P: iri("q"), O: iri("c"), G: iri("g2")},
		{S: iri("c"), P: iri("p"), O: iri("a"), G: iri("g2")},
		{S: iri("e"), P: iri("q"), O: iri("e")},
	}
	for _, around := range []string{"?z :q ?x .", "?z ?v ?x .", "?z :p* ?x .", "OPTIONAL { ?z :q ?x }"} {
		for _, body := range []string{
			"?y :q* ?x", "?y (:p/:q)* ?x", "?y :p+ ?x", "?y ?v ?x", "?y ?v ?x . ?x ?w ?u", "{ ?y :p* ?x } UNION { ?y :q ?u }", "?y :p ?x FILTER(?x != :a)", "VALUES ?y { :a :c }",
		} {
			for _, inner := range []string{"?y", "DISTINCT ?y", "?x ?y", "(?x AS ?k)"} {
				for _, outer := range []string{"*", "?y", "?z", "?g ?y", "(COUNT(*) AS ?n)"} {
					text := "SELECT " + outer + " { GRAPH ?g { " + around + " { SELECT " + inner + " { " + body + " } } } }"
					if what, bad := differs(quads, load(quads), text); bad {
						t.Errorf("%s\n%s", text, what)
					}
				}
			}
		}
	}
}
