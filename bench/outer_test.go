package bench_test

import (
	"math/rand/v2"
	"testing"
)

// BenchmarkOuterJoins drains OPTIONAL, EXISTS, NOT EXISTS and MINUS over the edges of
// BenchmarkTwoHop, of which a third lead to nodes that none leaves.
func BenchmarkOuterJoins(b *testing.B) {
	const nodes = twoHopEdges / 4
	r := rand.New(rand.NewPCG(1, 1))
	s := graphOf(b, func(edge func(from, to int)) {
		seen := make(map[[2]int]bool, twoHopEdges)
		for len(seen) < twoHopEdges {
			e := [2]int{r.IntN(nodes), r.IntN(nodes + nodes/2)}
			if !seen[e] {
				seen[e] = true
				edge(e[0], e[1])
			}
		}
	})
	for _, c := range []struct{ name, where string }{
		{"optional", "{ ?a <urn:p> ?b OPTIONAL { ?b <urn:p> ?c } }"},
		{"exists", "{ ?a <urn:p> ?b FILTER EXISTS { ?b <urn:p> ?c } }"},
		{"not-exists", "{ ?a <urn:p> ?b FILTER NOT EXISTS { ?b <urn:p> ?c } }"},
		{"minus", "{ ?a <urn:p> ?b MINUS { ?b <urn:p> ?c } }"},
	} {
		b.Run(c.name, func(b *testing.B) {
			n := 0
			for b.Loop() {
				n = rowsOf(b, s, "SELECT * "+c.where)
			}
			perRow(b, n)
		})
	}
}
