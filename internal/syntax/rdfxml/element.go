package rdfxml

import (
	"encoding/xml"
	"fmt"

	"github.com/rete-go/rete/internal/iri"
	"github.com/rete-go/rete/internal/lex"
	"github.com/rete-go/rete/rdf"
)

// A frame is an open element.
type frame struct {
	kind     kind
	name     xml.Name // as written
	declared []string // prefixes to undeclare at its end
	scope    scope

	subject   rdf.Term // of a node: itself; of a property: of its statement
	predicate rdf.Term
	reifier   rdf.Term // from rdf:annotation or rdf:annotationNodeID
	statement rdf.Term // from rdf:ID on a property
	members   int      // rdf:li elements so far
	last      rdf.Term // the last node of a collection
	datatype  string
	text      []byte
	filled    bool // a property has its node
	xml       *canonical
}

type kind uint8

const (
	kindRoot       kind = iota // rdf:RDF: holds nodes
	kindNode                   // a node element, or a property that is one: holds properties
	kindProperty               // holds text or one node
	kindEmpty                  // a property that may hold nothing
	kindCollection             // holds nodes
	kindTriple                 // holds a node with one statement
	kindLiteral                // holds XML
	kindSkipped                // is ignored with all that it holds
)

// element is a start tag with names resolved.
type element struct {
	iri      string
	rdfName  string // local name if it is in the RDF namespace
	attrs    []attribute
	scope    scope
	raw      xml.Name
	declared []string
}

type attribute struct {
	iri     string
	rdfName string
	value   string
}

func (r *Reader) start(t xml.StartElement) error {
	if len(r.stack) >= maxOpen {
		return r.fail(fmt.Sprintf("at most %d open elements", maxOpen), "one more")
	}
	if r.finished {
		return r.fail("nothing after the root element", "<"+rawName(t.Name)+">")
	}
	declared, bad := r.ns.declare(t.Attr)
	if bad != "" {
		return r.fail("a namespace that XML allows", bad)
	}
	var parent *frame
	if n := len(r.stack); n > 0 {
		parent = &r.stack[n-1]
		switch parent.kind {
		case kindLiteral:
			if bad := parent.xml.start(t, r.ns); bad != "" {
				return r.fail("a prefix that is declared", bad+":")
			}
			if len(parent.xml.open) > maxOpen {
				return r.fail(fmt.Sprintf("at most %d open elements", maxOpen), "one more")
			}
			parent.xml.open[len(parent.xml.open)-1].declared = declared
			return r.bounded(len(parent.xml.out))
		case kindSkipped:
			r.stack = append(r.stack, frame{kind: kindSkipped, name: t.Name, declared: declared})
			return nil
		}
	}
	e, err := r.element(t, parent)
	if err != nil {
		return err
	}
	e.declared = declared
	switch {
	case parent == nil && e.rdfName == "RDF":
		if len(e.attrs) > 0 {
			return r.fail("no such attribute on rdf:RDF", e.attrs[0].iri)
		}
		r.push(e, frame{kind: kindRoot})
		return nil
	case parent == nil || parent.kind == kindRoot:
		_, err := r.nodeElement(e)
		return err
	case parent.kind == kindNode:
		return r.propertyElement(e, parent)
	}
	return r.nodeIn(e, len(r.stack)-1)
}

func (r *Reader) push(e *element, f frame) {
	f.name, f.declared, f.scope = e.raw, e.declared, e.scope
	r.stack = append(r.stack, f)
}

// bounded refuses text that grows too long.
func (r *Reader) bounded(n int) error {
	if n > rdf.MaxToken {
		return r.fail("a literal of at most 64 MiB", "a longer one")
	}
	return nil
}

