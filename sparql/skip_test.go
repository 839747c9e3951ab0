package sparql_test

import (
	"fmt"
	"testing"

	"github.com/rete-go/rete/dataset"
	"github.com/rete-go/rete/rdf"
	"github.com/rete-go/rete/sparql"
)

// TestDistinctSkips compares DISTINCT over one column, which jumps over repeats,
// with the same over a group.
func TestDistinctSkips(t *testing.T) {
	var quads []rdf.Quad
	for i := range 5000 {
		quads = append(quads, rdf.Quad{
			S: rdf.IRI(fmt.Sprintf("http://ex/s%d", i%700)), P: rdf.IRI(fmt.Sprintf("http://ex/p%d", i%13)),
			O: rdf.Integer(int64(i % 171)),
		})
	}
	for _, ds := range []dataset.Dataset{load(quads), onSegment(t, quads)} {
		for _, v := range []string{"?s", "?p", "?o"} {
			for _, pattern := range []string{"?s ?p ?o", "?s <http://ex/p3> ?o BIND(1 AS ?p)", "<http://ex/s9> ?p ?o BIND(1 AS ?s)"} {
				fast := sparql.MustParse("SELECT DISTINCT " + v + " { " + pattern + " }")
				slow := sparql.MustParse("SELECT " + v + " { " + pattern + " } GROUP BY " + v)
				count := sparql.MustParse("SELECT (COUNT(DISTINCT " + v + ") AS ?n) { " + pattern + " }")
				f, err := answer(ds, fast)
				if err != nil {
					t.Fatal(err)
				}
				s, err := answer(ds, slow)
				if err != nil {
					t.Fatal(err)
				}
				c, err := answer(ds, count)
				if err != nil {
					t.Fatal(err)
				}
				if len(f.Set.Rows) != len(s.Set.Rows) || c.Set.Rows[0][0] != rdf.Integer(int64(len(f.Set.Rows))) {
					t.Errorf("%s of %s: %d, %d and %v rows", v, pattern, len(f.Set.Rows), len(s.Set.Rows), c.Set.Rows[0][0])
				}
			}
		}
	}
}
