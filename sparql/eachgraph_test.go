package sparql_test

import (
	"testing"

	"github.com/rete-go/rete/sparql"
	"github.com/rete-go/rete/sparql/internal/fuzzquery"
)

// TestEachGraph: what is the same for all graphs at once is not evaluated graph by graph. That the
// answers are right, TestDifferentialManyGraphs checks.
func TestEachGraph(t *testing.T) {
	ds := load(outerData(20))
	for _, c := range []struct {
		text string
		loop bool
	}{
		{"GRAPH ?g { ?s :p ?a FILTER EXISTS { ?s :q ?b } }", false},
		{"GRAPH ?g { ?s :p ?a FILTER(?a = 1 || NOT EXISTS { ?s :q ?b FILTER(?b = ?a) }) }", false},
		{"GRAPH ?g { ?s :p ?a BIND(EXISTS { ?s :q ?b } AS ?e) }", false},
		{"GRAPH ?g { ?s :p ?a OPTIONAL { ?s :r ?c FILTER EXISTS { ?s :q ?a } } }", false},
		{"GRAPH ?g { SELECT ?s (SUM(?a) AS ?n) { ?s :p ?a } GROUP BY ?s HAVING (COUNT(*) > 1) }", false},
		{"GRAPH ?g { ?s :q ?b { SELECT ?s (COUNT(*) AS ?n) { ?s :p ?a FILTER EXISTS { ?s :r ?c } } GROUP BY ?s } }", false},
		// One row for each graph, also for those without a match.
		{"GRAPH ?g { SELECT (SUM(?a) AS ?n) { ?s :p ?a } }", true},
		{"GRAPH ?g { SELECT ?s ?a { ?s :p ?a } ORDER BY ?a LIMIT 1 }", true},
		// ?g is any term inside, and joined with the name afterwards.
		{"GRAPH ?g { ?s :p ?a FILTER EXISTS { ?s :q ?g } }", true},
		{"GRAPH ?g { ?s :p ?a FILTER EXISTS { ?s :q ?b FILTER(?g = :graph1) } }", true},
		{"GRAPH ?g { SELECT ?g (COUNT(*) AS ?n) { ?s :p ?a } GROUP BY ?g }", true},
		// No pattern has the graph.
		{"GRAPH ?g { ?s :p ?a { VALUES ?x { 1 2 } FILTER EXISTS { ?y :q ?x } } }", true},
		{"GRAPH ?g { ?s :p ?a FILTER EXISTS { ?s :q* ?b } }", true},
	} {
		p, err := sparql.Explain(t.Context(), ds, sparql.MustParse(fuzzquery.Prefixes+"SELECT * { "+c.text+" }"))
		if err != nil {
			t.Fatal(err)
		}
		if loops := countOps(p.Root, "each graph"); loops > 0 != c.loop {
			t.Errorf("%d loops over graphs\n%s\n%s", loops, c.text, p)
		}
	}
}
