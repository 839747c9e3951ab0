package graphs_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/rete-go/rete/bench/graphs"
	"github.com/rete-go/rete/bench/internal/benchtest"
	"github.com/rete-go/rete/bench/internal/steady"
	"github.com/rete-go/rete/internal/segment"
	"github.com/rete-go/rete/rdf"
)

// BenchmarkOrders builds graphs of several sizes, the same number of quads each time, in six orders and in three,
// in turns, and asks both files the same: how many times the bytes and the time of three orders the six take.
func BenchmarkOrders(b *testing.B) {
	quads := benchtest.Scale(600_000)
	for _, parts := range []int{1, 8, 31, 65, 98, 131, 165, 665} {
		size := 6 + 3*parts
		b.Run(fmt.Sprint(size), func(b *testing.B) {
			n := quads / size
			var doc bytes.Buffer
			if _, err := graphs.GenerateParts(&doc, n, parts, 0); err != nil {
				b.Fatal(err)
			}
			files := [2]string{filepath.Join(b.TempDir(), "six.rete"), filepath.Join(b.TempDir(), "three.rete")}
			b.Run("build", func(b *testing.B) {
				var bytes [2]int64
				pair := steady.Pair{Works: 1, Limits: 1, Limit: func() { bytes[1] = ordered(b, doc.Bytes(), 3, files[1]) }, Work: func(w *steady.Watch) {
					w.Start()
					bytes[0] = ordered(b, doc.Bytes(), 6, files[0])
					w.Stop()
				}}
				report(b, pair, "six", "three")
				b.ReportMetric(float64(bytes[0])/float64(bytes[1]), "bytes-ratio")
				b.ReportMetric(float64(bytes[1])/float64(n*size), "three-bytes/quad")
			})
			for i, orders := range []int{6, 3} {
				if _, err := os.Stat(files[i]); err != nil { // they were not measured
					ordered(b, doc.Bytes(), orders, files[i])
				}
			}
			g := fmt.Sprintf("GRAPH :g%d ", n/2)
			for _, q := range []struct{ name, text string }{
				{"object-in-one", "SELECT * { " + g + fmt.Sprintf("{ ?s ?p :thing%d } }", n/2)},
				{"object-in-each", "SELECT * { GRAPH ?g { ?s ?p :kind3 } }"},
				{"star-in-one", "SELECT * { " + g + "{ ?a :next ?b ; :value ?v ; :of ?t } }"},
				{"star-in-each", "SELECT (COUNT(*) AS ?n) { GRAPH ?g { ?a :next ?b ; :value ?v ; :of ?t } }"},
			} {
				text := "PREFIX : <http://graphs.example/> " + q.text
				compare(b, q.name, files, [2]string{text, text}, "six", "three")
			}
		})
	}
}

// ordered builds a file of a document in a number of orders and returns its size.
func ordered(b *testing.B, doc []byte, orders int, name string) int64 {
	builder := segment.NewBuilder(&segment.BuildOptions{Workers: 1, WriterOptions: segment.WriterOptions{Orders: orders}})
	defer builder.Abort()
	if err := builder.AddNQuads(context.Background(), bytes.NewReader(doc), rdf.Options{}, false); err != nil {
		b.Fatal(err)
	}
	out, err := os.Create(name)
	if err != nil {
		b.Fatal(err)
	}
	defer out.Close()
	built, err := builder.WriteTo(context.Background(), out)
	if err != nil {
		b.Fatal(err)
	}
	return built.Size
}
