package sparql_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"testing"
	"time"

	"github.com/klauspost/compress/zstd"

	"github.com/rete-go/rete/internal/hold"
	"github.com/rete-go/rete/internal/longtest"
	"github.com/rete-go/rete/rdf"
	"github.com/rete-go/rete/rdf/rdfio"
	"github.com/rete-go/rete/sparql"
	"github.com/rete-go/rete/sparql/results"
)

// streamFormats are all formats of answers with a check of a whole document; nil
// for those of lines, of which a part looks whole and the carrier has to tell.
var streamFormats = []struct {
	format sparql.Format
	whole  func(b []byte) error
}{
	{sparql.JSON, wholeJSON},
	{sparql.XML, wholeXML},
	{sparql.CSV, nil},
	{sparql.TSV, nil},
	{sparql.RowFormat(results.HTML), wholeHTML},
	{sparql.Turtle, wholeRDF(rdfio.Turtle)},
	{sparql.NTriples, nil},
	{sparql.NQuads, nil},
	{sparql.TriG, wholeRDF(rdfio.TriG)},
	{sparql.GraphFormat(rdfio.JSONLD), wholeJSON},
	{sparql.GraphFormat(rdfio.RDFXML), wholeRDF(rdfio.RDFXML)},
}

func wholeJSON(b []byte) error {
	if !json.Valid(b) {
		return errors.New("no JSON")
	}
	return nil
}

func wholeXML(b []byte) error {
	d := xml.NewDecoder(bytes.NewReader(b))
	for {
		if _, err := d.Token(); err == io.EOF {
			return nil
		} else if err != nil {
			return err
		}
	}
}

func wholeHTML(b []byte) error {
	if !bytes.Contains(b, []byte("</table>")) {
		return errors.New("the table is open")
	}
	return nil
}

func wholeRDF(f rdfio.Format) func(b []byte) error {
	return func(b []byte) error {
		r, err := rdfio.Open("answer", bytes.NewReader(b), f, rdf.Options{})
		if err != nil {
			return err
		}
		var q rdf.RawQuad
		for {
			if err := r.Read(&q); err == io.EOF {
				return nil
			} else if err != nil {
				return err
			}
		}
	}
}

// streamData is so much that every format hands bytes on long before its end.
func streamData() []rdf.Quad {
	var quads []rdf.Quad
	for i := range 5000 {
		s := rdf.IRI(fmt.Sprintf("http://ex/subject/%d", i/2))
		quads = append(quads, rdf.Quad{S: s, P: rdf.IRI(fmt.Sprintf("http://ex/p%d", i%2)), O: rdf.String(fmt.Sprintf("the value of number %d", i))})
	}
	return quads
}

// codings are the content codings of a carrier; their writers are closed only
// after a whole answer.
var codings = []struct {
	name   string
	encode func(w io.Writer) io.WriteCloser
	decode func(r io.Reader) (io.Reader, error)
}{
	{"identity", func(w io.Writer) io.WriteCloser { return nopCloser{w} }, func(r io.Reader) (io.Reader, error) { return r, nil }},
	{"gzip", func(w io.Writer) io.WriteCloser { return gzip.NewWriter(w) }, func(r io.Reader) (io.Reader, error) { return gzip.NewReader(r) }},
	{"zstd", func(w io.Writer) io.WriteCloser {
		z, _ := zstd.NewWriter(w, zstd.WithEncoderConcurrency(1))
		return z
	}, func(r io.Reader) (io.Reader, error) { return zstd.NewReader(r, zstd.WithDecoderConcurrency(1)) }},
}

type nopCloser struct{ io.Writer }

func (nopCloser) Close() error { return nil }

// TestStreams fails every read of an answer in turn, for each format and coding:
// either nothing was handed on, so that there is a status, or what was is the
// beginning of the answer and not whole.
func TestStreams(t *testing.T) {
	ds := load(streamData())
	for _, f := range streamFormats {
		text := "SELECT ?s ?p ?o { ?s ?p ?o }"
		if f.format.IsGraph() {
			text = "CONSTRUCT WHERE { ?s ?p ?o }"
		}
		q := sparql.MustParse(text)
		var whole bytes.Buffer
		if err := sparql.WriteTo(context.Background(), &whole, f.format, ds, q); err != nil {
			t.Fatal(err)
		}
		if f.whole != nil {
			if err := f.whole(whole.Bytes()); err != nil {
				t.Fatalf("%s: the answer is not whole: %v", f.format, err)
			}
		}
		for _, coding := range codings {
			t.Run(f.format.String()+"/"+coding.name, func(t *testing.T) {
				late := 0
				for k := 1; ; k += longtest.Pick(2, 1) {
					bad := &faulty{Dataset: ds, left: k, err: func() error { return errDamage }}
					var out bytes.Buffer
					enc := coding.encode(&out)
					hold := hold.New(enc, hold.Bytes, time.Hour, nil)
					err := sparql.WriteTo(context.Background(), hold, f.format, bad, q)
					if bad.left > 0 {
						break
					}
					if !errors.Is(err, errDamage) {
						t.Fatalf("call %d fails: error %v", k, err)
					}
					if hold.Discard() {
						if out.Len() != 0 {
							t.Fatalf("call %d fails: %d bytes got through", k, out.Len())
						}
						continue
					}
					if out.Len() == 0 { // the compressor has it all
						continue
					}
					late++
					got, err := decoded(out.Bytes(), coding.decode)
					switch {
					case !bytes.HasPrefix(whole.Bytes(), got):
						t.Fatalf("call %d fails: %d bytes are not the beginning of the answer", k, len(got))
					case coding.name != "identity" && err == nil:
						t.Fatalf("call %d fails: the coding ends as if it were whole", k)
					case f.whole != nil && len(got) > 0 && f.whole(got) == nil:
						t.Fatalf("call %d fails: the answer looks whole: …%q", k, got[max(0, len(got)-80):])
					}
				}
				if late == 0 {
					t.Error("no failure came after the first bytes")
				}
			})
		}
	}
}

func decoded(b []byte, decode func(io.Reader) (io.Reader, error)) ([]byte, error) {
	r, err := decode(bytes.NewReader(b))
	if err != nil {
		return nil, err
	}
	return io.ReadAll(r)
}

// TestStreamsWriter fails every write below an answer: the error is that of the
// writer, and nothing is written after it.
func TestStreamsWriter(t *testing.T) {
	ds := load(streamData())
	for _, f := range streamFormats {
		text := "SELECT ?s ?p ?o { ?s ?p ?o }"
		if f.format.IsGraph() {
			text = "CONSTRUCT WHERE { ?s ?p ?o }"
		}
		q := sparql.MustParse(text)
		for k := 1; ; k++ {
			w := &failingWriter{left: k}
			err := sparql.WriteTo(context.Background(), w, f.format, ds, q)
			if w.left > 0 {
				break
			}
			if !errors.Is(err, errDamage) {
				t.Errorf("%s: write %d fails: error %v", f.format, k, err)
			}
			if w.after > 0 {
				t.Errorf("%s: write %d fails: %d writes after it", f.format, k, w.after)
			}
		}
	}
}

type failingWriter struct{ left, after int }

func (w *failingWriter) Write(p []byte) (int, error) {
	if w.left--; w.left > 0 {
		return len(p), nil
	}
	if w.left < 0 {
		w.after++
	}
	return 0, errDamage
}
