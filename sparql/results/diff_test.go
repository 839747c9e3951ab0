package results_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/rete-go/rete/rdf"
	"github.com/rete-go/rete/sparql/results"
)

func set(vars string, rows ...[]rdf.Term) *results.Set {
	return &results.Set{Vars: strings.Fields(vars), Rows: rows}
}

func row(terms ...rdf.Term) []rdf.Term { return terms }

func TestDiff(t *testing.T) {
	a, b := rdf.Blank("a"), rdf.Blank("b")
	one, uno := rdf.Integer(1), rdf.Typed("01", rdf.XSDInteger)
	x, y := rdf.String("x"), rdf.String("y")
	yes := true
	for _, c := range []struct {
		name      string
		got, want *results.Set
		opt       results.DiffOptions
		equal     bool
	}{
		{"any order", set("v", row(x), row(y)), set("v", row(y), row(x)), results.DiffOptions{}, true},
		{"their order", set("v", row(x), row(y)), set("v", row(y), row(x)), results.DiffOptions{Ordered: true}, false},
		{"multiset", set("v", row(x), row(x)), set("v", row(x), row(y)), results.DiffOptions{}, false},
		{"duplicates", set("v", row(x), row(x)), set("v", row(x)), results.DiffOptions{}, false},
		{"duplicates of a set", set("v", row(x), row(x)), set("v", row(x)), results.DiffOptions{Distinct: true}, true},
		{"columns in another order", set("v w", row(x, y)), set("w v", row(y, x)), results.DiffOptions{}, true},
		{"other variables", set("v"), set("w"), results.DiffOptions{}, false},
		{"unbound", set("v", row(rdf.Term{})), set("v", row(rdf.String(""))), results.DiffOptions{}, false},
		{"unbound in CSV", set("v", row(rdf.Term{})), set("v", row(rdf.String(""))), results.DiffOptions{Lossy: true}, true},
		{"numbers as terms", set("v", row(one)), set("v", row(uno)), results.DiffOptions{}, false},
		{"numbers by value", set("v", row(one)), set("v", row(uno)), results.DiffOptions{ByValue: true}, true},
		{"types by value", set("v", row(one)), set("v", row(rdf.Typed("1", rdf.XSDDecimal))), results.DiffOptions{ByValue: true}, false},
		{"blank labels", set("v", row(a)), set("v", row(b)), results.DiffOptions{}, true},
		{"one blank or two", set("v w", row(a, a)), set("v w", row(a, b)), results.DiffOptions{}, false},
		{"blank nodes across rows", set("v w", row(a, x), row(a, y)), set("v w", row(a, x), row(b, y)), results.DiffOptions{}, false},
		{"blank nodes in triple terms",
			set("v w", row(rdf.TripleTerm(a, rdf.IRI("p:p"), x), a)),
			set("v w", row(rdf.TripleTerm(b, rdf.IRI("p:p"), x), b)), results.DiffOptions{}, true},
		{"other blank nodes in triple terms",
			set("v w", row(rdf.TripleTerm(a, rdf.IRI("p:p"), x), a)),
			set("v w", row(rdf.TripleTerm(a, rdf.IRI("p:p"), x), b)), results.DiffOptions{}, false},
		{"rows and a boolean", set("v"), &results.Set{Boolean: &yes}, results.DiffOptions{}, false},
		{"booleans", &results.Set{Boolean: &yes}, &results.Set{Boolean: &yes}, results.DiffOptions{}, true},
	} {
		if diff := results.Diff(c.got, c.want, c.opt); (diff == "") != c.equal {
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
	if results.Diff(hexagon, triangles, results.DiffOptions{}) == "" {
		t.Error("a hexagon is two triangles")
	}
	again := set("s o", append(ring("z", 7, 3), ring("y", 0, 3)...)...)
	rand.Shuffle(len(again.Rows), func(i, j int) { again.Rows[i], again.Rows[j] = again.Rows[j], again.Rows[i] })
	if diff := results.Diff(triangles, again, results.DiffOptions{}); diff != "" {
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
	got, err := results.FromGraph(quads)
	if err != nil {
		t.Fatal(err)
	}
	want := set("x y", row(rdf.Term{}, rdf.Blank("v")), row(rdf.Integer(7), rdf.Term{}))
	if diff := results.Diff(got, want, results.DiffOptions{Ordered: true}); diff != "" || !got.Ordered {
		t.Errorf("%s, ordered %v", diff, got.Ordered)
	}
	ask, err := results.FromGraph([]rdf.Quad{
		{S: root, P: rdf.IRI(rdf.RDF + "type"), O: rs("ResultSet")}, {S: root, P: rs("boolean"), O: rdf.Boolean(true)},
	})
	if err != nil || ask.Boolean == nil || !*ask.Boolean {
		t.Errorf("ASK: %+v, %v", ask, err)
	}
	if _, err := results.FromGraph(nil); err == nil {
		t.Error("an empty graph is no answer")
	}
}

func TestNegotiate(t *testing.T) {
	offers := results.Offers() // JSON, XML, CSV, TSV, HTML
	for accept, want := range map[string]int{
		"":                                    0,
		"*/*":                                 0,
		"application/sparql-results+xml":      1,
		"application/xml":                     1,
		"application/json":                    0,
		"text/csv":                            2,
		"text/*":                              2,
		"text/*, text/csv;q=0":                3,
		"application/*;q=0.5, text/csv;q=0.4": 0,
		"application/sparql-results+json;q=0.3, text/csv;q=0.9": 2,
		"application/*;q=0.2, */*;q=0.9":                        2,
		"text/html, */*;q=0.1":                                  4,
		"text/html":                                             4,
		"image/png":                                             -1,
		"text/csv;q=0":                                          -1,
		"nonsense":                                              -1,
		"APPLICATION/SPARQL-RESULTS+XML ; Q=0.7":                1,
		"text/csv;q=2":                                          -1,
		"application/sparql-results+json, application/sparql-results+xml": 0,
	} {
		got, ok := results.Negotiate(accept, offers)
		if got != want || ok != (want >= 0) {
			t.Errorf("%q: %d, %v, want %d", accept, got, ok, want)
		}
	}
}

func TestFormats(t *testing.T) {
	for _, f := range []results.Format{results.JSON, results.XML, results.CSV, results.TSV, results.Text, results.HTML} {
		for _, s := range []string{f.String(), f.MediaType(), f.ContentType()} {
			if g, ok := results.ParseFormat(s); !ok || g != f {
				t.Errorf("ParseFormat(%q) = %v, %v", s, g, ok)
			}
		}
		if g, ok := results.FormatOf("dir.d/answer" + strings.ToUpper(f.Extension())); !ok || g != f {
			t.Errorf("FormatOf(%q) = %v, %v", f.Extension(), g, ok)
		}
	}
	if _, ok := results.FormatOf("data.nt"); ok {
		t.Error("data.nt is a result")
	}
}

func BenchmarkWrite(b *testing.B) {
	row := [][]byte{[]byte("<http://example.org/item/12345>"), []byte(`"a plain string of usual length"`),
		[]byte(`"42"^^<http://www.w3.org/2001/XMLSchema#integer>`)}
	for _, f := range []results.Format{results.JSON, results.XML, results.CSV, results.TSV} {
		b.Run(f.String(), func(b *testing.B) {
			w := results.NewWriter(discard{}, f)
			_ = w.Head([]string{"x", "y", "z"})
			b.ReportAllocs()
			for b.Loop() {
				if err := w.Row(row); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

type discard struct{}

func (discard) Write(p []byte) (int, error) { return len(p), nil }
