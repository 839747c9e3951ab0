package rdf

import (
	"strconv"
	"strings"

	"github.com/rete-go/rete/internal/lex"
)

// Kind says what a term is.
type Kind uint8

// The kinds of terms. NoTerm is the kind of the zero [Term] and of bytes that
// are no surface.
const (
	NoTerm Kind = iota
	KindIRI
	KindBlank
	KindLiteral
	KindTriple
)

func (k Kind) String() string {
	switch k {
	case KindIRI:
		return "IRI"
	case KindBlank:
		return "blank node"
	case KindLiteral:
		return "literal"
	case KindTriple:
		return "triple term"
	}
	return "no term"
}

// IRIs that the terms themselves depend on.
const (
	XSD = "http://www.w3.org/2001/XMLSchema#"
	RDF = "http://www.w3.org/1999/02/22-rdf-syntax-ns#"

	XSDString     = XSD + "string"
	XSDBoolean    = XSD + "boolean"
	XSDInteger    = XSD + "integer"
	XSDDecimal    = XSD + "decimal"
	XSDDouble     = XSD + "double"
	LangStringIRI = RDF + "langString"
	DirLangIRI    = RDF + "dirLangString"
)

// Term is one RDF term. Terms are equal, also as map keys, when == says so.
// The zero Term is no term: an unbound value, or the default graph.
type Term struct{ s string }

// IRI returns the IRI with that text. The text is trusted: it must be an
// absolute IRI without escapes and without characters that IRIs forbid. Check
// text from outside with [Term.Valid], or use [ParseTerm].
func IRI(iri string) Term { return Term{"<" + iri + ">"} }

// Blank returns the blank node with that label, which stands without "_:" and
// is trusted as the text of an [IRI] is.
func Blank(label string) Term { return Term{"_:" + label} }

// String returns the plain literal (xsd:string) with that text. Bytes that are
// not UTF-8 become U+FFFD, here and in every other literal.
func String(text string) Term { return Term{string(quoted(text, 0))} }

// LangString returns the literal with that text and language tag.
func LangString(text, tag string) Term {
	b := append(quoted(text, 1+len(tag)), '@')
	return Term{string(lex.AppendLower(b, []byte(tag)))}
}

// DirLangString returns the literal with that text, language tag and base
// direction, "ltr" or "rtl".
func DirLangString(text, tag, dir string) Term {
	b := append(quoted(text, 3+len(tag)+len(dir)), '@')
	b = lex.AppendLower(b, []byte(tag))
	return Term{string(append(append(b, "--"...), dir...))}
}

// Typed returns the literal with that text and datatype IRI; xsd:string gives
// a plain literal.
func Typed(text, datatype string) Term {
	if datatype == XSDString {
		return String(text)
	}
	b := append(quoted(text, 4+len(datatype)), "^^<"...)
	return Term{string(append(append(b, datatype...), '>'))}
}

// Integer returns the xsd:integer with the shortest spelling of v.
func Integer(v int64) Term { return Term{`"` + strconv.FormatInt(v, 10) + `"^^<` + XSDInteger + `>`} }

// Boolean returns the xsd:boolean true or false.
func Boolean(v bool) Term { return Term{`"` + strconv.FormatBool(v) + `"^^<` + XSDBoolean + `>`} }

// TripleTerm returns the triple term of three terms.
func TripleTerm(s, p, o Term) Term { return Term{"<<" + s.s + " " + p.s + " " + o.s + ">>"} }

// FromSurface returns the term of a canonical surface, which is trusted. Use
// [ParseTerm] for text from outside.
func FromSurface(surface string) Term { return Term{surface} }

func quoted(text string, more int) []byte {
	b := make([]byte, 0, len(text)+2+more)
	return append(lex.AppendEscaped(append(b, '"'), text), '"')
}

// Surface returns the canonical surface, "" for the zero Term.
func (t Term) Surface() string { return t.s }

// IsZero reports whether t is no term.
func (t Term) IsZero() bool { return t.s == "" }

// Kind returns the kind of t.
func (t Term) Kind() Kind { return kindOf(t.s) }

// Valid reports whether t is well formed: whether its surface is what
// [ParseTerm] would give. The zero Term is not.
func (t Term) Valid() bool { return Canonical([]byte(t.s)) }

// Value returns the text of an IRI, the label of a blank node without "_:", or
// the lexical form of a literal, unescaped. It is "" for a triple term.
func (t Term) Value() string {
	switch t.Kind() {
	case KindIRI:
		return t.s[1 : len(t.s)-1]
	case KindBlank:
		return t.s[2:]
	case KindLiteral:
		text, _, _, _ := splitLiteral(t.s)
		if strings.IndexByte(text, '\\') < 0 {
			return text
		}
		return string(lex.Unescape(make([]byte, 0, len(text)), []byte(text)))
	}
	return ""
}

// Datatype returns the datatype IRI of a literal, also of a plain one
// (xsd:string) and of one with a language tag (rdf:langString, or
// rdf:dirLangString with a direction). It is "" for other terms.
func (t Term) Datatype() string {
	if t.Kind() != KindLiteral {
		return ""
	}
	switch _, lang, dir, datatype := splitLiteral(t.s); {
	case datatype != "":
		return datatype
	case dir != "":
		return DirLangIRI
	case lang != "":
		return LangStringIRI
	}
	return XSDString
}

// Language returns the language tag of a literal, "" if it has none.
func (t Term) Language() string {
	if t.Kind() != KindLiteral {
		return ""
	}
	_, lang, _, _ := splitLiteral(t.s)
	return lang
}

// Direction returns the base direction of a literal, "ltr" or "rtl", or "".
func (t Term) Direction() string {
	if t.Kind() != KindLiteral {
		return ""
	}
	_, _, dir, _ := splitLiteral(t.s)
	return dir
}

// Triple returns the parts of a triple term; ok is false for other terms.
func (t Term) Triple() (s, p, o Term, ok bool) {
	a, b, ok := tripleCuts(t.s)
	if !ok {
		return Term{}, Term{}, Term{}, false
	}
	return Term{t.s[2:a]}, Term{t.s[a+1 : b]}, Term{t.s[b+1 : len(t.s)-2]}, true
}

// String returns the term as N-Triples writes it, see [AppendNTriples].
func (t Term) String() string {
	return string(AppendNTriples(nil, []byte(t.s)))
}
