package parse

import (
	"strings"

	"github.com/rete-go/rete/rdf"
	"github.com/rete-go/rete/sparql/internal/ast"
)

// stringText returns the text of a string token.
func (p *parser) stringText(t token) string {
	n := uint32(1)
	if t.kind == kLongString {
		n = 3
	}
	s := p.text[t.start+n : t.end-n]
	if t.escaped {
		return unescape(s)
	}
	return p.kept(s)
}

// isString reports whether the next token is a string.
func (p *parser) isString() bool {
	return p.tok.kind == kLongString || p.is(kString)
}

// literal takes a string with its language tag or datatype.
func (p *parser) literal() rdf.Term {
	t := p.tok
	p.advance()
	if p.tok.kind == kLangTag {
		tag := p.tok
		p.advance()
		return p.made(p.langLiteral(p.stringText(t), p.text[tag.start+1:tag.end]))
	}
	p.want.add(kLangTag)
	if p.accept(kTypeMark) {
		at := p.tok.start
		dt := p.iri()
		if p.err != nil {
			return rdf.Term{}
		}
		if v := dt.Value(); v == rdf.LangStringIRI || v == rdf.DirLangIRI {
			p.failAt(at, "a literal of this datatype needs a language tag", `it is written "…"@tag`)
			return rdf.Term{}
		}
		return p.made(rdf.Typed(p.stringText(t), dt.Value()))
	}
	if !t.escaped && t.kind == kString && p.text[t.start] == '"' && plain(p.text[t.start+1:t.end-1]) {
		return rdf.FromSurface(p.kept(p.source(t)))
	}
	return p.made(rdf.String(p.stringText(t)))
}

// plain reports whether a text is its own canonical surface.
func plain(s string) bool {
	for i := range len(s) {
		if c := s[i]; c < ' ' || c == '"' || c == '\\' || c == 0x7f {
			return false
		}
	}
	return true
}

// langLiteral makes a literal of a text and a tag such as en or en--ltr.
func (p *parser) langLiteral(text, tag string) rdf.Term {
	if n := len(tag) - 5; n > 0 && tag[n:n+2] == "--" {
		return rdf.DirLangString(text, tag[:n], tag[n+2:])
	}
	return rdf.LangString(text, tag)
}

// numberKind reports whether a token is a number.
func numberKind(k kind) bool { return k == kInteger || k == kDecimal || k == kDouble }

// signed reports whether the next token is a sign that belongs to the number
// directly after it.
func (p *parser) signed() bool {
	if p.tok.kind != kPlus && p.tok.kind != kMinus {
		return false
	}
	c := p.at(int(p.tok.end))
	return is(c, cDigit) || c == '.' && is(p.at(int(p.tok.end)+1), cDigit)
}

// numeric takes a number, with its sign if there is one.
func (p *parser) numeric() rdf.Term {
	start := p.tok.start
	if p.signed() {
		p.advance()
	}
	t := p.tok
	if !numberKind(t.kind) {
		p.unexpectedFor(kInteger)
		return rdf.Term{}
	}
	p.advance()
	dt := rdf.XSDInteger
	switch t.kind {
	case kDecimal:
		dt = rdf.XSDDecimal
	case kDouble:
		dt = rdf.XSDDouble
	}
	return p.made(rdf.FromSurface(`"` + p.text[start:t.end] + `"^^<` + dt + ">"))
}

// termStart reports whether the next token begins a term: an IRI, a literal, a
// blank node label (not `[` and `(`).
func (p *parser) termStart() bool {
	switch p.tok.kind {
	case kIRI, kPName, kString, kLongString, kInteger, kDecimal, kDouble, kTrue, kFalse, kBlankLabel:
		return true
	case kPlus, kMinus:
		return p.signed()
	}
	return false
}

// constant takes an IRI or a literal. The next token must begin one.
func (p *parser) constant() rdf.Term {
	t := p.tok
	switch t.kind {
	case kIRI, kPName:
		if b := p.blankID(); !b.IsZero() {
			return b
		}
		return p.iri()
	case kString, kLongString:
		return p.literal()
	case kTrue, kFalse:
		p.advance()
		return rdf.Boolean(t.kind == kTrue)
	}
	return p.numeric()
}

// constantStart reports whether the next token begins an IRI or a literal.
func (p *parser) constantStart() bool { return p.tok.kind != kBlankLabel && p.termStart() }

// variable takes a variable.
func (p *parser) variable() ast.Var {
	t := p.tok
	if !p.expect(kVar) {
		return ast.Var{}
	}
	return ast.Var{Span: ast.Span{Start: t.start, End: t.end}, Name: p.kept(p.text[t.start+1 : t.end])}
}

// varNode takes a variable as a node.
func (p *parser) varNode() ast.Node {
	v := p.variable()
	return ast.Node{Span: v.Span, Kind: ast.VarNode, Name: v.Name}
}

// varOrIRI takes a variable or an IRI.
func (p *parser) varOrIRI() ast.Node {
	if p.is(kVar) {
		return p.varNode()
	}
	start := p.tok.start
	t := p.blankID()
	if t.IsZero() {
		t = p.iri()
	}
	return ast.Node{Span: p.span(start), Kind: ast.TermNode, Term: t}
}

// blankID takes <_:label>, the name of a stored blank node; the zero term if
// something else stands there, or if [Options.BlankNodeIDs] is off.
func (p *parser) blankID() rdf.Term {
	if !p.opt.BlankNodeIDs || !p.is(kIRI) {
		return rdf.Term{}
	}
	label, ok := strings.CutPrefix(p.text[p.tok.start+1:p.tok.end-1], "_:")
	if t := rdf.Blank(label); ok && t.Valid() {
		p.advance()
		return t
	}
	return rdf.Term{}
}
