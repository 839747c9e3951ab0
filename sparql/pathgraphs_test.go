package sparql_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/rete-go/rete/rdf"
	"github.com/rete-go/rete/sparql"
	"github.com/rete-go/rete/sparql/internal/fuzzquery"
)

// TestPathsOfGraphs compares paths in all graphs, whose edges are read together where graphs are small, with
// those in each graph by its name: with graphs that lack a step, and one that is large among small ones.
func TestPathsOfGraphs(t *testing.T) {
	node := func(format string, args ...any) rdf.Term { return rdf.IRI("http://ex/" + fmt.Sprintf(format, args...)) }
	var quads []rdf.Quad
	const graphs = 80
	for g := range graphs {
		add := func(s, p, o rdf.Term) { quads = append(quads, rdf.Quad{S: s, P: p, O: o, G: node("g%d", g)}) }
		add(node("all"), node("r"), node("g%d", g))
		for i := range 3 * (g % 5) {
			add(node("n%d", (g+i)%50), node("p"), node("n%d", (g+i*2+1)%50))
		}
		if g%3 == 0 {
			add(node("n%d", g%50), node("q"), node("n%d", g%7))
			add(node("n%d", g%50), node("q"), node("end"))
		}
		if g == 33 {
			for i := range 17_000 {
				add(node("hub"), node("p"), node("leaf%d", i))
			}
		}
	}
	ds := load(quads)
	for _, where := range []string{
		"?x :p+ ?y FILTER(!STRSTARTS(STR(?y), \"http://ex/leaf\"))",
		"?x :q/:p+ ?y", "?x ^:p+/:q ?y FILTER(isIRI(?y))", "?x (:p|:q)+ :end", ":n3 :p+ ?y", ":n3 (:q|^:p)+ ?y", ":none :p+ ?y", ":all :r+ ?y",
		"?x :p+ ?x", "?x !(:p|:r)+ ?y", "?x (:q/:p?)+ :n5", ":n3 :p* ?y", "?x :q ?z . ?z :p* ?y", "VALUES ?x { :n3 :n9 :hub } ?x :q* ?y",
	} {
		var want []string
		for g := range graphs {
			where := fmt.Sprintf("SELECT * { GRAPH :g%d { %s } BIND(:g%d AS ?g) }", g, where, g)
			a, err := answer(ds, sparql.MustParse(fuzzquery.Prefixes+where), sparql.Workers(1))
			if err != nil {
				t.Fatal(err)
			}
			want = append(want, lines(a.Set.Vars, a.Set.Rows, slices.Sorted(slices.Values(a.Set.Vars)))...)
		}
		slices.Sort(want)
		a, err := answer(ds, sparql.MustParse(fuzzquery.Prefixes+"SELECT * { GRAPH ?g { "+where+" } }"))
		if err != nil {
			t.Fatal(err)
		}
		if got := lines(a.Set.Vars, a.Set.Rows, slices.Sorted(slices.Values(a.Set.Vars))); !slices.Equal(got, want) {
			t.Errorf("%d rows, want %d: %s", len(got), len(want), where)
		}
	}
}
