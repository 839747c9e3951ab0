// Package quadtest lists quads that no graph may take in, for the tests of every
// way in.
package quadtest

import (
	"strings"

	"github.com/rete-go/rete/rdf"
)

// Case is an invalid quad.
type Case struct {
	Name string
	Quad rdf.Quad
}

// anywhere are surfaces that are no term in any place.
var anywhere = []Case{
	{Name: "no term at all", Quad: rdf.Quad{O: rdf.FromSurface("garbage")}},
	{Name: "an IRI with a blank", Quad: rdf.Quad{O: rdf.IRI("http://e/a b")}},
	{Name: "an IRI with a line end", Quad: rdf.Quad{O: rdf.IRI("http://e/a\n")}},
	{Name: "an IRI that ends the statement", Quad: rdf.Quad{O: rdf.IRI("http://e/a> .\n+ <x:a> <x:b> <x:c")}},
	{Name: "an IRI that is not UTF-8", Quad: rdf.Quad{O: rdf.IRI("http://e/\xff")}},
	{Name: "an IRI with braces", Quad: rdf.Quad{O: rdf.IRI("http://e/{}")}},
	{Name: "an IRI with NUL", Quad: rdf.Quad{O: rdf.IRI("http://e/\x00")}},
	{Name: "an IRI with an escape", Quad: rdf.Quad{O: rdf.IRI(`http://e/\u00e9`)}},
	{Name: "a relative IRI", Quad: rdf.Quad{O: rdf.IRI("a")}},
	{Name: "an empty IRI", Quad: rdf.Quad{O: rdf.IRI("")}},
	{Name: "an IRI without its end", Quad: rdf.Quad{O: rdf.FromSurface("<http://e/a")}},
	{Name: "an IRI with a tail", Quad: rdf.Quad{O: rdf.FromSurface("<http://e/a> ")}},
	{Name: "a label that is empty", Quad: rdf.Quad{O: rdf.Blank("")}},
	{Name: "a label with a blank", Quad: rdf.Quad{O: rdf.Blank("a b")}},
	{Name: "a label with a line end", Quad: rdf.Quad{O: rdf.Blank("a\n")}},
	{Name: "a label that begins with a hyphen", Quad: rdf.Quad{O: rdf.Blank("-a")}},
	{Name: "a label that ends with a dot", Quad: rdf.Quad{O: rdf.Blank("a.")}},
	{Name: "a label that is not UTF-8", Quad: rdf.Quad{O: rdf.Blank("a\xff")}},
}

// object are literals and triple terms that are none.
var object = []Case{
	{Name: "a literal with a raw line end", Quad: rdf.Quad{O: rdf.FromSurface("\"a\nb\"")}},
	{Name: "a literal that is not UTF-8", Quad: rdf.Quad{O: rdf.FromSurface("\"a\xff\"")}},
	{Name: "a literal without its end", Quad: rdf.Quad{O: rdf.FromSurface(`"a`)}},
	{Name: "a literal with a quote inside", Quad: rdf.Quad{O: rdf.FromSurface(`"a"b"`)}},
	{Name: "a literal spelled otherwise", Quad: rdf.Quad{O: rdf.FromSurface(`"\u0041"`)}},
	{Name: "xsd:string spelled out", Quad: rdf.Quad{O: rdf.FromSurface(`"a"^^<` + rdf.XSDString + `>`)}},
	{Name: "a tag with a blank", Quad: rdf.Quad{O: rdf.LangString("a", "en us")}},
	{Name: "a tag that is empty", Quad: rdf.Quad{O: rdf.LangString("a", "")}},
	{Name: "a tag with a line end", Quad: rdf.Quad{O: rdf.LangString("a", "en\n")}},
	{Name: "a tag in capitals", Quad: rdf.Quad{O: rdf.FromSurface(`"a"@EN`)}},
	{Name: "a tag with a first subtag of nine letters", Quad: rdf.Quad{O: rdf.LangString("a", "abcdefghi")}},
	{Name: "a tag of nine letters with a direction", Quad: rdf.Quad{O: rdf.DirLangString("a", "abcdefghi", "ltr")}},
	{Name: "a direction that is none", Quad: rdf.Quad{O: rdf.DirLangString("a", "en", "up")}},
	{Name: "a datatype that is relative", Quad: rdf.Quad{O: rdf.Typed("a", "b")}},
	{Name: "a datatype with a blank", Quad: rdf.Quad{O: rdf.Typed("a", "http://e/ b")}},
	{Name: "rdf:langString without a tag", Quad: rdf.Quad{O: rdf.Typed("a", rdf.LangStringIRI)}},
	{Name: "a triple term with a literal as subject", Quad: rdf.Quad{O: rdf.TripleTerm(rdf.String("a"), p, o)}},
	{Name: "a triple term with a triple term as subject", Quad: rdf.Quad{O: rdf.TripleTerm(rdf.TripleTerm(s, p, o), p, o)}},
	{Name: "a triple term with a blank node as predicate", Quad: rdf.Quad{O: rdf.TripleTerm(s, rdf.Blank("b"), o)}},
	{Name: "a triple term of an invalid IRI", Quad: rdf.Quad{O: rdf.TripleTerm(s, p, rdf.IRI("a b"))}},
	{Name: "a triple term of a tag of nine letters", Quad: rdf.Quad{O: rdf.TripleTerm(s, p, rdf.LangString("a", "abcdefghi"))}},
	{Name: "a triple term with two blanks", Quad: rdf.Quad{O: rdf.FromSurface("<<<http://e/s>  <http://e/p> <http://e/o>>>")}},
	{Name: "a triple term nested too deep", Quad: rdf.Quad{O: nested(rdf.MaxDepth + 1)}},
}

