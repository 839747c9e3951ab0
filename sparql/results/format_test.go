package results_test

import (
	"strings"
	"testing"

	"github.com/rete-go/rete/sparql/results"
)

func TestNegotiate(t *testing.T) {
	offers := results.Offers() // JSON, XML, CSV, TSV, HTML
	for accept, want := range map[string]int{
		"":                                    0,
		"*/*":                                 0,
		"application/sparql-results+xml":      1,
		"application/xml":                     1,
		"application/json":                    0,
		"text/csv":                            2,
		"text/*":                              2,
		"text/*, text/csv;q=0":                3,
		"application/*;q=0.5, text/csv;q=0.4": 0,
		"application/sparql-results+json;q=0.3, text/csv;q=0.9": 2,
		"application/*;q=0.2, */*;q=0.9":                        2,
		"text/html, */*;q=0.1":                                  4,
		"text/html":                                             4,
		"image/png":                                             -1,
		"text/csv;q=0":                                          -1,
		"nonsense":                                              -1,
		"APPLICATION/SPARQL-RESULTS+XML ; Q=0.7":                1,
		"text/csv;q=2":                                          -1,
		"application/sparql-results+json, application/sparql-results+xml": 0,
	} {
		got, ok := results.Negotiate(accept, offers)
		if got != want || ok != (want >= 0) {
			t.Errorf("%q: %d, %v, want %d", accept, got, ok, want)
		}
	}
}

func TestFormats(t *testing.T) {
	for _, f := range []results.Format{results.JSON, results.XML, results.CSV, results.TSV, results.Text, results.HTML} {
		for _, s := range []string{f.String(), f.MediaType(), f.ContentType()} {
			if g, ok := results.ParseFormat(s); !ok || g != f {
				t.Errorf("ParseFormat(%q) = %v, %v", s, g, ok)
			}
		}
		if g, ok := results.FormatOf("dir.d/answer" + strings.ToUpper(f.Extension())); !ok || g != f {
			t.Errorf("FormatOf(%q) = %v, %v", f.Extension(), g, ok)
		}
	}
	if _, ok := results.FormatOf("data.nt"); ok {
		t.Error("data.nt is a result")
	}
}

func BenchmarkWrite(b *testing.B) {
	row := [][]byte{[]byte("<http://example.org/item/12345>"), []byte(`"a plain string of usual length"`),
		[]byte(`"42"^^<http://www.w3.org/2001/XMLSchema#integer>`)}
	for _, f := range []results.Format{results.JSON, results.XML, results.CSV, results.TSV} {
		b.Run(f.String(), func(b *testing.B) {
			w := results.NewWriter(discard{}, f)
			_ = w.Head([]string{"x", "y", "z"})
			b.ReportAllocs()
			for b.Loop() {
				if err := w.Row(row); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

type discard struct{}

func (discard) Write(p []byte) (int, error) { return len(p), nil }
