package nquads_test

import (
	"bytes"
	"compress/gzip"
	"io"
	"os"
	"testing"

	"github.com/rete-go/rete/internal/reteshared"
	"github.com/rete-go/rete/internal/syntax/nquads"
	"github.com/rete-go/rete/rdf"
)

func movies(tb testing.TB) []byte {
	f, err := os.Open(reteshared.Path(tb, "data", "real", "movies", "movies-30k.nt.gz"))
	if err != nil {
		tb.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		tb.Fatal(err)
	}
	data, err := io.ReadAll(z)
	if err != nil {
		tb.Fatal(err)
	}
	return data
}

func drain(tb testing.TB, r rdf.Reader) (n int) {
	var q rdf.RawQuad
	for {
		if err := r.Read(&q); err == io.EOF {
			return n
		} else if err != nil {
			tb.Fatal(err)
		}
		n++
	}
}

func BenchmarkBlockReader(b *testing.B) {
	data := movies(b)
	b.SetBytes(int64(len(data)))
	b.ReportAllocs()
	n := 0
	for b.Loop() {
		n += drain(b, nquads.NewBlockReader(data, 1, rdf.Options{Blank: rdf.Verbatim}))
	}
	b.ReportMetric(float64(n)/b.Elapsed().Seconds()/1e6, "Mtriples/s")
}

func BenchmarkReader(b *testing.B) {
	data := movies(b)
	b.SetBytes(int64(len(data)))
	b.ReportAllocs()
	n := 0
	for b.Loop() {
		n += drain(b, nquads.NewReader(bytes.NewReader(data), rdf.Options{}))
	}
	b.ReportMetric(float64(n)/b.Elapsed().Seconds()/1e6, "Mtriples/s")
}

func BenchmarkWriter(b *testing.B) {
	data := movies(b)
	quads, err := rdf.ReadAll(nquads.NewBlockReader(data, 1, rdf.Options{}))
	if err != nil {
		b.Fatal(err)
	}
	raw := make([]rdf.RawQuad, len(quads))
	for i, q := range quads {
		raw[i] = q.Raw()
	}
	b.SetBytes(int64(len(data)))
	n := 0
	for b.Loop() {
		w := nquads.NewWriter(io.Discard)
		for i := range raw {
			if err := w.WriteQuad(&raw[i]); err != nil {
				b.Fatal(err)
			}
		}
		n += len(raw)
	}
	b.ReportMetric(float64(n)/b.Elapsed().Seconds()/1e6, "Mtriples/s")
}
