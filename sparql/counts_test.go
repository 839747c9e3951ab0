package sparql_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/rete-go/rete/dataset"
	"github.com/rete-go/rete/rdf"
	"github.com/rete-go/rete/sparql"
	"github.com/rete-go/rete/sparql/internal/fuzzquery"
)

// TestCountsByKey compares groups of one pattern, which are counted by the directories or
// in the order of a scan, with those of rows that pass through a filter.
func TestCountsByKey(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 3))
	var quads []rdf.Quad
	for range 9000 {
		p := min(r.IntN(12), r.IntN(12))
		quads = append(quads, rdf.Quad{S: rdf.IRI(fmt.Sprintf("http://ex/s%d", r.IntN(3000))), P: rdf.IRI(fmt.Sprintf("http://ex/p%d", p)), O: rdf.Integer(int64(r.IntN(1 + 90*p)))})
	}
	for i, q := range quads {
		if i%5 == 0 {
			q.G = rdf.IRI("http://ex/g")
			quads = append(quads, q)
		}
	}
	counted := 0
	for name, ds := range map[string]dataset.Dataset{"memory": load(quads), "segment": onSegment(t, quads), "log": onLog(t, r, quads)} {
		for _, pattern := range []string{"?s ?p ?o", "?s :p0 ?o", "?s :p7 ?o", ":s7 ?p ?o", "?s ?p 0", "?s :none ?o", "GRAPH :g { ?s ?p ?o }", "GRAPH ?g { ?s ?p ?o }", "?s ?p ?s"} {
			for _, key := range []string{"?s", "?p", "?o"} {
				for _, count := range []string{"(COUNT(*) AS ?n)", "(COUNT(?s) AS ?n)", "(COUNT(DISTINCT ?s) AS ?n)", "(COUNT(DISTINCT ?o) AS ?n) (COUNT(*) AS ?m)", "(COUNT(DISTINCT ?p) AS ?n)", "(COUNT(DISTINCT ?p) AS ?n) (COUNT(DISTINCT ?o) AS ?m)", "(COUNT(*) AS ?n) (SUM(?o) AS ?m)", "(COUNT(?x) AS ?n)", "(COUNT(DISTINCT *) AS ?n)"} {
					head := fuzzquery.Prefixes + "SELECT " + key + " " + count
					tail := " } GROUP BY " + key
					if strings.Contains(count, "?n) (COUNT(*)") {
						tail += " HAVING(COUNT(*) > 2)"
					}
					q := sparql.MustParse(head + " { " + pattern + tail)
					got, err := answer(ds, q)
					if err != nil {
						t.Fatal(err)
					}
					want, err := answer(ds, sparql.MustParse(head+" { "+pattern+" FILTER(STRLEN(STR("+key+")) > -1)"+tail))
					if err != nil {
						t.Fatal(err)
					}
					if key == "?p" && strings.Contains(pattern, ":p") || key == "?s" && strings.HasPrefix(pattern, ":s") || key == "?o" && !strings.Contains(pattern, "?o") {
						continue // the key is no variable of the pattern: the filter drops all
					}
					if g, w := lines(got.Set.Vars, got.Set.Rows, got.Set.Vars), lines(want.Set.Vars, want.Set.Rows, got.Set.Vars); !slices.Equal(g, w) {
						t.Errorf("%s: %s { %s%s: %d groups, want %d: %v, want %v", name, head, pattern, tail, len(g), len(w), g[:min(3, len(g))], w[:min(3, len(w))])
					}
					p, err := sparql.Explain(t.Context(), ds, q)
					if err != nil {
						t.Fatal(err)
					}
					counted += countOps(p.Root, "count")
				}
			}
		}
	}
	if counted < 90 {
		t.Errorf("%d groupings were counted", counted)
	}
}

// TestCountsByKeyMemory: where the keys cannot be kept, the rows are read.
func TestCountsByKeyMemory(t *testing.T) {
	var quads []rdf.Quad
	for i := range 4000 {
		quads = append(quads, rdf.Quad{S: rdf.IRI(fmt.Sprintf("http://ex/s%d", i)), P: rdf.IRI(fmt.Sprintf("http://ex/p%d", i%3)), O: rdf.Integer(int64(i % 7))})
	}
	q := sparql.MustParse("SELECT ?p (COUNT(*) AS ?n) { ?s ?p ?o } GROUP BY ?p")
	asked := 0
	got, err := answer(load(quads), q, sparql.RefuseMemory(func(op string) bool {
		if op == "count" {
			asked++
		}
		return op == "count"
	}))
	if err != nil {
		t.Fatal(err)
	}
	if len(got.Set.Rows) != 3 || asked == 0 {
		t.Errorf("%d groups after %d refusals", len(got.Set.Rows), asked)
	}
}
