package rdfio_test

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/rete-go/rete/internal/reteshared"
	"github.com/rete-go/rete/internal/syntax/nquads"
	"github.com/rete-go/rete/internal/syntax/rdfxml"
	"github.com/rete-go/rete/internal/syntax/turtle"
	"github.com/rete-go/rete/rdf"
	"github.com/rete-go/rete/rdf/isomorphic"
	"github.com/rete-go/rete/rdf/rdfio"
)

const (
	mf   = "http://www.w3.org/2001/sw/DataAccess/tests/test-manifest#"
	rdft = "http://www.w3.org/ns/rdftest#"
)

// suites lists the W3C folders with the number of tests of each type, so that
// a manifest that is read only in part is noticed.
var suites = []struct {
	dir    string
	format rdfio.Format
	want   map[string]int
}{
	{"rdf11/rdf-n-triples", rdfio.NTriples, map[string]int{"TestNTriplesPositiveSyntax": 41, "TestNTriplesNegativeSyntax": 29}},
	{"rdf11/rdf-n-quads", rdfio.NQuads, map[string]int{"TestNQuadsPositiveSyntax": 53, "TestNQuadsNegativeSyntax": 34}},
	{"rdf11/rdf-turtle", rdfio.Turtle, map[string]int{"TestTurtleEval": 145, "TestTurtlePositiveSyntax": 74, "TestTurtleNegativeSyntax": 94}},
	{"rdf11/rdf-trig", rdfio.TriG, map[string]int{"TestTrigEval": 143, "TestTrigPositiveSyntax": 98, "TestTrigNegativeSyntax": 115}},
	{"rdf12/rdf-n-triples/syntax", rdfio.NTriples, map[string]int{"TestNTriplesPositiveSyntax": 7, "TestNTriplesNegativeSyntax": 22}},
	{"rdf12/rdf-n-triples/c14n", rdfio.NTriples, map[string]int{"TestNTriplesPositiveC14N": 41}},
	{"rdf12/rdf-n-quads/syntax", rdfio.NQuads, map[string]int{"TestNQuadsPositiveSyntax": 7, "TestNQuadsNegativeSyntax": 20}},
	{"rdf12/rdf-n-quads/c14n", rdfio.NQuads, map[string]int{"TestNQuadsPositiveC14N": 41}},
	{"rdf12/rdf-turtle/syntax", rdfio.Turtle, map[string]int{"TestTurtlePositiveSyntax": 41, "TestTurtleNegativeSyntax": 33}},
	{"rdf12/rdf-turtle/eval", rdfio.Turtle, map[string]int{"TestTurtleEval": 29}},
	{"rdf12/rdf-trig/syntax", rdfio.TriG, map[string]int{"TestTrigPositiveSyntax": 24, "TestTrigNegativeSyntax": 11}},
	{"rdf12/rdf-trig/eval", rdfio.TriG, map[string]int{"TestTrigEval": 25}},
	{"rdf11/rdf-xml", rdfio.RDFXML, map[string]int{"TestXMLEval": 126, "TestXMLNegativeSyntax": 40}},
	{"rdf12/rdf-xml/eval", rdfio.RDFXML, map[string]int{"TestXMLEval": 29, "TestXMLNegativeSyntax": 2}},
}

func TestW3C(t *testing.T) {
	for _, suite := range suites {
		t.Run(strings.ReplaceAll(suite.dir, "/", "_"), func(t *testing.T) {
			dir := reteshared.W3C(t, "rdf", filepath.FromSlash(suite.dir))
			m := readManifest(t, dir)
			got := map[string]int{}
			for _, e := range m.entries {
				got[e.kind]++
				t.Run(e.name, func(t *testing.T) { runEntry(t, dir, m.base, suite.format, e) })
			}
			for kind, n := range suite.want {
				if got[kind] != n {
					t.Errorf("%d entries of type %s, want %d", got[kind], kind, n)
				}
			}
			if len(got) != len(suite.want) {
				t.Errorf("types %v, want %v", got, suite.want)
			}
		})
	}
}

