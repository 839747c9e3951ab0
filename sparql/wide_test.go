package sparql_test

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/rete-go/rete/blob"
	"github.com/rete-go/rete/dataset"
	"github.com/rete-go/rete/engine/enginetest"
	"github.com/rete-go/rete/internal/longtest"
	"github.com/rete-go/rete/internal/made06"
	"github.com/rete-go/rete/internal/segment"
	"github.com/rete-go/rete/internal/segtest"
	"github.com/rete-go/rete/rdf"
	"github.com/rete-go/rete/sparql/internal/fuzzquery"
	"github.com/rete-go/rete/sparql/internal/naive"
)

// onMixedLog returns the quads as the fold of a random log, whose segments are of each generation
// and have six orders or three.
func onMixedLog(t testing.TB, r *rand.Rand, quads []rdf.Quad) dataset.Dataset {
	layer := func(name string, quads []rdf.Quad) enginetest.Layer {
		rows := surfaces(quads)
		switch {
		case len(rows) == 0:
			return nil
		case r.IntN(3) == 0:
			var list []made06.Quad
			for _, q := range rows {
				list = append(list, made06.Quad(q))
			}
			file := made06.File(list, made06.Options{Three: r.IntN(2) == 0, Rows: 1 + r.IntN(5), Leaf: 1 + r.IntN(3), Runs: 1, Mixed: r.IntN(2) == 0})
			s, err := segment.Open(t.Context(), blob.Bytes(name, file), nil)
			if err != nil {
				t.Fatal(err)
			}
			return enginetest.SegmentLayer(s)
		}
		return enginetest.SegmentLayer(segtest.Open(t, name, rows, &segment.WriterOptions{Orders: 3 + 3*r.IntN(2)}, nil))
	}
	adds, dels := deal(r, quads)
	var log []enginetest.Entry
	for i := range adds {
		log = append(log, enginetest.Entry{Adds: layer(fmt.Sprintf("adds%d", i), adds[i]), Dels: layer(fmt.Sprintf("dels%d", i), dels[i])})
	}
	opts := []*enginetest.ViewOptions{nil, {DeltaBytes: -1, MatchRows: 1}, {DeltaBytes: 1000, MatchRows: 4}}
	return enginetest.NewView(log, opts[r.IntN(len(opts))])
}

// TestDifferentialWide compares the engine with the naive evaluator on queries of the wide grammar,
// on rows in memory and on logs of segments of every kind.
func TestDifferentialWide(t *testing.T) {
	r := func(seed, stream uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, stream)) }
	draw := func(seed uint64) ([]rdf.Quad, fuzzquery.Query) {
		r := r(seed, 3)
		return fuzzquery.WideQuads(r), fuzzquery.NewWide(r, r.IntN(4))
	}
	differential(t, cmp.Or(*caseCount, longtest.Pick(200, 3000)), draw, func(seed uint64, quads []rdf.Quad) dataset.Dataset {
		if seed%4 == 0 {
			return load(quads)
		}
		return onMixedLog(t, r(seed, 1), quads)
	})
}

// TestTripleTermParts: variables in a triple term are joined with those around it, also where nothing
// else reads them, and at both ends of a path.
func TestTripleTermParts(t *testing.T) {
	iri := func(s string) rdf.Term { return rdf.IRI("http://ex/" + s) }
	says := rdf.TripleTerm(iri("a"), iri("q"), iri("b"))
	quads := []rdf.Quad{
		{S: iri("a"), P: iri("p"), O: says}, {S: iri("b"), P: iri("p"), O: says}, {S: iri("d"), P: iri("p"), O: iri("b")},
		{S: iri("c"), P: iri("p"), O: rdf.TripleTerm(iri("c"), iri("q"), says)}, {S: iri("a"), P: iri("p"), O: says, G: iri("a")},
	}
	for _, c := range []struct {
		query string
		rows  int
	}{
		{"SELECT ?y { ?x :p <<( ?x ?v ?y )>> }", 2},
		{"SELECT (COUNT(*) AS ?n) { ?x :p <<( ?x ?v ?y )>> }", 1},
		{"SELECT ?y { ?x :p <<( ?y ?v <<( ?z ?w ?x )>> )>> }", 0},
		{"SELECT ?z { ?x :p <<( ?x ?v <<( ?z ?v ?w )>> )>> }", 1},
		{"SELECT ?y { GRAPH ?g { ?x :p <<( ?g ?v ?y )>> } }", 1},
		{"SELECT ?y { GRAPH ?g { ?x :p <<( ?y ?v ?g )>> } }", 0},
		{"SELECT * { FILTER EXISTS { ?x :p <<( ?y ?v ?x )>> } }", 1},
		{"SELECT * { FILTER NOT EXISTS { :d :p ?x . ?x :p <<( ?x ?v ?x )>> } }", 1},
		{"SELECT ?x { ?x :p+ <<( ?x ?v ?y )>> }", 2},
		{"SELECT * { ?x :p* <<( ?a ?v ?y )>> }", 6},
		{"SELECT * { ?x :p+ <<( :a :q ?y )>> }", 3},
		{"SELECT * { ?x :none* <<( ?a ?v <<( ?y ?w ?z )>> )>> }", 1},
		{"SELECT * { ?x (^:p)? <<( ?a :none ?y )>> }", 0},
		{"SELECT * { ?y :p ?o . ?x :p+ <<( :a :q ?y )>> }", 3},
		{"SELECT * { GRAPH ?g { ?x :p+ <<( ?g ?v ?y )>> } }", 1},
		{"SELECT * { VALUES (?a ?y) { (:a :b) (:none :b) } FILTER EXISTS { ?x :p* <<( ?a :q ?y )>> } }", 2},
	} {
		want, err := naive.Run(quads, fuzzquery.Prefixes+c.query, "")
		if err != nil || len(want.Rows) != c.rows {
			t.Errorf("%s: %d rows by the naive evaluator, want %d: %v", c.query, len(want.Rows), c.rows, err)
		}
		for seed := range uint64(8) {
			ds := onMixedLog(t, rand.New(rand.NewPCG(seed, 1)), quads)
			if what, bad := differs(quads, ds, c.query); bad {
				t.Errorf("%s, log %d: %s", c.query, seed, what)
			}
		}
	}
}
