package rdfxml

import (
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"unicode/utf8"

	"github.com/rete-go/rete/internal/iri"
	"github.com/rete-go/rete/internal/lex"
	"github.com/rete-go/rete/internal/syntax/labels"
	"github.com/rete-go/rete/internal/syntax/prefixes"
	"github.com/rete-go/rete/rdf"
)

// maxOpen bounds how deep elements nest.
const maxOpen = 100_000

// Reader reads an RDF/XML document. It implements [rdf.Reader].
type Reader struct {
	opt      rdf.Options
	src      *source
	dec      *xml.Decoder
	at       place // start of the token at hand
	ns       namespaces
	top      scope
	labels   labels.Namer
	ids      map[string]struct{} // IRIs that rdf:ID made
	stack    []frame
	finished bool // the root element is closed

	captures []capture // open rdf:parseType="Triple" properties
	queue    []rdf.Quad
	next     int
	buf      [3][]byte
	fatal    error
}

// scope is what an element inherits.
type scope struct {
	base      *iri.Base
	lang, dir string
	version12 bool
}

// capture takes the one statement of a triple term.
type capture struct {
	triple rdf.Term
	full   bool
}

// NewReader returns a reader of RDF/XML.
func NewReader(src io.Reader, opt rdf.Options) *Reader {
	s := newSource(src)
	r := &Reader{opt: opt, src: s, dec: xml.NewDecoder(s), ns: newNamespaces(), labels: labels.Namer{Mode: opt.Blank}, ids: map[string]struct{}{}}
	r.dec.CharsetReader = s.charset
	r.dec.Entity = map[string]string{}
	if opt.Base != "" {
		r.top.base, r.fatal = iri.NewBase(opt.Base)
	}
	return r
}

// Declared implements [prefixes.Declarer].
func (r *Reader) Declared() *prefixes.Declared { return r.ns.first }

// Read implements [rdf.Reader].
func (r *Reader) Read(q *rdf.RawQuad) error {
	for r.next == len(r.queue) {
		if r.fatal != nil {
			return r.fatal
		}
		r.queue, r.next = r.queue[:0], 0
		r.fatal = r.token()
	}
	quad := r.queue[r.next]
	r.next++
	for i, t := range []rdf.Term{quad.S, quad.P, quad.O} {
		r.buf[i] = append(r.buf[i][:0], t.Surface()...)
	}
	*q = rdf.RawQuad{S: r.buf[0], P: r.buf[1], O: r.buf[2]}
	return nil
}

// fail is an error at the token at hand.
func (r *Reader) fail(expected, found string) error {
	return r.at.fault(r.opt.File, expected, found)
}

func (r *Reader) token() error {
	r.at = r.src.place()
	tok, err := r.dec.RawToken()
	if err != nil {
		return r.xmlError(err)
	}
	switch t := tok.(type) {
	case xml.StartElement:
		return r.start(t)
	case xml.EndElement:
		return r.end(t)
	case xml.CharData:
		return r.text(t)
	case xml.Comment:
		if f := r.literalFrame(); f != nil {
			f.xml.comment(t)
		}
	case xml.ProcInst:
		if f := r.literalFrame(); f != nil {
			f.xml.instruction(t)
		}
		if r.src.wide && t.Target == "xml" && declaresUTF8(string(t.Inst)) {
			return r.fail("the declaration of UTF-16, in which the document is", string(t.Inst))
		}
	case xml.Directive:
		if err := declareEntities(r.dec.Entity, string(t)); err != nil {
			return r.fail("declarations of entities", err.Error())
		}
	}
	return nil
}

