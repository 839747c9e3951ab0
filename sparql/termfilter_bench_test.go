package sparql_test

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/rete-go/rete/dataset"
	"github.com/rete-go/rete/rdf"
	"github.com/rete-go/rete/sparql"
	"github.com/rete-go/rete/sparql/internal/planner"
)

// BenchmarkTermFilters compares tests of terms with and without ranges and sweeps,
// over one segment of 100,000 names and as many links and numbers: ns/op is the time
// with them, times_plain how many times as long the same query takes without.
func BenchmarkTermFilters(b *testing.B) {
	const n = 100_000
	r := rand.New(rand.NewPCG(1, 1))
	var quads []rdf.Quad
	for i := range n {
		s := rdf.IRI(fmt.Sprintf("http://ex/s%d", i*7919%n))
		name := make([]byte, 8+r.IntN(16))
		for k := range name {
			name[k] = "abcdefghijklmnopqrstuvwxyz      "[r.IntN(32)]
		}
		t := rdf.String(string(name))
		if i%4 == 0 {
			t = rdf.LangString(string(name), []string{"en", "de", "fr"}[r.IntN(3)])
		}
		quads = append(quads, rdf.Quad{S: s, P: rdf.IRI("http://ex/name"), O: t},
			rdf.Quad{S: s, P: rdf.IRI("http://ex/link"), O: rdf.IRI(fmt.Sprintf("http://ex/s%d", r.IntN(n)))},
			rdf.Quad{S: s, P: rdf.IRI("http://ex/age"), O: rdf.Integer(int64(i % 90))})
	}
	indexed := onSegment(b, quads)
	plain := unindexed{indexed}
	for _, c := range []struct{ name, query string }{
		{"isIRI", "SELECT (COUNT(*) AS ?n) { ?s ?p ?o FILTER(isIRI(?o)) }"},
		{"isLiteral", "SELECT (COUNT(*) AS ?n) { ?s ?p ?o FILTER(isLiteral(?o)) }"},
		{"strstarts", `SELECT * { ?s :name ?o FILTER(STRSTARTS(?o, "abc")) }`},
		{"strstarts-iri", `SELECT * { ?s :link ?o FILTER(STRSTARTS(STR(?o), "http://ex/s99")) }`},
		{"regex-prefix", `SELECT * { ?s :name ?o FILTER(REGEX(?o, "^ab.*c", "i")) }`},
		{"contains", `SELECT * { ?s :name ?o FILTER(CONTAINS(?o, "xyz")) }`},
		{"contains-join", `SELECT * { ?s :name ?o ; :age ?a FILTER(CONTAINS(?o, "xyz")) }`},
		{"contains-limit", `SELECT * { ?s :name ?o FILTER(CONTAINS(?o, "a")) } LIMIT 20`},
		{"contains-few", `SELECT * { ?x :link :s77 . ?x :name ?o FILTER(CONTAINS(?o, "a")) }`},
		{"regex", `SELECT * { ?s :name ?o FILTER(REGEX(?o, "[xyz]{3}$")) }`},
		{"regex-limit", `SELECT * { ?s :name ?o FILTER(REGEX(?o, "[xyz]$")) } LIMIT 20`},
		{"lang", `SELECT * { ?s :name ?o FILTER(LANG(?o) = "de") }`},
		{"langmatches", `SELECT (COUNT(*) AS ?n) { ?s :name ?o FILTER(LANGMATCHES(LANG(?o), "de")) }`},
	} {
		q := sparql.MustParse("PREFIX : <http://ex/> " + c.query)
		b.Run(c.name, func(b *testing.B) {
			once := func(ds dataset.Dataset) time.Duration {
				rows := planner.TermRows
				if _, ok := ds.(unindexed); ok {
					planner.TermRows = 1e18
				}
				defer func() { planner.TermRows = rows }()
				start := time.Now()
				if _, err := answer(ds, q); err != nil {
					b.Fatal(err)
				}
				return time.Since(start)
			}
			once(plain)
			once(indexed)
			var slow time.Duration
			for b.Loop() {
				once(indexed)
				b.StopTimer()
				slow += once(plain)
				b.StartTimer()
			}
			b.ReportMetric(float64(slow)/float64(b.Elapsed()), "times_plain")
		})
	}
}
