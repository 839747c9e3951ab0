package sparql_test

import (
	"fmt"
	"testing"

	"github.com/rete-go/rete/rdf"
	"github.com/rete-go/rete/sparql"
)

// TestDeepPaths walks a long chain, a cycle, a tree and a hub.
func TestDeepPaths(t *testing.T) {
	const n = 20_000
	var quads []rdf.Quad
	node := func(kind string, i int) rdf.Term { return rdf.IRI(fmt.Sprintf("http://ex/%s%d", kind, i)) }
	add := func(s rdf.Term, p string, o rdf.Term) {
		quads = append(quads, rdf.Quad{S: s, P: rdf.IRI("http://ex/" + p), O: o})
	}
	for i := range n {
		add(node("n", i), "next", node("n", i+1))
		add(node("c", i), "turn", node("c", (i+1)%n))
		add(node("h", i), "to", node("hub", 0))
		if i > 0 {
			add(node("t", i), "up", node("t", (i-1)/2))
		}
	}
	ds := onSegment(t, quads)
	for _, c := range []struct {
		pattern string
		rows    int64
	}{
		{":n0 :next+ ?x", n},
		{":n0 :next* ?x", n + 1},
		{"?x :next+ :n20000", n},
		{":n0 :next+ :n20000", 1},
		{":n20000 :next+ :n0", 0},
		{":c5 :turn+ ?x", n},
		{":c5 :turn* ?x", n},
		{":c5 :turn+ :c5", 1},
		{"?x :up* :t0", n},
		{":t19999 :up* ?x", 15},
		{"?x :to+ :hub0", n},
		{":hub0 ^:to/:to ?x", n},
		{":h7 (:to/^:to)+ ?x", n},
		{":n0 (:next/:next)+ ?x", n / 2},
		{":n19990 (:next|:up)+ ?x", 10},
	} {
		a, err := answer(ds, sparql.MustParse("PREFIX : <http://ex/> SELECT (COUNT(*) AS ?k) { "+c.pattern+" }"))
		if err != nil {
			t.Fatal(err)
		}
		if got := a.Set.Rows[0][0]; got != rdf.Integer(c.rows) {
			t.Errorf("%s: %v, want %d", c.pattern, got, c.rows)
		}
	}
}
