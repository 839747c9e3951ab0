package sparql_test

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/rete-go/rete/rdf"
	"github.com/rete-go/rete/sparql"
	"github.com/rete-go/rete/sparql/internal/fuzzquery"
)

var (
	nodeNames = regexp.MustCompile(`:(a|b|c|d|g1|none)\b`)
	literals  = regexp.MustCompile(`"(1|x)"|\b[12]\b`)
)

// TestShapesDifferential asks random queries with ever other constants, through one
// cache: the rows are those of a plan that was made for the constants alone.
func TestShapesDifferential(t *testing.T) {
	cache := sparql.NewPlanCache(64)
	names := []string{":a", ":b", ":c", ":d", ":g1", ":none", ":nil", "<http://ex/a>", "<http://ex/b>", "<http://ex/none>"}
	asked := 0
	for i := range diffCases() {
		seed := *diffSeed + uint64(i)
		quads, query := randomCase(seed)
		text := query.String()
		if _, err := sparql.Parse(fuzzquery.Prefixes+text, nil); err != nil {
			continue
		}
		ds := spaced{load(quads), seed}
		r := rand.New(rand.NewPCG(seed, 7))
		for range 5 {
			// Mostly the same name for the same name, so that shapes come again.
			to := make(map[string]string)
			mixed := r.IntN(4) == 0
			other := fuzzquery.Prefixes + nodeNames.ReplaceAllStringFunc(text, func(old string) string {
				name, ok := to[old]
				if !ok || mixed {
					name = names[r.IntN(7)]
					if mixed {
						name = names[r.IntN(len(names))]
					}
					to[old] = name
				}
				return name
			})
			n := r.IntN(3)
			other = literals.ReplaceAllStringFunc(other, func(old string) string {
				if old[0] == '"' {
					return []string{old, `"1"`, `"none"`}[n]
				}
				return []string{old, "1", "7"}[n]
			})
			alone, err := sparql.Parse(other, nil)
			if err != nil {
				continue // a name where an IRI of a graph must stand
			}
			want, err := answer(ds, alone)
			if err != nil {
				t.Fatal(err)
			}
			q, err := cache.Parse(other, nil)
			if err != nil {
				t.Fatal(err)
			}
			asked++
			for _, q := range []*sparql.Query{q, alone, q} {
				got, err := answer(ds, q, sparql.CachePlans(cache))
				if err != nil || !sameRows(got, want) {
					t.Fatalf("seed %d: other rows, or %v\n%s\n%s", seed, err, other, dump(quads))
				}
			}
			if fmt.Sprint(q.Constants()) != fmt.Sprint(alone.Constants()) || fmt.Sprint(q.Vars()) != fmt.Sprint(alone.Vars()) {
				t.Fatalf("seed %d: %v, want %v\n%s", seed, q.Constants(), alone.Constants(), other)
			}
		}
	}
	s := cache.Stats()
	if int(s.PlanHits) < asked*3/2 {
		t.Errorf("of %d queries, asked three times, %d plans were there", asked, s.PlanHits)
	}
}

