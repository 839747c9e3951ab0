package sparql_test

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/rete-go/rete/dataset"
	"github.com/rete-go/rete/rdf"
	"github.com/rete-go/rete/sparql"
	"github.com/rete-go/rete/sparql/internal/fuzzquery"
	"github.com/rete-go/rete/sparql/internal/planner"
)

// TestWorstCase counts cliques in a graph in which joins of two patterns make
// far more rows than there are answers: a hub that everybody knows.
func TestWorstCase(t *testing.T) {
	r := rand.New(rand.NewPCG(6, 6))
	const n = 3000
	knows := make(map[[2]int]bool)
	for i := 1; i < n; i++ {
		knows[[2]int{0, i}], knows[[2]int{i, 0}] = true, true
		for range 2 {
			knows[[2]int{i, 1 + r.IntN(n-1)}] = true
		}
	}
	var quads []rdf.Quad
	node := func(i int) rdf.Term { return rdf.IRI(fmt.Sprintf("http://ex/n%d", i)) }
	out := make([][]int, n)
	for e := range knows {
		quads = append(quads, rdf.Quad{S: node(e[0]), P: rdf.IRI("http://ex/k"), O: node(e[1])})
		out[e[0]] = append(out[e[0]], e[1])
	}
	triangles, at, met := int64(0), make([]int64, n), make(map[int]bool)
	for e := range knows {
		for _, c := range out[e[1]] {
			if knows[[2]int{c, e[0]}] {
				triangles++
				at[e[0]]++
				if e[0] != 0 {
					met[e[1]] = true
				}
			}
		}
	}
	triangle := "?a :k ?b . ?b :k ?c . ?c :k ?a"
	for _, ds := range []dataset.Dataset{load(quads), onSegment(t, quads)} {
		for query, want := range map[string]int64{
			"(COUNT(*) AS ?n) { " + triangle + " }":                             triangles,
			"(COUNT(DISTINCT ?b) AS ?n) { " + triangle + " . ?a :k :n0 }":       int64(len(met)),
			"(COUNT(*) AS ?n) { " + triangle + " VALUES ?a { :n0 } }":           at[0],
			"(COUNT(*) AS ?n) { { " + triangle + " } FILTER(?a = :n0) }":        at[0],
			"(COUNT(*) AS ?n) { ?a :k :n0 . " + triangle + " FILTER(?a = ?a) }": triangles - at[0],
		} {
			q := sparql.MustParse("PREFIX : <http://ex/> SELECT " + query)
			a, err := answer(ds, q)
			if err != nil {
				t.Fatal(err)
			}
			if got := a.Set.Rows[0][0]; got != rdf.Integer(want) {
				t.Errorf("%s: %v, want %d", query, got, want)
			}
		}
		p, err := sparql.Explain(t.Context(), ds, sparql.MustParse("PREFIX : <http://ex/> SELECT * { "+triangle+" }"))
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(p.String(), "leapfrog") {
			t.Errorf("no leapfrog:\n%s", p)
		}
	}
}

// cycles are patterns for a leapfrog.
var cycles = []string{
	"?a :p ?b . ?b :p ?c . ?c :p ?a",
	"?a :p ?b . ?b :q ?c . ?a :p ?c",
	"?a :p ?b . ?b :p ?c . ?c :p ?d . ?d :q ?a",
	"?a :p ?b . ?a :p ?c . ?a :p ?d . ?b :p ?c . ?b :p ?d . ?c :p ?d",
	"?a :p ?b . ?b :p ?c . ?c :p ?a . ?a :q ?x",
	"?a :p ?b . ?b :p ?c . ?c :p ?a FILTER(STRSTARTS(STR(?a), 'http://ex/n1'))",
	"?a :p ?b . ?b :p ?c . ?c :none ?a",
	"?a ?r ?b . :n1 ?s ?b . :n1 ?s ?c . ?c :p ?a . ?a :q ?b",
	"?a :p ?b . ?b ?r :n3 . ?a ?r :n3",
	"GRAPH :g { ?a :p ?b . ?b :p ?c . ?c :p ?a }",
}

