package sparql_test

import (
	"testing"

	"github.com/rete-go/rete/internal/longtest"
	"github.com/rete-go/rete/sparql"
	"github.com/rete-go/rete/sparql/internal/fuzzquery"
)

// TestSpillTwo runs queries of several operators that hold much at the same time, in a
// half and in a third of what they need together: whichever asks last, the one that
// holds the most gives its memory back, also in the middle of its work.
func TestSpillTwo(t *testing.T) {
	ds := load(spillData(70_000))
	const (
		p = "{ SELECT ?a ?o { ?a :p ?o } LIMIT 1000000 }"
		q = "{ SELECT ?b ?o { ?b :q ?o } LIMIT 1000000 }"
		r = "{ SELECT ?c ?a { ?a :p ?c } LIMIT 1000000 }"
	)
	for _, text := range []string{
		"SELECT ?a ?b { " + p + q + " } ORDER BY ?b ?a",
		"SELECT DISTINCT ?a ?b { " + p + q + " }",
		"SELECT ?a ?b ?c { " + p + q + r + " }",
		"SELECT ?a ?b ?c { " + p + " OPTIONAL " + q + " OPTIONAL " + r + " }",
		"SELECT ?a ?c { " + p + " MINUS " + q + r + " } ORDER BY ?c",
		"SELECT ?a (COUNT(*) AS ?n) { " + p + q + " } GROUP BY ?a ORDER BY ?n",
		"SELECT ?a ?n { " + p + " { SELECT ?a (COUNT(*) AS ?n) { ?a ?x ?y } GROUP BY ?a } } ORDER BY ?n ?a",
	} {
		query := sparql.MustParse(fuzzquery.Prefixes + text)
		want, err := answer(ds, query)
		if err != nil {
			t.Fatal(err)
		}
		free, err := sparql.Analyze(t.Context(), ds, query, sparql.Workers(1))
		if err != nil {
			t.Fatal(err)
		}
		for _, share := range longtest.Pick([]int64{3}, []int64{2, 3}) {
			opts := []sparql.Option{sparql.MemoryLimit(free.Run.Peak / share), sparql.Spill(t.TempDir(), 0), sparql.Workers(1)}
			got, err := answer(ds, query, opts...)
			if err != nil {
				t.Errorf("in a part of %d: %v\n%s", share, err, text)
				continue
			}
			if !sameRows(got, want) {
				t.Errorf("in a part of %d: %d rows, want %d\n%s", share, len(got.Set.Rows), len(want.Set.Rows), text)
			}
			run, err := sparql.Analyze(t.Context(), ds, query, opts...)
			if err != nil || run.Run.Spill == 0 || run.Run.Peak > free.Run.Peak/share {
				t.Errorf("in a part of %d: %v, %+v\n%s", share, err, run.Run, text)
			}
		}
	}
}