// TestShapes asks pairs of queries that look alike, the one after the other in either
// order: each has its own rows.
func TestShapes(t *testing.T) {
	iri := func(s string) rdf.Term { return rdf.IRI("http://ex/" + s) }
	var quads []rdf.Quad
	for _, line := range []string{"a p b", "b p c", "c p a", "a q a", "d p d", "b q b", "a r x-y", "x-y r a", "g1 p g1"} {
		f := strings.Fields(line)
		quads = append(quads, rdf.Quad{S: iri(f[0]), P: iri(f[1]), O: iri(f[2])})
		quads = append(quads, rdf.Quad{S: iri(f[2]), P: iri(f[1]), O: iri(f[0]), G: iri("g1")})
	}
	for i := range 300 {
		quads = append(quads, rdf.Quad{S: iri("hub"), P: iri("p"), O: iri(fmt.Sprint("n", i))})
	}
	ds := spaced{load(quads), 1}
	for _, pair := range [][2]string{
		{"SELECT * { :a :p ?x }", "SELECT * { :hub :p ?x }"},
		{"SELECT * { :a :p ?x . ?x :p ?y . ?y :p ?z }", "SELECT * { :hub :p ?x . ?x :p ?y . ?y :p ?z }"},
		{"SELECT * { :a :p ?x . :b :p ?y }", "SELECT * { :a :p ?x . :a :p ?y }"},
		{"SELECT * { :a :q :b }", "SELECT * { :a :q :a }"},
		{"SELECT * { :a :p* ?x }", "SELECT * { :none :p* ?x }"},
		{"SELECT * { :a :p* :b }", "SELECT * { :none :p* :none }"},
		{"SELECT * { :a :p+ :b }", "SELECT * { :d :p+ :d }"},
		{"SELECT * { VALUES ?u { :a } ?u :p ?x FILTER(?u = :b) }", "SELECT * { VALUES ?u { :b } ?u :p ?x FILTER(?u = :b) }"},
		{"SELECT * { VALUES ?u { :a :b } ?u :p ?x }", "SELECT * { VALUES ?u { :a :a } ?u :p ?x }"},
		{"SELECT * { VALUES ?u { :a } ?u :p ?x }", "SELECT * { VALUES ?u { :none } OPTIONAL { ?u :p ?x } }"},
		{"SELECT * { VALUES ?u { :a } OPTIONAL { ?u :p ?x } }", "SELECT * { VALUES ?u { :none } OPTIONAL { ?u :p ?x } }"},
		{"SELECT * { VALUES ?u { :a } FILTER(STRENDS(STR(?u), 'a')) }", "SELECT * { VALUES ?u { :b } FILTER(STRENDS(STR(?u), 'a')) }"},
		{"SELECT * { ?x :p :a FILTER(?x != :b) }", "SELECT * { ?x :p :b FILTER(?x != :b) }"},
		{"SELECT * { :a :p ?x FILTER EXISTS { ?x :p :c } }", "SELECT * { :a :p ?x FILTER EXISTS { ?x :p :a } }"},
		{"SELECT * { :a :p ?x FILTER NOT EXISTS { :a :p :b } }", "SELECT * { :b :p ?x FILTER NOT EXISTS { :b :p :b } }"},
		{"SELECT * { ?x :p ?y MINUS { ?x :p :b } }", "SELECT * { ?x :p ?y MINUS { ?x :p :c } }"},
		{"SELECT * { ?x :p ?y OPTIONAL { ?y :q :a } OPTIONAL { :b :p ?z } }", "SELECT * { ?x :p ?y OPTIONAL { ?y :q :b } OPTIONAL { :d :p ?z } }"},
		{"SELECT * { { :a :p ?x } UNION { ?x :p :b } }", "SELECT * { { :b :p ?x } UNION { ?x :p :a } }"},
		{"SELECT * { GRAPH :g1 { :a ?p ?x } }", "SELECT * { GRAPH :g1 { :g1 ?p ?x } }"},
		{"SELECT * { GRAPH ?g { :a ?p ?x } }", "SELECT * { GRAPH ?g { :b ?p ?x } }"},
		{"SELECT (COUNT(*) AS ?n) { :a ?p ?x }", "SELECT (COUNT(*) AS ?n) { :hub ?p ?x }"},
		{"SELECT ?x (COUNT(*) AS ?n) { ?x :p ?y . :a :p ?x } GROUP BY ?x", "SELECT ?x (COUNT(*) AS ?n) { ?x :p ?y . :b :p ?x } GROUP BY ?x"},
		{"SELECT * { { SELECT ?x { :a :p ?x } ORDER BY ?x LIMIT 1 } ?x ?p ?y }", "SELECT * { { SELECT ?x { :b :p ?x } ORDER BY ?x LIMIT 1 } ?x ?p ?y }"},
		{"SELECT * { :a :r :x-y . }", "SELECT * { :x-y :r :a . }"},
		{"SELECT * { <http://ex/a> :p ?x }", "SELECT * { <http://ex/b> :p ?x }"},
		{"SELECT * { <http://ex/a> :p ?x }", "SELECT * { :b :p ?x }"},
		{"SELECT * { :a ?p ?x . BIND(:b AS ?y) }", "SELECT * { :b ?p ?x . BIND(:b AS ?y) }"},
		{"SELECT * { :a :p ?x . ?x :p ?y . ?y :p :a }", "SELECT * { :b :p ?x . ?x :p ?y . ?y :p :b }"},
		{"ASK { :a :p :b }", "ASK { :a :p :c }"},
		{"SELECT * { :a :p ?y . ?x :p ?y FILTER(?x = IRI('http://ex/a')) }", "SELECT * { :b :p ?y . ?x :p ?y FILTER(?x = IRI('http://ex/a')) }"},
		{"SELECT * { VALUES ?x { :a } ?x :p ?y FILTER(?y = URI(CONCAT('http://ex/', 'a'))) }", "SELECT * { VALUES ?x { :c } ?x :p ?y FILTER(?y = URI(CONCAT('http://ex/', 'a'))) }"},
	} {
		for range 2 {
			cache := sparql.NewPlanCache(16)
			for _, text := range []string{pair[0], pair[1], pair[0], pair[1], strings.ReplaceAll(pair[0], ":a", ":c"), strings.ReplaceAll(pair[1], ":b", ":hub")} {
				text = fuzzquery.Prefixes + text
				want, err := answer(ds, sparql.MustParse(text))
				if err != nil {
					t.Fatal(err)
				}
				q, err := cache.Parse(text, nil)
				if err != nil {
					t.Fatal(err)
				}
				got, err := answer(ds, q, sparql.CachePlans(cache))
				if err != nil {
					t.Fatal(err)
				}
				if got.Set.Boolean != nil {
					if *got.Set.Boolean != *want.Set.Boolean {
						t.Errorf("%v\n%s", *got.Set.Boolean, text)
					}
				} else if !sameRows(got, want) {
					t.Errorf("got %v, want %v\n%s", got.Set.Rows, want.Set.Rows, text)
				}
			}
			pair[0], pair[1] = pair[1], pair[0]
		}
	}
}

