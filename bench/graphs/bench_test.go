package graphs_test

import (
	"bytes"
	"context"
	"io"
	"testing"

	"github.com/rete-go/rete/bench/graphs"
	"github.com/rete-go/rete/bench/internal/steady"
	"github.com/rete-go/rete/internal/segment"
	"github.com/rete-go/rete/rdf"
)

// BenchmarkBuild builds many small graphs, and the same triples in one graph, in turns: how many
// times the bytes and the time of the one graph the many take.
func BenchmarkBuild(b *testing.B) {
	const n = 25_000
	var many bytes.Buffer
	if _, err := graphs.Generate(&many, n, 0); err != nil {
		b.Fatal(err)
	}
	one := triples(many.Bytes())
	var manySize, oneSize int64
	pair := steady.Pair{Works: 1, Limits: 1, Work: func(w *steady.Watch) {
		w.Start()
		manySize = build(b, many.Bytes())
		w.Stop()
	}, Limit: func() { oneSize = build(b, one) }}
	var list []steady.Sample
	for b.Loop() {
		list = append(list, steady.Compare(pair, len(list)%2 == 0))
	}
	ratio, took, _ := steady.Rates(list)
	b.ReportMetric(float64(manySize)/float64(oneSize), "bytes-ratio")
	b.ReportMetric(1/ratio.At, "time-ratio")
	b.ReportMetric(float64(took.Nanoseconds())/(n*graphs.QuadsPerGraph), "busy-ns/quad")
}

// build returns the size of the file of a document.
func build(b *testing.B, doc []byte) int64 {
	builder := segment.NewBuilder(&segment.BuildOptions{Workers: 1})
	defer builder.Abort()
	if err := builder.AddNQuads(context.Background(), bytes.NewReader(doc), rdf.Options{}, false); err != nil {
		b.Fatal(err)
	}
	built, err := builder.WriteTo(context.Background(), io.Discard)
	if err != nil {
		b.Fatal(err)
	}
	return built.Size
}

// triples drops the graph of each line.
func triples(quads []byte) (out []byte) {
	for line := range bytes.Lines(quads) {
		line = bytes.TrimSuffix(line, []byte(" .\n"))
		out = append(append(out, line[:bytes.LastIndexByte(line, ' ')]...), " .\n"...)
	}
	return out
}
