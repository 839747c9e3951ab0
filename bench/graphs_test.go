package bench_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"runtime"
	"testing"

	"github.com/rete-go/rete"
	"github.com/rete-go/rete/engine"
	"github.com/rete-go/rete/engine/manifest"
	"github.com/rete-go/rete/internal/retetest"
	"github.com/rete-go/rete/rdf/rdfio"
	"github.com/rete-go/rete/sparql"
)

// graphOf makes a database of the edges that f draws, all under one predicate.
func graphOf(b *testing.B, f func(edge func(from, to int))) *rete.Snapshot {
	b.Helper()
	var doc bytes.Buffer
	f(func(from, to int) { fmt.Fprintf(&doc, "<urn:n%d> <urn:p> <urn:n%d> .\n", from, to) })
	base := engine.Source{Name: "edges", Reader: bytes.NewReader(doc.Bytes()), Format: rdfio.NTriples}
	db, err := retetest.Init(context.Background(), b.TempDir()+"/g"+manifest.Suffix,
		&engine.InitOptions{Bases: []engine.Source{base}}, &rete.Options{CacheBytes: 1 << 30})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { db.Close() })
	return snapshot(b, db)
}

// rowsOf drains a query row by row, without a look at a term.
func rowsOf(b *testing.B, s *rete.Snapshot, query string) (n int) {
	b.Helper()
	rows, err := s.Select(context.Background(), sparql.MustParse(query))
	if err != nil {
		b.Fatal(err)
	}
	for _, err := range rows.All() {
		if err != nil {
			b.Fatal(err)
		}
		n++
	}
	return n
}

// perRow reports how many rows there were, and the time of one.
func perRow(b *testing.B, rows int) {
	b.ReportMetric(float64(rows), "rows")
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(rows), "ns/row")
}

// twoHopEdges is the number of edges of the graphs of BenchmarkTwoHop.
const twoHopEdges = 341_000

