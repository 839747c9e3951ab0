package sparql_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/rete-go/rete/dataset"
	"github.com/rete-go/rete/rdf"
	"github.com/rete-go/rete/rdf/rdfio"
	"github.com/rete-go/rete/sparql"
	"github.com/rete-go/rete/sparql/internal/naive"
)

// labelled returns n things, of which thing i has i modulo 4 labels and a link to the next one.
func labelled(n int) []rdf.Quad {
	ex := func(local string) rdf.Term { return rdf.IRI("http://ex/" + local) }
	var quads []rdf.Quad
	for i := range n {
		s := ex(fmt.Sprintf("t%d", i))
		quads = append(quads, rdf.Quad{S: s, P: ex("type"), O: ex("T")}, rdf.Quad{S: s, P: ex("next"), O: ex(fmt.Sprintf("t%d", (i+1)%n))})
		for k := range i % 4 {
			l := rdf.String(fmt.Sprintf("l%d", k))
			quads = append(quads, rdf.Quad{S: s, P: ex("label"), O: l}, rdf.Quad{S: s, P: ex("label"), O: l, G: ex(fmt.Sprintf("g%d", k))})
		}
	}
	return quads
}

// TestLateral compares with the naive evaluator, and with what is known of the answers.
func TestLateral(t *testing.T) {
	quads := labelled(8) // of which 0 and 4 have no label, 3 and 7 three
	for _, c := range []struct {
		query string
		rows  int
		once  bool // it is planned as a join, or the plan of EXISTS is not shown
	}{
		// One label, or some, of each thing.
		{"{ ?s :type :T LATERAL { SELECT * { ?s :label ?l } ORDER BY ?l LIMIT 1 } }", 6, false},
		{"{ ?s :type :T LATERAL { SELECT * { ?s :label ?l } ORDER BY DESC(?l) LIMIT 2 } }", 10, false},
		{"{ ?s :type :T LATERAL { SELECT ?s ?l { ?s :label ?l } ORDER BY ?l LIMIT 2 OFFSET 1 } }", 6, false},
		{"{ ?s :type :T LATERAL { OPTIONAL { SELECT * { ?s :label ?l } ORDER BY ?l LIMIT 1 } } }", 8, false},
		{"{ ?s :type :T OPTIONAL { LATERAL { SELECT * { ?s :label ?l } ORDER BY ?s ?l LIMIT 1 } } }", 8, true},
		{"{ ?s :next ?n LATERAL { SELECT ?n ?l { ?n :label ?l } ORDER BY ?l LIMIT 1 } }", 6, false},
		{"{ ?s :type :T LATERAL { SELECT ?l { ?s :label ?l } ORDER BY ?l LIMIT 1 } }", 8, true}, // another ?s
		{"{ ?s :type :T LATERAL { { SELECT ?s ?l { ?s :label ?l } ORDER BY ?l LIMIT 1 } UNION { SELECT ?s ?n { ?s :next ?n } LIMIT 1 } } }", 14, false},
		{"{ VALUES ?s { :t1 :t3 :t3 UNDEF } LATERAL { SELECT ?s ?l { ?s :label ?l } ORDER BY ?s ?l LIMIT 2 } }", 7, false},
		{"{ LATERAL { SELECT * { ?s :label ?l } ORDER BY ?s ?l LIMIT 3 } }", 3, true},
		{"{ ?s :type :T LATERAL {} }", 8, true},

		// Counts, expressions and filters that see the left side.
		{"{ ?s :type :T LATERAL { SELECT ?s (COUNT(?l) AS ?n) { ?s :label ?l } GROUP BY ?s } }", 6, true},
		{"{ ?s :type :T LATERAL { SELECT (COUNT(?l) AS ?n) { ?s :label ?l } } }", 8, true},
		{"{ ?s :type :T LATERAL { SELECT ?s (MAX(?l) AS ?n) { ?s :label ?l } GROUP BY ?s HAVING(COUNT(*) > 2) } }", 2, true},
		{"{ ?s :type :T LATERAL { BIND(STR(?s) AS ?n) } }", 8, false},
		{"{ ?s :label ?l LATERAL { ?s :next ?n . ?n :label ?m FILTER(?m = ?l) } }", 6, false},
		{"{ ?s :label ?l LATERAL { FILTER(?l = 'l0') } }", 6, false},
		{"{ ?s :label ?l LATERAL { { ?s :next ?n FILTER(?l = 'l0') } UNION { ?n :next ?s FILTER(?l = 'l2') } } }", 8, false},
		{"{ ?s :type :T LATERAL { FILTER NOT EXISTS { ?s :label ?l } } }", 2, false},
		{"{ ?s :type :T LATERAL { ?s :next ?n MINUS { ?s :label 'l0' } } }", 2, true},
		{"{ ?s :type :T LATERAL { SELECT DISTINCT ?s ?n { ?s :next/:next ?n FILTER EXISTS { ?s :label ?l } } } }", 6, true},
		{"{ ?s :type :T FILTER(?s = :t3) LATERAL { SELECT * { ?s :label ?l } ORDER BY ?l LIMIT 1 } FILTER(?l = 'l0') }", 1, false},
		{"{ ?s :type :T OPTIONAL { ?s :label ?l FILTER(?l = 'l2') } LATERAL { SELECT ?s ?l { ?s :label ?l } ORDER BY ?l LIMIT 1 } }", 6, false},

		// Without anything that counts or compares rows of its own it is a join.
		{"{ ?s :type :T LATERAL { ?s :label ?l } }", 12, true},
		{"{ ?s :type :T LATERAL { ?s :label ?l . ?s :next ?n } }", 12, true},
		{"{ ?s :type :T LATERAL { { ?s :label ?l } UNION { ?s :next ?n } } }", 20, true},
		{"{ ?s :type :T LATERAL { ?s :label ?l FILTER(?l != 'l0') } }", 6, true},
		{"{ ?s :type :T LATERAL { VALUES ?n { 1 2 } } }", 16, true},

		// In each other, in graphs, in EXISTS.
		{"{ ?s :type :T LATERAL { ?s :next ?n LATERAL { SELECT ?n ?l { ?n :label ?l } ORDER BY ?l LIMIT 1 } } }", 6, false},
		{"{ ?s :type :T LATERAL { SELECT ?s ?n { ?s :next ?n LATERAL { SELECT ?n ?l { ?n :label ?l } ORDER BY ?l LIMIT 2 } } LIMIT 1 } }", 6, false},
		{"{ ?s :type :T LATERAL { SELECT * { ?s :label ?l } ORDER BY ?l LIMIT 1 } LATERAL { SELECT * { ?s :next ?n } LIMIT 1 } }", 6, false},
		{"{ GRAPH ?g { ?s :label ?l LATERAL { SELECT ?s ?m { ?s :label ?m } LIMIT 1 } } }", 12, false},
		{"{ ?s :type :T LATERAL { GRAPH ?g { ?s :label ?l } } }", 12, true},
		{"{ ?s :type :T LATERAL { SELECT ?s ?g { GRAPH ?g { ?s :label ?l } } ORDER BY ?g LIMIT 1 } }", 6, false},
		{"{ GRAPH ?g { ?s :label 'l1' } LATERAL { GRAPH ?g { SELECT ?s ?m { ?s :label ?m } LIMIT 1 } } }", 4, false},
		{"{ ?s :type :T FILTER EXISTS { ?s :next ?n LATERAL { SELECT ?n ?l { ?n :label ?l } ORDER BY ?l LIMIT 1 OFFSET 2 } } }", 2, true},
		{"{ ?s :type :T MINUS { ?s :next ?n LATERAL { SELECT ?n ?l { ?n :label ?l } LIMIT 1 } } }", 2, false},
		{"{ ?s :type :T LATERAL { ?s :next+ ?n FILTER(?n = ?s) } }", 8, true},
		{"{ ?s :type :T LATERAL { SELECT ?s ?n { ?s :next* ?n } ORDER BY ?n LIMIT 3 } }", 24, false},
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
			for _, opts := range [][]sparql.Option{nil, {sparql.WithWarnings(func(sparql.Warning) {})}} {
				got, err := answer(ds, q, opts...)
				if err != nil {
					t.Fatal(err)
				}
				if g, w := lines(got.Set.Vars, got.Set.Rows, want.Vars), lines(want.Vars, want.Rows, want.Vars); !slices.Equal(g, w) {
					t.Errorf("%s:\ngot  %q\nwant %q", c.query, g, w)
				}
			}
		}
		plan, err := sparql.Explain(t.Context(), load(quads), q)
		if err != nil {
			t.Fatal(err)
		}
		if once := !strings.Contains(plan.String(), "lateral"); once != c.once {
			t.Errorf("%s is planned as a join: %t, want %t\n%s", c.query, once, c.once, plan)
		}
	}
}

