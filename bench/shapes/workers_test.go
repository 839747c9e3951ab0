package shapes_test

import (
	"context"
	"testing"

	"github.com/rete-go/rete/bench/shapes"
	"github.com/rete-go/rete/sparql"
)

// workerShapes read much and return little, or drain many rows: what several cores
// share.
var workerShapes = []shapes.Shape{
	{Name: "count-filter", Query: "SELECT (COUNT(*) AS ?n) { ?x :name ?n FILTER(STRLEN(?n) > 9) }"},
	{Name: "count-compare", Query: "SELECT (COUNT(*) AS ?n) { ?x :knows ?y FILTER(?x != ?y) }"},
	{Name: "avg-by-group", Query: "SELECT ?c (AVG(?a) AS ?m) { ?x :city ?c ; :age ?a } GROUP BY ?c"},
	{Name: "count-by-subject", Query: "SELECT (MAX(?n) AS ?m) { SELECT ?x (COUNT(*) AS ?n) { ?x :knows ?y FILTER(?x != ?y) } GROUP BY ?x }"},
	{Name: "order-all", Query: "SELECT ?x ?n { ?x :name ?n } ORDER BY ?n"},
	{Name: "hash-join", Query: "SELECT (COUNT(*) AS ?n) { { SELECT ?b ?o { ?b :worksFor ?o } LIMIT 100000000 } ?a :knows ?b FILTER(?o != :org1) }"},
	{Name: "two-hop-rows", Query: "SELECT ?a ?c { ?a :knows ?b . ?b :knows ?c }"},
	{Name: "two-hop-count", Query: "SELECT (COUNT(*) AS ?n) { ?a :knows ?b . ?b :knows ?c }"},
	{Name: "distinct-pairs", Query: "SELECT DISTINCT ?a ?o { ?a :knows ?b . ?b :worksFor ?o }"},
}

// BenchmarkWorkers runs queries whose work several cores can share, without writing
// their rows; -cpu 1,2 gives the ratio.
func BenchmarkWorkers(b *testing.B) {
	snap := open(b)
	for _, s := range workerShapes {
		b.Run(s.Name, func(b *testing.B) {
			q := sparql.MustParse(s.Text())
			rows := int64(0)
			for b.Loop() {
				p, err := sparql.Analyze(context.Background(), snap.Dataset(), q)
				if err != nil {
					b.Fatal(err)
				}
				rows = p.Run.Rows
			}
			b.ReportMetric(float64(rows), "rows")
		})
	}
}
