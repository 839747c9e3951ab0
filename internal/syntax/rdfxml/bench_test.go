package rdfxml_test

import (
	"bytes"
	"io"
	"os"
	"testing"

	"github.com/klauspost/compress/gzip"
	"github.com/rete-go/rete/internal/reteshared"
	"github.com/rete-go/rete/internal/syntax/rdfxml"
	"github.com/rete-go/rete/rdf"
)

func BenchmarkReader(b *testing.B) {
	f, err := os.Open(reteshared.Path(b, "data", "real", "pato", "pato-base.owl.gz"))
	if err != nil {
		b.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		b.Fatal(err)
	}
	data, err := io.ReadAll(z)
	if err != nil {
		b.Fatal(err)
	}
	b.SetBytes(int64(len(data)))
	b.ReportAllocs()
	n := 0
	for b.Loop() {
		quads, err := rdf.ReadAll(rdfxml.NewReader(bytes.NewReader(data), rdf.Options{}))
		if err != nil {
			b.Fatal(err)
		}
		n += len(quads)
	}
	b.ReportMetric(float64(n)/b.Elapsed().Seconds()/1e6, "Mtriples/s")
}
