package parse

import (
	"strings"
	"unicode/utf8"

	"github.com/rete-go/rete/internal/iri"
	"github.com/rete-go/rete/rdf"
	"github.com/rete-go/rete/sparql/internal/ast"
	"github.com/rete-go/rete/sparql/internal/work"
)

const (
	// stepBytes is the number of bytes of a token, or of a term, that count as a step.
	stepBytes = 64
	// nodeBytes is what a token is counted for: no less than what the tree and its
	// translation hold for one, wherever it stands, but for the text of terms.
	nodeBytes = 256
	// cellBytes is that of a token of a table, and tripleBytes of a triple for which the text
	// has no tokens of its own: a cell of a collection.
	cellBytes   = 48
	tripleBytes = 512
)

// parser is a recursive descent parser with one token of look-ahead. After the
// first error every token is the end of the text, so that all loops end; the
// tree is worthless then.
//
// Every question whether the next token is of some kind is noted in want, which
// is emptied when a token is taken: at an error, it is the set of what could
// have stood there.
type parser struct {
	lexer
	tok     token
	prevEnd uint32
	want    kindSet
	opt     ast.Options
	depth   int
	height  int // of the tree of what was read last: see higher
	joins   int // that the paths of the triples being read are translated to
	meter   *work.Meter
	weight  int // what is held for a token

	base     *iri.Base
	prefixes map[string]string // namespaces that the text declares
	version  string

	triples []ast.Triple // the stack of triples being read, see triples.go
	data    dataFeed
	place   place
	blanks  blanks
	// aggs says whether an aggregate may stand here, and why not.
	aggs aggState
	// scoped is set when something was read whose scope must be checked.
	scoped bool
	// aggregated is set when the current query has an aggregate.
	aggregated bool
}

// Query reads a query. The error is a [*SyntaxError]. A nil opt stands for
// the defaults.
func Query(text string, opt *ast.Options) (*ast.Query, error) {
	return QueryWith(new(work.Meter), text, opt)
}

// QueryWith is [Query] with a meter, whose error ends the reading. The bytes that
// it holds cover the tree and its translation.
func QueryWith(m *work.Meter, text string, opt *ast.Options) (*ast.Query, error) {
	p, err := newParser(m, text, opt)
	if err != nil {
		return nil, err
	}
	q := p.query()
	if p.err == nil && p.scoped {
		p.err = checkScopes(m, q, text)
	}
	if err := p.result(); err != nil {
		return nil, err
	}
	return q, nil
}

// Update reads an update request, which may be empty. The error is a
// [*SyntaxError]. A nil opt stands for the defaults.
func Update(text string, opt *ast.Options) (*ast.Update, error) {
	return UpdateWith(new(work.Meter), text, opt, nil)
}

// UpdateWith is [Update] with a meter, as [QueryWith] is [Query]. Where
// data is not nil it gets the quads of INSERT DATA and DELETE DATA, some at a time, as they
// are read, with the number of their operation, from 0: the tree has none of them, and nothing
// that is a part of the text. The quads are valid during the call. An error of data ends the
// reading and is returned.
func UpdateWith(m *work.Meter, text string, opt *ast.Options, data func(op int, quads []ast.Quad) error) (*ast.Update, error) {
	p, err := newParser(m, text, opt)
	if err != nil {
		return nil, err
	}
	p.data.use = data
	u := p.update()
	if p.err == nil && p.scoped {
		p.err = checkUpdateScopes(m, u, text)
	}
	if err := p.result(); err != nil {
		return nil, err
	}
	return u, nil
}

// result returns the error of the whole text: what ended the reading, or what is wrong with
// the text.
func (p *parser) result() error {
	if err := p.meter.Err(); err != nil {
		return err
	}
	if p.data.err != nil {
		return p.data.err
	}
	if p.err != nil {
		return p.err
	}
	return nil
}

