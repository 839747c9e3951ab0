package sparql_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/rete-go/rete/dataset"
	"github.com/rete-go/rete/dataset/textsearch"
	"github.com/rete-go/rete/rdf"
	"github.com/rete-go/rete/sparql"
	"github.com/rete-go/rete/sparql/internal/naive"
)

// named are people with names of a few words, in the default graph and in two others.
func named(n int) []rdf.Quad {
	ex := func(local string) rdf.Term { return rdf.IRI("http://ex/" + local) }
	first := []string{"Ann", "Bob", "Cy", "Dora"}
	var quads []rdf.Quad
	for i := range n {
		s := ex(fmt.Sprintf("p%d", i))
		name := rdf.String(fmt.Sprintf("%s Number%d of %s", first[i%4], i%5, first[i%3]))
		quads = append(quads, rdf.Quad{S: s, P: ex("name"), O: name}, rdf.Quad{S: s, P: ex("next"), O: ex(fmt.Sprintf("p%d", (i+1)%n))},
			rdf.Quad{S: s, P: ex("name"), O: name, G: ex(fmt.Sprintf("g%d", i%2))}, rdf.Quad{S: s, P: ex("age"), O: rdf.Integer(int64(10 + i))})
	}
	return quads
}

// TestSearch compares searches with the naive evaluator.
func TestSearch(t *testing.T) {
	quads := named(24)
	for _, c := range []struct {
		query string
		rows  int
	}{
		{`{ ?s <urn:x-rete:search> "ann" }`, 12},
		{`{ ?s <urn:x-rete:search> ("ann") }`, 12},
		{`{ (?s) <urn:x-rete:search> ("ann cy" 3) }`, 3},
		{`{ (?s ?score) <urn:x-rete:search> ("number* dora" 100) }`, 6},
		{`{ (?s ?score ?l) <urn:x-rete:search> ("number* ann" 5) }`, 5},
		{`{ (?s ?score ?l) <urn:x-rete:search> "n* a*" }`, 12},
		{`{ (?s ?score ?l) <urn:x-rete:search> ("17" 10) }`, 1},
		{`{ ?s <urn:x-rete:search> "nobody" }`, 0},
		// Joined, filtered, counted.
		{`{ ?s <urn:x-rete:search> ("dora" 4) ; :next ?n . ?n :age ?a }`, 4},
		{`{ ?n :next ?s . ?s <urn:x-rete:search> "dora" FILTER(?n != :p2) }`, 5},
		{`{ (?s ?score ?l) <urn:x-rete:search> "dora" FILTER(?s = :p3 && CONTAINS(?l, "Number3")) }`, 1},
		{`{ VALUES ?s { :p0 :p1 } ?s <urn:x-rete:search> "ann" }`, 1},
		{`{ { ?s <urn:x-rete:search> "dora" } UNION { ?s <urn:x-rete:search> "cy" } }`, 18},
		{`{ ?s :age ?a OPTIONAL { (?s ?score) <urn:x-rete:search> "dora" } }`, 24},
		{`{ ?s :age ?a MINUS { ?s <urn:x-rete:search> "dora" } }`, 18},
		{`{ ?s :age ?a FILTER NOT EXISTS { ?s <urn:x-rete:search> "dora" } }`, 18},
		{`{ ?s :next ?n LATERAL { (?n ?score) <urn:x-rete:search> ("dora" 3) } }`, 3},
		{`{ ?s <urn:x-rete:search> "dora" . ?n <urn:x-rete:search> "cy ann" }`, 24},
		{`{ { SELECT ?s (MAX(?x) AS ?m) { (?s ?x) <urn:x-rete:search> "dora" } GROUP BY ?s } }`, 6},
		{`{ _:x <urn:x-other> ?y . ?s <urn:x-rete:search> "dora" }`, 0},
		// In graphs.
		{`{ GRAPH :g1 { ?s <urn:x-rete:search> "dora" } }`, 6},
		{`{ GRAPH ?g { (?s ?score) <urn:x-rete:search> "number* ann" } }`, 12},
		{`{ GRAPH ?g { ?s <urn:x-rete:search> ("ann" 2) ; :name ?l } }`, 4},
		{`{ GRAPH :none { ?s <urn:x-rete:search> "ann" } }`, 0},
	} {
		text := "PREFIX : <http://ex/> SELECT * " + c.query
		want, err := naive.Run(quads, text, "")
		if err != nil {
			t.Errorf("%s: %v", c.query, err)
			continue
		}
		if len(want.Rows) != c.rows {
			t.Errorf("%s: the naive evaluator has %d rows, want %d", c.query, len(want.Rows), c.rows)
		}
		q := sparql.MustParse(text)
		for _, ds := range []dataset.Dataset{load(quads), onSegment(t, quads)} {
			got, err := answer(ds, q)
			if err != nil {
				t.Fatalf("%s: %v", c.query, err)
			}
			if g, w := lines(got.Set.Vars, got.Set.Rows, want.Vars), lines(want.Vars, want.Rows, want.Vars); !slices.Equal(g, w) {
				t.Errorf("%s:\ngot  %q\nwant %q", c.query, g, w)
			}
		}
		plan, err := sparql.Explain(t.Context(), load(quads), q)
		if err != nil || c.rows > 0 && !strings.Contains(plan.String(), "search ") {
			t.Errorf("%s: the plan does not name the search: %v\n%s", c.query, err, plan)
		}
	}
}

// TestSearchTexts has texts that are no search, or none in SPARQL 1.1.
func TestSearchTexts(t *testing.T) {
	for _, c := range []struct{ pattern, says string }{
		{`{ <http://ex/s> <urn:x-rete:search> "ann" }`, "variables"},
		{`{ (?s ?s) <urn:x-rete:search> "ann" }`, "variables"},
		{`{ (?s ?a ?b ?c) <urn:x-rete:search> "ann" }`, "variables"},
		{`{ () <urn:x-rete:search> "ann" }`, "variables"},
		{`{ [] <urn:x-rete:search> "ann" }`, "variables"},
		{`{ ?s <urn:x-rete:search> ?words }`, "text of words"},
		{`{ ?s <urn:x-rete:search> ("ann" 0) }`, "text of words"},
		{`{ ?s <urn:x-rete:search> ("ann" "5") }`, "text of words"},
		{`{ ?s <urn:x-rete:search> ("ann" 5 6) }`, "text of words"},
		{`{ ?s <urn:x-rete:search> 5 }`, "text of words"},
		{`{ (?s ?l) <urn:x-rete:search> "ann" ; ?p ?o }`, "no other properties"},
		{`{ (?s ?score) <urn:x-rete:search> "ann" BIND(1 AS ?score) }`, "has a value in this group"},
	} {
		if _, err := sparql.Parse("SELECT * "+c.pattern, nil); err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v", c.pattern, err)
		}
	}
	_, err := sparql.Parse(`SELECT * { ?s <urn:x-rete:search> "ann" }`, &sparql.ParseOptions{Strict: true})
	if err == nil || !strings.Contains(err.Error(), "not part of SPARQL 1.1") {
		t.Errorf("strict: %v", err)
	}
	if _, err := sparql.Parse(`CONSTRUCT { ?s <urn:x-rete:search> "ann" } WHERE { ?s ?p ?o }`, nil); err != nil {
		t.Errorf("a template: %v", err)
	}
	_, err = answer(load(named(3)), sparql.MustParse(`SELECT * { ?s <urn:x-rete:search> "a !" }`))
	if !errors.Is(err, textsearch.ErrNoWords) {
		t.Errorf("no words: %v", err)
	}
}
