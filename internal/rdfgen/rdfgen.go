// Package rdfgen draws random terms and quads for property tests.
package rdfgen

import (
	"strings"

	"github.com/rete-go/rete/rdf"
	"pgregory.net/rapid"
)

// Text draws a string that leans towards what syntaxes have to escape.
func Text() *rapid.Generator[string] {
	odd := rapid.SampledFrom([]rune{'"', '\'', '\\', '\n', '\r', '\t', '\b', '\f', 0, 0x1f, 0x7f, 0x80, 'é', '\u2028', '\ufffd', '\ufffe', '\uffff', '😀', '<', '>', '@', '^', '.', ' '})
	return rapid.StringOf(rapid.OneOf(odd, rapid.RuneFrom([]rune("abcXYZ019_-:/#%")), rapid.Rune()))
}

// iRI draws an absolute IRI, with a tail that prefixes can shorten or not.
func iRI() *rapid.Generator[rdf.Term] {
	return rapid.Custom(func(t *rapid.T) rdf.Term {
		head := rapid.SampledFrom([]string{"http://ex/", "http://ex/a#", "urn:x:", "http://ex/a", "a:"}).Draw(t, "head")
		tail := rapid.StringOf(rapid.OneOf(
			rapid.RuneFrom([]rune("abcXYZ019_-:./#%~!$&'()*+,;=?@")),
			rapid.SampledFrom([]rune{'é', '·', '\u0300', '😀', '\u00d7', '\u2040', '\u00a0'}),
		)).Draw(t, "tail")
		return rdf.IRI(head + tail)
	})
}

// blank draws a blank node.
func blank() *rapid.Generator[rdf.Term] {
	return rapid.Custom(func(t *rapid.T) rdf.Term {
		label := rapid.StringMatching(`[A-Za-z0-9_é]([A-Za-z0-9_é·.-]{0,8}[A-Za-z0-9_é·-])?`).Draw(t, "label")
		return rdf.Blank(label)
	})
}

// literal draws a literal of any kind; numbers come in many spellings.
func literal() *rapid.Generator[rdf.Term] {
	return rapid.Custom(func(t *rapid.T) rdf.Term {
		switch rapid.IntRange(0, 4).Draw(t, "kind") {
		case 0:
			return rdf.String(Text().Draw(t, "text"))
		case 1:
			return rdf.LangString(Text().Draw(t, "text"), tag().Draw(t, "tag"))
		case 2:
			return rdf.DirLangString(Text().Draw(t, "text"), tag().Draw(t, "tag"), rapid.SampledFrom([]string{"ltr", "rtl"}).Draw(t, "dir"))
		case 3:
			number := rapid.StringMatching(`[+-]?[0-9]{0,3}(\.[0-9]{0,3})?([eE][+-]?[0-9]{0,2})?|true|false|1`).Draw(t, "number")
			return rdf.Typed(number, rapid.SampledFrom([]string{rdf.XSDInteger, rdf.XSDDecimal, rdf.XSDDouble, rdf.XSDBoolean}).Draw(t, "datatype"))
		}
		return rdf.Typed(Text().Draw(t, "text"), iRI().Draw(t, "datatype").Value())
	})
}

func tag() *rapid.Generator[string] {
	return rapid.Map(rapid.StringMatching(`[A-Za-z]{1,8}(-[A-Za-z0-9]{1,10}){0,2}`), strings.ToLower)
}

// tripleText draws a triple term, which may nest in its object.
func tripleText() *rapid.Generator[rdf.Term] {
	return rapid.Custom(func(t *rapid.T) rdf.Term { return triple(t, 3) })
}

func triple(t *rapid.T, depth int) rdf.Term {
	s := rapid.OneOf(iRI(), blank()).Draw(t, "s")
	o := literal()
	switch rapid.IntRange(0, 3).Draw(t, "object") {
	case 0:
		o = iRI()
	case 1:
		o = blank()
	case 2:
		if depth > 0 {
			return rdf.TripleTerm(s, iRI().Draw(t, "p"), triple(t, depth-1))
		}
	}
	return rdf.TripleTerm(s, iRI().Draw(t, "p"), o.Draw(t, "o"))
}

// Term draws a term of any kind.
func Term() *rapid.Generator[rdf.Term] { return rapid.OneOf(iRI(), blank(), literal(), tripleText()) }

// Quad draws a statement that every syntax with graphs can hold; with graphs
// false, of the default graph only.
func Quad(graphs bool) *rapid.Generator[rdf.Quad] {
	return rapid.Custom(func(t *rapid.T) rdf.Quad {
		q := rdf.Quad{
			S: rapid.OneOf(iRI(), blank()).Draw(t, "s"),
			P: iRI().Draw(t, "p"),
			O: Term().Draw(t, "o"),
		}
		if graphs && rapid.Bool().Draw(t, "named") {
			q.G = rapid.OneOf(iRI(), blank()).Draw(t, "g")
		}
		return q
	})
}