func newParser(m *work.Meter, text string, opt *ast.Options) (*parser, error) {
	p := &parser{opt: ast.Defaults(opt), meter: m, weight: nodeBytes}
	p.text = text
	if len(text) > p.opt.MaxBytes {
		return nil, ErrorAt(text, 0, "the text is longer than the limit")
	}
	if !utf8.ValidString(text) {
		bad := 0
		for i, r := range text {
			if r == utf8.RuneError && !strings.HasPrefix(text[i:], "\uFFFD") {
				bad = i
				break
			}
		}
		return nil, ErrorAt(text, bad, "the text is not UTF-8")
	}
	if p.opt.Base != "" {
		b, err := iri.NewBase(p.opt.Base)
		if err != nil {
			return nil, ErrorAt(text, 0, "the base IRI given to the parser: "+err.Error())
		}
		p.base = b
	}
	p.pos = len(text) - len(strings.TrimPrefix(text, "\uFEFF"))
	p.advance()
	return p, nil
}

// ErrorAt returns an error at a byte of a text.
func ErrorAt(text string, offset int, msg string) *ast.SyntaxError {
	e := &ast.SyntaxError{Offset: offset, Msg: msg}
	e.Locate(text)
	return e
}

// advance takes the next token.
func (p *parser) advance() {
	p.prevEnd = p.tok.end
	p.tok = p.lexer.next()
	p.want = kindSet{}
	if !p.meter.Step(1+int(p.tok.end-p.prevEnd)/stepBytes) || !p.meter.Hold(p.weight) {
		p.abandon()
	}
}

// abandoned is in the place of an error of the text where the meter has one.
var abandoned = new(ast.SyntaxError)

// abandon ends the reading because the meter says so.
func (p *parser) abandon() {
	if p.err == nil {
		p.err = abandoned
	}
	p.tok = p.lexer.end()
}

// made counts a term whose text is not a part of the text that is read.
func (p *parser) made(t rdf.Term) rdf.Term {
	if n := len(t.Surface()); !p.meter.Step(n/stepBytes) || !p.meter.Hold(n) {
		p.abandon()
	}
	return t
}

// is reports whether the next token is of kind k, and notes that it could be.
func (p *parser) is(k kind) bool {
	if p.tok.kind == k {
		return true
	}
	p.want.add(k)
	return false
}

// accept takes the next token if it is of kind k.
func (p *parser) accept(k kind) bool {
	if !p.is(k) {
		return false
	}
	p.advance()
	return true
}

// expect takes the next token, which must be of kind k.
func (p *parser) expect(k kind) bool {
	if p.accept(k) {
		return true
	}
	p.unexpected()
	return false
}

// unexpectedFor reports the next token as one that is not of kind k.
func (p *parser) unexpectedFor(k kind) {
	p.want.add(k)
	if k == kTerm && !p.place.noVar {
		p.want.add(kVar)
	}
	p.unexpected()
}

// source returns the text of a token.
func (p *parser) source(t token) string { return p.text[t.start:t.end] }

// unexpected reports the next token as one that cannot stand here.
func (p *parser) unexpected() {
	if p.err != nil {
		return
	}
	t := p.tok
	found := "end of text"
	if t.kind != kEOF {
		found = p.source(t)
	}
	e := &ast.SyntaxError{Offset: int(t.start), Expected: p.want.names(), Found: shorten(found)}
	e.Msg = expectedMessage(e.Expected, e.Found, t.kind == kEOF)
	e.Hint = p.hint(t)
	p.stop(e)
}

// failAt reports a broken rule at a place of the text.
func (p *parser) failAt(start uint32, msg, hint string) {
	if p.err == nil {
		p.stop(&ast.SyntaxError{Offset: int(start), Msg: msg, Hint: hint})
	}
}

func (p *parser) stop(e *ast.SyntaxError) {
	e.Locate(p.text)
	p.err = e
	p.tok = p.lexer.end()
}

// enter counts a level of nesting; leave must follow in any case.
func (p *parser) enter() bool {
	p.depth++
	if p.depth > p.opt.MaxDepth {
		p.failAt(p.tok.start, "the text nests too deep", "")
		return false
	}
	return true
}

func (p *parser) leave() { p.depth-- }

// maxHeight bounds the height of the trees of expressions and patterns, which are walked by
// recursion: rows of operators, and of members of a group, make them higher than they nest.
const maxHeight = 20_000

// higher sets the height of what was read.
func (p *parser) higher(height int) {
	if p.height = height; height > maxHeight {
		p.failAt(p.tok.start, "the text nests too deep: more than "+number(maxHeight)+" operators or patterns on each other", "")
	}
}

// span returns the span from start to the last token taken.
func (p *parser) span(start uint32) ast.Span {
	return ast.Span{Start: start, End: max(start, p.prevEnd)}
}