// BenchmarkTwoHop counts and drains the paths of two edges, over 341,000 edges: of a
// graph in which a node has four on average, which has 1.36 million such paths, and of
// denser ones between ends drawn evenly, and with some nodes that have very many.
func BenchmarkTwoHop(b *testing.B) {
	even := func(r *rand.Rand, nodes int) func() int { return func() int { return r.IntN(nodes) } }
	for _, g := range []struct {
		name  string
		nodes int
		draw  func(r *rand.Rand, nodes int) func() int
	}{
		{"sparse", twoHopEdges / 4, even},
		{"uniform", twoHopEdges / 10, even},
		{"zipf", twoHopEdges / 10, func(r *rand.Rand, nodes int) func() int {
			z := rand.NewZipf(r, 1.2, 40, uint64(nodes)-1)
			return func() int { return int(z.Uint64()) }
		}},
	} {
		r := rand.New(rand.NewPCG(1, 1))
		draw := g.draw(r, g.nodes)
		s := graphOf(b, func(edge func(from, to int)) {
			seen := make(map[[2]int]bool, twoHopEdges)
			for len(seen) < twoHopEdges {
				e := [2]int{r.IntN(g.nodes), draw()}
				if !seen[e] {
					seen[e] = true
					edge(e[0], e[1])
				}
			}
		})
		const two = "{ ?a <urn:p> ?b . ?b <urn:p> ?c }"
		b.Run(g.name+"/count", func(b *testing.B) {
			for b.Loop() {
				rowsOf(b, s, "SELECT (COUNT(*) AS ?n) "+two)
			}
		})
		b.Run(g.name+"/rows", func(b *testing.B) {
			n := 0
			for b.Loop() {
				n = rowsOf(b, s, "SELECT ?a ?c "+two)
			}
			perRow(b, n)
		})
		b.Run(g.name+"/rows-all", func(b *testing.B) {
			n := 0
			for b.Loop() {
				n = rowsOf(b, s, "SELECT * "+two)
			}
			perRow(b, n)
		})
		b.Run(g.name+"/terms", func(b *testing.B) {
			q, n := sparql.MustParse("SELECT ?a ?c "+two), 0
			for b.Loop() {
				n = 0
				rows, err := s.Select(context.Background(), q)
				if err != nil {
					b.Fatal(err)
				}
				for row, err := range rows.All() {
					if err != nil || row.At(0).IsZero() || row.At(1).IsZero() {
						b.Fatal("no term: ", err)
					}
					n++
				}
			}
			perRow(b, n)
		})
		for _, f := range []sparql.Format{sparql.JSON, sparql.TSV} {
			b.Run(g.name+"/"+f.String(), func(b *testing.B) {
				q := sparql.MustParse("SELECT ?a ?c " + two)
				for b.Loop() {
					if err := s.WriteTo(context.Background(), io.Discard, f, q); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
		b.Run(g.name+"/operators", func(b *testing.B) {
			q := sparql.MustParse("SELECT ?a ?c " + two)
			for b.Loop() {
				if _, err := sparql.Analyze(context.Background(), s.Dataset(), q); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkDeepPaths follows closures through graphs that are deep or wide: a chain
// of a million edges, a complete binary tree of depth 20, a cycle of 100,000, and a
// hub with a million edges into it.
func BenchmarkDeepPaths(b *testing.B) {
	const chain, depth, cycle, hub = 1_000_000, 20, 100_000, 1_000_000
	for _, g := range []struct {
		name  string
		edges func(edge func(from, to int))
		start int
		end   int
	}{
		{"chain", func(edge func(from, to int)) {
			for i := range chain {
				edge(i, i+1)
			}
		}, 0, chain},
		{"tree", func(edge func(from, to int)) {
			for i := 2; i < 2<<depth; i++ {
				edge(i/2, i)
			}
		}, 1, 2<<depth - 1},
		{"cycle", func(edge func(from, to int)) {
			for i := range cycle {
				edge(i, (i+1)%cycle)
			}
		}, 0, cycle / 2},
		{"hub", func(edge func(from, to int)) {
			for i := 1; i <= hub; i++ {
				edge(i, 0)
			}
			edge(0, hub+1)
		}, 0, hub + 1},
	} {
		s := graphOf(b, g.edges)
		for _, q := range []struct{ name, text string }{
			{"from", fmt.Sprintf("SELECT (COUNT(*) AS ?n) { <urn:n%d> <urn:p>+ ?x }", g.start)},
			{"to", fmt.Sprintf("SELECT (COUNT(*) AS ?n) { ?x <urn:p>+ <urn:n%d> }", g.end)},
			{"to-start", fmt.Sprintf("SELECT (COUNT(*) AS ?n) { ?x <urn:p>* <urn:n%d> }", g.start)},
			{"between", fmt.Sprintf("ASK { <urn:n%d> <urn:p>+ <urn:n%d> }", g.start, g.end)},
			{"not-between", fmt.Sprintf("ASK { <urn:n%d> <urn:p>+ <urn:none> }", g.start)},
			{"free-limit", "SELECT * { ?x <urn:p>+ ?y } LIMIT 1000"},
			{"star-limit", "SELECT * { ?x <urn:p>* ?y } LIMIT 1000"},
		} {
			b.Run(g.name+"/"+q.name, func(b *testing.B) {
				var before, after runtime.MemStats
				runtime.ReadMemStats(&before)
				parsed := sparql.MustParse(q.text)
				runs := 0
				for b.Loop() {
					runs++
					if err := s.WriteTo(context.Background(), &bytes.Buffer{}, sparql.JSON, parsed); err != nil {
						b.Fatal(err)
					}
				}
				runtime.ReadMemStats(&after)
				b.ReportMetric(float64(after.TotalAlloc-before.TotalAlloc)/float64(runs)/1e6, "MB/op")
			})
		}
	}
}
