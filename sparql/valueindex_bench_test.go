package sparql_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/rete-go/rete/rdf"
	"github.com/rete-go/rete/sparql"
)

// BenchmarkValueIndex compares queries over values with and without the index, over
// one segment of 200,000 numbers and 200,000 dates: ns/op is the time with it,
// times_plain how many times as long the same query takes without.
func BenchmarkValueIndex(b *testing.B) {
	const n = 200_000
	quads := many(n)
	begin := time.Date(1900, 1, 1, 0, 0, 0, 0, time.UTC)
	for i := range n {
		text := begin.Add(time.Duration(i*7919%n) * time.Hour).Format("2006-01-02T15:04:05Z")
		quads = append(quads, rdf.Quad{S: rdf.IRI(fmt.Sprintf("http://ex/i%d", i)), P: rdf.IRI("http://ex/d"), O: rdf.Typed(text, rdf.XSD+"dateTime")})
	}
	indexed := onSegment(b, quads)
	for _, c := range []struct{ name, query string }{
		{"number=", "SELECT * { ?s :v ?v FILTER(?v = 777) }"},
		{"number>", "SELECT * { ?s :v ?v FILTER(?v > 199000) }"},
		{"tenth", "SELECT * { ?s :v ?v FILTER(?v < 20000) }"},
		{"date between", `SELECT * { ?s :d ?v FILTER(?v >= "1910-01-01T00:00:00Z"^^xsd:dateTime && ?v < "1910-02-01T00:00:00Z"^^xsd:dateTime) }`},
		{"join", "SELECT * { ?s :v ?v ; :d ?d FILTER(?v > 199900) }"},
		{"max", "SELECT (MAX(?v) AS ?m) { ?s :v ?v }"},
		{"top", "SELECT * { ?s :d ?v } ORDER BY DESC(?v) LIMIT 10"},
	} {
		q := sparql.MustParse("PREFIX : <http://ex/> PREFIX xsd: <" + rdf.XSD + "> " + c.query)
		b.Run(c.name, func(b *testing.B) {
			besidePlain(b, indexed, q)
		})
	}
}
