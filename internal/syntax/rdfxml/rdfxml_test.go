package rdfxml_test

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/rete-go/rete/internal/rdfgen"
	"github.com/rete-go/rete/internal/syntax/rdfxml"
	"github.com/rete-go/rete/internal/syntax/turtle"
	"github.com/rete-go/rete/rdf"
	"github.com/rete-go/rete/rdf/isomorphic"
	"pgregory.net/rapid"
)

const root = `<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns:e="http://ex/" xml:base="http://ex/d/f">` + "\n"

func read(text string, opt rdf.Options) ([]rdf.Quad, error) {
	return rdf.ReadAll(rdfxml.NewReader(strings.NewReader(text), opt))
}

func TestReads(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"attributes without a namespace", `<e:C about="s"><e:p resource="o"/></e:C>`, "d:s a :C ; :p d:o ."},
		{"relative references", `<rdf:Description rdf:about=""><e:p rdf:resource="#x"/><e:p rdf:resource="../y"/></rdf:Description>`, "d:f :p <http://ex/d/f#x>, <http://ex/y> ."},
		{"nested base", `<rdf:Description rdf:about="a" xml:base="http://o/"><e:p rdf:resource="b" xml:base="c/"/></rdf:Description>`, "<http://o/a> :p <http://o/c/b> ."},
		{"language in scope and reset", `<rdf:Description rdf:about="s" xml:lang="EN"><e:p>a</e:p><e:p xml:lang="">b</e:p><e:p xml:lang="de-AT" e:q="c"/></rdf:Description>`, `d:s :p "a"@en, "b", [ :q "c"@de-at ] .`},
		{"text keeps its blanks", "<rdf:Description rdf:about=\"s\"><e:p> a\r\n<!-- x -->&lt;b&#x9;</e:p></rdf:Description>", `d:s :p " a\n<b\t" .`},
		{"text in CDATA", `<rdf:Description rdf:about="s"><e:p>a<![CDATA[<b>&amp;]]>c</e:p></rdf:Description>`, `d:s :p "a<b>&amp;c" .`},
		{"datatype", `<rdf:Description rdf:about="s"><e:p rdf:datatype="http://www.w3.org/2001/XMLSchema#string">a</e:p><e:p rdf:datatype="t"></e:p></rdf:Description>`, `d:s :p "a", ""^^d:t .`},
		{"members are counted by node", `<rdf:Bag rdf:about="s"><rdf:li>a</rdf:li><rdf:_7>b</rdf:_7><rdf:li rdf:parseType="Resource"><rdf:li>c</rdf:li></rdf:li></rdf:Bag>`, `d:s a rdf:Bag ; rdf:_1 "a" ; rdf:_7 "b" ; rdf:_2 [ rdf:_1 "c" ] .`},
		{"collections", `<rdf:Description rdf:about="s"><e:p rdf:parseType="Collection"/><e:p rdf:parseType="Collection"><e:C/><rdf:Description rdf:about="b"/></e:p></rdf:Description>`, `d:s :p (), ( [ a :C ] d:b ) .`},
		{"a node with an ID, and reification", `<rdf:Description rdf:ID="s"><e:p rdf:ID="r">a</e:p></rdf:Description>`, `<http://ex/d/f#s> :p "a" . <http://ex/d/f#r> a rdf:Statement ; rdf:subject <http://ex/d/f#s> ; rdf:predicate :p ; rdf:object "a" .`},
		{"an unknown parseType is XML", `<rdf:Description rdf:about="s"><e:p rdf:parseType="daml:x"><!--c--><a b="&quot;" a='1' xmlns:e="http://o/" e:z=""/>&gt;<?pi x ?></e:p></rdf:Description>`,
			`d:s :p """<!--c--><a xmlns:e="http://o/" a="1" b="&quot;" e:z=""></a>&gt;<?pi x ?>"""^^rdf:XMLLiteral .`},
		{"namespaces of XML literals", `<rdf:Description rdf:about="s"><e:p rdf:parseType="Literal"><a xmlns="http://a/"><b xmlns=""/><c xmlns="http://a/" e:x="1"/></a></e:p></rdf:Description>`,
			`d:s :p """<a xmlns="http://a/"><b xmlns=""></b><c xmlns:e="http://ex/" e:x="1"></c></a>"""^^rdf:XMLLiteral .`},
		{"nodes with labels", `<rdf:Description rdf:nodeID="a"><e:p rdf:nodeID="b"/></rdf:Description><rdf:Description rdf:nodeID="b"><e:q rdf:nodeID="a"/></rdf:Description>`, `_:x :p _:y . _:y :q _:x .`},
		{"triple term with all that nests", `<rdf:Description rdf:about="s" rdf:version="1.2" xml:lang="he" xmlns:its="http://www.w3.org/2005/11/its" its:dir="rtl"><e:p rdf:annotationNodeID="r" rdf:parseType="Triple"><rdf:Description><e:q>a</e:q></rdf:Description></e:p></rdf:Description>`,
			`d:s :p <<( _:n :q "a"@he--rtl )>> . _:r rdf:reifies <<( d:s :p <<( _:n :q "a"@he--rtl )>> )>> .`},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := read(root+c.text+"</rdf:RDF>", rdf.Options{})
			if err != nil {
				t.Fatal(err)
			}
			want, err := rdf.ReadAll(turtle.NewReader(strings.NewReader("PREFIX : <http://ex/> PREFIX d: <http://ex/d/> PREFIX rdf: <"+rdf.RDF+"> "+c.want), rdf.Options{}))
			if err != nil {
				t.Fatal(err)
			}
			if !isomorphic.Equal(got, want) {
				t.Errorf("got\n%v\nwant\n%v", got, want)
			}
		})
	}
}