// TestLateralForms runs LATERAL below each form of query, in an update, and with parameters.
func TestLateralForms(t *testing.T) {
	ds := load(labelled(40))
	const pattern = "{ ?s :type :T LATERAL { SELECT * { ?s :label ?l } ORDER BY ?l LIMIT 1 } }"
	parse := func(text string) *sparql.Query { return sparql.MustParse("PREFIX : <http://ex/> " + text) }
	got, err := answer(ds, parse("SELECT (COUNT(*) AS ?n) (COUNT(DISTINCT ?l) AS ?d) "+pattern))
	if err != nil || got.Set.Rows[0][0] != rdf.Integer(30) || got.Set.Rows[0][1] != rdf.Integer(1) {
		t.Errorf("%v, %v", got.Set, err)
	}
	if yes, err := sparql.Ask(t.Context(), ds, parse("ASK "+pattern)); !yes || err != nil {
		t.Errorf("%t, %v", yes, err)
	}
	var b strings.Builder
	if err := sparql.WriteTo(t.Context(), &b, sparql.GraphFormat(rdfio.NTriples), ds, parse("CONSTRUCT { ?s :best ?l } WHERE "+pattern)); err != nil || strings.Count(b.String(), "\n") != 30 {
		t.Errorf("%d triples, %v", strings.Count(b.String(), "\n"), err)
	}
	got, err = answer(ds, parse("SELECT * "+pattern), sparql.Bind("s", rdf.IRI("http://ex/t3")))
	if err != nil || len(got.Set.Rows) != 1 {
		t.Errorf("%v, %v", got.Set, err)
	}
	got, err = answer(ds, parse("SELECT * "+strings.TrimSuffix(pattern, "}")+"} LIMIT 3"))
	if err != nil || len(got.Set.Rows) != 3 {
		t.Errorf("%v, %v", got.Set, err)
	}
	// Chance is taken for each row, also of equal keys.
	got, err = answer(ds, parse("SELECT (COUNT(DISTINCT ?r) AS ?n) { ?s :type ?t LATERAL { SELECT ?t ?r { BIND(RAND() AS ?r) } LIMIT 1 } }"))
	if err != nil || got.Set.Rows[0][0] != rdf.Integer(40) {
		t.Errorf("%v, %v", got.Set, err)
	}
}

// TestLateralBounds: memory and cancellation hold inside.
func TestLateralBounds(t *testing.T) {
	ds := load(labelled(3000))
	q := sparql.MustParse("PREFIX : <http://ex/> SELECT * { ?s :type :T LATERAL { SELECT ?s ?x ?l { ?s :type ?t . ?x :label ?l } ORDER BY DESC(?l) ?x LIMIT 3000 } }")
	var refused *sparql.MemoryError
	if _, err := answer(ds, q, sparql.MemoryLimit(192<<10), sparql.Spill("", -1)); !errors.As(err, &refused) {
		t.Errorf("without memory: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	rows, err := sparql.Select(ctx, ds, q)
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for _, err = range rows.All() {
		if n++; n == 1 {
			cancel()
		}
	}
	if !errors.Is(err, context.Canceled) || n > 10_000 {
		t.Errorf("cancelled at the first row: %d rows, %v", n, err)
	}
}
