package sparql_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/rete-go/rete/internal/longtest"
	"github.com/rete-go/rete/rdf"
	"github.com/rete-go/rete/sparql"
	"github.com/rete-go/rete/sparql/internal/fuzzquery"
)

// longTexts is subjects with a few long texts each.
func longTexts(subjects, texts, size int) []rdf.Quad {
	var quads []rdf.Quad
	for i := range subjects * texts {
		text := fmt.Sprintf("%d %s", i, strings.Repeat(fmt.Sprintf("text %d ", i), size/7+1)[:size])
		quads = append(quads, rdf.Quad{
			S: rdf.IRI(fmt.Sprintf("http://ex/s%d", i%subjects)), P: rdf.IRI("http://ex/p"), O: rdf.String(text),
		})
	}
	return quads
}

// TestChargesTexts is TestCharges for groups whose values are long: what a batch adds to
// them is asked for before.
func TestChargesTexts(t *testing.T) {
	ds := load(longTexts(800, 3, 10000))
	for _, text := range []string{
		"SELECT ?s (GROUP_CONCAT(?o) AS ?c) { ?s :p ?o } GROUP BY ?s",
		"SELECT ?s (MAX(CONCAT(?o, 'x')) AS ?m) { ?s :p ?o } GROUP BY ?s",
		"SELECT ?s (SAMPLE(?o) AS ?m) (MIN(?o) AS ?n) { ?s :p ?o } GROUP BY ?s",
		"SELECT (GROUP_CONCAT(DISTINCT ?o) AS ?c) { ?s :p ?o }",
	} {
		checkCharges(t, ds, text, chargeFactor)
	}
}

// groupQueries have groups of which more is known than counts.
var groupQueries = []string{
	"SELECT ?s (SUM(?o) AS ?a) (AVG(?o) AS ?b) (MIN(?o) AS ?c) (MAX(?o) AS ?d) (COUNT(?o) AS ?e) { ?s ?p ?o } GROUP BY ?s",
	"SELECT ?s (SUM(?o * 1e0) AS ?a) (AVG(?o / 7) AS ?b) (MAX(STR(?o)) AS ?c) (COUNT(?o + 1) AS ?d) { ?s ?p ?o } GROUP BY ?s",
	"SELECT ?s (GROUP_CONCAT(?o; SEPARATOR=', ') AS ?a) (SAMPLE(?o) AS ?b) { ?s ?p ?o } GROUP BY ?s",
	"SELECT ?o (SUM(DISTINCT ?o) AS ?a) (COUNT(DISTINCT ?s) AS ?b) (GROUP_CONCAT(DISTINCT ?p) AS ?c) { ?s ?p ?o } GROUP BY ?o",
	"SELECT ?p (COUNT(DISTINCT ?s) AS ?a) (COUNT(DISTINCT *) AS ?b) (SUM(DISTINCT ?o + 1) AS ?c) (AVG(?o) AS ?d) { ?s ?p ?o } GROUP BY ?p",
	"SELECT ?p ?k (MIN(?s) AS ?a) (SUM(?o) AS ?b) { ?s ?p ?o BIND(STRLEN(STR(?s)) AS ?k) } GROUP BY ?p ?k",
	"SELECT ?k (MAX(?n) AS ?a) (AVG(?n) AS ?b) { SELECT (STRLEN(STR(?s)) AS ?k) (SUM(?o) AS ?n) { ?s ?p ?o } GROUP BY ?s } GROUP BY ?k",
}

