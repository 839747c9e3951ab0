package sparql_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/rete-go/rete/rdf"
)

// web is nodes with a few links each, of which most can be reached from most.
func web(nodes int) []rdf.Quad {
	r := rand.New(rand.NewPCG(4, 2))
	iri := func(i int) rdf.Term { return rdf.IRI(fmt.Sprintf("http://ex/n%d", i)) }
	var quads []rdf.Quad
	for i := range nodes {
		for range 2 {
			quads = append(quads, rdf.Quad{S: iri(i), P: rdf.IRI("http://ex/p"), O: iri(r.IntN(nodes))})
		}
		if i%1000 == 0 {
			quads = append(quads, rdf.Quad{S: iri(i), P: rdf.IRI("http://ex/q"), O: rdf.Integer(int64(i % 7))})
		}
	}
	return quads
}

// TestSpillPaths runs paths in less memory than the nodes take that they see: then each
// start is followed by itself; and EXISTS that is run key by key, whose keys are
// dropped.
func TestSpillPaths(t *testing.T) {
	ds := load(web(20000))
	for _, c := range []struct {
		text string
		part int64
	}{
		{"SELECT ?x { :n7 :p+ ?x }", 40},
		{"SELECT ?x { :n7 (:p/:p)* ?x }", 40},
		{"SELECT ?x { ?x :p* :n7 }", 40},
		{"SELECT (COUNT(?x) AS ?n) { ?s :q ?v . ?s :p+ ?x }", 40},
		{"SELECT ?s ?x { ?s :q ?v . ?s (:p|^:q)* ?x . ?x :q 3 }", 60},
		{"SELECT ?s { ?s :p ?o FILTER EXISTS { ?o :p ?z FILTER(STR(?z) > STR(?s)) } }", 60},
	} {
		inLess(t, ds, c.text, c.part)
	}
}