func runEntry(t *testing.T, dir, base string, format rdfio.Format, e entry) {
	if base != "" {
		base += e.action
	}
	quads, err := readFile(filepath.Join(dir, filepath.FromSlash(e.action)), format, rdf.Options{Base: base})
	slowly(t, filepath.Join(dir, filepath.FromSlash(e.action)), format, rdf.Options{Base: base}, quads, err)
	if strings.Contains(e.kind, "Negative") {
		if !isSyntaxError(err) {
			t.Fatalf("%s: error %v, quads %v", e.action, err, quads)
		}
		t.Log(err)
		return
	}
	if err != nil {
		t.Fatal(err)
	}
	roundTrips(t, quads)
	if e.result == "" {
		return
	}
	result := filepath.Join(dir, filepath.FromSlash(e.result))
	if strings.HasSuffix(e.kind, "C14N") {
		want, err := os.ReadFile(result)
		if err != nil {
			t.Fatal(err)
		}
		verbatim, err := readFile(filepath.Join(dir, e.action), format, rdf.Options{Blank: rdf.Verbatim})
		if err != nil {
			t.Fatal(err)
		}
		var out bytes.Buffer
		if err := rdf.WriteAll(nquads.NewWriter(&out), verbatim); err != nil {
			t.Fatal(err)
		}
		if out.String() != string(want) {
			t.Fatalf("canonical form:\n%q\nwant\n%q", out.String(), want)
		}
		return
	}
	want, err := readFile(result, rdfio.FormatOf(result), rdf.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if !isomorphic.Equal(quads, want) {
		t.Fatalf("got\n%v\nwant\n%v", quads, want)
	}
}

// slowly reads a document from a source that gives one byte at a time: the
// quads, and the error with its position, must be the same.
func slowly(t *testing.T, name string, format rdfio.Format, opt rdf.Options, want []rdf.Quad, wantErr error) {
	t.Helper()
	f, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	opt.File = name
	src := iotest.OneByteReader(f)
	var r rdf.Reader
	switch format {
	case rdfio.NTriples:
		r = nquads.NewTriplesReader(src, opt)
	case rdfio.NQuads:
		r = nquads.NewReader(src, opt)
	case rdfio.Turtle:
		r = turtle.NewReader(src, opt)
	case rdfio.TriG:
		r = turtle.NewTriGReader(src, opt)
	case rdfio.RDFXML:
		r = rdfxml.NewReader(src, opt)
	}
	got, err := rdf.ReadAll(r)
	if fmt.Sprint(err) != fmt.Sprint(wantErr) {
		t.Fatalf("byte by byte: error\n%v\nwant\n%v", err, wantErr)
	}
	if !slices.Equal(got, want) {
		t.Fatalf("byte by byte: got\n%v\nwant\n%v", got, want)
	}
}

// roundTrips writes quads in every syntax that can hold them and reads them
// back.
func roundTrips(t *testing.T, quads []rdf.Quad) {
	t.Helper()
	graphs := false
	for _, q := range quads {
		graphs = graphs || !q.G.IsZero()
		for _, term := range []rdf.Term{q.S, q.P, q.O} {
			if !term.Valid() {
				t.Fatalf("a term that is not canonical: %s", term)
			}
		}
	}
	xmlRoundTrips(t, quads)
	prefixes := map[string]string{"": "http://example/", "a.b": "http://a.example/", "xsd": rdf.XSD, "e": "http://www.w3.org/2013/TurtleTests/"}
	for _, format := range []rdfio.Format{rdfio.NTriples, rdfio.NQuads, rdfio.Turtle, rdfio.TriG} {
		if graphs && !format.HasGraphs() {
			continue
		}
		var out bytes.Buffer
		w, err := rdfio.NewWriter(&out, format, prefixes)
		if err != nil {
			t.Fatal(err)
		}
		if err := rdf.WriteAll(w, quads); err != nil {
			t.Fatal(err)
		}
		r, err := rdfio.Open("written", bytes.NewReader(out.Bytes()), format, rdf.Options{Blank: rdf.Verbatim})
		if err != nil {
			t.Fatal(err)
		}
		back, err := rdf.ReadAll(r)
		if err != nil {
			t.Fatalf("%s written from %v\n%s\n%v", format, quads, out.String(), err)
		}
		if len(back) != len(quads) {
			t.Fatalf("%s: %d quads came back of %d", format, len(back), len(quads))
		}
		for i := range back {
			if back[i] != quads[i] {
				t.Fatalf("%s: quad %d came back as\n%s\nwas\n%s", format, i, back[i], quads[i])
			}
		}
	}
}

func isSyntaxError(err error) bool {
	var syntax *rdf.SyntaxError
	return errors.As(err, &syntax)
}

// xmlRoundTrips writes the quads that RDF/XML can hold and reads them back.
func xmlRoundTrips(t *testing.T, quads []rdf.Quad) {
	t.Helper()
	var out bytes.Buffer
	w := rdfxml.NewWriter(&out, map[string]string{"ex": "http://example/", "xsd": rdf.XSD})
	var held []rdf.Quad
	for _, q := range quads {
		raw := q.Raw()
		if err := w.WriteQuad(&raw); err == nil {
			held = append(held, q)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	back, err := rdf.ReadAll(rdfxml.NewReader(&out, rdf.Options{}))
	if err != nil {
		t.Fatal(err)
	}
	if !isomorphic.Equal(back, held) {
		t.Fatalf("RDF/XML: got\n%v\nwant\n%v", back, held)
	}
}

func readFile(name string, format rdfio.Format, opt rdf.Options) ([]rdf.Quad, error) {
	f, err := rdfio.OpenFile(name, format, opt)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return rdf.ReadAll(f)
}

// entry is a test of a manifest; action and result are relative file names.
type entry struct{ name, kind, action, result string }

type manifest struct {
	base    string
	entries []entry
}

// readManifest reads the entries that the mf:entries list of a manifest names,
// in its order.
func readManifest(t *testing.T, dir string) manifest {
	t.Helper()
	name := filepath.Join(dir, "manifest.ttl")
	const here = "http://manifest.test/"
	quads, err := readFile(name, rdfio.Turtle, rdf.Options{Base: here})
	if err != nil {
		t.Fatal(err)
	}
	values := map[rdf.Term]map[string]rdf.Term{}
	var m manifest
	var list rdf.Term
	for _, q := range quads {
		if values[q.S] == nil {
			values[q.S] = map[string]rdf.Term{}
		}
		values[q.S][q.P.Value()] = q.O
		switch q.P.Value() {
		case mf + "assumedTestBase":
			m.base = q.O.Value()
		case mf + "entries":
			list = q.O
		}
	}
	for list.Value() != rdf.RDF+"nil" {
		test := values[list][rdf.RDF+"first"]
		v := values[test]
		if len(v) == 0 {
			t.Fatalf("the manifest lists %s and does not describe it", test)
		}
		m.entries = append(m.entries, entry{
			name:   v[mf+"name"].Value(),
			kind:   strings.TrimPrefix(v[rdf.RDF+"type"].Value(), rdft),
			action: strings.TrimPrefix(v[mf+"action"].Value(), here),
			result: strings.TrimPrefix(v[mf+"result"].Value(), here),
		})
		list = values[list][rdf.RDF+"rest"]
	}
	return m
}
