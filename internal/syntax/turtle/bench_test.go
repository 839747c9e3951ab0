package turtle_test

import (
	"bytes"
	"io"
	"os"
	"testing"

	"github.com/klauspost/compress/gzip"
	"github.com/rete-go/rete/internal/reteshared"
	"github.com/rete-go/rete/internal/syntax/turtle"
	"github.com/rete-go/rete/rdf"
)

func units(tb testing.TB) []byte {
	f, err := os.Open(reteshared.Path(tb, "data", "real", "qudt", "VOCAB_QUDT-UNITS-ALL.ttl.gz"))
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

func BenchmarkReader(b *testing.B) {
	data := units(b)
	b.SetBytes(int64(len(data)))
	b.ReportAllocs()
	n := 0
	for b.Loop() {
		r := turtle.NewReader(bytes.NewReader(data), rdf.Options{})
		var q rdf.RawQuad
		for {
			err := r.Read(&q)
			if err == io.EOF {
				break
			}
			if err != nil {
				b.Fatal(err)
			}
			n++
		}
	}
	b.ReportMetric(float64(n)/b.Elapsed().Seconds()/1e6, "Mtriples/s")
}

func BenchmarkWriter(b *testing.B) {
	r := turtle.NewReader(bytes.NewReader(units(b)), rdf.Options{})
	quads, err := rdf.ReadAll(r)
	if err != nil {
		b.Fatal(err)
	}
	raw := make([]rdf.RawQuad, len(quads))
	for i, q := range quads {
		raw[i] = q.Raw()
	}
	b.ReportAllocs()
	n := 0
	for b.Loop() {
		w := turtle.NewWriter(io.Discard, r.Prefixes())
		for i := range raw {
			if err := w.WriteQuad(&raw[i]); err != nil {
				b.Fatal(err)
			}
		}
		n += len(raw)
	}
	b.ReportMetric(float64(n)/b.Elapsed().Seconds()/1e6, "Mtriples/s")
}
