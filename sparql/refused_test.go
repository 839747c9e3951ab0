package sparql_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/rete-go/rete/dataset"
	"github.com/rete-go/rete/internal/longtest"
	"github.com/rete-go/rete/rdf"
	"github.com/rete-go/rete/sparql"
	"github.com/rete-go/rete/sparql/internal/fuzzquery"
	"github.com/rete-go/rete/sparql/internal/planner"
)

// refusedQueries have every operator that asks for memory.
var refusedQueries = []string{
	"SELECT * { ?s :v ?v OPTIONAL { ?s :t ?t FILTER(?v > 100) } }",
	"SELECT * { { SELECT ?s ?o { ?s :p ?o } LIMIT 100000 } { SELECT ?o ?v { ?o :v ?v } LIMIT 100000 } }",
	"SELECT * { ?s :v ?v FILTER EXISTS { ?s :p ?o . ?o :v ?w FILTER(?w > ?v) } }",
	"SELECT * { ?s :v ?v MINUS { SELECT ?s { ?s :p ?o . ?o :v 17 } LIMIT 1000 } }",
	"SELECT ?o (COUNT(*) AS ?n) (SUM(?v) AS ?m) (COUNT(DISTINCT ?v) AS ?d) { ?s :p ?o ; :v ?v } GROUP BY ?o HAVING(COUNT(*) > 1)",
	"SELECT ?t (GROUP_CONCAT(DISTINCT STR(?t)) AS ?c) (MIN(?v) AS ?m) { ?s :t ?t ; :v ?v } GROUP BY ?t",
	"SELECT DISTINCT ?s ?o { ?s ?p ?o }",
	"SELECT ?s ?t { ?s :t ?t } ORDER BY DESC(?t) ?s",
	"SELECT ?s ?t { ?s :t ?t } ORDER BY ?t ?s LIMIT 7",
	"SELECT * { :n5 :p+ ?x }",
	"SELECT * { ?x (:p|:q)+ ?y FILTER(?x = :n3) }",
	"SELECT * { ?a :p ?b . ?b :p ?c . ?a :p ?c }",
	"SELECT (COUNT(*) AS ?n) { ?s :p ?o }",
	"SELECT ?p (COUNT(*) AS ?n) { ?s ?p ?o } GROUP BY ?p",
	"SELECT ?p (COUNT(DISTINCT ?o) AS ?n) { ?s ?p ?o } GROUP BY ?p",
	"SELECT (COUNT(*) AS ?n) (COUNT(DISTINCT ?g) AS ?m) { GRAPH ?g { ?s :p ?o . ?o :p ?x } }",
	"SELECT (MAX(?v) AS ?m) (MIN(?v) AS ?k) { ?s :v ?v }",
	"SELECT * { ?s :t ?t FILTER(CONTAINS(?t, '7')) }",
	"SELECT ?s (CONCAT(STR(?t), ' ', STR(?v)) AS ?c) { ?s :t ?t ; :v ?v }",
	"SELECT * { ?a :v ?x . ?b :v ?y FILTER(?x = ?y && ?a != ?b) }",
	"SELECT * { VALUES ?s { :n1 :n2 :n3 } ?s ?p ?o }",
	"SELECT * { { ?s :v 17 } UNION { ?s :v 34 } ?s ?p ?o }",
	"SELECT ?s ?v { ?s :v ?v } ORDER BY ?v LIMIT 20",
	"CONSTRUCT { ?s :r ?o } { ?s :p ?o }",
	"DESCRIBE ?s { ?s :v 17 }",
	"SELECT * { ?s :v ?v FILTER(?v > 5 && NOT EXISTS { ?s :p ?o FILTER(?o = :n7 || ?v = 9) }) }",
	"SELECT ?s (EXISTS { ?s :p ?o . ?o :t ?t FILTER(STRLEN(?t) > 6) } AS ?e) { ?s :v ?v }",
	"SELECT * { GRAPH ?g { ?s :p ?o . ?o :q ?x } }",
	"SELECT * { ?s :v ?v FILTER EXISTS { OPTIONAL { ?s :p ?o FILTER(?v > 7) } FILTER(BOUND(?o)) } }",
	"ASK { ?s :p ?o . ?o :p ?s }",
	`SELECT * { (?s ?score ?t) <urn:x-rete:search> ("t*" 50) . ?s :v ?v }`,
	`SELECT * { GRAPH ?g { ?s <urn:x-rete:search> "t*" } }`,
}