// element resolves the names of a start tag and takes what is in scope.
func (r *Reader) element(t xml.StartElement, parent *frame) (*element, error) {
	e := &element{raw: t.Name, scope: r.top}
	if parent != nil {
		e.scope = parent.scope
	}
	var err error
	if e.iri, e.rdfName, err = r.name(t.Name, false); err != nil {
		return nil, err
	}
	if e.iri, err = r.iriText(e.iri); err != nil {
		return nil, err
	}
	if !lex.HasScheme(e.iri) {
		return nil, r.fail("an element in a namespace that is an absolute IRI", "<"+rawName(t.Name)+">")
	}
	if a := repeated(t.Attr); a != nil {
		return nil, r.fail("each attribute once", rawName(a.Name)+" again")
	}
	for _, a := range t.Attr {
		if err := r.attribute(e, a); err != nil {
			return nil, err
		}
	}
	return e, nil
}

// repeated returns an attribute whose name an earlier one has, nil if there is none.
func repeated(attrs []xml.Attr) *xml.Attr {
	if len(attrs) < 2 {
		return nil
	}
	seen := make(map[xml.Name]struct{}, len(attrs))
	for i := range attrs {
		if _, twice := seen[attrs[i].Name]; twice {
			return &attrs[i]
		}
		seen[attrs[i].Name] = struct{}{}
	}
	return nil
}

// name resolves a name. Attributes without a prefix are in no namespace.
func (r *Reader) name(n xml.Name, attr bool) (text, rdfName string, err error) {
	uri := ""
	if n.Space != "" || !attr {
		var ok bool
		if uri, ok = r.ns.lookup(n.Space); !ok {
			return "", "", r.fail("a prefix that is declared", n.Space+":")
		}
	}
	if !isNCName(n.Local) {
		return "", "", r.fail("an XML name", fmt.Sprintf("%q", rawName(n)))
	}
	if uri == rdf.RDF {
		rdfName = n.Local
	}
	return uri + n.Local, rdfName, nil
}

// attribute takes what is in scope (xml:base, xml:lang, rdf:version, its:dir)
// out and keeps the rest.
func (r *Reader) attribute(e *element, a xml.Attr) error {
	raw := rawName(a.Name)
	if a.Name.Space == "xmlns" || raw == "xmlns" {
		return nil
	}
	text, rdfName, err := r.name(a.Name, true)
	if err != nil {
		return err
	}
	switch {
	case text == xmlNS+"base":
		return r.setBase(e, a.Value)
	case text == xmlNS+"lang":
		return r.setLang(e, a.Value)
	case rdfName == "version":
		e.scope.version12 = a.Value == "1.2"
		return nil
	case text == itsNS+"dir":
		switch a.Value {
		case "ltr", "rtl", "":
			e.scope.dir = a.Value
			return nil
		}
		return r.fail("ltr or rtl as its:dir", fmt.Sprintf("%q", a.Value))
	case text == itsNS+"version":
		return nil
	case len(raw) >= 3 && (raw[0]|0x20 == 'x') && (raw[1]|0x20 == 'm') && (raw[2]|0x20 == 'l'):
		return nil // reserved by XML
	case a.Name.Space == "" && withoutNamespace[text]:
		rdfName, text = text, rdf.RDF+text
	case a.Name.Space == "":
		return r.fail("an attribute with a namespace", raw)
	}
	if text, err = r.iriText(text); err != nil {
		return err
	}
	if !lex.HasScheme(text) {
		return r.fail("an attribute in a namespace that is an absolute IRI", raw)
	}
	e.attrs = append(e.attrs, attribute{text, rdfName, a.Value})
	return nil
}

func (r *Reader) setBase(e *element, ref string) error {
	t, err := r.resolve(&e.scope, ref)
	if err != nil {
		return err
	}
	base, bad := iri.NewBase(t.Value())
	if bad != nil {
		return r.fail("a base IRI", bad.Error())
	}
	e.scope.base = base
	return nil
}

func (r *Reader) setLang(e *element, tag string) error {
	if tag != "" {
		b := []byte("@" + tag)
		tagEnd, _, _, fault := lex.Tag(b, 0)
		if fault == nil && !r.opt.Lenient {
			fault = lex.CheckTag(b, 0, tagEnd)
		}
		if fault != nil || tagEnd != len(b) {
			return r.fail("a language tag as xml:lang", fmt.Sprintf("%q", tag))
		}
	}
	e.scope.lang = tag
	return nil
}
