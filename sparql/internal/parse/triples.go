package parse

import (
	"github.com/rete-go/rete/rdf"
	"github.com/rete-go/rete/sparql/internal/ast"
)

var (
	rdfType    = rdf.IRI(rdf.RDF + "type")
	rdfFirst   = rdf.IRI(rdf.RDF + "first")
	rdfRest    = rdf.IRI(rdf.RDF + "rest")
	rdfNil     = rdf.IRI(rdf.RDF + "nil")
	rdfReifies = rdf.IRI(rdf.RDF + "reifies")
)

// verb is what stands between subject and object: a node or a path.
type verb struct {
	ast.Span
	node ast.Node
	path *ast.Path
}

// tripleStart reports whether the next token begins a triple.
func (p *parser) tripleStart() bool {
	switch p.tok.kind {
	case kVar, kLBracket, kLParen, kReifiedOpen, kTripleOpen:
		return true
	}
	return p.termStart()
}

// triplesBlock reads triples separated by dots up to something else. It pushes
// them, and reports whether a dot stands after the last one.
func (p *parser) triplesBlock() (dotted bool) {
	for p.err == nil {
		p.sameSubject()
		if !p.accept(kDot) {
			return false
		}
		if !p.tripleStart() {
			return true
		}
	}
	return true
}

// take returns the triples pushed since mark.
func (p *parser) take(mark int) []ast.Triple {
	t := make([]ast.Triple, len(p.triples)-mark)
	copy(t, p.triples[mark:])
	p.triples = p.triples[:mark]
	return t
}

// sameSubject reads a subject and its predicates and objects.
func (p *parser) sameSubject() {
	switch p.tok.kind {
	case kLBracket:
		s, empty := p.blankNodePropertyList()
		p.propertyList(s, empty)
	case kLParen:
		s := p.collection()
		p.propertyList(s, s.Kind == ast.TermNode)
	case kReifiedOpen:
		p.propertyList(p.reifiedTriple(), false)
	default:
		p.propertyList(p.varOrTerm(), true)
	}
}

// varOrTerm reads a variable, an IRI, a literal, a blank node label or a triple
// term.
func (p *parser) varOrTerm() ast.Node {
	start := p.tok.start
	switch {
	case p.tok.kind == kVar:
		if p.place.noVar {
			p.failAt(start, "there are no variables in "+p.place.name, "variables need a WHERE to bind them")
		}
		return p.varNode()
	case p.tok.kind == kTripleOpen:
		return p.tripleTerm()
	case p.tok.kind == kBlankLabel:
		return p.label()
	case p.termStart():
		t := p.constant()
		return ast.Node{Span: p.span(start), Kind: ast.TermNode, Term: t}
	}
	p.unexpectedFor(kTerm)
	return ast.Node{}
}

// graphNode reads an object, or a member of a collection.
func (p *parser) graphNode() ast.Node {
	switch p.tok.kind {
	case kLBracket:
		n, _ := p.blankNodePropertyList()
		return n
	case kLParen:
		return p.collection()
	case kReifiedOpen:
		return p.reifiedTriple()
	}
	return p.varOrTerm()
}

// blankNodePropertyList reads [ … ]; empty tells [] from others.
func (p *parser) blankNodePropertyList() (n ast.Node, empty bool) {
	start := p.tok.start
	defer p.leave()
	if !p.enter() {
		return n, true
	}
	p.advance()
	n = p.fresh(ast.Span{Start: start, End: p.prevEnd})
	if p.accept(kRBracket) {
		n.Span = p.span(start)
		return n, true
	}
	p.propertyList(n, true)
	p.expect(kRBracket)
	n.Span = p.span(start)
	return n, false
}

