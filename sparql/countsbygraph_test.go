package sparql_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/rete-go/rete/dataset"
	"github.com/rete-go/rete/internal/reads"
	"github.com/rete-go/rete/rdf"
	"github.com/rete-go/rete/sparql"
	"github.com/rete-go/rete/sparql/internal/fuzzquery"
	"github.com/rete-go/rete/sparql/internal/naive"
)

// TestCountsByGraph compares counts of one pattern under GRAPH with the naive evaluator. Those that
// say so are planned as counts.
func TestCountsByGraph(t *testing.T) {
	r := rand.New(rand.NewPCG(20, 5))
	term := func(kind string, n int) rdf.Term { return rdf.IRI(fmt.Sprintf("http://ex/%s%d", kind, r.IntN(n))) }
	var quads []rdf.Quad
	for range 400 {
		q := rdf.Quad{S: term("s", 40), P: term("p", 3), O: term("s", 50)}
		if r.IntN(9) > 0 {
			q.G = term("g", 90)
		}
		quads = append(quads, q)
	}
	quads = append(quads, rdf.Quad{S: rdf.IRI("http://ex/g1"), P: rdf.IRI("http://ex/p0"), O: rdf.IRI("http://ex/g1"), G: rdf.IRI("http://ex/g1")})
	stores := map[string]dataset.Dataset{"memory": load(quads), "segment": onSegment(t, quads), "log": onLog(t, r, quads)}
	for _, c := range []struct {
		counted bool
		text    string
	}{
		{true, "SELECT (COUNT(*) AS ?n) { GRAPH ?g { ?s ?p ?o } }"},
		{true, "SELECT (COUNT(?g) AS ?n) (COUNT(?s) AS ?m) { GRAPH ?g { ?s :p1 ?o } }"},
		{true, "SELECT (COUNT(*) AS ?n) { GRAPH :g1 { ?s ?p ?o } }"},
		{false, "SELECT (COUNT(*) AS ?n) { GRAPH ?g { :none ?p ?o } }"},
		{true, "SELECT ?g (COUNT(*) AS ?n) { GRAPH ?g { ?s ?p ?o } } GROUP BY ?g"},
		{true, "SELECT ?g (COUNT(?o) AS ?n) (COUNT(*) AS ?m) { GRAPH ?g { ?s :p1 ?o } } GROUP BY ?g HAVING (COUNT(*) > 1)"},
		{true, "SELECT ?g (COUNT(*) AS ?n) { GRAPH ?g { :s3 :p1 ?o } } GROUP BY ?g"},
		{true, "SELECT ?g (COUNT(DISTINCT ?s) AS ?n) (COUNT(*) AS ?m) { GRAPH ?g { ?s ?p ?o } } GROUP BY ?g"},
		{true, "SELECT ?g (COUNT(DISTINCT ?o) AS ?n) { GRAPH ?g { ?s :p1 ?o } } GROUP BY ?g"},
		{true, "SELECT ?g (COUNT(*) AS ?n) FROM NAMED :g1 FROM NAMED :g2 FROM NAMED :none { GRAPH ?g { ?s ?p ?o } } GROUP BY ?g"},
		{true, "SELECT (COUNT(*) AS ?n) FROM NAMED :g1 FROM NAMED :g2 FROM NAMED :none { GRAPH ?g { ?s ?p ?o } }"},
		{true, "SELECT ?g (COUNT(*) AS ?n) FROM :g1 { GRAPH ?g { ?s ?p ?o } } GROUP BY ?g"},
		{true, "SELECT ?s (COUNT(*) AS ?n) FROM NAMED :g1 { GRAPH ?g { ?s ?p ?o } } GROUP BY ?s"},
		{true, "SELECT ?g ?n { { SELECT ?g (COUNT(*) AS ?n) { GRAPH ?g { ?s ?p ?o } } GROUP BY ?g } FILTER(?n > 5) }"},
		{true, "SELECT DISTINCT ?g { GRAPH ?g { ?s ?p ?o } }"},
		{true, "SELECT DISTINCT ?g FROM NAMED :g1 FROM NAMED :none { GRAPH ?g { ?s :p1 ?o } } ORDER BY ?g"},
		{true, "SELECT ?g { GRAPH ?g { ?s :p2 ?o } } GROUP BY ?g"},
		{true, "SELECT (COUNT(DISTINCT ?g) AS ?n) { GRAPH ?g { ?s ?p ?o } }"},
		{false, "SELECT * { { SELECT DISTINCT ?g { GRAPH ?g { ?s :p1 ?o } } } GRAPH ?g { :s1 :p2 ?x } }"},
		{false, "SELECT (COUNT(*) AS ?n) { { SELECT DISTINCT ?g { GRAPH ?g { ?s ?p ?o } } LIMIT 3 } }"},
		{false, "SELECT DISTINCT ?s { GRAPH ?g { ?s ?p ?o } }"},
		{false, "SELECT DISTINCT ?g ?s { GRAPH ?g { ?s ?p ?o } }"},
		{false, "SELECT ?s { GRAPH ?g { ?s ?p ?o } } GROUP BY ?s"},
		{false, "SELECT ?s (COUNT(*) AS ?n) { GRAPH ?g { ?s ?p ?o } } GROUP BY ?s"},
		{false, "SELECT ?g (COUNT(*) AS ?n) { GRAPH ?g { ?g ?p ?o } } GROUP BY ?g"},
		{false, "SELECT (COUNT(*) AS ?n) { GRAPH ?g { ?s ?p ?g } }"},
		{false, "SELECT ?g (COUNT(*) AS ?n) { GRAPH ?g { ?s ?p ?s } } GROUP BY ?g"},
		{false, "SELECT ?g ?p (COUNT(*) AS ?n) { GRAPH ?g { ?s ?p ?o } } GROUP BY ?g ?p"},
		{false, "SELECT ?g (COUNT(DISTINCT *) AS ?n) { GRAPH ?g { ?s ?p ?o } } GROUP BY ?g"},
		{false, "SELECT ?g (COUNT(*) AS ?n) (SAMPLE(?s) AS ?x) { GRAPH ?g { ?s ?p ?o } } GROUP BY ?g HAVING (COUNT(*) < 0)"},
		{false, "SELECT ?g (COUNT(*) AS ?n) { GRAPH ?g { ?s :p0 ?o . ?s :p1 ?x } } GROUP BY ?g"},
		{false, "SELECT ?g (COUNT(*) AS ?n) { GRAPH ?g { ?s :p0 ?o } ?s :p1 ?x } GROUP BY ?g"},
		{false, "SELECT ?g (COUNT(*) AS ?n) { GRAPH ?g { ?s :p0 ?o FILTER(?s != :s1) } } GROUP BY ?g"},
		{false, "SELECT ?g (COUNT(*) AS ?n) { VALUES ?g { :g1 :g2 :none } GRAPH ?g { ?s ?p ?o } } GROUP BY ?g"},
		{false, "SELECT ?g (COUNT(*) AS ?n) { GRAPH ?g { } } GROUP BY ?g"},
		{false, "SELECT * { ?s :p0 ?x GRAPH ?g { { SELECT ?s (COUNT(*) AS ?n) { ?s :p1 ?o } GROUP BY ?s } } }"},
	} {
		text := fuzzquery.Prefixes + c.text
		want, err := naive.Run(quads, text, "")
		if err != nil {
			t.Fatal(err)
		}
		q := sparql.MustParse(text)
		for name, ds := range stores {
			got, err := answer(ds, q)
			if err != nil {
				t.Fatal(err)
			}
			if g, w := lines(got.Set.Vars, got.Set.Rows, want.Vars), lines(want.Vars, want.Rows, want.Vars); !slices.Equal(g, w) {
				t.Errorf("%s: %s: %d rows, want %d: %v, want %v", name, c.text, len(g), len(w), g[:min(3, len(g))], w[:min(3, len(w))])
			}
			p, err := sparql.Explain(t.Context(), ds, q)
			if err != nil {
				t.Fatal(err)
			}
			if n := countOps(p.Root, "count"); (n == 1) != c.counted {
				t.Errorf("%s: %s: %d counts in the plan:\n%s", name, c.text, n, p)
			}
		}
	}
}