var s, p, o = rdf.IRI("http://e/s"), rdf.IRI("http://e/p"), rdf.IRI("http://e/o")

// nested is a triple term of the given depth.
func nested(levels int) rdf.Term {
	head := "<<" + s.Surface() + " " + p.Surface() + " "
	return rdf.FromSurface(strings.Repeat(head, levels) + o.Surface() + strings.Repeat(">>", levels))
}

// Invalid returns quads each of which has one fault.
func Invalid() []Case {
	all := []Case{
		{"nothing", rdf.Quad{}},
		{"no subject", rdf.Quad{P: p, O: o}},
		{"no predicate", rdf.Quad{S: s, O: o}},
		{"no object", rdf.Quad{S: s, P: p}},
		{"a literal as subject", rdf.Quad{S: rdf.String("a"), P: p, O: o}},
		{"a triple term as subject", rdf.Quad{S: rdf.TripleTerm(s, p, o), P: p, O: o}},
		{"a literal as predicate", rdf.Quad{S: s, P: rdf.String("a"), O: o}},
		{"a blank node as predicate", rdf.Quad{S: s, P: rdf.Blank("b"), O: o}},
		{"a triple term as predicate", rdf.Quad{S: s, P: rdf.TripleTerm(s, p, o), O: o}},
		{"a literal as graph name", rdf.Quad{S: s, P: p, O: o, G: rdf.String("a")}},
		{"a triple term as graph name", rdf.Quad{S: s, P: p, O: o, G: rdf.TripleTerm(s, p, o)}},
	}
	for _, c := range anywhere {
		t := c.Quad.O
		all = append(all,
			Case{c.Name + " as subject", rdf.Quad{S: t, P: p, O: o}},
			Case{c.Name + " as object", rdf.Quad{S: s, P: p, O: t}},
			Case{c.Name + " as graph name", rdf.Quad{S: s, P: p, O: o, G: t}})
		if t.Kind() != rdf.KindBlank {
			all = append(all, Case{c.Name + " as predicate", rdf.Quad{S: s, P: t, O: o}})
		}
	}
	for _, c := range object {
		all = append(all, Case{c.Name, rdf.Quad{S: s, P: p, O: c.Quad.O}})
	}
	return all
}

// Valid returns quads at the edge of what is allowed.
func Valid() []Case {
	object := func(t rdf.Term) rdf.Quad { return rdf.Quad{S: s, P: p, O: t} }
	return []Case{
		{"IRIs", object(o)},
		{"a literal of odd characters", object(rdf.String("a\nb\r\x00\u2028\U0010ffff\ufffe\uffff\"\\"))},
		{"a long literal", object(rdf.String(strings.Repeat("é", 1<<16)))},
		{"a literal that is no value of its datatype", object(rdf.Typed("no number", rdf.XSDInteger))},
		{"a tag of eight letters and long subtags", object(rdf.LangString("a", "abcdefgh-abcdefghijkl"))},
		{"a tag with a direction", object(rdf.DirLangString("a", "ar", "rtl"))},
		{"a triple term that nests", object(rdf.TripleTerm(s, p, rdf.TripleTerm(rdf.Blank("b"), p, rdf.String("\n"))))},
		{"a triple term of every level", object(nested(rdf.MaxDepth))},
		{"blank nodes", rdf.Quad{S: rdf.Blank("b"), P: p, O: rdf.Blank("b.c"), G: rdf.Blank("0")}},
		{"a long graph name", rdf.Quad{S: s, P: p, O: o, G: rdf.IRI("http://e/" + strings.Repeat("g", 70_000))}},
	}
}
