package sparql_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"testing"

	"github.com/rete-go/rete/internal/cancel"
	"github.com/rete-go/rete/internal/longtest"
	"github.com/rete-go/rete/rdf"
	"github.com/rete-go/rete/sparql"
	"github.com/rete-go/rete/sparql/internal/fuzzquery"
	"github.com/rete-go/rete/sparql/internal/planner"
)

// TestContextChecksInsideQueries runs queries whose operators hold very many rows: what they do
// with all of them at once checks the context, and at whatever check the query ends, all
// memory is given back, and no goroutine and no file is left.
func TestContextChecksInsideQueries(t *testing.T) {
	n := longtest.Pick(20_000, 40_000)
	node := func(i int) rdf.Term { return rdf.IRI(fmt.Sprintf("http://ex/n%d", i%n)) }
	p := func(name string) rdf.Term { return rdf.IRI("http://ex/" + name) }
	var quads []rdf.Quad
	for i := range n {
		quads = append(quads, rdf.Quad{S: node(i), P: p("p"), O: node(7*i + 1)}, rdf.Quad{S: node(i), P: p("q"), O: node(11*i + 3)},
			rdf.Quad{S: node(i), P: p("v"), O: rdf.Integer(int64(i % 30_000))}, rdf.Quad{S: node(i), P: p("r"), O: node(i + 1)})
	}
	queries := []string{
		"SELECT DISTINCT ?a ?b ?c { ?a :p ?b . ?b :q ?c }",
		"SELECT DISTINCT ?o { ?s ?p ?o }",
		"SELECT DISTINCT ?s { ?s ?p ?o FILTER(?o != 7) }",
		"SELECT ?o (COUNT(*) AS ?n) (SUM(?v) AS ?m) (COUNT(DISTINCT ?p) AS ?d) { ?s ?p ?o ; :v ?v FILTER(?v != 7) } GROUP BY ?o",
		"SELECT (COUNT(DISTINCT ?o) AS ?n) (SUM(DISTINCT ?v) AS ?m) { ?s ?p ?o ; :v ?v }",
		"SELECT * { { SELECT ?a ?o { ?a :p ?o } LIMIT 1000000 } { SELECT ?b ?o { ?b :q ?o } LIMIT 1000000 } }",
		"SELECT * { ?a :v ?x . ?b :v ?y FILTER(?x = ?y) }",
		"SELECT * { ?a :p ?o OPTIONAL { { SELECT ?b ?o { ?b :q ?o } LIMIT 1000000 } } }",
		"SELECT * { ?a :p ?b . ?b :q ?c . ?c :r ?a }",
		"SELECT (COUNT(*) AS ?n) { ?a :p ?b . ?b :q ?c . ?d :r ?c }",
		"SELECT ?b (COUNT(*) AS ?n) { ?a :p ?b . ?b :q ?c . ?d :r ?c } GROUP BY ?b",
		"SELECT * { :n5 (:p|:q)* ?x }",
		"SELECT * { :n5 (:p|:q|^:r)+ :n999999 }",
		"SELECT * { ?a (:p|:q)* ?x } LIMIT 100000",
		"SELECT * { ?a :v 5 ; :r* ?x }",
		"SELECT ?o { ?s ?p ?o } ORDER BY ?o",
	}
	dir, before := t.TempDir(), runtime.NumGoroutine()
	ds := load(quads)
	for i, text := range queries {
		q := sparql.MustParse(fuzzquery.Prefixes + text)
		for name, opts := range map[string][]sparql.Option{
			"one":     {sparql.Workers(1)},
			"many":    {sparql.ForceWorkers(2), sparql.JoinMethods(planner.ManyJoins)},
			"spilled": {sparql.Workers(1), sparql.MemoryLimit(3 << 20), sparql.Spill(dir, 0)},
			"doubted": {sparql.Workers(1), sparql.JoinMethods(planner.PairJoins), sparql.DoubtEstimates()},
		} {
			pool := sparql.NewMemoryPool(1 << 30)
			opts = append(opts, sparql.SharedMemory(pool))
			missed := cancel.Missed.Load()
			checks := int64(0)
			// The whole query, and then up to checks that are spread over it.
			for k := int64(1) << 40; k > 0; k = k*longtest.Pick[int64](1, 5)/9 - int64(i)%3 {
				ctx := &tiringAll{Context: t.Context()}
				ctx.left.Store(k)
				err := sparql.DrainIn(ctx, ds, q, opts...)
				if refused := (*sparql.MemoryError)(nil); errors.As(err, &refused) {
					break // there is too little for this query
				}
				if checks == 0 {
					if checks = k - ctx.left.Load(); err != nil {
						t.Fatal(err, text)
					}
					k = checks
				} else if ctx.left.Load() <= 0 && !errors.Is(err, context.Canceled) { // several goroutines may check less often
					t.Errorf("%s, cancelled at check %d of %d: %v\n%s", name, k, checks, err, text)
				}
				if held := pool.Used(); held != 0 {
					t.Fatalf("%s, cancelled at check %d of %d: %d bytes are left\n%s", name, k, checks, held, text)
				}
			}
			if rows := cancel.Missed.Load() - missed; rows > 0 {
				t.Errorf("%s: %d rows were handled without a check\n%s", name, rows, text)
			}
		}
	}
	if files, err := os.ReadDir(dir); err != nil || len(files) > 0 {
		t.Errorf("%d files are left, %v", len(files), err)
	}
	noGoroutines(t, before)
}
