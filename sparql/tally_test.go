package sparql_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/rete-go/rete/dataset"
	"github.com/rete-go/rete/rdf"
	"github.com/rete-go/rete/sparql"
)

// TestCountOfJoins compares counts, which are pushed through joins, with the
// rows that are counted.
func TestCountOfJoins(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 2))
	var quads []rdf.Quad
	node := func() rdf.Term { return rdf.IRI(fmt.Sprintf("http://ex/n%d", r.IntN(60))) }
	for range 900 {
		quads = append(quads, rdf.Quad{S: node(), P: rdf.IRI(fmt.Sprintf("http://ex/p%d", r.IntN(3))), O: node()})
	}
	for _, ds := range []dataset.Dataset{load(quads), onLog(t, r, quads)} {
		for _, pattern := range []string{
			"?a :p0 ?b . ?b :p1 ?c",
			"?a :p0 ?b . ?b :p0 ?c . ?c :p2 ?d",
			"?x :p0 ?a ; :p1 ?b ; :p2 ?c",
			"?a :p0 ?b . ?b :p1 ?c . ?b :p2 ?d . ?e :p0 ?d",
			"?a :p0 ?b . ?b :p1 ?c . ?c :p2 ?a",
			"?a :p0 ?b . ?a :p1 ?b",
			"?a ?p ?b . ?c ?p ?d",
			"?a ?p ?b . ?b :p1 ?c",
			"?a :p0 ?b . :n7 :p1 ?c",
			":n7 :p0 ?b . ?b :p1 ?c . ?c :p1 ?d",
			"?a :p0 ?b . ?b :none ?c",
			"?a :p0/:p1 ?c",
		} {
			text := "PREFIX : <http://ex/> SELECT "
			rows, err := answer(ds, sparql.MustParse(text+"* { "+pattern+" }"))
			if err != nil {
				t.Fatal(err)
			}
			count, err := answer(ds, sparql.MustParse(text+"(COUNT(*) AS ?n) (COUNT(?b) AS ?m) { "+pattern+" }"))
			if err != nil {
				t.Fatal(err)
			}
			if got, want := count.Set.Rows[0][0], rdf.Integer(int64(len(rows.Set.Rows))); got != want {
				t.Errorf("%s: count %v, want %v", pattern, got, want)
			}
			grouped, err := answer(ds, sparql.MustParse(text+"(SUM(?k) AS ?n) { SELECT (COUNT(*) AS ?k) { "+pattern+" } GROUP BY ?b }"))
			if err != nil {
				t.Fatal(err)
			}
			if got, want := grouped.Set.Rows[0][0], rdf.Integer(int64(len(rows.Set.Rows))); got != want {
				t.Errorf("%s, grouped: sum %v, want %v", pattern, got, want)
			}
		}
	}
}
