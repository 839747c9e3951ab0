package sparql_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/rete-go/rete/dataset"
	"github.com/rete-go/rete/internal/longtest"
	"github.com/rete-go/rete/rdf"
	"github.com/rete-go/rete/sparql"
)

// constantQueries are planned in all the ways in which stored data is read: by values, by
// texts, in the order of values, by counts, by merges, round cycles. %s are nodes.
var constantQueries = []string{
	"SELECT ?x ?v { ?x :in %s ; :v ?v } ORDER BY DESC(?v) ?x LIMIT 5",
	"SELECT ?v { %s :near ?x . ?x :v ?v } ORDER BY ?v LIMIT 3",
	"SELECT ?x ?v { ?x :in %s ; :v ?v FILTER(?v > 90 && ?v < 93) }",
	"SELECT ?x ?v { ?x :v ?v FILTER(?v = 17) ?x :in %s OPTIONAL { %s :near ?x BIND(1 AS ?is) } }",
	"SELECT ?x ?n { ?x :in %s ; :name ?n FILTER(CONTAINS(?n, '7 of')) }",
	"SELECT ?x ?n { ?x :name ?n FILTER(STRSTARTS(?n, 'item 12')) ?x :in ?g . ?g :part %s }",
	"SELECT ?x { ?x :in %s FILTER(STRSTARTS(STR(?x), 'http://ex/i1')) }",
	"SELECT ?g (COUNT(*) AS ?n) { ?x :in ?g ; :near %s } GROUP BY ?g",
	"SELECT (COUNT(*) AS ?n) { ?x :in %s . ?x :near ?y . ?y :in %s }",
	"SELECT (COUNT(*) AS ?n) (COUNT(DISTINCT ?x) AS ?m) { ?x :in %s }",
	"SELECT ?x ?y ?z { ?x :near ?y . ?y :near ?z . ?z :near ?x . ?x :in %s }",
	"SELECT ?x ?y { ?x :near ?y . ?y :near ?x . VALUES ?x { %s %s } }",
	"SELECT ?x ?y { ?x :in %s OPTIONAL { ?x :near ?y . ?y :in %s } }",
	"SELECT ?x { ?x :in %s MINUS { ?x :in %s } }",
	"SELECT ?x { { ?x :in %s } UNION { ?x :in %s } UNION { ?x :near %s } }",
	"SELECT DISTINCT ?g { ?x :in ?g . %s :near+ ?x }",
	"SELECT ?x { ?x :near/:in %s }",
	"SELECT ?x ?p { %s ?p ?x }",
	"SELECT ?x ?p ?y { ?x ?p %s . GRAPH ?h { ?x :near ?y } }",
	"SELECT ?y ?v { ?x :v ?v ; :in %s . ?y :v ?v ; :in %s }",
	"SELECT (MAX(?v) AS ?m) (MIN(?v) AS ?k) { ?x :in %s ; :v ?v }",
	"CONSTRUCT { ?x :of ?g } { %s :near ?x . ?x :in ?g }",
	"ASK { %s :near ?x . ?x :in %s }",
	"DESCRIBE %s",
	"DESCRIBE ?x %s { %s :near ?x }",
}

// TestConstantsOnEngines asks such queries of stored data through a cache, with nodes of
// few rows, of many, of none, and of no place in the data: the rows are those of a query
// that was read and planned alone.
func TestConstantsOnEngines(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 21))
	iri := func(kind string, n int) rdf.Term { return rdf.IRI(fmt.Sprint("http://ex/", kind, n)) }
	p := func(name string) rdf.Term { return rdf.IRI("http://ex/" + name) }
	var quads []rdf.Quad
	for i := range 1500 {
		x := iri("i", i)
		for range 1 + r.IntN(3) {
			quads = append(quads, rdf.Quad{S: x, P: p("in"), O: iri("g", min(r.IntN(12), r.IntN(12)))}, rdf.Quad{S: x, P: p("near"), O: iri("i", min(r.IntN(1500), r.IntN(1500)))},
				rdf.Quad{S: x, P: p("near"), O: iri("i", i^r.IntN(4)), G: iri("g", r.IntN(3))})
		}
		quads = append(quads, rdf.Quad{S: x, P: p("v"), O: rdf.Integer(int64(r.IntN(100)))}, rdf.Quad{S: x, P: p("name"), O: rdf.String(fmt.Sprintf("item %d of %d", i, r.IntN(9)))})
	}
	for g := range 12 {
		quads = append(quads, rdf.Quad{S: iri("g", g), P: p("part"), O: iri("g", g/4)})
	}
	turns := longtest.Pick(3, 12)
	for name, ds := range map[string]dataset.Dataset{"segment": onSegment(t, quads), "log": onLog(t, r, quads), "memory": spaced{load(quads), 1}} {
		cache := sparql.NewPlanCache(256)
		for _, template := range constantQueries {
			for range turns {
				text := "PREFIX : <http://ex/> " + template
				kind := []string{":g", ":g", ":i"}[r.IntN(3)]
				for strings.Contains(text, "%s") {
					word := fmt.Sprint(kind, r.IntN(14))
					if kind == ":i" {
						word = fmt.Sprint(kind, r.IntN(1600))
					}
					if strings.Contains(template, "%s :near") && r.IntN(3) > 0 {
						word = fmt.Sprint(":i", r.IntN(1500))
					}
					text = strings.Replace(text, "%s", word, 1)
				}
				want := said(ds, sparql.MustParse(text))
				q, err := cache.Parse(text, nil)
				if err != nil {
					t.Fatal(err)
				}
				for _, opts := range [][]sparql.Option{{sparql.CachePlans(cache)}, {sparql.CachePlans(cache), sparql.ForceWorkers(2)}, {sparql.CachePlans(cache), sparql.DoubtEstimates()}} {
					if got := said(ds, q, opts...); got != want {
						t.Fatalf("%s: got %s\nwant %s\n%s", name, got, want, text)
					}
				}
			}
		}
		s := cache.Stats()
		t.Logf("%s: %+v", name, s)
		if s.PlanHits < s.Plans/3 {
			t.Errorf("%s: few plans were there: %+v", name, s)
		}
	}
}
