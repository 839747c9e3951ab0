package graphs_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"path/filepath"
	"testing"

	"github.com/rete-go/rete"
	"github.com/rete-go/rete/bench/gen"
	"github.com/rete-go/rete/bench/graphs"
	"github.com/rete-go/rete/bench/internal/benchtest"
	"github.com/rete-go/rete/bench/internal/steady"
	"github.com/rete-go/rete/bench/workload"
)

// BenchmarkQueries asks the same of many small graphs and of one graph with all their triples, in
// turns: how many times the time of the one graph the many take, with what is read in the cache
// (warm), and in a process's first query of a file (first).
func BenchmarkQueries(b *testing.B) {
	const n = 25_000
	set := graphs.Set(n * graphs.QuadsPerGraph)
	one := *set
	one.Quads = false
	one.Write = func(w io.Writer) (int, error) {
		var all bytes.Buffer
		quads, err := graphs.Generate(&all, n, 0)
		if err == nil {
			_, err = w.Write(triples(all.Bytes()))
		}
		return quads, err
	}
	var files [2]string
	for i, s := range []*workload.Set{set, &one} {
		files[i] = filepath.Join(b.TempDir(), "graphs.rete")
		if err := benchtest.Build(context.Background(), s, files[i]); err != nil {
			b.Fatal(err)
		}
	}
	const count, rows, union = "(COUNT(*) AS ?n)", "*", "FROM <urn:x-arq:UnionGraph>"
	for _, q := range []struct{ name, head, dataset, pattern string }{
		{"count-each", count, "", "?s ?p ?o"},
		{"join-within", count, "", "?a :next ?b . ?b :value ?v"},
		{"join-union", count, union, "?a :refers ?b . ?b :kind ?k"},
		{"rows-each", rows, "", "?s ?p ?o"},
		{"rows-within", rows, "", "?a :next ?b . ?b :value ?v"},
		{"rows-star", rows, "", "?a :next ?b ; :value ?v ; :of ?t"},
		{"rows-optional", rows, "", "?a :next ?b OPTIONAL { ?b :value ?v }"},
		{"rows-exists", rows, "", "?a :value ?v FILTER EXISTS { ?b :first ?a }"},
		{"rows-not-exists", rows, "", "?a :value ?v FILTER NOT EXISTS { ?b :first ?a }"},
		{"rows-minus", rows, "", "?a :value ?v MINUS { ?b :first ?a }"},
		{"rows-path", rows, "", "?a :next+ ?b"},
		{"rows-filter", rows, "", "?a :value ?v FILTER(?v > 900)"},
		{"rows-sub-select", rows, "", "{ SELECT ?t (SUM(?v) AS ?sum) { ?a :of ?t ; :value ?v } GROUP BY ?t }"},
		{"rows-union", rows, union, "?a :refers ?b . ?b :kind ?k"},
	} {
		many, one := q.pattern, set.Prologue+"SELECT "+q.head+" { "+q.pattern+" }"
		if q.dataset == "" {
			many = "GRAPH ?g { " + many + " }"
		}
		compare(b, q.name, files, [2]string{set.Prologue + "SELECT " + q.head + " " + q.dataset + " { " + many + " }", one}, "many", "one")
	}
	// As many groups by what stands in one graph as there are graphs.
	grouped := set.Prologue + "SELECT ?s (COUNT(*) AS ?n) { ?s :refers ?o } GROUP BY ?s"
	for _, q := range []struct{ name, pattern, tail string }{
		{"count-by-graph", "?s ?p ?o", ""}, {"count-by-graph-bound", "?s :next ?o", ""}, {"count-by-graph-top", "?s ?p ?o", " ORDER BY DESC(?n) LIMIT 10"},
	} {
		many := set.Prologue + "SELECT ?g (COUNT(*) AS ?n) { GRAPH ?g { " + q.pattern + " } } GROUP BY ?g" + q.tail
		compare(b, q.name, files, [2]string{many, grouped + q.tail}, "many", "one")
	}
	sum := "SELECT %[1]s (SUM(?v) AS ?n) { %[2]s ?a :value ?v %[3]s } GROUP BY %[1]s"
	compare(b, "sum-by-graph", files, [2]string{set.Prologue + fmt.Sprintf(sum, "?g", "GRAPH ?g {", "}"), set.Prologue + fmt.Sprintf(sum, "?t", "?a :of ?t .", "")}, "many", "one")
	compare(b, "list", files, [2]string{set.Prologue + "SELECT DISTINCT ?g { GRAPH ?g { ?s ?p ?o } }", set.Prologue + "SELECT DISTINCT ?s { ?s :refers ?o }"}, "many", "one")
	// The union of two graphs is compared with one graph that is as large.
	draw := gen.NewStream(1, 1, 0, 0)
	two := set.Prologue + "SELECT * FROM " + set.Draw(&draw, "g") + " FROM " + set.Draw(&draw, "g") + " { ?a :next ?b . ?b :value ?v }"
	compare(b, "from-two", files, [2]string{two, set.Prologue + "SELECT * { VALUES ?t { :thing7 :thing9000 } ?a :of ?t ; :next ?b . ?b :value ?v }"}, "many", "one")
}

// report compares work with its limit in turns.
func report(b *testing.B, pair steady.Pair, work, limit string) {
	var list []steady.Sample
	for b.Loop() {
		list = append(list, steady.Compare(pair, len(list)%2 == 0))
	}
	ratio, took, other := steady.Rates(list)
	b.ReportMetric(1/ratio.At, "time-ratio")
	b.ReportMetric(float64(took.Microseconds()), work+"-µs")
	b.ReportMetric(float64(other.Microseconds()), limit+"-µs")
}

// compare measures a query of one file against one of another.
func compare(b *testing.B, name string, files, texts [2]string, work, limit string) {
	measure := func(b *testing.B, ask func(i int)) {
		report(b, steady.Pair{Works: 1, Limits: 1, Limit: func() { ask(1) }, Work: func(w *steady.Watch) {
			w.Start()
			ask(0)
			w.Stop()
		}}, work, limit)
	}
	b.Run(name+"/first", func(b *testing.B) {
		measure(b, func(i int) {
			db, err := rete.Open(context.Background(), files[i], nil)
			if err != nil {
				b.Fatal(err)
			}
			defer db.Close()
			snap, err := db.Snapshot(context.Background())
			if err != nil {
				b.Fatal(err)
			}
			defer snap.Close()
			benchtest.Write(b, snap, io.Discard, texts[i])
		})
	})
	b.Run(name+"/warm", func(b *testing.B) {
		snaps := [2]*rete.Snapshot{benchtest.OpenFile(b, files[0]), benchtest.OpenFile(b, files[1])}
		for i, s := range snaps {
			benchtest.Write(b, s, io.Discard, texts[i])
		}
		measure(b, func(i int) { benchtest.Write(b, snaps[i], io.Discard, texts[i]) })
	})
}
