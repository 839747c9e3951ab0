package sparql_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/rete-go/rete/dataset"
	"github.com/rete-go/rete/rdf"
	"github.com/rete-go/rete/sparql"
	"github.com/rete-go/rete/sparql/internal/fuzzquery"
)

// spaced is a dataset of which plans are kept.
type spaced struct {
	dataset.Dataset
	space any
}

func (s spaced) Space() any { return s.space }

// TestPlanCacheDifferential runs random queries three times with one cache for all of
// them: with a plan of their own, with the kept one, and with it again on several
// goroutines. The rows are the same each time.
func TestPlanCacheDifferential(t *testing.T) {
	cache := sparql.NewPlanCache(64)
	for i := range (diffCases() + 1) / 2 {
		seed := *diffSeed + uint64(i)
		quads, query := randomCase(seed)
		q, err := cache.Parse(fuzzquery.Prefixes+query.String(), nil)
		if err != nil {
			continue
		}
		ds := spaced{load(quads), seed}
		want, err := answer(ds, q)
		if err != nil {
			t.Fatal(err)
		}
		for run := range 3 {
			got, err := answer(ds, q, sparql.CachePlans(cache))
			if err != nil || !sameRows(got, want) {
				t.Fatalf("seed %d, run %d: other rows, or %v\n%s\n%s", seed, run, err, query, dump(quads))
			}
		}
		if got, err := answer(ds, q, sparql.CachePlans(cache), sparql.ForceWorkers(3)); err != nil || !sameRows(got, want) {
			t.Fatalf("seed %d, workers: other rows, or %v\n%s", seed, err, query)
		}
	}
	if s := cache.Stats(); s.PlanHits*3 < s.Plans {
		t.Errorf("%d of %d plans were there", s.PlanHits, s.Plans)
	}
}

// TestPlanCacheKeys runs a query with other data, variables, graphs, times and chance
// in turn: nothing of one run is left in the next.
func TestPlanCacheKeys(t *testing.T) {
	iri := func(s string) rdf.Term { return rdf.IRI("http://ex/" + s) }
	one := spaced{load([]rdf.Quad{{S: iri("a"), P: iri("p"), O: iri("b")}, {S: iri("c"), P: iri("p"), O: iri("d"), G: iri("g")}}), 1}
	two := spaced{load([]rdf.Quad{{S: iri("x"), P: iri("y"), O: iri("z")}, {S: iri("z"), P: iri("p"), O: iri("c")}}), 2}
	cache := sparql.NewPlanCache(16)
	day := func(n int) time.Time { return time.Date(2020, 1, n, 0, 0, 0, 0, time.UTC) }
	for _, text := range []string{
		"SELECT ?s ?o { ?s :p ?o }",
		"SELECT ?s (CONCAT(STR(?o), '!') AS ?t) (NOW() AS ?n) (RAND() AS ?r) { ?s :p ?o }",
		"SELECT ?s ?g { GRAPH ?g { ?s :p ?o } }",
		"SELECT ?s ?o { VALUES ?o { :b :c :none 'made' } OPTIONAL { ?s :p ?o } }",
	} {
		q, err := cache.Parse(fuzzquery.Prefixes+text, nil)
		if err != nil {
			t.Fatal(err)
		}
		for range 2 {
			for _, ds := range []dataset.Dataset{one, two} {
				for i, opts := range [][]sparql.Option{
					{sparql.Now(day(1)), sparql.Seed(1)},
					{sparql.Now(day(2)), sparql.Seed(2)},
					{sparql.Now(day(3)), sparql.Seed(3), sparql.Bind("s", iri("c"))},
					{sparql.Now(day(3)), sparql.Seed(3), sparql.Bind("s", iri("z"))},
					{sparql.Now(day(4)), sparql.Seed(4), sparql.UnionDefaultGraph()},
					{sparql.Now(day(5)), sparql.Seed(5), sparql.WithGraphs([]rdf.Term{iri("g")}, nil)},
					{sparql.Now(day(5)), sparql.Seed(5), sparql.WithGraphs(nil, []rdf.Term{iri("g")})},
				} {
					want, err := answer(ds, q, opts...)
					if err != nil {
						t.Fatal(err)
					}
					got, err := answer(ds, q, append(opts, sparql.CachePlans(cache))...)
					if err != nil || !sameRows(got, want) {
						t.Errorf("options %d: got %v, want %v (%v)\n%s", i, got.Set.Rows, want.Set.Rows, err, text)
					}
				}
			}
		}
	}
	if s := cache.Stats(); s.PlanHits == 0 {
		t.Error("no plan was there")
	}
}

