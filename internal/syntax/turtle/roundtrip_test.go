package turtle_test

import (
	"bytes"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/rete-go/rete/internal/rdfgen"
	"github.com/rete-go/rete/internal/syntax/turtle"
	"github.com/rete-go/rete/rdf"
	"pgregory.net/rapid"
)

var prefixes = map[string]string{
	"": "http://ex/", "a.b-c": "http://ex/a", "é": "http://ex/a#", "true": "urn:x:", "xsd": rdf.XSD, "a": "a:",
}

func TestRoundTrip(t *testing.T) {
	for name, trig := range map[string]bool{"Turtle": false, "TriG": true} {
		t.Run(name, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				quads := rapid.SliceOf(rdfgen.Quad(trig)).Draw(t, "quads")
				// Repeats of subjects and predicates, for the grouping.
				for i := 1; i < len(quads); i++ {
					switch rapid.IntRange(0, 3).Draw(t, "same") {
					case 0:
						quads[i].S, quads[i].P, quads[i].G = quads[i-1].S, quads[i-1].P, quads[i-1].G
					case 1:
						quads[i].S = quads[i-1].S
					case 2:
						quads[i].G = quads[i-1].G
					}
				}
				checkRoundTrip(t, quads, trig)
			})
		})
	}
}

type failer interface{ Fatalf(string, ...any) }

func checkRoundTrip(t failer, quads []rdf.Quad, trig bool) {
	var out bytes.Buffer
	w := turtle.NewWriter(&out, prefixes)
	if trig {
		w = turtle.NewTriGWriter(&out, prefixes)
	}
	if err := rdf.WriteAll(w, quads); err != nil {
		t.Fatalf("writing: %v", err)
	}
	back, err := read(out.String(), trig, rdf.Options{Blank: rdf.Verbatim})
	if err != nil || !slices.Equal(back, quads) {
		t.Fatalf("%v\nwritten as\n%s\ncame back as\n%v, %v", quads, out.String(), back, err)
	}
}

func TestWriterSpelling(t *testing.T) {
	s, p := rdf.IRI("http://ex/s"), rdf.IRI("http://ex/p")
	quads := []rdf.Quad{
		{S: s, P: rdf.IRI(rdf.RDF + "type"), O: rdf.IRI("http://ex/")},
		{S: s, P: p, O: rdf.Integer(7)},
		{S: s, P: p, O: rdf.Typed("7.", rdf.XSDDecimal)},
		{S: s, P: p, O: rdf.Typed("1e0", rdf.XSDDouble)},
		{S: s, P: p, O: rdf.Typed("1", rdf.XSDBoolean)},
		{S: s, P: p, O: rdf.IRI("http://ex/-(x).")},
		{S: s, P: p, O: rdf.IRI("http://ex/é%20%2/")},
		{S: s, P: p, O: rdf.IRI("http://ex/\u00d7")},
		{S: s, P: p, O: rdf.IRI("http://ex/abc"), G: rdf.IRI("http://ex/g")},
		{S: s, P: p, O: rdf.TripleTerm(s, p, rdf.Boolean(false)), G: rdf.IRI("http://ex/g")},
		{S: rdf.Blank("b"), P: p, O: rdf.LangString("x\n\"", "en")},
	}
	const want = `@prefix : <http://ex/> .
@prefix ab: <http://ex/ab> .
@prefix xsd: <http://www.w3.org/2001/XMLSchema#> .

:s a : ;
    :p 7 , "7."^^xsd:decimal , 1e0 , "1"^^xsd:boolean , :\-\(x\)\. , :é%20\%2\/ , <http://ex/×> .
:g {
  :s :p ab:c , <<( :s :p false )>> .
}
_:b :p "x\n\""@en .
`
	var out bytes.Buffer
	w := turtle.NewTriGWriter(&out, map[string]string{"": "http://ex/", "ab": "http://ex/ab", "xsd": rdf.XSD})
	if err := rdf.WriteAll(w, quads); err != nil {
		t.Fatal(err)
	}
	if out.String() != want {
		t.Errorf("got\n%s\nwant\n%s", out.String(), want)
	}
}

func TestWriterRefuses(t *testing.T) {
	q := rdf.Quad{S: rdf.IRI("a:s"), P: rdf.IRI("a:p"), O: rdf.IRI("a:o"), G: rdf.IRI("a:g")}
	if err := rdf.WriteAll(turtle.NewWriter(&bytes.Buffer{}, nil), []rdf.Quad{q}); err == nil {
		t.Error("Turtle took a graph")
	}
	for _, prefixes := range []map[string]string{{"a b": "a:"}, {"-": "a:"}, {"x.": "a:"}, {"_": "a:"}, {"x": "a"}, {"x": "a:>"}} {
		if err := rdf.WriteAll(turtle.NewTriGWriter(&bytes.Buffer{}, prefixes), []rdf.Quad{q}); err == nil {
			t.Errorf("prefixes %v were taken", prefixes)
		}
	}
}

func FuzzReader(f *testing.F) {
	for _, s := range []string{
		head + ":s :p 1, 2.5, 1e0, true ; a [ :q ( 1 () ) ] ~ :r {| :x 'y'@en--ltr |} .",
		head + "BASE <http://b/> :g { << <s> :p <<( :a :b \"c\" )>> ~ _:r >> :q '''x''' }",
		head + "GRAPH [] { [] :p :a\\,b.c%20 . }  # é\n@version \"1.2\" .",
	} {
		f.Add(s, false)
		f.Add(s, true)
	}
	f.Fuzz(func(t *testing.T, text string, lenient bool) {
		for _, trig := range []bool{false, true} {
			opt := rdf.Options{Base: "http://ex/", Blank: rdf.Verbatim, Lenient: lenient}
			quads, err := read(text, trig, opt)
			src := iotest.OneByteReader(strings.NewReader(text))
			r := turtle.NewReader(src, opt)
			if trig {
				r = turtle.NewTriGReader(src, opt)
			}
			slow, slowErr := rdf.ReadAll(r)
			if !slices.Equal(quads, slow) || (err == nil) != (slowErr == nil) || err != nil && err.Error() != slowErr.Error() {
				t.Fatalf("byte by byte: %v, %v\nat once: %v, %v", slow, slowErr, quads, err)
			}
			for _, q := range quads {
				if !q.S.Valid() || !q.P.Valid() || !q.O.Valid() {
					t.Fatalf("not canonical: %v", q)
				}
				// What is built of documents is not checked again.
				if raw := q.Raw(); !lenient && raw.Check() != nil {
					t.Fatal(raw.Check())
				}
			}
			checkRoundTrip(t, quads, trig)
		}
	})
}