// TestCountsByGraphRead: no graph is read to count it, and the tiles of all of them where the
// pattern has a constant.
func TestCountsByGraphRead(t *testing.T) {
	var quads []rdf.Quad
	for i := range 2000 {
		quads = append(quads, rdf.Quad{S: rdf.IRI(fmt.Sprintf("http://ex/s%d", i)), P: rdf.IRI(fmt.Sprintf("http://ex/p%d", i%3)), O: rdf.Integer(int64(i)), G: rdf.IRI(fmt.Sprintf("http://ex/g%d", i%100))})
	}
	ds := onSegment(t, quads)
	for text, most := range map[string]int64{
		"SELECT (COUNT(*) AS ?n) { GRAPH ?g { ?s ?p ?o } }":                                              0,
		"SELECT ?g (COUNT(*) AS ?n) { GRAPH ?g { ?s ?p ?o } } GROUP BY ?g ORDER BY DESC(?n) ?g LIMIT 10": 0,
		"SELECT DISTINCT ?g { GRAPH ?g { ?s ?p ?o } }":                                                   0,
		"SELECT (COUNT(*) AS ?n) { GRAPH :g7 { ?s ?p ?o } }":                                             0,
		"SELECT ?g (COUNT(*) AS ?n) { GRAPH ?g { ?s :p1 ?o } } GROUP BY ?g":                              100 + 16, // those looked into for an estimate
	} {
		var count reads.Counter
		rows, err := sparql.Select(reads.With(t.Context(), &count), ds, sparql.MustParse(fuzzquery.Prefixes+text))
		if err != nil {
			t.Fatal(err)
		}
		for _, err := range rows.All() {
			if err != nil {
				t.Fatal(err)
			}
		}
		if n := count.Tiles.Load(); n > most {
			t.Errorf("%s: %d tiles were looked into, more than %d", text, n, most)
		}
	}
}

