package sparql_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/rete-go/rete/dataset"
	"github.com/rete-go/rete/internal/longtest"
	"github.com/rete-go/rete/internal/sparqlsuite"
	"github.com/rete-go/rete/rdf"
	"github.com/rete-go/rete/sparql"
	"github.com/rete-go/rete/sparql/internal/fuzzquery"
	"github.com/rete-go/rete/sparql/internal/planner"
)

// smallCounted is a dataset that counts the rows that are read of some predicates, and
// multiplies the estimates of others.
type smallCounted struct {
	dataset.Dataset
	watched, praised []dataset.ID
	times            uint64
	rows             *atomic.Int64
}

func (c smallCounted) Estimate(ctx context.Context, p dataset.Pattern) (dataset.Cardinality, error) {
	card, err := c.Dataset.Estimate(ctx, p)
	if slices.Contains(c.praised, p.P) {
		card.Low, card.High, card.Guess = card.Low*c.times, card.High*c.times, card.Guess*c.times
	}
	return card, err
}

func (c smallCounted) Scan(ctx context.Context, p dataset.Pattern, o dataset.Order, opt *dataset.ScanOptions) (dataset.Cursor, error) {
	cursor, err := c.Dataset.Scan(ctx, p, o, opt)
	if err == nil && (p.P == 0 || slices.Contains(c.watched, p.P)) {
		cursor = smallCursor{cursor, c.rows}
	}
	return cursor, err
}

type smallCursor struct {
	dataset.Cursor
	rows *atomic.Int64
}

func (c smallCursor) Next(ctx context.Context, b *dataset.Batch) error {
	err := c.Cursor.Next(ctx, b)
	if err == nil {
		c.rows.Add(int64(b.N))
	}
	return err
}

// smallData has many rows of :big and :next, and rows of :a, :b and :c of which those of
// :a and :b have no term in common, and those of :a and :c a few.
func smallData() []rdf.Quad {
	var quads []rdf.Quad
	add := func(s string, i int, p, o string, k int) {
		iri := func(s string) rdf.Term { return rdf.IRI("http://ex/" + s) }
		q := rdf.Quad{S: iri(s + fmt.Sprint(i)), P: iri(p), O: iri(o + fmt.Sprint(k))}
		quads = append(quads, q)
		if p == "big" {
			q.G = iri("g")
			quads = append(quads, q)
		}
	}
	for i := range 12_000 {
		add("z", i, "big", "o", i%3000)
		add("o", i%3000, "next", "z", i)
	}
	for i := range 600 {
		add("x", i, "a", "y", i)
		add("w", i, "b", "z", i)
		add("w", i, "c", "z", i)
	}
	for i := range 3 {
		add("y", i, "c", "z", i)
	}
	return quads
}

// smallRights are right sides of every kind, on ?z and ?y of a left one. whole says that
// they are read once if there are rows on the left, since nothing narrows them.
var smallRights = []struct {
	text  string
	whole bool
}{
	{text: "?z :big ?o"},
	{text: "?z :big ?o . ?o :next ?p"},
	{text: "?z :big ?o FILTER(STRENDS(STR(?o), '7'))"},
	{text: "?z :big ?o BIND(STR(?o) AS ?t)"},
	{text: "?q :big ?o FILTER(?z = ?q)", whole: true},
	{text: "?q :big ?o FILTER(STR(?z) < STR(?q))", whole: true},
	{text: "OPTIONAL { ?z :big ?o }"},
	{text: "OPTIONAL { ?z :big ?o . ?o :next ?p }"},
	{text: "OPTIONAL { ?z :big ?o FILTER(STR(?o) > STR(?y)) }"},
	{text: "OPTIONAL { { SELECT DISTINCT ?z { ?z :big ?o } } }"},
	{text: "OPTIONAL { { SELECT ?z { ?z :big ?o } ORDER BY ?o LIMIT 7 } }", whole: true},
	{text: "MINUS { ?z :big ?o }"},
	{text: "MINUS { ?z :big ?o . ?o :next ?p }"},
	{text: "FILTER EXISTS { ?z :big ?o }"},
	{text: "FILTER NOT EXISTS { ?z :big ?o FILTER(?o != ?y) }"},
	{text: "FILTER(EXISTS { ?z :big ?o } || STR(?z) = 'z')"},
	{text: "BIND(EXISTS { ?z :big ?o } AS ?e)"},
	{text: "{ SELECT ?z (COUNT(*) AS ?n) { ?z :big ?o } GROUP BY ?z }", whole: true},
	{text: "{ SELECT ?z (MAX(?o) AS ?n) { ?z :big ?o } GROUP BY ?z }"},
	{text: "{ SELECT DISTINCT ?z { ?z :big ?o } }"},
	{text: "{ ?z :big ?o } UNION { ?o :next ?z }"},
	{text: "?z :big+ ?o"},
	{text: "?z (:big|:next)* ?o"},
	{text: "?z !:nothing ?o"},
	{text: "GRAPH ?g { ?z :big ?o }"},
	{text: "GRAPH ?g { ?z :big ?o } ?z :big ?p . ?p :next ?r"},
}