func TestRefuses(t *testing.T) {
	node := func(s string) string { return `<rdf:Description rdf:about="s">` + s + "</rdf:Description>" }
	for _, c := range []struct{ name, text, want string }{
		{"two IDs", `<e:C rdf:ID="a"/><e:C rdf:ID="a"/>`, `f:2:18: expected an rdf:ID that is new, found "a" again`},
		{"ID that is no name", `<e:C rdf:ID="1a"/>`, `f:2:1: expected an XML name as rdf:ID, found "1a"`},
		{"two subjects", `<e:C rdf:about="a" rdf:nodeID="b"/>`, "expected one of rdf:ID, rdf:nodeID and rdf:about"},
		{"two objects", node(`<e:p rdf:resource="a" rdf:nodeID="b"/>`), "expected one of rdf:resource and rdf:nodeID"},
		{"two nodes in a property", node(`<e:p><e:C/><e:C/></e:p>`), "f:2:43: expected one node in a property"},
		{"text after a node", node("\n é<e:p><e:C/>x</e:p>"), "f:3:2: expected no text in <rdf:Description>"},
		{"text and a node", node("\n <e:p>é<e:C/></e:p>"), "f:3:8: expected text or a node in a property, found both"},
		{"content of an empty property", node(`<e:p rdf:resource="a"><e:C/></e:p>`), "expected nothing in this property"},
		{"a node in typed text", node(`<e:p rdf:datatype="a"><e:C/></e:p>`), "expected text in a property with rdf:datatype"},
		{"parseType and more", node(`<e:p rdf:parseType="Literal" e:q="a"/>`), "expected rdf:parseType with no attribute but"},
		{"word of the syntax as a node", `<rdf:li/>`, "expected a node element, found <rdf:li>"},
		{"word of the syntax as a property", node(`<rdf:Description/>`), "expected a property element, found <rdf:Description>"},
		{"word of the syntax as an attribute", `<e:C rdf:li="x"/>`, "expected an attribute that is a property, found rdf:li"},
		{"attribute without a namespace", `<e:C x="1"/>`, "expected an attribute with a namespace, found x"},
		{"attribute twice", `<e:C e:a="1" e:a="2"/>`, "expected each attribute once"},
		{"prefix that is not declared", `<x:C/>`, "f:2:1: expected a prefix that is declared, found x:"},
		{"prefix out of scope", `<e:C xmlns:x="http://x/"/><x:C/>`, "expected a prefix that is declared, found x:"},
		{"element without a namespace", `<C/>`, "expected an element in a namespace"},
		{"bad IRI", `<e:C rdf:about="a b"/>`, `expected an IRI, found "a b", which holds ' '`},
		{"bad tag", `<e:C xml:lang="e n"/>`, "expected a language tag"},
		{"langString without a tag", node(`<e:p rdf:datatype="` + rdf.LangStringIRI + `">x</e:p>`), "expected a language tag (rdf:langString needs one)"},
		{"wrong end tag", `<e:C></e:D>`, "f:2:6: expected </e:C>, found </e:D>"},
		{"wrong end tag in a literal", node(`<e:p rdf:parseType="Literal"><a></b></e:p>`), "expected another end tag, found </b>"},
		{"not well-formed", `<e:C <`, "expected well-formed XML"},
		{"entity that is not declared", node(`<e:p>&x;</e:p>`), "expected well-formed XML, found invalid character entity &x;"},
		{"broken UTF-8", node("<e:p>\xff</e:p>"), "expected well-formed XML, found invalid UTF-8"},
		{"NUL byte", node("<e:p>\x00</e:p>"), "expected well-formed XML, found illegal character code U+0000"},
		{"two statements in a triple term", node(`<e:p rdf:version="1.2" rdf:parseType="Triple"><e:C e:p="x"/></e:p>`), "expected one statement in a triple term, found another"},
		{"deep nesting", strings.Repeat(`<e:C><e:p>`, 60_000), "at most 100000 open elements"},
		{"deep nesting in a literal", node(`<e:p rdf:parseType="Literal">` + strings.Repeat(`<a>`, 110_000)), "at most 100000 open elements"},
	} {
		t.Run(c.name, func(t *testing.T) {
			quads, err := read(root+c.text+"</rdf:RDF>", rdf.Options{File: "f"})
			if err == nil {
				t.Fatalf("taken as %v", quads)
			}
			if _, ok := err.(*rdf.SyntaxError); !ok || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%T %v\nwant one with %s", err, err, c.want)
			}
		})
	}
	for name, text := range map[string]string{
		"nothing": "", "two roots": root + "</rdf:RDF><e/>", "cut off": root + "<e:C>", "text after the root": root + "</rdf:RDF>x",
		"a relative reference without a base": `<a xmlns="http://ex/" xmlns:rdf="` + rdf.RDF + `" rdf:about="x"/>`,
		"UTF-16 of no RDF":                    "\xff\xfe<\x00a\x00/\x00>\x00",
		"an encoding nobody knows":            `<?xml version="1.0" encoding="x-y"?><a/>`,
	} {
		if quads, err := read(text, rdf.Options{}); err == nil {
			t.Errorf("%s: taken as %v", name, quads)
		}
	}
}

