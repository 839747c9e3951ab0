package sparql_test

import (
	"context"
	"fmt"
	"hash/fnv"
	"slices"
	"testing"

	"github.com/rete-go/rete/dataset"
	"github.com/rete-go/rete/rdf"
	"github.com/rete-go/rete/sparql"
	"github.com/rete-go/rete/sparql/internal/fuzzquery"
)

// lying is a dataset whose estimates are wrong: each pattern's is multiplied or divided,
// by its own constants and a seed.
type lying struct {
	dataset.Dataset
	seed uint64
}

func (l lying) Estimate(ctx context.Context, p dataset.Pattern) (dataset.Cardinality, error) {
	c, err := l.Dataset.Estimate(ctx, p)
	h := fnv.New64a()
	fmt.Fprint(h, l.seed, p.S, p.P, p.O)
	lie := func(n uint64) uint64 {
		switch h.Sum64() % 3 {
		case 0:
			return n * 1000
		case 1:
			return max(n/1000, min(n, 1))
		}
		return n
	}
	c.Low, c.High, c.Guess = lie(c.Low), lie(c.High), lie(c.Guess)
	for i := range c.Distinct {
		c.Distinct[i] = min(c.Distinct[i], max(c.Guess, 1))
	}
	return c, err
}

// lyingQueries are joins of every kind, over inputs that are much larger or smaller
// than the estimates say.
var lyingQueries = []string{
	"SELECT * { ?a :p ?o . ?a :q ?n }",
	"SELECT * { ?a :p ?o . ?b :r ?o . ?b :q ?n }",
	"SELECT * { ?a :p ?o OPTIONAL { ?a :q ?n FILTER(?n > ?o) } }",
	"SELECT * { ?a :p ?o OPTIONAL { ?a :q ?n } OPTIONAL { ?b :r ?o } }",
	"SELECT * { ?a :p ?o MINUS { ?a :q ?n } }",
	"SELECT * { ?a :p ?o FILTER EXISTS { ?a :q ?n FILTER(?n < ?o) } }",
	"SELECT * { ?a :p ?o FILTER NOT EXISTS { ?a :q ?n } }",
	"SELECT * { ?a :p ?o BIND(EXISTS { ?a :q ?n } AS ?e) }",
	"SELECT * { { SELECT ?a { ?a :p ?o } LIMIT 100000 } { SELECT ?a ?n { ?a :q ?n } LIMIT 100000 } }",
	"SELECT * { { SELECT ?a { ?a :r ?o } LIMIT 100000 } OPTIONAL { SELECT ?a ?n { ?a :q ?n } LIMIT 100000 } }",
	"SELECT * { ?a :r ?o MINUS { SELECT ?a ?n { ?a :p ?n } LIMIT 100000 } }",
	"SELECT * { ?a :p ?o FILTER(?o > 3) ?a :q ?n FILTER(?n > 5) }",
	"SELECT ?a (COUNT(*) AS ?k) { ?a :p ?o . ?a :q ?n } GROUP BY ?a",
}

// lyingData has many rows of :p, few of :q, and a few of :r.
func lyingData(rows int) []rdf.Quad {
	iri := func(s string, i int) rdf.Term { return rdf.IRI(fmt.Sprintf("http://ex/%s%d", s, i)) }
	var quads []rdf.Quad
	for i := range rows {
		quads = append(quads, rdf.Quad{S: iri("s", i%(rows/2)), P: iri("p", 0), O: rdf.Integer(int64(i % 97))})
		if i%9 == 0 {
			quads = append(quads, rdf.Quad{S: iri("s", i), P: iri("q", 0), O: rdf.Integer(int64(i % 31))})
		}
		if i%400 == 0 {
			quads = append(quads, rdf.Quad{S: iri("s", i), P: iri("r", 0), O: rdf.Integer(int64(i % 97))})
		}
	}
	for i := range quads {
		quads[i].P = rdf.IRI(quads[i].P.Value()[:len(quads[i].P.Value())-1])
	}
	return quads
}

// TestLyingEstimates lets joins find out that the estimates were wrong, and change their
// method: no row is lost or comes twice. Some do so in each direction.
func TestLyingEstimates(t *testing.T) {
	quads := lyingData(6000)
	ds := load(quads)
	var changed [3]int
	for _, text := range lyingQueries {
		text = fuzzquery.Prefixes + text
		q := sparql.MustParse(text)
		want, err := answer(ds, q)
		if err != nil {
			t.Fatal(err)
		}
		wantLines := lines(want.Set.Vars, want.Set.Rows, want.Set.Vars)
		for seed := range uint64(12) {
			for _, opts := range [][]sparql.Option{{sparql.Workers(1)}, {sparql.ForceWorkers(2)}, {sparql.Workers(1), sparql.MemoryLimit(256 << 10)}} {
				got, err := answer(lying{ds, seed}, q, opts...)
				if err != nil {
					t.Fatalf("seed %d: %v\n%s", seed, err, text)
				}
				if g := lines(got.Set.Vars, got.Set.Rows, want.Set.Vars); !slices.Equal(g, wantLines) {
					t.Fatalf("seed %d: %d rows, want %d\n%s", seed, len(g), len(wantLines), text)
				}
			}
			for how, n := range sparql.ChangedJoins(t, lying{ds, seed}, q) {
				changed[how] += n
			}
		}
	}
	if changed[0] == 0 || changed[1] == 0 {
		t.Errorf("%d joins came to store their right side, %d their left one", changed[0], changed[1])
	}
	t.Logf("%d joins came to store their right side, %d their left one", changed[0], changed[1])
}

// TestLyingNaive does so for random small queries, against the naive evaluator.
func TestLyingNaive(t *testing.T) {
	for i := range (diffCases() + 3) / 4 {
		seed := *diffSeed + uint64(i)
		quads, text, q, want := naiveCase(t, seed)
		if q == nil {
			continue
		}
		got, err := answer(lying{load(quads), seed}, q, sparql.DoubtEstimates())
		if err != nil {
			t.Fatalf("seed %d: %v\n%s", seed, err, text)
		}
		if g, w := lines(got.Set.Vars, got.Set.Rows, want.Vars), lines(want.Vars, want.Rows, want.Vars); !slices.Equal(g, w) {
			t.Fatalf("seed %d: got  %q\nwant %q\n%s\n%s", seed, g, w, text, dump(quads))
		}
	}
}
