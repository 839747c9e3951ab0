package sparql_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/rete-go/rete/dataset"
	"github.com/rete-go/rete/internal/longtest"
	"github.com/rete-go/rete/internal/valuekey"
	"github.com/rete-go/rete/rdf"
	"github.com/rete-go/rete/sparql"
	"github.com/rete-go/rete/sparql/internal/planner"
)

// walkQuads returns quads whose values are numbers mostly (:n), dates mostly (:d) or
// of all kinds (:p), with more about their subjects.
func walkQuads(r *rand.Rand, n int) []rdf.Quad {
	quads := valueQuads(r, n)
	for i := range quads {
		switch c, _, ok := valuekey.Of([]byte(quads[i].O.Surface())); {
		case ok && c == valuekey.Number && r.IntN(4) > 0:
			quads[i].P = rdf.IRI("http://ex/n")
		case ok && c != valuekey.Number && r.IntN(4) > 0:
			quads[i].P = rdf.IRI("http://ex/d")
		case r.IntN(20) == 0:
			quads[i].P = rdf.IRI("http://ex/n")
		}
		if r.IntN(2) == 0 {
			quads = append(quads, rdf.Quad{S: quads[i].S, P: rdf.IRI("http://ex/city"), O: rdf.IRI(fmt.Sprintf("http://ex/c%d", r.IntN(9)))})
		}
	}
	seen := make(map[rdf.Quad]bool)
	out := quads[:0]
	for _, q := range quads {
		if !seen[q] {
			seen[q] = true
			out = append(out, q)
		}
	}
	return out
}

// TestValueWalks compares MIN, MAX and the first rows by value of joins and filters
// with those of the naive evaluator.
func TestValueWalks(t *testing.T) {
	share := planner.WalkShare
	planner.WalkShare = 1e9
	t.Cleanup(func() { planner.WalkShare = share })
	rounds, walked := longtest.Pick(1, 2), 0
	for round := range uint64(rounds) {
		r := rand.New(rand.NewPCG(round, 10))
		quads := walkQuads(r, 1000)
		sets := map[string]dataset.Dataset{"memory": load(quads), "segment": onSegment(t, quads), "log": onLog(t, r, quads), "journal": onJournal(t, quads)}
		for _, body := range []string{
			"?s %s ?v ; :city ?c", "?s %s ?v . FILTER(?v != 5)", "?s %s ?v ; :city ?c FILTER(?v > -100)", "?s %s ?v ; :city :c3", "?s %s ?v OPTIONAL { ?s :city ?c }",
			"?s %s ?v FILTER EXISTS { ?s :city ?c }", "?s %s ?v MINUS { ?s :city :c2 }", "?s %s ?v ; :city ?c BIND(STR(?c) AS ?t) FILTER(?t != 'x')", "?s %s ?v FILTER(isLiteral(?v) || isIRI(?v))",
			"?s %s ?v OPTIONAL { ?s :city ?c } FILTER(BOUND(?c))", "?s :city ?c OPTIONAL { ?s %s ?v }", "{ ?s %s ?v } UNION { ?v :city ?c }", "?s %s ?v . ?x :city ?v", "?s %s ?v ; :n ?w FILTER(?w < ?v)",
			"{ SELECT ?s ?v { ?s %s ?v ; :city ?c } }", "{ SELECT DISTINCT ?v { ?s %s ?v ; :city ?c } }", "GRAPH ?g { ?s %s ?v } ?s :city ?c",
		} {
			pattern := fmt.Sprintf(body, []string{":n", ":d", ":p"}[r.IntN(3)])
			for _, q := range []string{
				fmt.Sprintf("SELECT * { %s } ORDER BY ?v ?s ?c ?w ?x ?g LIMIT %d OFFSET %d", pattern, 1+r.IntN(30), r.IntN(5)),
				fmt.Sprintf("SELECT * { %s } ORDER BY DESC(?v) ?s ?c ?w ?x ?g LIMIT %d", pattern, 1+r.IntN(30)),
				"SELECT (MIN(?v) AS ?a) (MAX(?v) AS ?b) { " + pattern + " }",
				"SELECT (MAX(?v) AS ?b) { " + pattern + " }",
			} {
				for name, ds := range sets {
					if name != "segment" && r.IntN(3) > 0 {
						continue
					}
					if what, bad := differs(quads, ds, q); bad {
						t.Errorf("round %d, %s: %s\n%.1500s", round, name, q, what)
					}
				}
				p, err := sparql.Explain(t.Context(), sets["segment"], sparql.MustParse("PREFIX : <http://ex/> "+q))
				if err == nil && strings.Contains(p.String(), "top by value") {
					walked++
				}
			}
		}
	}
	if walked < 10*rounds {
		t.Errorf("%d plans of %d rounds are by value", walked, rounds)
	}
}

// BenchmarkValueWalks compares the first rows by value of joins and filters with and
// without the value index; see [BenchmarkValueIndex].
func BenchmarkValueWalks(b *testing.B) {
	const n = 100_000
	quads := many(n)
	for i := range n {
		s := rdf.IRI(fmt.Sprintf("http://ex/i%d", i))
		quads = append(quads, rdf.Quad{S: s, P: rdf.IRI("http://ex/city"), O: rdf.IRI(fmt.Sprintf("http://ex/c%d", i%50))})
		if i%3 > 0 {
			quads = append(quads, rdf.Quad{S: s, P: rdf.IRI("http://ex/name"), O: rdf.String(fmt.Sprintf("name %d", i*7919%n))})
		}
	}
	indexed := onSegment(b, quads)
	for _, c := range []struct{ name, query string }{
		{"join", "SELECT * { ?s :v ?v ; :city ?c ; :name ?m } ORDER BY ?v LIMIT 10"},
		{"join-desc", "SELECT * { ?s :v ?v ; :city ?c } ORDER BY DESC(?v) LIMIT 10"},
		{"bound", "SELECT * { ?s :v ?v ; :city :c3 } ORDER BY ?v LIMIT 10"},
		{"filter", "SELECT * { ?s :v ?v FILTER(?v > 1000) } ORDER BY ?v LIMIT 10"},
		{"optional", "SELECT * { ?s :v ?v OPTIONAL { ?s :name ?m } } ORDER BY ?v LIMIT 10"},
		{"max", "SELECT (MAX(?v) AS ?m) { ?s :v ?v ; :name ?n }"},
	} {
		q := sparql.MustParse("PREFIX : <http://ex/> " + c.query)
		b.Run(c.name, func(b *testing.B) {
			besidePlain(b, indexed, q)
		})
	}
}