// TestPlanCacheParse gives the same query for the same text and options only.
func TestPlanCacheParse(t *testing.T) {
	cache := sparql.NewPlanCache(4)
	parse := func(text string, opt *sparql.ParseOptions) *sparql.Query {
		q, err := cache.Parse(text, opt)
		if err != nil {
			t.Fatal(err)
		}
		return q
	}
	text := "SELECT * { ?s <p> ?o }"
	a := parse(text, &sparql.ParseOptions{Base: "http://a/"})
	if parse(text, &sparql.ParseOptions{Base: "http://a/"}) != a {
		t.Error("parsed again")
	}
	if parse(text, &sparql.ParseOptions{Base: "http://b/"}) == a {
		t.Error("the query of another base")
	}
	prefixes := func(iri string) *sparql.ParseOptions {
		return &sparql.ParseOptions{Prefixes: map[string]string{"x": iri}}
	}
	if parse("SELECT * { ?s x:p ?o }", prefixes("http://a/")) == parse("SELECT * { ?s x:p ?o }", prefixes("http://b/")) {
		t.Error("the query of other prefixes")
	}
	if _, err := cache.Parse("SELECT", nil); err == nil {
		t.Error("no error")
	}
	for i := range 20 {
		parse(fmt.Sprintf("SELECT * { ?s ?p %d }", i), nil)
	}
}

// TestPlanCacheShared uses one plan on several goroutines at a time.
func TestPlanCacheShared(t *testing.T) {
	cache := sparql.NewPlanCache(64)
	quads := workerData(2000)
	ds := onLog(t, rand.New(rand.NewPCG(1, 1)), quads)
	var wait sync.WaitGroup
	for _, text := range append(workerQueries, faultQueries...) {
		q := sparql.MustParse(fuzzquery.Prefixes + text)
		want, err := answer(ds, q)
		if err != nil {
			t.Fatal(err)
		}
		for n := range 4 {
			wait.Go(func() {
				opts := []sparql.Option{sparql.CachePlans(cache)}
				if n%2 == 1 {
					opts = append(opts, sparql.ForceWorkers(2))
				}
				for range 2 {
					if got, err := answer(ds, q, opts...); err != nil || !sameRows(got, want) && n%2 == 0 {
						t.Errorf("other rows, or %v\n%s", err, text)
					}
				}
			})
		}
		wait.Wait()
	}
}

// BenchmarkPlanCache looks one node up, with and without kept plans and texts.
func BenchmarkPlanCache(b *testing.B) {
	ds := onLog(b, rand.New(rand.NewPCG(1, 1)), workerData(20000))
	for name, text := range map[string]string{
		"point": "SELECT ?p ?o { :s17 ?p ?o }",
		"star":  "SELECT ?a ?b ?c { :s17 :p ?a . ?x :p ?a ; :q ?b . ?y :q ?b ; :p ?c }",
	} {
		text = fuzzquery.Prefixes + text
		b.Run(name+"/plain", func(b *testing.B) {
			for b.Loop() {
				if _, err := answer(ds, sparql.MustParse(text)); err != nil {
					b.Fatal(err)
				}
			}
		})
		b.Run(name+"/kept", func(b *testing.B) {
			cache := sparql.NewPlanCache(16)
			for b.Loop() {
				q, err := cache.Parse(text, nil)
				if err != nil {
					b.Fatal(err)
				}
				if _, err := answer(ds, q, sparql.CachePlans(cache)); err != nil {
					b.Fatal(err)
				}
			}
		})
		b.Run(name+"/others", func(b *testing.B) {
			cache, n := sparql.NewPlanCache(16), 0
			for b.Loop() {
				n++
				q, err := cache.Parse(strings.ReplaceAll(text, ":s17", fmt.Sprint(":s", n%1000)), nil)
				if err != nil {
					b.Fatal(err)
				}
				if _, err := answer(ds, q, sparql.CachePlans(cache)); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
