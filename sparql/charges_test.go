package sparql_test

import (
	"runtime"
	"testing"

	"github.com/rete-go/rete/dataset"
	"github.com/rete-go/rete/internal/longtest"
	"github.com/rete-go/rete/sparql"
	"github.com/rete-go/rete/sparql/internal/fuzzquery"
)

// chargeFactor bounds how much more memory an operator has than it asked for: the
// garbage of a growing slice, maps, and what a batch has beside. A few hundred
// kilobytes a query are not counted at all.
const (
	chargeFactor = 1.5
	chargeRest   = 1 << 20
)

// TestCharges looks at the live heap whenever an operator asks for memory, and compares
// it with what is held then: what operators ask for is what they take.
func TestCharges(t *testing.T) {
	ds := load(spillData(longtest.Pick(40_000, 120_000)))
	for _, text := range []string{
		"SELECT ?s ?o { ?s :p ?o } ORDER BY DESC(?o) ?s",
		"SELECT DISTINCT ?s ?o { ?s ?p ?o }",
		"SELECT ?s (COUNT(*) AS ?n) { ?s ?p ?o } GROUP BY ?s",
		"SELECT ?s (SUM(?o) AS ?n) (MIN(?o) AS ?m) { ?s ?p ?o } GROUP BY ?s",
		"SELECT ?o (COUNT(DISTINCT ?s) AS ?n) { ?s ?p ?o } GROUP BY ?o",
		"SELECT ?a ?b { { SELECT ?a ?o { ?a :p ?o } LIMIT 1000000 } { SELECT ?b ?o { ?b :q ?o } LIMIT 1000000 } }",
		"SELECT ?a ?b { ?a :p ?o OPTIONAL { { SELECT ?b ?o { ?b :q ?o } LIMIT 1000000 } } }",
		"SELECT ?a ?b { VALUES ?z { 1 2 3 } ?a :p ?o . ?b :q ?o FILTER(?a != ?b) }",
		"SELECT ?x ?y { ?a :p ?o . ?b :q ?o BIND(CONCAT(STR(?a), STR(?b)) AS ?x) BIND(STRLEN(?x) AS ?y) }",
	} {
		checkCharges(t, ds, text, chargeFactor)
	}
}

// checkCharges runs a query and looks at the live heap whenever an operator asks for memory:
// it is at most a factor of what is held.
func checkCharges(t *testing.T, ds dataset.Dataset, text string, most float64) {
	t.Helper()
	q := sparql.MustParse(fuzzquery.Prefixes + text)
	var base, now runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&base)
	asked, worst := 0, 0.0
	held := sparql.HeldBy(func(held int64) {
		if asked++; asked > longtest.Pick(32, 64) && asked%longtest.Pick(64, 32) != 0 {
			return
		}
		runtime.GC()
		runtime.ReadMemStats(&now)
		live := float64(now.HeapAlloc) - float64(base.HeapAlloc) - chargeRest
		if live > worst*float64(held) && held > 1<<19 {
			worst = live / float64(held)
		}
	})
	if _, err := sparql.Analyze(t.Context(), ds, q, sparql.Workers(1), sparql.MemoryLimit(1<<30), held); err != nil {
		t.Fatal(err)
	}
	t.Logf("%.2f times of what is held, %d times asked: %s", worst, asked, text)
	if worst > most {
		t.Errorf("%.2f times of what is held is live\n%s", worst, text)
	}
}
