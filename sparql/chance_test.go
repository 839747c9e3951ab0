package sparql_test

import (
	"fmt"
	"testing"

	"github.com/rete-go/rete/dataset"
	"github.com/rete-go/rete/rdf"
	"github.com/rete-go/rete/sparql"
	"github.com/rete-go/rete/sparql/internal/planner"
)

// linked is a graph of many links to fewer subjects with a value, each from several
// others that lie far apart.
func linked(subjects, links int) []rdf.Quad {
	ex := func(s string, i int) rdf.Term { return rdf.IRI(fmt.Sprint("http://ex/", s, i)) }
	var quads []rdf.Quad
	for i := range subjects {
		quads = append(quads, rdf.Quad{S: ex("s", i), P: rdf.IRI("http://ex/v"), O: rdf.Integer(int64(i % 5))})
	}
	for i := range links {
		quads = append(quads, rdf.Quad{S: ex("x", i), P: rdf.IRI("http://ex/link"), O: ex("s", i%subjects)})
		quads = append(quads, rdf.Quad{S: ex("x", i), P: rdf.IRI("http://ex/kind"), O: rdf.Integer(int64(i / subjects % 3))})
	}
	return quads
}

// TestChanceOnce: what is made by chance in a solution is the same in all rows that the
// solution becomes a part of, whatever the method and the order of the joins.
func TestChanceOnce(t *testing.T) {
	quads := linked(300, 1800)
	const each = "SELECT ?s (COUNT(*) AS ?k) (COUNT(DISTINCT ?r) AS ?d) { %s } GROUP BY ?s"
	for _, c := range []struct {
		pattern string
		whole   uint64 // rows of a subject if it has any
		values  uint64 // different values of ?r in them
	}{
		{"{ ?x :link ?s } { ?s :v ?v BIND(RAND() AS ?r) }", 6, 1},
		{"{ ?s :v ?v BIND(BNODE() AS ?r) } { ?x :link ?s }", 6, 1},
		{"{ ?x :link ?s ; :kind ?k FILTER(?k >= 0) } { SELECT ?s (STRUUID() AS ?r) { ?s :v ?v } }", 6, 1},
		{"?x :link ?s . ?x :kind 1 { ?s :v ?v BIND(UUID() AS ?r) }", 2, 1},
		{"{ ?x :link ?s } { ?s :v ?v FILTER(RAND() < 0.5) }", 6, 0},
		{"{ ?x :link ?s ; :kind ?k } { ?s :v ?v FILTER(RAND() < 0.5 && ?v < 3) }", 6, 0},
		{"{ ?x :link ?s } { ?s :v ?v FILTER EXISTS { ?s :v ?w FILTER(RAND() < 0.5) } }", 6, 0},
		{"?x :link ?s MINUS { ?s :v ?v FILTER(RAND() < 0.5) }", 6, 0},
		{"?x :link ?s OPTIONAL { ?s :v ?v BIND(RAND() AS ?r) }", 6, 1},
		{"?x :link ?s ; :kind 2 OPTIONAL { { ?s :v ?v FILTER(RAND() < 0.5) } BIND(1 AS ?one) } FILTER(BOUND(?one))", 2, 0},
		{"{ ?x :link ?s } { { ?s :v ?v } { SELECT ?v (RAND() AS ?r) { ?v ^:v ?any } GROUP BY ?v } }", 6, 1},
		{"{ ?x :link ?s } { SELECT ?s (SAMPLE(?q) AS ?r) { ?s :v ?v BIND(RAND() AS ?q) } GROUP BY ?s }", 6, 1},
	} {
		q := sparql.MustParse("PREFIX : <http://ex/> " + fmt.Sprintf(each, c.pattern))
		for i, ds := range []dataset.Dataset{load(quads), onSegment(t, quads), lying{onSegment(t, quads), 1}, lying{load(quads), 2}} {
			for j, opts := range [][]sparql.Option{
				nil, {sparql.DoubtEstimates(), sparql.JoinMethods(planner.PairJoins)}, {sparql.JoinMethods(planner.ManyJoins), sparql.ForceWorkers(3)},
			} {
				got, err := answer(ds, q, append(opts, sparql.Seed(7))...)
				if err != nil {
					t.Fatal(err)
				}
				for _, row := range got.Set.Rows {
					if row[1] != rdf.Integer(int64(c.whole)) || row[2] != rdf.Integer(int64(c.values)) {
						t.Errorf("store %d, options %d: %s: %v has %s rows and %s values, want %d and %d", i, j, c.pattern, row[0], row[1].Value(), row[2].Value(), c.whole, c.values)
						break
					}
				}
				if n := len(got.Set.Rows); n < 60 || c.values == 0 && n > 240 {
					t.Errorf("store %d, options %d: %s: %d of 300 subjects", i, j, c.pattern, n)
				}
			}
		}
	}
}

// TestChanceInExists: EXISTS is tested for each solution, also where many have the same
// values in the variables of its pattern.
func TestChanceInExists(t *testing.T) {
	quads := linked(10, 400)
	for _, exists := range []string{
		"FILTER EXISTS { BIND(RAND() AS ?r) FILTER(?r < 0.5) }",
		"FILTER NOT EXISTS { ?s :v ?v FILTER(RAND() < 0.5) }",
		"FILTER EXISTS { SELECT ?s { ?s :v ?v FILTER(RAND() < 0.5) } }",
		"BIND(EXISTS { ?s :v ?v FILTER(RAND() < 0.5) } AS ?e) FILTER(?e)",
		"FILTER(EXISTS { ?s :v ?v FILTER NOT EXISTS { ?s :v ?v FILTER(RAND() < 0.5) } } || false)",
	} {
		for _, ds := range []dataset.Dataset{load(quads), onSegment(t, quads)} {
			got, err := answer(ds, sparql.MustParse("PREFIX : <http://ex/> SELECT ?x ?s { ?x :link ?s "+exists+" }"), sparql.Seed(3))
			if err != nil {
				t.Fatal(err)
			}
			of := make(map[rdf.Term]int)
			for _, row := range got.Set.Rows {
				of[row[1]]++
			}
			for s, n := range of {
				if n == 40 {
					t.Errorf("%s: all 40 rows of %v", exists, s)
				}
			}
			if n := len(got.Set.Rows); n < 100 || n > 300 {
				t.Errorf("%s: %d of 400 rows", exists, n)
			}
		}
	}
}