// refusedLongQueries ask for memory for the texts that they read and make.
var refusedLongQueries = []string{
	"SELECT * { ?s :p ?o FILTER(STRLEN(UCASE(?o)) > 7) }",
	"SELECT * { ?s :p ?o } ORDER BY ?o",
	"SELECT ?x { ?s :p ?o BIND(CONCAT(?o, ?o) AS ?x) }",
	"SELECT ?s (GROUP_CONCAT(?o) AS ?x) { ?s :p ?o } GROUP BY ?s",
}

// valuesText returns a query of so long a text that reading and planning it ask for memory.
func valuesText(n int) string {
	var b strings.Builder
	b.WriteString("SELECT * { VALUES ?s {")
	for i := range n {
		fmt.Fprintf(&b, " :n%d", i)
	}
	return b.String() + " } ?s :v ?v }"
}

// TestRefusedAtEachRequest refuses memory at each request of every kind of query and update.
func TestRefusedAtEachRequest(t *testing.T) {
	useValues(t)
	cost := planner.DictFilterCost
	planner.DictFilterCost = 0
	defer func() { planner.DictFilterCost = cost }()
	r := newRefuser()
	run := func(name string, ds dataset.Dataset, text string, more ...sparql.Option) {
		r.refused(t, name+": "+text[:min(len(text), 200)], func(_ string, opts ...sparql.Option) (string, error) {
			opts = append(opts, more...)
			q, err := sparql.ParseContext(t.Context(), fuzzquery.Prefixes+text, nil, opts...)
			if err != nil {
				return "", err
			}
			defer q.Close()
			return wholeAnswer(ds, q, opts...)
		})
	}
	stores := sharedStores(t, sharedQuads(300))
	for _, store := range longtest.Pick([]string{"in place"}, []string{"in place", "log"}) {
		ds := stores[store]()
		for i, text := range refusedQueries {
			if longtest.On() || i%2 == 1 {
				run(store+", one worker", ds, text, sparql.Workers(1))
			}
			if longtest.On() || i%2 == 0 {
				run(store+", two workers", ds, text, sparql.ForceWorkers(2))
			}
			if longtest.On() || i%4 > 1 {
				run(store+", merges and leapfrogs", ds, text, sparql.Workers(1), sparql.JoinMethods(planner.ManyJoins))
			}
		}
		run(store, ds, valuesText(9000))
	}
	long := load(slices.Concat(longTexts(100, 1, 10), longTexts(100, 1, 20_000)))
	for _, text := range refusedLongQueries {
		run("long texts", long, text, sparql.Workers(1))
	}
	var graphs []rdf.Quad
	for i := range 700 {
		n := rdf.IRI(fmt.Sprintf("http://ex/n%d", i%50))
		graphs = append(graphs, rdf.Quad{S: n, P: rdf.IRI("http://ex/p"), O: n, G: rdf.IRI(fmt.Sprintf("http://ex/g%d", i))})
	}
	run("many graphs", onSegment(t, graphs), "SELECT * { GRAPH ?g { ?s :p ?o } }", sparql.Workers(1))
	refuseUpdates(t, r)
	t.Logf("%d refusals, %d failures; %d places asked: %v", r.refusals, r.failures, len(r.sites), slices.Sorted(maps.Keys(r.sites)))
	if len(r.sites) < 30 || r.failures < r.refusals/10 {
		t.Errorf("%d places asked, and %d of %d refusals were failures", len(r.sites), r.failures, r.refusals)
	}
	for op, place := range askers(t) {
		if !r.ops[op] && op != "gather" { // which does without
			t.Errorf("%q of %s never asked", op, place)
		}
	}
}

// wholeAnswer returns an answer as a text, in no order.
func wholeAnswer(ds dataset.Dataset, q *sparql.Query, opts ...sparql.Option) (string, error) {
	a, err := answer(ds, q, opts...)
	switch {
	case err != nil:
		return "", err
	case a.Set == nil:
		var all []string
		for _, q := range a.Graph {
			all = append(all, q.String())
		}
		slices.Sort(all)
		return strings.Join(all, "\n"), nil
	case a.Set.Boolean != nil:
		return fmt.Sprint(*a.Set.Boolean), nil
	}
	return strings.Join(lines(a.Set.Vars, a.Set.Rows, a.Set.Vars), "\n"), nil
}