// TestSpillGroups refuses memory at each k-th time that it is asked for, and at all later
// ones for a while: groups go to files with all that is known of them, in the middle of
// their making and when they are handed on, and come back as they were.
func TestSpillGroups(t *testing.T) {
	ds := load(spillData(2500))
	for _, text := range groupQueries {
		q := sparql.MustParse(fuzzquery.Prefixes + text)
		want, err := answer(ds, q, sparql.Workers(1))
		if err != nil {
			t.Fatal(err)
		}
		written := int64(0)
		for _, times := range []int{1, 2, 3} {
			for k := 1; ; k++ {
				if !longtest.On() || times > 1 {
					k += k / 4 * times
				}
				asked := 0
				refuse := func() sparql.Option {
					asked = 0
					return sparql.RefuseMemory(func(op string) bool {
						if op != "group" {
							return false
						}
						asked++
						return asked >= k && asked < k+times
					})
				}
				got, err := answer(ds, q, refuse(), sparql.Workers(1), sparql.Spill(t.TempDir(), 0))
				if asked < k {
					break
				}
				if err != nil {
					t.Fatalf("refused %d times from call %d on: %v\n%s", times, k, err, text)
				}
				if !sameRows(got, want) {
					t.Fatalf("refused %d times from call %d on: other rows\n%s", times, k, text)
				}
				p, err := sparql.Analyze(t.Context(), ds, q, refuse(), sparql.Workers(1), sparql.Spill(t.TempDir(), 0))
				if err != nil {
					t.Fatal(err)
				}
				written += p.Run.Spill
			}
		}
		if written == 0 {
			t.Errorf("nothing was written\n%s", text)
		}
	}
}

// TestSpillOnRequest runs queries whose last operator cannot write what it holds, above
// others that hold much: groups with sums, and sorted rows, while they are being handed
// on. They give way.
func TestSpillOnRequest(t *testing.T) {
	ds := load(spillData(60000))
	for _, c := range []struct {
		text string
		part int64
	}{
		{"SELECT (STRLEN(GROUP_CONCAT(?n)) AS ?l) { SELECT ?s (SUM(?o) AS ?n) (MAX(?p) AS ?m) { ?s ?p ?o FILTER(?s != 7) } GROUP BY ?s }", 60},
		{"SELECT (STRLEN(GROUP_CONCAT(?s)) AS ?l) { SELECT ?s ?p ?o { ?s ?p ?o } ORDER BY DESC(STR(?s)) STR(?o) STR(?p) LIMIT 55000 }", 45},
	} {
		if inLess(t, ds, c.text, c.part) == 0 {
			t.Errorf("nothing was written\n%s", c.text)
		}
	}
}

// TestSpillMerged refuses memory to an operator above rows that several goroutines have
// sorted, at each time that it asks: what is still to be merged goes to a file, in its
// order.
func TestSpillMerged(t *testing.T) {
	ds := load(spillData(20000))
	for _, text := range []string{
		"SELECT ?s (COUNT(*) AS ?k) { SELECT ?s { ?s :p ?o } ORDER BY DESC(?o) ?s LIMIT 9000 } GROUP BY ?s",
		"SELECT ?n (COUNT(*) AS ?k) { SELECT (STRLEN(STR(?s)) AS ?n) { ?s :p ?o } ORDER BY DESC(?o) ?s LIMIT 9000 } GROUP BY ?n",
	} {
		q := sparql.MustParse(fuzzquery.Prefixes + text)
		want, err := answer(ds, q, sparql.Workers(1))
		if err != nil {
			t.Fatal(err)
		}
		written := int64(0)
		for k := 1; k < 12; k++ {
			asked := 0
			refuse := func() []sparql.Option {
				asked = 0
				return []sparql.Option{sparql.ForceWorkers(3), sparql.Spill(t.TempDir(), 0), sparql.RefuseMemory(func(op string) bool {
					if op == "group" {
						asked++
					}
					return op == "group" && asked == k
				})}
			}
			got, err := answer(ds, q, refuse()...)
			if err != nil || !sameRows(got, want) {
				t.Fatalf("refused at call %d: other rows, %v\n%s", k, err, text)
			}
			p, err := sparql.Analyze(t.Context(), ds, q, refuse()...)
			if err != nil {
				t.Fatal(err)
			}
			written += p.Run.Spill
			if asked < k {
				break
			}
		}
		if written == 0 {
			t.Errorf("nothing was written\n%s", text)
		}
	}
}
