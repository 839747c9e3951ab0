package resultset_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/rete-go/rete/internal/resultset"
	"github.com/rete-go/rete/rdf"
)

func set(vars string, rows ...[]rdf.Term) *resultset.Set {
	return &resultset.Set{Vars: strings.Fields(vars), Rows: rows}
}

func row(terms ...rdf.Term) []rdf.Term { return terms }

func TestDiff(t *testing.T) {
	a, b := rdf.Blank("a"), rdf.Blank("b")
	one, uno := rdf.Integer(1), rdf.Typed("01", rdf.XSDInteger)
	x, y := rdf.String("x"), rdf.String("y")
	yes := true
	for _, c := range []struct {
		name      string
		got, want *resultset.Set
		opt       resultset.DiffOptions
		equal     bool
	}{
		{"any order", set("v", row(x), row(y)), set("v", row(y), row(x)), resultset.DiffOptions{}, true},
		{"their order", set("v", row(x), row(y)), set("v", row(y), row(x)), resultset.DiffOptions{Ordered: true}, false},
		{"multiset", set("v", row(x), row(x)), set("v", row(x), row(y)), resultset.DiffOptions{}, false},
		{"duplicates", set("v", row(x), row(x)), set("v", row(x)), resultset.DiffOptions{}, false},
		{"duplicates of a set", set("v", row(x), row(x)), set("v", row(x)), resultset.DiffOptions{Distinct: true}, true},
		{"columns in another order", set("v w", row(x, y)), set("w v", row(y, x)), resultset.DiffOptions{}, true},
		{"other variables", set("v"), set("w"), resultset.DiffOptions{}, false},
		{"unbound", set("v", row(rdf.Term{})), set("v", row(rdf.String(""))), resultset.DiffOptions{}, false},
		{"unbound in CSV", set("v", row(rdf.Term{})), set("v", row(rdf.String(""))), resultset.DiffOptions{Lossy: true}, true},
		{"numbers as terms", set("v", row(one)), set("v", row(uno)), resultset.DiffOptions{}, false},
		{"numbers by value", set("v", row(one)), set("v", row(uno)), resultset.DiffOptions{ByValue: true}, true},
		{"types by value", set("v", row(one)), set("v", row(rdf.Typed("1", rdf.XSDDecimal))), resultset.DiffOptions{ByValue: true}, false},
		{"blank labels", set("v", row(a)), set("v", row(b)), resultset.DiffOptions{}, true},
		{"one blank or two", set("v w", row(a, a)), set("v w", row(a, b)), resultset.DiffOptions{}, false},
		{"blank nodes across rows", set("v w", row(a, x), row(a, y)), set("v w", row(a, x), row(b, y)), resultset.DiffOptions{}, false},
		{"blank nodes in triple terms",
			set("v w", row(rdf.TripleTerm(a, rdf.IRI("p:p"), x), a)),
			set("v w", row(rdf.TripleTerm(b, rdf.IRI("p:p"), x), b)), resultset.DiffOptions{}, true},
		{"other blank nodes in triple terms",
			set("v w", row(rdf.TripleTerm(a, rdf.IRI("p:p"), x), a)),
			set("v w", row(rdf.TripleTerm(a, rdf.IRI("p:p"), x), b)), resultset.DiffOptions{}, false},
		{"rows and a boolean", set("v"), &resultset.Set{Boolean: &yes}, resultset.DiffOptions{}, false},
		{"booleans", &resultset.Set{Boolean: &yes}, &resultset.Set{Boolean: &yes}, resultset.DiffOptions{}, true},
	} {
		if diff := resultset.Diff(c.got, c.want, c.opt); (diff == "") != c.equal {
			t.Errorf("%s: %q", c.name, diff)
		}
	}
}

// Two graphs in which every node looks alike, two triangles and a hexagon,
// are told apart; relabelled and shuffled ones are not.
func TestDiffOfRegularGraphs(t *testing.T) {
	ring := func(prefix string, from, n int) (rows [][]rdf.Term) {
		node := func(i int) rdf.Term { return rdf.Blank(fmt.Sprint(prefix, from+i%n)) }
		for i := range n {
			rows = append(rows, row(node(i), node(i+1)), row(node(i+1), node(i)))
		}
		return rows
	}
	hexagon := set("s o", ring("h", 0, 6)...)
	triangles := set("s o", append(ring("t", 0, 3), ring("t", 3, 3)...)...)
	if resultset.Diff(hexagon, triangles, resultset.DiffOptions{}) == "" {
		t.Error("a hexagon is two triangles")
	}
	again := set("s o", append(ring("z", 7, 3), ring("y", 0, 3)...)...)
	rand.Shuffle(len(again.Rows), func(i, j int) { again.Rows[i], again.Rows[j] = again.Rows[j], again.Rows[i] })
	if diff := resultset.Diff(triangles, again, resultset.DiffOptions{}); diff != "" {
		t.Error(diff)
	}
}

func TestFromGraph(t *testing.T) {
	rs := func(name string) rdf.Term {
		return rdf.IRI("http://www.w3.org/2001/sw/DataAccess/tests/result-set#" + name)
	}
	root, s1, s2, b1, b2 := rdf.Blank("r"), rdf.Blank("s1"), rdf.Blank("s2"), rdf.Blank("b1"), rdf.Blank("b2")
	quads := []rdf.Quad{
		{S: root, P: rdf.IRI(rdf.RDF + "type"), O: rs("ResultSet")},
		{S: root, P: rs("resultVariable"), O: rdf.String("x")},
		{S: root, P: rs("resultVariable"), O: rdf.String("y")},
		{S: root, P: rs("solution"), O: s1}, {S: root, P: rs("solution"), O: s2},
		{S: s1, P: rs("binding"), O: b1}, {S: s1, P: rs("index"), O: rdf.Integer(2)},
		{S: s2, P: rs("binding"), O: b2}, {S: s2, P: rs("index"), O: rdf.Integer(1)},
		{S: b1, P: rs("variable"), O: rdf.String("x")}, {S: b1, P: rs("value"), O: rdf.Integer(7)},
		{S: b2, P: rs("variable"), O: rdf.String("y")}, {S: b2, P: rs("value"), O: rdf.Blank("v")},
	}
	got, err := resultset.FromGraph(quads)
	if err != nil {
		t.Fatal(err)
	}
	want := set("x y", row(rdf.Term{}, rdf.Blank("v")), row(rdf.Integer(7), rdf.Term{}))
	if diff := resultset.Diff(got, want, resultset.DiffOptions{Ordered: true}); diff != "" || !got.Ordered {
		t.Errorf("%s, ordered %v", diff, got.Ordered)
	}
	ask, err := resultset.FromGraph([]rdf.Quad{
		{S: root, P: rdf.IRI(rdf.RDF + "type"), O: rs("ResultSet")}, {S: root, P: rs("boolean"), O: rdf.Boolean(true)},
	})
	if err != nil || ask.Boolean == nil || !*ask.Boolean {
		t.Errorf("ASK: %+v, %v", ask, err)
	}
	if _, err := resultset.FromGraph(nil); err == nil {
		t.Error("an empty graph is no answer")
	}
}
