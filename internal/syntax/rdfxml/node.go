package rdfxml

import (
	"fmt"
	"strconv"

	"github.com/rete-go/rete/rdf"
)

// nodeElement takes a node (RDF/XML 1.1, section 7.2.11), opens it, and
// returns its subject.
func (r *Reader) nodeElement(e *element) (rdf.Term, error) {
	if coreSyntax[e.rdfName] || oldTerms[e.rdfName] || e.rdfName == "li" {
		return rdf.Term{}, r.fail("a node element", "<"+rawName(e.raw)+">")
	}
	var subject rdf.Term
	for _, a := range e.attrs {
		var t rdf.Term
		var err error
		switch a.rdfName {
		case "ID":
			t, err = r.id(&e.scope, a.value)
		case "nodeID":
			t, err = r.node(a.value)
		case "about":
			t, err = r.resolve(&e.scope, a.value)
		default:
			continue
		}
		if err != nil {
			return t, err
		}
		if !subject.IsZero() {
			return t, r.fail("one of rdf:ID, rdf:nodeID and rdf:about", "rdf:"+a.rdfName+" besides another")
		}
		subject = t
	}
	if subject.IsZero() {
		subject = r.fresh()
	}
	if e.rdfName != "Description" {
		if err := r.emit(subject, rdfType, rdf.IRI(e.iri)); err != nil {
			return subject, err
		}
	}
	for _, a := range e.attrs {
		switch a.rdfName {
		case "ID", "nodeID", "about":
			continue
		}
		if err := r.propertyAttribute(&e.scope, subject, a); err != nil {
			return subject, err
		}
	}
	r.push(e, frame{kind: kindNode, subject: subject})
	return subject, nil
}

// propertyAttribute takes a property that is written as an attribute.
func (r *Reader) propertyAttribute(sc *scope, subject rdf.Term, a attribute) error {
	if coreSyntax[a.rdfName] || oldTerms[a.rdfName] || a.rdfName == "li" || a.rdfName == "Description" {
		return r.fail("an attribute that is a property", "rdf:"+a.rdfName)
	}
	if a.rdfName == "type" {
		class, err := r.resolve(sc, a.value)
		if err != nil {
			return err
		}
		return r.emit(subject, rdfType, class)
	}
	return r.emit(subject, rdf.IRI(a.iri), sc.literal(a.value))
}

// nodeIn takes a node that stands in the property r.stack[at].
func (r *Reader) nodeIn(e *element, at int) error {
	parent := &r.stack[at]
	switch {
	case parent.kind == kindEmpty:
		return r.fail("nothing in this property", "<"+rawName(e.raw)+">")
	case parent.kind == kindProperty && parent.datatype != "":
		return r.fail("text in a property with rdf:datatype", "<"+rawName(e.raw)+">")
	case parent.kind != kindCollection && parent.filled:
		return r.fail("one node in a property", "another: <"+rawName(e.raw)+">")
	case !isBlankText(parent.text):
		return r.fail("text or a node in a property", "both")
	}
	parent.filled = true
	switch parent.kind {
	case kindCollection:
		return r.member(e, at)
	case kindTriple:
		_, err := r.nodeElement(e)
		return err
	}
	subject, err := r.nodeElement(e)
	if err != nil {
		return err
	}
	return r.statement(&r.stack[at], subject)
}

// member takes a node of a collection.
func (r *Reader) member(e *element, at int) error {
	cell := r.fresh()
	f := &r.stack[at]
	var err error
	if f.last.IsZero() {
		err = r.statement(f, cell)
	} else {
		err = r.emit(f.last, rdfRest, cell)
	}
	if err != nil {
		return err
	}
	f.last = cell
	subject, err := r.nodeElement(e)
	if err != nil {
		return err
	}
	return r.emit(cell, rdfFirst, subject)
}

// statement emits the statement of property f, with what reifies it.
func (r *Reader) statement(f *frame, object rdf.Term) error {
	if err := r.emit(f.subject, f.predicate, object); err != nil {
		return err
	}
	if !f.reifier.IsZero() {
		if err := r.emit(f.reifier, rdfReifies, rdf.TripleTerm(f.subject, f.predicate, object)); err != nil {
			return err
		}
	}
	if f.statement.IsZero() {
		return nil
	}
	for _, part := range [][2]rdf.Term{{rdfType, rdfStatement}, {rdfSubject, f.subject}, {rdfPredicate, f.predicate}, {rdfObject, object}} {
		if err := r.emit(f.statement, part[0], part[1]); err != nil {
			return err
		}
	}
	return nil
}

// predicateOf returns the property that element e of node parent names.
func (r *Reader) predicateOf(e *element, parent *frame) (rdf.Term, error) {
	if coreSyntax[e.rdfName] || oldTerms[e.rdfName] || e.rdfName == "Description" {
		return rdf.Term{}, r.fail("a property element", fmt.Sprintf("<%s>", rawName(e.raw)))
	}
	if e.rdfName == "li" {
		parent.members++
		return rdf.IRI(rdf.RDF + "_" + strconv.Itoa(parent.members)), nil
	}
	return rdf.IRI(e.iri), nil
}