// TestShapesOfDescriptions describes one resource after the other.
func TestShapesOfDescriptions(t *testing.T) {
	iri := func(s string) rdf.Term { return rdf.IRI("http://ex/" + s) }
	var quads []rdf.Quad
	for _, s := range []string{"a", "b", "c"} {
		quads = append(quads, rdf.Quad{S: iri(s), P: iri("p"), O: rdf.String(s)}, rdf.Quad{S: iri("c"), P: iri("q"), O: iri(s)})
	}
	ds := spaced{load(quads), 1}
	cache := sparql.NewPlanCache(8)
	all := func(q *sparql.Query, opts ...sparql.Option) string {
		list, err := sparql.Describe(t.Context(), ds, q, opts...)
		if err != nil {
			t.Fatal(err)
		}
		var out []string
		for q, err := range list.All() {
			if err != nil {
				t.Fatal(err)
			}
			out = append(out, q.String())
		}
		slices.Sort(out)
		return strings.Join(out, "\n")
	}
	for _, form := range []string{"DESCRIBE :%s", "DESCRIBE :%s ?x { ?x :q :%[1]s }", "DESCRIBE ?x { ?x :q :%s }"} {
		for _, name := range []string{"a", "b", "none", "c", "b"} {
			text := fuzzquery.Prefixes + fmt.Sprintf(form, name)
			q, err := cache.Parse(text, nil)
			if err != nil {
				t.Fatal(err)
			}
			got, want := all(q, sparql.CachePlans(cache)), all(sparql.MustParse(text))
			if got != want {
				t.Errorf("%s: got\n%s\nwant\n%s", text, got, want)
			}
		}
	}
	if s := cache.Stats(); s.PlanHits < 8 {
		t.Errorf("%+v: the descriptions share too little", s)
	}
}

// TestShapesAreShared reads and plans queries once that differ in constants, and again
// only where these have other numbers of rows.
func TestShapesAreShared(t *testing.T) {
	var quads []rdf.Quad
	iri := func(s string) rdf.Term { return rdf.IRI("http://ex/" + s) }
	for s := range 40 {
		for o := range 1 + s/20*30 {
			quads = append(quads, rdf.Quad{S: iri(fmt.Sprint("s", s)), P: iri("p"), O: iri(fmt.Sprint("o", o))})
		}
	}
	ds := spaced{load(quads), 1}
	cache := sparql.NewPlanCache(8)
	ask := func(n int) {
		q, err := cache.Parse(fmt.Sprintf("SELECT * { <http://ex/s%d> <http://ex/p> ?o . ?x <http://ex/p> ?o }", n), nil)
		if err != nil {
			t.Error(err)
			return
		}
		if _, err := answer(ds, q, sparql.CachePlans(cache)); err != nil {
			t.Error(err)
		}
	}
	for n := range 40 {
		ask(n)
	}
	if s := cache.Stats(); s.PlanHits != 38 {
		t.Errorf("%+v: want 38 plans that were there", s)
	}
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for n := range 40 {
				ask(n)
			}
		})
	}
	wg.Wait()
}

// TestShapesAreBounded asks queries of many shapes, each with terms of many numbers of
// rows: no more plans are kept than the cache has room for, those of one shape too.
func TestShapesAreBounded(t *testing.T) {
	var quads []rdf.Quad
	iri := func(s string) rdf.Term { return rdf.IRI("http://ex/" + s) }
	for s := range 11 {
		for o := range 1 << s {
			quads = append(quads, rdf.Quad{S: iri(fmt.Sprint("s", s)), P: iri("p"), O: iri(fmt.Sprint("o", o))})
		}
	}
	ds := spaced{load(quads), 1}
	for _, size := range []int{1, 2, 7, 40} {
		cache, most := sparql.NewPlanCache(size), 0
		for shape := range 30 {
			for s := range 11 {
				q, err := cache.Parse(fmt.Sprintf("SELECT (COUNT(*) AS ?n%d) { <http://ex/s%d> <http://ex/p> ?o }", shape%12, s), nil)
				if err != nil {
					t.Fatal(err)
				}
				got, err := answer(ds, q, sparql.CachePlans(cache))
				if err != nil || got.Set.Rows[0][0] != rdf.Integer(1<<s) {
					t.Fatalf("%v rows, want %d: %v", got.Set.Rows, 1<<s, err)
				}
				most = max(most, cache.SharedPlans())
			}
		}
		if most > size || most < min(size, 11) {
			t.Errorf("%d plans are kept, in a cache of %d", most, size)
		}
	}
}
