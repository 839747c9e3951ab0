package sparql_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/rete-go/rete/rdf"
	"github.com/rete-go/rete/sparql"
)

// TestWorstCase counts cliques in a graph in which joins of two patterns make
// far more rows than there are answers: a hub that everybody knows.
func TestWorstCase(t *testing.T) {
	r := rand.New(rand.NewPCG(6, 6))
	const n = 3000
	knows := make(map[[2]int]bool)
	for i := 1; i < n; i++ {
		knows[[2]int{0, i}], knows[[2]int{i, 0}] = true, true
		for range 2 {
			knows[[2]int{i, 1 + r.IntN(n-1)}] = true
		}
	}
	var quads []rdf.Quad
	node := func(i int) rdf.Term { return rdf.IRI(fmt.Sprintf("http://ex/n%d", i)) }
	out := make([][]int, n)
	for e := range knows {
		quads = append(quads, rdf.Quad{S: node(e[0]), P: rdf.IRI("http://ex/k"), O: node(e[1])})
		out[e[0]] = append(out[e[0]], e[1])
	}
	triangles, at, met := int64(0), make([]int64, n), make(map[int]bool)
	for e := range knows {
		for _, c := range out[e[1]] {
			if knows[[2]int{c, e[0]}] {
				triangles++
				at[e[0]]++
				if e[0] != 0 {
					met[e[1]] = true
				}
			}
		}
	}
	triangle := "?a :k ?b . ?b :k ?c . ?c :k ?a"
	for _, ds := range []sparql.Dataset{load(quads), onSegment(t, quads)} {
		for query, want := range map[string]int64{
			"(COUNT(*) AS ?n) { " + triangle + " }":                             triangles,
			"(COUNT(DISTINCT ?b) AS ?n) { " + triangle + " . ?a :k :n0 }":       int64(len(met)),
			"(COUNT(*) AS ?n) { " + triangle + " VALUES ?a { :n0 } }":           at[0],
			"(COUNT(*) AS ?n) { { " + triangle + " } FILTER(?a = :n0) }":        at[0],
			"(COUNT(*) AS ?n) { ?a :k :n0 . " + triangle + " FILTER(?a = ?a) }": triangles - at[0],
		} {
			q := sparql.MustParse("PREFIX : <http://ex/> SELECT " + query)
			a, err := answer(ds, q)
			if err != nil {
				t.Fatal(err)
			}
			if got := a.Set.Rows[0][0]; got != rdf.Integer(want) {
				t.Errorf("%s: %v, want %d", query, got, want)
			}
		}
		p, err := sparql.Explain(t.Context(), ds, sparql.MustParse("PREFIX : <http://ex/> SELECT * { "+triangle+" }"))
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(p.String(), "leapfrog") {
			t.Errorf("no leapfrog:\n%s", p)
		}
	}
}