// collection reads ( … ).
func (p *parser) collection() ast.Node {
	start := p.tok.start
	defer p.leave()
	if !p.enter() {
		return ast.Node{}
	}
	p.advance()
	if p.accept(kRParen) {
		return ast.Node{Span: p.span(start), Kind: ast.TermNode, Term: rdfNil}
	}
	var head ast.Node
	last := -1 // the triple of the last cell's rdf:rest
	for p.err == nil && (last < 0 || !p.is(kRParen)) {
		at := ast.Span{Start: p.tok.start, End: p.tok.start}
		cell := p.fresh(at)
		if last < 0 {
			head = cell
		} else {
			p.triples[last].O = cell
		}
		first := p.push(cell, rdfFirst, at)
		last = p.push(cell, rdfRest, at)
		member := p.graphNode()
		p.triples[first].O = member
		p.triples[first].End = p.prevEnd
	}
	p.expect(kRParen)
	head.Span = p.span(start)
	if last >= 0 {
		p.triples[last].O = ast.Node{Span: ast.Span{Start: p.prevEnd, End: p.prevEnd}, Kind: ast.TermNode, Term: rdfNil}
	}
	return head
}

// push adds a triple without an object and returns its place.
func (p *parser) push(s ast.Node, predicate rdf.Term, at ast.Span) int {
	if !p.meter.Hold(tripleBytes) {
		p.abandon()
	}
	p.triples = append(p.triples, ast.Triple{Span: at, S: s, P: ast.Node{Span: at, Kind: ast.TermNode, Term: predicate}})
	return len(p.triples) - 1
}

// propertyList reads predicates and objects of s.
func (p *parser) propertyList(s ast.Node, required bool) {
	if !p.verbStart() {
		if required {
			p.unexpected()
		}
		return
	}
	start := s.Start
	for p.err == nil {
		v := p.verb()
		p.objectList(s, v, start)
		if !p.accept(kSemicolon) {
			return
		}
		for p.accept(kSemicolon) {
		}
		if !p.verbStart() {
			return
		}
		start = p.tok.start
	}
}

// objectList reads the objects of one predicate.
func (p *parser) objectList(s ast.Node, v verb, start uint32) {
	for p.err == nil {
		i := len(p.triples)
		p.triples = append(p.triples, ast.Triple{S: s, P: v.node, Path: v.path})
		o := p.graphNode()
		p.triples[i].O = o
		p.triples[i].Span = ast.Span{Start: start, End: p.prevEnd}
		p.annotations(s, v, o)
		p.feed(dataPiece)
		if !p.accept(kComma) {
			return
		}
		start = p.tok.start
	}
}

// verbStart reports whether the next token begins a predicate.
func (p *parser) verbStart() bool {
	switch p.tok.kind {
	case kVar, kIRI, kPName, kA:
		return true
	case kCaret, kBang, kLParen:
		if !p.place.noPath {
			return true
		}
	}
	p.want.add(kPredicate)
	return false
}

// verb reads a predicate: a variable, an IRI, or a property path where one may
// stand.
func (p *parser) verb() verb {
	start := p.tok.start
	switch p.tok.kind {
	case kVar, kIRI, kPName, kA:
		n := p.verbNode()
		if n.Kind == ast.VarNode || !p.pathContinues() {
			return verb{Span: n.Span, node: n}
		}
		if p.place.noPath {
			p.failAt(p.tok.start, "there are no paths in "+p.place.name, "")
		}
		path := p.path(&ast.Path{Span: n.Span, IRI: n.Term})
		return verb{Span: p.span(start), path: path}
	}
	path := p.path(nil)
	if path != nil && path.Op == ast.PathLink {
		return verb{Span: path.Span, node: ast.Node{Span: path.Span, Kind: ast.TermNode, Term: path.IRI}}
	}
	return verb{Span: p.span(start), path: path}
}

// verbNode reads a predicate that is no path.
func (p *parser) verbNode() ast.Node {
	start := p.tok.start
	switch p.tok.kind {
	case kVar:
		return p.varOrTerm()
	case kA:
		p.advance()
		return ast.Node{Span: p.span(start), Kind: ast.TermNode, Term: rdfType}
	case kIRI, kPName:
		t := p.iri()
		return ast.Node{Span: p.span(start), Kind: ast.TermNode, Term: t}
	}
	p.unexpectedFor(kPredicate)
	return ast.Node{}
}
