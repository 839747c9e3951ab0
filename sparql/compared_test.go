package sparql_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync/atomic"
	"testing"

	"github.com/rete-go/rete/dataset"
	"github.com/rete-go/rete/internal/longtest"
	"github.com/rete-go/rete/rdf"
	"github.com/rete-go/rete/sparql"
	"github.com/rete-go/rete/sparql/internal/fuzzquery"
)

// comparedQuads returns quads whose objects are subjects, too, or terms of all kinds,
// most of them in several spellings of one value.
func comparedQuads(r *rand.Rand, n int) []rdf.Quad {
	triple := func(o rdf.Term) rdf.Term { return rdf.TripleTerm(rdf.IRI("http://ex/a"), rdf.IRI("http://ex/p"), o) }
	pool := append([]rdf.Term{
		triple(rdf.Typed("05", rdf.XSD+"integer")), triple(rdf.Typed("NaN", rdf.XSD+"double")), triple(rdf.IRI("http://ex/s1")),
		rdf.Typed("a", "http://ex/unknown"), rdf.Typed("b", "http://ex/unknown"), rdf.String("http://ex/s1"),
	}, valuePool...)
	node := func() rdf.Term {
		if r.IntN(4) == 0 {
			return rdf.Blank(fmt.Sprintf("n%d", r.IntN(3)))
		}
		return rdf.IRI(fmt.Sprintf("http://ex/s%d", r.IntN(6)))
	}
	var out []rdf.Quad
	for range n {
		q := rdf.Quad{S: node(), P: rdf.IRI("http://ex/" + []string{"p", "q"}[r.IntN(2)]), O: pool[r.IntN(len(pool))]}
		if r.IntN(2) == 0 {
			q.O = node()
		}
		out = append(out, q)
	}
	return out
}

// comparedQuery returns a query that compares two variables.
func comparedQuery(r *rand.Rand) string {
	one := func() string {
		x, y := []string{"?s", "?v", "?w", "?u", "?b", "?none"}[r.IntN(6)], []string{"?v", "?w", "?u", "?b", "?b"}[r.IntN(5)]
		switch r.IntN(6) {
		case 0:
			return "sameTerm(" + x + ", " + y + ")"
		case 1, 2:
			return x + " = " + y
		case 3:
			return "!(" + x + " = " + y + ")"
		}
		return x + " != " + y
	}
	f := "FILTER(" + one() + ")"
	if r.IntN(3) == 0 {
		f = "FILTER(" + one() + []string{" || ", " && "}[r.IntN(2)] + one() + ")"
	}
	// ?b has terms that the query made; some of them are stored, too.
	made := []string{"BIND(IRI(CONCAT('http://ex/s', STR(STRLEN(STR(?v)) - 11))) AS ?b)", "BIND(?v + 0.00 AS ?b)"}[r.IntN(2)]
	return []string{
		"SELECT * { ?s :p ?v . ?u :q ?w " + f + " }",
		"SELECT * { ?s :p ?v . ?u :q ?w " + made + " " + f + " }",
		"SELECT * { ?s :p ?v OPTIONAL { ?u :q ?w " + f + " } }",
		"SELECT * { ?s :p ?v OPTIONAL { ?s :q ?w } OPTIONAL { ?v :q ?u } " + f + " }",
		"SELECT * { ?s :p ?v . ?v :q ?w FILTER EXISTS { ?u :q ?w " + f + " } }",
		"SELECT (COUNT(*) AS ?n) { ?s :p ?v . ?u :q ?w " + f + " }",
		"SELECT DISTINCT ?s ?u { ?s :p ?v . ?u :q ?w " + f + " } ORDER BY ?s ?u",
	}[r.IntN(7)]
}

// TestComparedVariables compares the rows of comparisons of two variables with those of
// the naive evaluator, where the ids of terms without values are compared and where all
// values are.
func TestComparedVariables(t *testing.T) {
	rounds := longtest.Pick(1, 8)
	for round := range uint64(rounds) {
		r := rand.New(rand.NewPCG(round, 23))
		quads := comparedQuads(r, 300) // so that most queries compare more rows than are compared by value
		sets := map[string]dataset.Dataset{"memory": load(quads), "segment": onSegment(t, quads), "log": onLog(t, r, quads)}
		for range 25 {
			q := comparedQuery(r)
			for name, ds := range sets {
				if what, bad := differs(quads, ds, q); bad {
					t.Fatalf("round %d, %s: %s%s\n%s", round, name, fuzzquery.Prefixes, q, what)
				}
			}
		}
	}
}

// decodes counts the terms that are read.
type decodes struct {
	dataset.Dataset
	terms atomic.Int64
}

func (d *decodes) Decode(ctx context.Context, ids []dataset.ID, out *dataset.Terms) error {
	d.terms.Add(int64(len(ids)))
	return d.Dataset.Decode(ctx, ids, out)
}

// TestComparedReads asserts that the values of nodes are not read to compare them, once
// there are many rows.
func TestComparedReads(t *testing.T) {
	const nodes, of = 8000, 20
	var quads []rdf.Quad
	for i := range nodes {
		quads = append(quads, rdf.Quad{S: rdf.IRI(fmt.Sprintf("http://ex/s%d", i)), P: rdf.IRI("http://ex/p"), O: rdf.IRI(fmt.Sprintf("http://ex/o%d", i/of))})
	}
	ds := &decodes{Dataset: load(quads)}
	got, err := answer(ds, sparql.MustParse("PREFIX : <http://ex/> SELECT (COUNT(*) AS ?n) { ?s :p ?v . ?u :p ?v FILTER(?s != ?u) }"), sparql.Workers(1))
	if err != nil || got.Set.Rows[0][0] != rdf.Integer(nodes*(of-1)) {
		t.Fatalf("%v rows, %v; want %d", got, err, nodes*(of-1))
	}
	if n := ds.terms.Load(); n == 0 || n > nodes/2 {
		t.Errorf("%d values of %d were read; want those of the first rows", n, nodes)
	}
}
