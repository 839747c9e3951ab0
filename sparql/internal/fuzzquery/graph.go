package fuzzquery

import (
	"math/rand/v2"

	"github.com/rete-go/rete/rdf"
)

// Prefixes are the declarations that the queries need.
const Prefixes = "PREFIX : <http://ex/>\nPREFIX xsd: <http://www.w3.org/2001/XMLSchema#>\nPREFIX rdf: <http://www.w3.org/1999/02/22-rdf-syntax-ns#>\n"

// Quads returns random quads over few terms, so that patterns meet.
func Quads(r *rand.Rand) []rdf.Quad {
	iri := func(s string) rdf.Term { return rdf.IRI("http://ex/" + s) }
	nodes := []rdf.Term{iri("a"), iri("b"), iri("c"), iri("d"), rdf.Blank("n"), iri("g1")}
	objects := append([]rdf.Term{
		rdf.Integer(1), rdf.Integer(2), rdf.Typed("1.0", rdf.XSD+"decimal"), rdf.String("1"), rdf.LangString("x", "en"), iri("g2"),
	}, nodes...)
	predicates := []rdf.Term{iri("p"), iri("q"), iri("r"), iri("a")}
	graphs := []rdf.Term{{}, {}, {}, iri("g1"), iri("g2"), iri("a")}
	var out []rdf.Quad
	for range r.IntN(24) {
		out = append(out, rdf.Quad{
			S: nodes[r.IntN(len(nodes))],
			P: predicates[r.IntN(len(predicates))],
			O: objects[r.IntN(len(objects))],
			G: graphs[r.IntN(len(graphs))],
		})
	}
	return out
}