// TestLeapfrog compares leapfrogs, over arrays and over cursors where memory is refused,
// with joins of two.
func TestLeapfrog(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 1))
	var quads []rdf.Quad
	node := func() rdf.Term { return rdf.IRI(fmt.Sprintf("http://ex/n%d", min(r.IntN(40), r.IntN(40)))) }
	for i := range 700 {
		q := rdf.Quad{S: node(), P: rdf.IRI("http://ex/" + string("ppq"[i%3])), O: node()}
		quads = append(quads, q)
		if q.G = rdf.IRI("http://ex/g"); i%2 == 0 {
			quads = append(quads, q)
		}
	}
	refused := func(op string) bool { return op == "multiway join" }
	frogs := 0
	for name, ds := range map[string]dataset.Dataset{"memory": load(quads), "segment": onSegment(t, quads), "log": onLog(t, r, quads)} {
		for _, c := range cycles {
			q := sparql.MustParse(fuzzquery.Prefixes + "SELECT * { " + c + " }")
			want, err := answer(ds, q, sparql.JoinMethods(planner.PairJoins))
			if err != nil {
				t.Fatal(err)
			}
			w := lines(want.Set.Vars, want.Set.Rows, want.Set.Vars)
			p, err := sparql.Explain(t.Context(), ds, q, sparql.JoinMethods(planner.ManyJoins))
			if err != nil {
				t.Fatal(err)
			}
			frogs += countOps(p.Root, "leapfrog")
			for how, opts := range map[string][]sparql.Option{"arrays": nil, "cursors": {sparql.RefuseMemory(refused)}} {
				got, err := answer(ds, q, append(opts, sparql.JoinMethods(planner.ManyJoins))...)
				var memory *sparql.MemoryError
				if errors.As(err, &memory) && (name == "memory" || strings.Contains(c, "?r")) {
					continue // there are no cursors for leapfrogs
				}
				if err != nil {
					t.Errorf("%s, %s: %v\n%s", name, how, err, c)
				} else if g := lines(got.Set.Vars, got.Set.Rows, want.Set.Vars); !slices.Equal(g, w) {
					t.Errorf("%s, %s: %d rows, want %d\n%s", name, how, len(g), len(w), c)
				}
			}
		}
	}
	if frogs < 20 {
		t.Errorf("%d leapfrogs", frogs)
	}
}

// zipf writes n edges between nodes that are drawn by rank, the first the most.
func zipf(edges int) *bytes.Buffer {
	z := rand.NewZipf(rand.New(rand.NewPCG(7, 6)), 1.2, 20, uint64(edges/5))
	var text bytes.Buffer
	for range edges {
		fmt.Fprintf(&text, "<http://ex/n%d> <http://ex/p> <http://ex/n%d> .\n", z.Uint64(), z.Uint64())
	}
	return &text
}

// BenchmarkLeapfrog compares cycles in a graph with Zipf degrees, and stars of which one
// arm is rare or has nothing that the others have, with joins of two, in turn. The joins
// of two of a million edges would take hours: there the leapfrog runs alone.
func BenchmarkLeapfrog(b *testing.B) {
	const triangle = "SELECT (COUNT(*) AS ?n) { ?a :p ?b . ?b :p ?c . ?c :p ?a }"
	const clique = "SELECT (COUNT(*) AS ?n) { ?a :p ?b . ?a :p ?c . ?a :p ?d . ?b :p ?c . ?b :p ?d . ?c :p ?d }"
	graph := built(b, zipf(10_000))
	for name, text := range map[string]string{"triangle": triangle, "clique": clique} {
		b.Run(name, func(b *testing.B) {
			compareJoins(b, graph, sparql.MustParse(fuzzquery.Prefixes+text))
		})
	}
	b.Run("triangle-of-a-million", func(b *testing.B) {
		ds, q := built(b, zipf(1_000_000)), sparql.MustParse(fuzzquery.Prefixes+triangle)
		for b.Loop() {
			sparql.Drain(b, ds, q)
		}
	})
	for name, last := range map[string]int{"star-with-an-empty-arm": 100_000, "star-with-a-rare-arm": 99_000} {
		b.Run(name, func(b *testing.B) {
			var text bytes.Buffer
			for i := range 100_000 {
				for arm := range 5 {
					fmt.Fprintf(&text, "<http://ex/k%08d> <http://ex/a%d> \"%d\" .\n", i, arm, i*7919%1000)
				}
				if i%20 == 0 { // after all others, or after most of them
					fmt.Fprintf(&text, "<http://ex/k%08d> <http://ex/a5> \"%d\" .\n", last+i, i)
				}
			}
			compareJoins(b, built(b, &text), sparql.MustParse(fuzzquery.Prefixes+"SELECT * { ?x :a0 ?a ; :a1 ?b ; :a2 ?c ; :a3 ?d ; :a4 ?e ; :a5 ?f FILTER(?a != '7') FILTER(?b != '8') }"))
		})
	}
}
