package sparql_test

import (
	"context"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/rete-go/rete/dataset"
	"github.com/rete-go/rete/rdf"
	"github.com/rete-go/rete/rdf/rdfio"
	"github.com/rete-go/rete/sparql"
	"github.com/rete-go/rete/sparql/results"
	"github.com/rete-go/rete/sparql/value"
)

// notesOf runs a query of any form and returns the remarks on its answer.
func notesOf(t *testing.T, ds dataset.Dataset, text string, opts ...sparql.Option) []string {
	t.Helper()
	q, err := sparql.Parse(text, nil)
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	var notes []string
	opts = append(opts, sparql.WithNotes(func(n string) { notes = append(notes, n) }))
	format := sparql.RowFormat(results.JSON)
	if f := q.Form(); f == sparql.FormConstruct || f == sparql.FormDescribe {
		format = sparql.GraphFormat(rdfio.NTriples)
	}
	if err := sparql.WriteTo(t.Context(), io.Discard, format, ds, q, opts...); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return notes
}

// TestNotes: why an answer is empty, over data with named graphs alone, with a default graph alone,
// with both, and with nothing.
func TestNotes(t *testing.T) {
	ex := func(n string) rdf.Term { return rdf.IRI("http://ex/" + n) }
	quad := func(s, p, g string) rdf.Quad {
		q := rdf.Quad{S: ex(s), P: ex(p), O: rdf.String("x")}
		if g != "" {
			q.G = ex(g)
		}
		return q
	}
	data := map[string][]rdf.Quad{
		"named":   {quad("a", "p", "g"), quad("b", "p", "h")},
		"default": {quad("a", "p", ""), quad("b", "q", "")},
		"both":    {quad("a", "p", ""), quad("b", "q", "g")},
		"nothing": nil,
	}
	const (
		unnamed    = "the default graph is empty, the named graphs are not; use GRAPH ?g { … } or --union-default-graph"
		named      = "there are no named graphs, all triples are in the default graph: leave GRAPH out"
		nothing    = "there is no data"
		space      = "nothing in the data begins with <http://wrong/>, the namespace of the prefix w:"
		noFunction = "there is no function <http://ex/f>, so that its call is an error in every row"
		nowhere    = "?y occurs nowhere in the pattern, so it has no value"
		hidden     = "?y has no value: the pattern has it only where it is not bound, such as FILTER, MINUS or a sub-select that hides it"
	)
	union := []sparql.Option{sparql.UnionDefaultGraph()}
	for _, c := range []struct {
		data, query string
		opts        []sparql.Option
		want        []string
	}{
		// Graphs.
		{"named", "SELECT * { ?s ?p ?o }", nil, []string{unnamed}},
		{"named", "SELECT * { ?s :p ?o }", nil, []string{unnamed}},
		{"named", "ASK { ?s ?p ?o }", nil, []string{unnamed}},
		{"named", "CONSTRUCT WHERE { ?s ?p ?o }", nil, []string{unnamed}},
		{"named", "DESCRIBE ?s { ?s ?p ?o }", nil, []string{unnamed}},
		{"named", "SELECT (COUNT(*) AS ?n) { ?s ?p ?o }", nil, []string{unnamed}},
		{"named", "SELECT (COUNT(?s) AS ?n) (SAMPLE(?s) AS ?m) { ?s :p+ ?o }", nil, []string{unnamed}},
		{"named", "SELECT (COUNT(*) AS ?n) { GRAPH ?g { ?s ?p ?o } }", nil, nil},
		{"named", "SELECT ?p (COUNT(*) AS ?n) { ?s ?p ?o } GROUP BY ?p", nil, []string{unnamed}},
		{"named", "SELECT * { ?s ?p ?o } LIMIT 10", nil, []string{unnamed}},
		{"named", "SELECT * { ?s ?p ?o } ORDER BY ?s", nil, []string{unnamed}},
		{"named", "SELECT * { GRAPH ?g { ?s ?p ?o } ?s :p ?x }", nil, []string{unnamed}},
		{"named", "SELECT * { OPTIONAL { ?s ?p ?o } }", nil, nil}, // one row
		{"named", "SELECT * { GRAPH ?g { ?s ?p ?o } }", nil, nil},
		{"named", "SELECT * { ?s ?p ?o }", union, nil},
		{"named", "SELECT * FROM :g { ?s ?p ?o }", nil, nil},
		{"named", "SELECT * FROM :none { ?s ?p ?o }", nil, []string{"there is no graph <http://ex/none>"}},
		{"named", "SELECT * { GRAPH :none { ?s ?p ?o } }", nil, []string{"there is no graph <http://ex/none>"}},
		{"named", "SELECT * { ?s ?p ?o }", []sparql.Option{sparql.WithGraphs([]rdf.Term{ex("none")}, nil)}, []string{"there is no graph <http://ex/none>"}},
		{"default", "SELECT * { GRAPH ?g { ?s ?p ?o } }", nil, []string{named}},
		{"default", "SELECT * { GRAPH :g { ?s ?p ?o } }", nil, []string{"there is no graph <http://ex/g>"}},
		{"default", "SELECT * { ?s ?p ?o }", nil, nil},
		{"both", "SELECT * { ?s :q ?o }", nil, []string{"the predicate <http://ex/q> occurs in named graphs only; use GRAPH ?g { … } or --union-default-graph"}},
		{"both", "SELECT * { ?s :q ?o }", union, nil},
		{"nothing", "SELECT * { ?s ?p ?o }", nil, []string{nothing}},
		{"nothing", "SELECT * { GRAPH ?g { ?s ?p ?o } }", nil, []string{nothing}},
		{"nothing", "SELECT * { VALUES ?x {} }", nil, nil},

		// Variables.
		{"default", "SELECT ?y { ?s ?p ?o }", nil, []string{nowhere}},
		{"default", "SELECT ?s ?y { ?s ?p ?o }", nil, []string{nowhere}},
		{"default", "SELECT DISTINCT ?y { ?s ?p ?o } ORDER BY ?s LIMIT 3", nil, []string{nowhere}},
		{"default", "SELECT ?y { ?s :none ?o }", nil, []string{nowhere, "<http://ex/none> is not in the data"}},
		{"default", "SELECT ?y { ?s ?p ?o FILTER(!BOUND(?y)) }", nil, []string{hidden}},
		{"default", "SELECT ?y { ?s ?p ?o MINUS { ?y ?p 1 } }", nil, []string{hidden}},
		{"default", "SELECT ?y (COUNT(*) AS ?n) { ?s ?p ?o } GROUP BY ?y", nil, []string{hidden}},
		{"default", "SELECT ?y { { SELECT ?s { ?s ?p ?y } } }", nil, []string{nowhere}},
		{"default", "CONSTRUCT { ?s :r ?y } WHERE { ?s ?p ?o }", nil, []string{nowhere}},
		{"default", "DESCRIBE ?y { ?s ?p ?o }", nil, []string{nowhere}},
		{"default", "DESCRIBE <http://ex/none>", nil, []string{"<http://ex/none> is not in the data"}},
		{"default", "DESCRIBE w:x :a", nil, nil},
		{"default", "DESCRIBE w:x", nil, []string{space}},
		{"named", "DESCRIBE :a", nil, []string{unnamed}},
		{"default", "SELECT ?s ?y { ?s ?p ?o }", []sparql.Option{sparql.Bind("s", ex("a"))}, []string{nowhere}},
		{"default", "SELECT ?y { ?s ?p ?o OPTIONAL { ?s :q ?y } }", nil, nil},
		{"default", "SELECT ?y { ?s ?p ?o BIND(1/0 AS ?y) }", nil, nil},
		{"default", "SELECT (1 AS ?y) { ?s ?p ?o }", nil, nil},
		{"default", "SELECT ?y { ?s ?p ?o } VALUES ?y { 1 }", nil, nil},
		{"default", "SELECT ?y (COUNT(*) AS ?n) { ?s ?p ?y } GROUP BY ?y", nil, nil},
		{"default", "SELECT * { ?s ?p ?o }", nil, nil},
		{"default", "ASK { ?s ?p ?o }", nil, nil},

		// Functions.
		{"default", "SELECT (:f(?s) AS ?x) { ?s ?p ?o FILTER(!:f(1 + :f(?s))) }", nil, []string{noFunction}},
		{"default", "SELECT ?s { ?s ?p ?o FILTER EXISTS { ?s ?q ?o FILTER(:f()) } }", nil, []string{noFunction}},
		{"default", "SELECT (COUNT(:f(?s)) AS ?n) (COUNT(*) AS ?m) { ?s ?p ?o } GROUP BY ?p", nil, []string{noFunction}},
		{"default", "SELECT (:f(DISTINCT ?p) AS ?n) { ?s ?p ?o } GROUP BY ?p", nil, []string{noFunction}}, // as if it were an aggregate
		{"default", "SELECT * { ?s ?p ?o } ORDER BY :f(?s)", nil, []string{noFunction}},
		{"default", "SELECT (<http://www.w3.org/2001/XMLSchema#integer>(1, 2) AS ?x) { ?s ?p ?o }", nil, []string{
			"the function <http://www.w3.org/2001/XMLSchema#integer> is called with a number of arguments that it does not take, which is an error in every row"}},
		{"default", "SELECT (<http://www.w3.org/2001/XMLSchema#integer>(1) AS ?x) (STRLEN(\"\") AS ?y) { ?s ?p ?o }", nil, nil},
		{"default", "SELECT (:f(?s) AS ?x) { ?s ?p ?o }", []sparql.Option{sparql.WithFunction("http://ex/f", func(_ *value.Call, args []value.Value) (value.Value, bool) { return args[0], true })}, nil},

		// Terms and prefixes.
		{"default", "SELECT * { ?s w:p ?o }", nil, []string{space}},
		{"default", "SELECT * { ?s w:p ?o ; w:q w:c }", nil, []string{space}},
		{"default", "SELECT * { ?s w:p ?o . :c :p ?o }", nil, []string{space, "<http://ex/c> is not in the data"}},
		{"default", "SELECT * { ?s w:p/w:q ?o }", nil, []string{space}},
		{"default", "SELECT * { ?s w:p+ ?o }", nil, []string{space}},
		{"default", "SELECT * { ?s w:p ( 1 ) }", nil, []string{space,
			"<http://www.w3.org/1999/02/22-rdf-syntax-ns#first> is not in the data", `"1"^^<http://www.w3.org/2001/XMLSchema#integer> is not in the data`,
			"<http://www.w3.org/1999/02/22-rdf-syntax-ns#rest> is not in the data", "<http://www.w3.org/1999/02/22-rdf-syntax-ns#nil> is not in the data"}},
		{"default", "SELECT * { ?s ?p ?o FILTER(?p = w:p) }", nil, []string{space}},
		{"default", "SELECT * { VALUES ?p { w:p } ?s ?p ?o }", nil, []string{space}},
		{"default", "ASK { w:s ?p ?o }", nil, []string{space}},
		{"default", "SELECT (COUNT(*) AS ?n) { ?s w:p ?o }", nil, []string{space}},
		{"default", "SELECT * { ?s ?p ?o FILTER(w:f(?o)) }", nil, []string{strings.Replace(noFunction, "ex", "wrong", 1)}}, // no remark on the prefix
		{"default", "SELECT * { ?s ?p \"x\"^^w:t }", nil, []string{`"x"^^<http://wrong/t> is not in the data`}},
		{"default", "SELECT * { ?s ?p ?o OPTIONAL { ?s w:p ?x } }", nil, nil}, // rows
		{"default", "SELECT * { <http://ex/none> ?p ?o }", nil, []string{"<http://ex/none> is not in the data"}},
		{"default", "SELECT * { ?s ?p \"a\\nb\" }", nil, []string{`"a\nb" is not in the data`}},
		{"named", "SELECT * { ?s w:p ?o }", nil, []string{unnamed, space}},
	} {
		text := "PREFIX : <http://ex/> PREFIX w: <http://wrong/> PREFIX unused: <http://unused/> " + c.query
		datasets := []dataset.Dataset{load(data[c.data])}
		if c.data != "nothing" {
			datasets = append(datasets, onSegment(t, data[c.data]))
		}
		for _, ds := range datasets {
			if got := notesOf(t, ds, text, c.opts...); !slices.Equal(got, c.want) {
				t.Errorf("%s, %s:\ngot  %q\nwant %q", c.data, c.query, got, c.want)
			}
		}
	}
}

