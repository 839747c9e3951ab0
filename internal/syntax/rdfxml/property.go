package rdfxml

import (
	"bytes"
	"encoding/xml"
	"fmt"

	"github.com/rete-go/rete/internal/lex"
	"github.com/rete-go/rete/rdf"
)

// propertyElement takes a property of node parent (RDF/XML 1.1, sections
// 7.2.14 to 7.2.21).
func (r *Reader) propertyElement(e *element, parent *frame) error {
	f := frame{kind: kindProperty, subject: parent.subject}
	var err error
	if f.predicate, err = r.predicateOf(e, parent); err != nil {
		return err
	}
	var object rdf.Term
	var parseType string
	var properties []attribute
	hasType, hasDatatype := false, false
	for _, a := range e.attrs {
		switch a.rdfName {
		case "ID":
			f.statement, err = r.id(&e.scope, a.value)
		case "annotation", "annotationNodeID":
			if !f.reifier.IsZero() {
				return r.fail("one of rdf:annotation and rdf:annotationNodeID", "both")
			}
			if a.rdfName == "annotation" {
				f.reifier, err = r.resolve(&e.scope, a.value)
			} else {
				f.reifier, err = r.node(a.value)
			}
		case "resource", "nodeID":
			if !object.IsZero() {
				return r.fail("one of rdf:resource and rdf:nodeID", "both")
			}
			if a.rdfName == "resource" {
				object, err = r.resolve(&e.scope, a.value)
			} else {
				object, err = r.node(a.value)
			}
		case "parseType":
			parseType, hasType = a.value, true
		case "datatype":
			var t rdf.Term
			t, err = r.resolve(&e.scope, a.value)
			f.datatype, hasDatatype = t.Value(), true
		default:
			properties = append(properties, a)
		}
		if err != nil {
			return err
		}
	}
	isEmpty := !object.IsZero() || len(properties) > 0
	switch {
	case hasType && (isEmpty || hasDatatype):
		return r.fail("rdf:parseType with no attribute but rdf:ID and annotations", "another")
	case hasDatatype && isEmpty:
		return r.fail("rdf:datatype with no attribute but rdf:ID and annotations", "another")
	case hasType:
		return r.typedProperty(e, f, parseType)
	case isEmpty:
		if object.IsZero() {
			object = r.fresh()
		}
		for _, a := range properties {
			if err := r.propertyAttribute(&e.scope, object, a); err != nil {
				return err
			}
		}
		f.kind = kindEmpty
		if err := r.statement(&f, object); err != nil {
			return err
		}
	case hasDatatype:
		if _, fault := lex.CheckDatatype([]byte(f.datatype), 0); fault != nil {
			return r.fail(fault.Expected, fault.Found)
		}
	}
	r.push(e, f)
	return nil
}

// typedProperty opens a property with rdf:parseType.
func (r *Reader) typedProperty(e *element, f frame, parseType string) error {
	switch parseType {
	case "Resource":
		object := r.fresh()
		if err := r.statement(&f, object); err != nil {
			return err
		}
		f = frame{kind: kindNode, subject: object}
	case "Collection":
		f.kind = kindCollection
	case "Triple":
		if !e.scope.version12 {
			f.kind = kindSkipped
			break
		}
		if len(r.captures) == rdf.MaxDepth {
			return r.fail(fmt.Sprintf("at most %d nested triple terms", rdf.MaxDepth), "one more")
		}
		f.kind = kindTriple
		r.captures = append(r.captures, capture{})
	default: // Literal, and all that nobody defined
		f.kind = kindLiteral
		f.xml = &canonical{written: map[string][]string{}}
	}
	r.push(e, f)
	return nil
}

// literalFrame returns the open property that holds XML, nil if there is none.
func (r *Reader) literalFrame() *frame {
	if n := len(r.stack); n > 0 && r.stack[n-1].kind == kindLiteral {
		return &r.stack[n-1]
	}
	return nil
}

func (r *Reader) text(t xml.CharData) error {
	if len(r.stack) == 0 {
		if !isBlankText(t) {
			return r.fail("an element", "text")
		}
		return nil
	}
	f := &r.stack[len(r.stack)-1]
	switch {
	case f.kind == kindLiteral:
		f.xml.text(t)
		return r.bounded(len(f.xml.out))
	case f.kind == kindProperty && !f.filled:
		f.text = append(f.text, t...)
		return r.bounded(len(f.text))
	case f.kind != kindSkipped && !isBlankText(t):
		found := fmt.Sprintf("%.40q", bytes.TrimSpace(t))
		return r.at.past(t).fault(r.opt.File, "no text in <"+rawName(f.name)+">", found)
	}
	return nil
}

func (r *Reader) end(t xml.EndElement) error {
	n := len(r.stack) - 1
	if n < 0 {
		return r.fail("a start tag", "</"+rawName(t.Name)+">")
	}
	f := &r.stack[n]
	if f.kind == kindLiteral && len(f.xml.open) > 0 {
		declared, ok := f.xml.end(t.Name)
		if !ok {
			return r.fail("another end tag", "</"+rawName(t.Name)+">")
		}
		r.ns.undeclare(declared)
		return nil
	}
	if f.name != t.Name {
		return r.fail("</"+rawName(f.name)+">", "</"+rawName(t.Name)+">")
	}
	if err := r.closeElement(f); err != nil {
		return err
	}
	r.ns.undeclare(f.declared)
	r.stack[n] = frame{}
	r.stack = r.stack[:n]
	r.finished = n == 0
	return nil
}

// closeElement makes the statement that was complete only now.
func (r *Reader) closeElement(f *frame) error {
	switch f.kind {
	case kindProperty:
		switch {
		case f.filled:
			return nil
		case f.datatype != "":
			return r.statement(f, rdf.Typed(string(f.text), f.datatype))
		}
		return r.statement(f, f.scope.literal(string(f.text)))
	case kindLiteral:
		return r.statement(f, rdf.Typed(string(f.xml.out), xmlLiteral))
	case kindCollection:
		if f.last.IsZero() {
			return r.statement(f, rdfNil)
		}
		return r.emit(f.last, rdfRest, rdfNil)
	case kindTriple:
		c := r.captures[len(r.captures)-1]
		r.captures = r.captures[:len(r.captures)-1]
		if !c.full {
			return r.fail("a statement in a triple term", "none")
		}
		return r.statement(f, c.triple)
	}
	return nil
}