// TestManyAttributes: a start tag costs what it has, whatever it has of one kind.
func TestManyAttributes(t *testing.T) {
	const n = 50_000
	var attrs, spaces strings.Builder
	for i := range n {
		fmt.Fprintf(&attrs, " e:a%d='x'", i)
		fmt.Fprintf(&spaces, " xmlns:e%d='http://ex/%d'", i, i)
	}
	for _, c := range []struct {
		name, text string
		quads      int
		want       string // of the error
	}{
		{"attributes", root + "<rdf:Description" + attrs.String() + "/></rdf:RDF>", n, ""},
		{"namespaces", root + "<rdf:Description e:a='x'" + spaces.String() + "/></rdf:RDF>", 1, ""},
		{"one again", root + "<rdf:Description" + attrs.String() + " e:a7='x'/></rdf:RDF>", 0, "e:a7 again"},
	} {
		quads, err := read(c.text, rdf.Options{})
		if len(quads) != c.quads || (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %d quads, %.200v", c.name, len(quads), err)
		}
	}
}

func TestEntities(t *testing.T) {
	doc := func(subset, text string) string {
		return `<!DOCTYPE rdf:RDF [` + subset + `]>` + root + `<rdf:Description rdf:about="&ns;s"><e:p>` + text + `</e:p></rdf:Description></rdf:RDF>`
	}
	const ns = `<!ENTITY ns "http://ns/">`
	quads, err := read(doc(ns+` <!ENTITY ns 'http://late/'> <!-- "'< --> <!ENTITY % p "x"> <!ENTITY a "&ns;&#65;&#x42;">`, "&a;"), rdf.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if quads[0].S != rdf.IRI("http://ns/s") || quads[0].O != rdf.String("http://ns/AB") {
		t.Errorf("got %v", quads)
	}
	bomb := ns + `<!ENTITY a0 "0123456789">`
	for i := range 12 {
		bomb += fmt.Sprintf(`<!ENTITY a%d "%s">`, i+1, strings.Repeat(fmt.Sprintf("&a%d;", i), 10))
	}
	for name, subset := range map[string]string{
		"a bomb": bomb, "markup": ns + `<!ENTITY a "<b/>">`, "an entity that is not declared": ns + `<!ENTITY a "&b;">`,
		"a surrogate": ns + `<!ENTITY a "&#xD800;">`, "an external entity": ns + `<!ENTITY a SYSTEM "file:///etc/passwd">`,
		"no closing quote": ns + `<!ENTITY a "x`,
	} {
		if quads, err := read(doc(subset, "&a;"), rdf.Options{}); err == nil {
			t.Errorf("%s: taken as %d quads", name, len(quads))
		}
	}
}

func TestLenient(t *testing.T) {
	quads, err := read(`<a xmlns="http://ex/" xmlns:rdf="`+rdf.RDF+`" rdf:about="x y"/>`, rdf.Options{Lenient: true})
	if err != nil || quads[0].S != rdf.IRI("x%20y") {
		t.Errorf("%v, %v", quads, err)
	}
}

func TestBrokenSource(t *testing.T) {
	src := io.MultiReader(strings.NewReader(root+`<e:C rdf:about="a"/>`), iotest.ErrReader(io.ErrClosedPipe))
	quads, err := rdf.ReadAll(rdfxml.NewReader(src, rdf.Options{}))
	if err != io.ErrClosedPipe || len(quads) != 1 {
		t.Errorf("%d quads, error %v", len(quads), err)
	}
}

func TestWriterSpelling(t *testing.T) {
	s := rdf.IRI("http://ex/s?a&b")
	quads := []rdf.Quad{
		{S: s, P: rdf.IRI(rdf.RDF + "type"), O: rdf.IRI("http://ex/C")},
		{S: s, P: rdf.IRI("http://ex/p"), O: rdf.LangString("<\r\n>", "en")},
		{S: rdf.Blank("0"), P: rdf.IRI("http://o/a.1b"), O: rdf.Blank("_0")},
		{S: rdf.Blank("0"), P: rdf.IRI("http://ex/p"), O: rdf.Integer(1)},
	}
	const want = `<?xml version="1.0" encoding="UTF-8"?>
<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"
    xmlns:e="http://ex/">
  <rdf:Description rdf:about="http://ex/s?a&amp;b">
    <rdf:type rdf:resource="http://ex/C"/>
    <e:p xml:lang="en">&lt;&#xD;
&gt;</e:p>
  </rdf:Description>
  <rdf:Description rdf:nodeID="_0">
    <ns0:a.1b xmlns:ns0="http://o/" rdf:nodeID="__0"/>
    <e:p rdf:datatype="http://www.w3.org/2001/XMLSchema#integer">1</e:p>
  </rdf:Description>
</rdf:RDF>
`
	var out bytes.Buffer
	if err := rdf.WriteAll(rdfxml.NewWriter(&out, map[string]string{"e": "http://ex/", "xml": "http://x/", "": "http://y/"}), quads); err != nil {
		t.Fatal(err)
	}
	if out.String() != want {
		t.Errorf("got\n%s\nwant\n%s", out.String(), want)
	}
}

func TestWriterRefuses(t *testing.T) {
	s, p, o := rdf.IRI("a:s"), rdf.IRI("a:p"), rdf.IRI("a:o")
	var out bytes.Buffer
	w := rdfxml.NewWriter(&out, nil)
	for name, q := range map[string]rdf.Quad{
		"graph": {S: s, P: p, O: o, G: s}, "property that ends in a digit": {S: s, P: rdf.IRI("http://ex/1"), O: o},
		"property without a namespace": {S: s, P: rdf.IRI("abc:"), O: o}, "control character": {S: s, P: p, O: rdf.String("a\x01")},
		"property of the namespace of namespaces": {S: s, P: rdf.IRI("http://www.w3.org/2000/xmlns/a"), O: o},
		"word of the syntax":                      {S: s, P: rdf.IRI(rdf.RDF + "li"), O: o}, "nested": {S: s, P: p, O: rdf.TripleTerm(s, rdf.IRI("http://ex/1"), o)},
	} {
		raw := q.Raw()
		if err := w.WriteQuad(&raw); err == nil {
			t.Errorf("%s was written", name)
		}
	}
	q := rdf.Quad{S: s, P: p, O: o}
	raw := q.Raw()
	if err := w.WriteQuad(&raw); err != nil {
		t.Fatal(err)
	}
	w.Close()
	if back, err := read(out.String(), rdf.Options{}); err != nil || !slices.Equal(back, []rdf.Quad{q}) {
		t.Errorf("after refusals: %v, %v", back, err)
	}
}

func TestRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		quads := rapid.SliceOf(rdfgen.Quad(false)).Draw(t, "quads")
		for i := 1; i < len(quads); i++ {
			if rapid.Bool().Draw(t, "same") {
				quads[i].S = quads[i-1].S
			}
		}
		checkRoundTrip(t, quads)
	})
}