// There are few notes, and none of them is long.
func TestNotesAreBounded(t *testing.T) {
	ds := load([]rdf.Quad{{S: rdf.IRI("a:s"), P: rdf.IRI("a:p"), O: rdf.String("x")}})
	var b strings.Builder
	b.WriteString("SELECT * { ")
	for i := range 100 {
		b.WriteString("?s <b:" + strings.Repeat("x", 10_000) + string(rune('a'+i%26)) + strings.Repeat("y", i) + "> ?o . ")
	}
	b.WriteString("}")
	notes := notesOf(t, ds, b.String())
	if len(notes) == 0 || len(notes) > 10 {
		t.Errorf("%d notes", len(notes))
	}
	for _, n := range notes {
		if len(n) > 300 {
			t.Errorf("a note of %d bytes", len(n))
		}
	}
}

// An answer with rows takes no more work with notes than without.
func TestNotesCostNothing(t *testing.T) {
	data := load(labelled(100))
	for _, text := range []string{"SELECT * { ?s <http://ex/label> ?l }", "SELECT (COUNT(*) AS ?n) { ?s ?p ?o }", "ASK { ?s ?p ?o }", "SELECT ?s ?y { ?s ?p ?o }"} {
		q := sparql.MustParse(text)
		work := func(opts ...sparql.Option) int {
			ds := &lookups{Dataset: data}
			if _, err := answer(ds, q, opts...); err != nil {
				t.Fatal(err)
			}
			return ds.n
		}
		without, with := work(), work(sparql.WithNotes(func(string) {}))
		if with != without {
			t.Errorf("%s: %d look-ups with notes, %d without", text, with, without)
		}
	}
}

// lookups counts what notes are made of.
type lookups struct {
	dataset.Dataset
	n int
}

func (d *lookups) Lookup(ctx context.Context, terms []rdf.Term, ids []dataset.ID) error {
	d.n++
	return d.Dataset.Lookup(ctx, terms, ids)
}

func (d *lookups) Count(ctx context.Context, p dataset.Pattern) (uint64, error) {
	d.n++
	return d.Dataset.Count(ctx, p)
}

func (d *lookups) Ranges(ctx context.Context, c dataset.Class) ([]dataset.IDRange, bool, error) {
	d.n++
	return d.Dataset.Ranges(ctx, c)
}