// smallOptions are ways to run a query.
var smallOptions = map[string][]sparql.Option{
	"pairs":      {sparql.Workers(1), sparql.JoinMethods(planner.PairJoins)},
	"any":        {sparql.Workers(1)},
	"goroutines": {sparql.ForceWorkers(3)},
	"doubt":      {sparql.Workers(1), sparql.DoubtEstimates()},
	"many":       {sparql.Workers(1), sparql.JoinMethods(planner.ManyJoins)},
}

// smallRun runs a query on a counted dataset and returns its rows and how many were read
// of the large predicates. The estimates of the small ones are multiplied.
func smallRun(t *testing.T, ds dataset.Dataset, want sparqlsuite.Answer, text string, times uint64, opts ...sparql.Option) (int, int64) {
	t.Helper()
	c := smallCounted{Dataset: ds, times: times, rows: new(atomic.Int64)}
	id := func(names ...string) []dataset.ID {
		ids, terms := make([]dataset.ID, len(names)), make([]rdf.Term, len(names))
		for i, n := range names {
			terms[i] = rdf.IRI("http://ex/" + n)
		}
		if err := ds.Lookup(t.Context(), terms, ids); err != nil {
			t.Fatal(err)
		}
		return ids
	}
	c.watched, c.praised = id("big", "next"), id("b", "c")
	q := sparql.MustParse(fuzzquery.Prefixes + text)
	got, err := answer(c, q, opts...)
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	if g, w := lines(got.Set.Vars, got.Set.Rows, want.Set.Vars), lines(want.Set.Vars, want.Set.Rows, want.Set.Vars); !slices.Equal(g, w) {
		t.Errorf("%d rows, want %d\n%s", len(g), len(w), text)
	}
	return len(got.Set.Rows), c.rows.Load()
}

// smallAnswer is the answer by joins that store a side.
func smallAnswer(t *testing.T, ds dataset.Dataset, text string) sparqlsuite.Answer {
	t.Helper()
	want, err := answer(ds, sparql.MustParse(fuzzquery.Prefixes+text), sparql.Workers(1), sparql.JoinMethods(planner.PairJoins))
	if err != nil {
		t.Fatal(err)
	}
	return want
}

// TestSmallSide counts what is read for the other side of a join whose left one turns out
// to have no rows, or few, whatever the plan expected.
func TestSmallSide(t *testing.T) {
	quads := smallData()
	for name, ds := range map[string]dataset.Dataset{"memory": load(quads), "segment": onSegment(t, quads)} {
		for _, right := range smallRights {
			for _, left := range []string{"?x :a ?y . ?y :b ?z . ", "?x :a ?y . ?y :c ?z . "} {
				text, empty := "SELECT * { "+left+right.text+" }", left[16] == 'b'
				want := smallAnswer(t, ds, text)
				for _, times := range longtest.Pick([]uint64{2000}, []uint64{1, 2000}) {
					for how, opts := range smallOptions {
						_, read := smallRun(t, ds, want, text, times, opts...)
						most := int64(0)
						switch {
						case how == "many" || how == "doubt" && !empty:
							continue // they must read more
						case !empty && right.whole:
							most = 12_200
						case !empty:
							most = 2100
						case strings.Contains(text, "?z = ?q"):
							most = 200
						}
						if read > most {
							t.Errorf("%s, %s, estimates times %d: %d rows were read, at most %d expected\n%s", name, how, times, read, most, text)
						}
					}
				}
			}
		}
	}
}

// emptyArms are joins of several operands at once of which one has no rows.
var emptyArms = []string{
	"SELECT * { ?z :b ?w ; :big ?o FILTER(STRLEN(STR(?w)) > 99) }",
	"SELECT * { ?w :b ?z . ?z :big ?o FILTER(STRLEN(STR(?w)) > 99) }",
	"SELECT * { ?w :b ?z . ?z :big ?o . ?o :next ?w FILTER(isLiteral(?w)) }",
	"SELECT (COUNT(*) AS ?n) { ?z :big ?o . ?o :nothing ?w }",
	"SELECT (COUNT(*) AS ?n) { ?z :big ?o . ?o :b ?w }",
}

// TestEmptyArm counts what a merge, a leapfrog and a count of a join read of operands
// next to an empty one.
func TestEmptyArm(t *testing.T) {
	quads := smallData()
	for name, ds := range map[string]dataset.Dataset{"memory": load(quads), "segment": onSegment(t, quads)} {
		for _, text := range emptyArms {
			want := smallAnswer(t, ds, text)
			for _, joins := range []planner.JoinChoice{planner.AnyJoin, planner.PairJoins, planner.ManyJoins} {
				for _, workers := range []sparql.Option{sparql.Workers(1), sparql.ForceWorkers(3)} {
					_, read := smallRun(t, ds, want, text, 1, workers, sparql.JoinMethods(joins))
					if read > 64 {
						t.Errorf("%s, joins %d: %d rows were read\n%s", name, joins, read, text)
					}
				}
			}
		}
	}
}