// prologue reads BASE, PREFIX and VERSION.
func (p *parser) prologue() {
	for {
		switch {
		case p.accept(kBase):
			if t := p.tok; p.expect(kIRI) {
				p.setBase(t)
			}
		case p.accept(kPrefix):
			p.prefixDecl()
		case p.accept(kVersion):
			t := p.tok
			if p.expect(kString) {
				p.version = p.stringText(t)
			}
		default:
			return
		}
	}
}

func (p *parser) setBase(t token) {
	text, ok := p.resolve(t)
	if !ok {
		return
	}
	b, err := iri.NewBase(text)
	if err != nil {
		p.failAt(t.start, err.Error(), "")
		return
	}
	p.base = b
}

func (p *parser) prefixDecl() {
	t := p.tok
	if !p.is(kPName) || p.text[t.end-1] != ':' || strings.IndexByte(p.source(t), ':') != int(t.end-t.start)-1 {
		p.want = kindSet{}
		if t.kind == kPName {
			p.failAt(t.start, "a prefix is declared as a name and a colon, found "+quote(shorten(p.source(t))), "")
			return
		}
		p.unexpectedFor(kPName)
		return
	}
	p.advance()
	ref := p.tok
	if !p.expect(kIRI) {
		return
	}
	name := p.text[t.start : t.end-1]
	text, ok := p.resolve(ref)
	if !ok {
		return
	}
	if p.prefixes == nil {
		p.prefixes = make(map[string]string)
	}
	p.prefixes[name] = text
}

// resolve returns the absolute IRI of a token of kind kIRI.
func (p *parser) resolve(t token) (string, bool) {
	ref := p.text[t.start+1 : t.end-1]
	if t.escaped {
		ref = unescape(ref)
	}
	if hasScheme(ref) {
		return p.kept(ref), true
	}
	if p.base == nil {
		p.failAt(t.start, "the IRI "+quote(shorten("<"+ref+">"))+" is relative and there is no base IRI", "give one with BASE <…>")
		return "", false
	}
	if n := len(p.base.String()) + len(ref); !p.meter.Step(n/stepBytes) || !p.meter.Hold(n) {
		p.abandon()
		return "", false
	}
	return p.base.Resolve(ref), true
}

// hasScheme reports whether an IRI begins with a scheme.
func hasScheme(s string) bool {
	if s == "" || !is(s[0], cLetter) {
		return false
	}
	for i := 1; i < len(s); i++ {
		switch c := s[i]; {
		case c == ':':
			return true
		case !is(c, cLetter|cDigit) && c != '+' && c != '-' && c != '.':
			return false
		}
	}
	return false
}

// iriTerm returns the term of a token of kind kIRI.
func (p *parser) iriTerm(t token) rdf.Term {
	if !t.escaped && hasScheme(p.text[t.start+1:t.end-1]) {
		return rdf.FromSurface(p.kept(p.source(t)))
	}
	text, ok := p.resolve(t)
	if !ok {
		return rdf.Term{}
	}
	return p.made(rdf.IRI(text))
}

// nameTerm returns the term of a token of kind kPName.
func (p *parser) nameTerm(t token) rdf.Term {
	text := p.source(t)
	colon := strings.IndexByte(text, ':')
	ns, ok := p.namespace(text[:colon])
	if !ok {
		p.undeclared(t, text[:colon])
		return rdf.Term{}
	}
	local := text[colon+1:]
	if t.escaped {
		local = unescapeLocal(local)
	}
	return p.made(rdf.FromSurface("<" + ns + local + ">"))
}

func (p *parser) namespace(name string) (string, bool) {
	ns, ok := p.prefixes[name]
	if !ok {
		ns, ok = p.opt.Prefixes[name]
	}
	return ns, ok
}

// isIRI reports whether the next token is an IRI or a prefixed name.
func (p *parser) isIRI() bool {
	if p.tok.kind == kPName {
		return true
	}
	return p.is(kIRI)
}

// iri takes an IRI or a prefixed name.
func (p *parser) iri() rdf.Term {
	t := p.tok
	switch {
	case t.kind == kPName:
		p.advance()
		return p.nameTerm(t)
	case p.accept(kIRI):
		return p.iriTerm(t)
	}
	p.unexpected()
	return rdf.Term{}
}