// xmlError turns an error of the decoder into one of the document or of the
// source.
func (r *Reader) xmlError(err error) error {
	var syntax *xml.SyntaxError
	var encoding encodingError
	switch {
	case err == io.EOF && len(r.stack) == 0 && r.finished:
		return io.EOF
	case err == io.EOF && len(r.stack) == 0:
		return r.fail("a root element", "the end of the document")
	case err == io.EOF:
		return r.fail("the end tag of "+rawName(r.stack[len(r.stack)-1].name), "the end of the document")
	case errors.As(r.src.err, &encoding):
		return r.src.place().fault(r.opt.File, "a document whose encoding is known", encoding.Error())
	case r.src.err != nil && r.src.err != io.EOF:
		return r.src.err
	case errors.As(err, &syntax):
		return r.src.place().fault(r.opt.File, "well-formed XML", syntax.Msg)
	}
	return r.src.place().fault(r.opt.File, "well-formed XML", err.Error())
}

// emit queues a statement, or gives it to the triple term that is open.
func (r *Reader) emit(s, p, o rdf.Term) error {
	if n := len(r.captures); n > 0 {
		c := &r.captures[n-1]
		if c.full {
			return r.fail("one statement in a triple term", "another")
		}
		c.triple, c.full = rdf.TripleTerm(s, p, o), true
		return nil
	}
	r.queue = append(r.queue, rdf.Quad{S: s, P: p, O: o})
	return nil
}

// iriText returns text if an IRI may hold its characters. Lenient readers
// replace the others.
func (r *Reader) iriText(text string) (string, error) {
	for i := range len(text) {
		if c := text[i]; c < utf8.RuneSelf && lex.Class[c]&lex.ClassIRI == 0 {
			if r.opt.Lenient {
				return string(lex.AppendLenientIRI(nil, []byte(text))), nil
			}
			return "", r.fail("an IRI", fmt.Sprintf("%q, which holds %q", text, c))
		}
	}
	return text, nil
}

// resolve returns the IRI that a reference in the document stands for.
func (r *Reader) resolve(sc *scope, ref string) (rdf.Term, error) {
	ref, err := r.iriText(ref)
	if err != nil {
		return rdf.Term{}, err
	}
	switch {
	case lex.HasScheme(ref) || sc.base == nil && r.opt.Lenient:
		return rdf.IRI(ref), nil
	case sc.base == nil:
		return rdf.Term{}, r.fail("an absolute IRI (the document has no base)", fmt.Sprintf("the relative reference %q", ref))
	}
	return rdf.IRI(sc.base.Resolve(ref)), nil
}

func (r *Reader) fresh() rdf.Term { return rdf.FromSurface(string(r.labels.Fresh(nil))) }

// node returns the blank node with the label of an rdf:nodeID.
func (r *Reader) node(label string) (rdf.Term, error) {
	if !isNCName(label) {
		return rdf.Term{}, r.fail("an XML name as rdf:nodeID", fmt.Sprintf("%q", label))
	}
	if label[len(label)-1] == '.' {
		return rdf.Term{}, r.fail("a blank node label that does not end with a dot", fmt.Sprintf("%q", label))
	}
	surface, fault := r.labels.Labelled(nil, []byte(label))
	if fault != nil {
		return rdf.Term{}, r.fail(fault.Expected, fault.Found)
	}
	return rdf.FromSurface(string(surface)), nil
}

// id returns the IRI of an rdf:ID, which may not repeat.
func (r *Reader) id(sc *scope, name string) (rdf.Term, error) {
	if !isNCName(name) {
		return rdf.Term{}, r.fail("an XML name as rdf:ID", fmt.Sprintf("%q", name))
	}
	t, err := r.resolve(sc, "#"+name)
	if err != nil {
		return t, err
	}
	if _, again := r.ids[t.Value()]; again {
		return t, r.fail("an rdf:ID that is new", fmt.Sprintf("%q again", name))
	}
	r.ids[t.Value()] = struct{}{}
	return t, nil
}

// literal returns the literal of text in a scope.
func (sc *scope) literal(text string) rdf.Term {
	switch {
	case sc.lang == "":
		return rdf.String(text)
	case sc.dir != "" && sc.version12:
		return rdf.DirLangString(text, sc.lang, sc.dir)
	}
	return rdf.LangString(text, sc.lang)
}