// lister notes how many graphs its dataset has counted.
type lister struct {
	dataset.Dataset
	counted []int
}

func (l *lister) NamedGraphs(ctx context.Context) ([]dataset.ID, error) {
	return l.Dataset.(dataset.GraphLister).NamedGraphs(ctx)
}

func (l *lister) GraphCounts(ctx context.Context, p dataset.Pattern, room func(int64) error) ([]dataset.ID, []uint64, error) {
	graphs, rows, err := l.Dataset.(dataset.GraphLister).GraphCounts(ctx, p, room)
	l.counted = append(l.counted, len(graphs))
	return graphs, rows, err
}

// TestCountsByGraphMemory: memory for the counts is asked before they are made; refused, the rows are read.
func TestCountsByGraphMemory(t *testing.T) {
	var quads []rdf.Quad
	for i := range 1000 {
		quads = append(quads, rdf.Quad{S: rdf.IRI(fmt.Sprintf("http://ex/s%d", i)), P: rdf.IRI(fmt.Sprintf("http://ex/p%d", i%2)), O: rdf.Integer(1), G: rdf.IRI(fmt.Sprintf("http://ex/g%d", i%100))})
	}
	stored := onSegment(t, quads)
	for _, pattern := range []string{"?s ?p ?o", "?s :p1 ?o"} {
		q := sparql.MustParse(fuzzquery.Prefixes + "SELECT ?g (COUNT(*) AS ?n) { GRAPH ?g { " + pattern + " } } GROUP BY ?g")
		for refuse, want := range map[bool]int{false: 100, true: 0} {
			if pattern != "?s ?p ?o" {
				want /= 2
			}
			ds := &lister{Dataset: stored}
			got, err := answer(ds, q, sparql.RefuseMemory(func(op string) bool { return refuse && op == "count" }))
			if err != nil {
				t.Fatal(err)
			}
			if rows := len(got.Set.Rows); rows < 50 || !slices.Equal(ds.counted, []int{want}) {
				t.Errorf("%s, refused %v: %d rows, and %v graphs were counted", pattern, refuse, rows, ds.counted)
			}
		}
	}
}