type failer interface{ Fatalf(string, ...any) }

func checkRoundTrip(t failer, quads []rdf.Quad) {
	var out bytes.Buffer
	w := rdfxml.NewWriter(&out, map[string]string{"e": "http://ex/", "a": "http://ex/a#"})
	var held []rdf.Quad
	for _, q := range quads {
		raw := q.Raw()
		if w.WriteQuad(&raw) == nil {
			held = append(held, q)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatalf("close: %v", err)
	}
	text := out.String()
	back, err := read(text, rdf.Options{})
	if err != nil || !isomorphic.Equal(back, held) {
		t.Fatalf("%v\nwritten as\n%s\ncame back as\n%v, %v", held, text, back, err)
	}
}

func FuzzReader(f *testing.F) {
	f.Add(root + `<e:C rdf:ID="a" e:p="x"><e:q rdf:parseType="Collection"><e:D/></e:q><rdf:li rdf:parseType="Literal"><b e:x="1">&lt;</b></rdf:li></e:C></rdf:RDF>`)
	f.Add(`<!DOCTYPE a [<!ENTITY x "y&#65;">]>` + root + `<e:C rdf:about="&x;" xml:lang="en" rdf:version="1.2"><e:q rdf:parseType="Triple"><e:D/></e:q></e:C></rdf:RDF>`)
	f.Fuzz(func(t *testing.T, text string) {
		quads, err := read(text, rdf.Options{Base: "http://ex/"})
		slow, slowErr := rdf.ReadAll(rdfxml.NewReader(iotest.OneByteReader(strings.NewReader(text)), rdf.Options{Base: "http://ex/"}))
		if !slices.Equal(quads, slow) || fmt.Sprint(err) != fmt.Sprint(slowErr) {
			t.Fatalf("byte by byte: %v, %v\nat once: %v, %v", slow, slowErr, quads, err)
		}
		for _, q := range quads {
			raw := q.Raw()
			if err := raw.Check(); err != nil { // what is built of documents is not checked again
				t.Fatal(err)
			}
		}
		if len(quads) < 50 {
			checkRoundTrip(t, quads)
		}
	})
}
