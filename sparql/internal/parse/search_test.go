package parse_test

import (
	"slices"
	"testing"

	"github.com/rete-go/rete/sparql/internal/ast"
	"github.com/rete-go/rete/sparql/internal/parse"
)

// TestSearch reads searches among other triples, prints them, and has no slot for their words.
func TestSearch(t *testing.T) {
	for text, want := range map[string]ast.Search{
		`SELECT * { ?s <urn:x-rete:search> "a b" }`:                                             {Vars: []ast.Var{{Name: "s"}}, Words: "a b"},
		`SELECT * { ?x ?p (1 2) . (?s ?n ?l) <urn:x-rete:search> ("it's \"x\"" 7) . ?o ?p () }`: {Vars: []ast.Var{{Name: "s"}, {Name: "n"}, {Name: "l"}}, Words: `it's "x"`, Limit: 7},
		`PREFIX r: <urn:x-rete:> SELECT * { (?s) r:search ("words"), ("more" 2) . ?s ?p _:b }`:  {Vars: []ast.Var{{Name: "s"}}, Words: "words"},
	} {
		q, err := parse.Query(text, nil)
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		again, err := parse.Query(q.String(), nil)
		if err != nil || again.String() != q.String() {
			t.Errorf("%s is printed as\n%s\nand again as\n%s: %v", text, q, again, err)
		}
		if _, terms := q.Shape(); len(terms) > 0 {
			t.Errorf("%s has slots for %v", text, terms)
		}
		i := slices.IndexFunc(q.Where.Elements, func(e ast.Element) bool { _, ok := e.(*ast.Search); return ok })
		if i < 0 {
			t.Errorf("%s: no search", text)
			continue
		}
		got := q.Where.Elements[i].(*ast.Search)
		same := slices.EqualFunc(got.Vars, want.Vars, func(a, b ast.Var) bool { return a.Name == b.Name })
		if !same || got.Words != want.Words || got.Limit != want.Limit {
			t.Errorf("%s: %+v", text, got)
		}
	}
}
