package ast

import "github.com/rete-go/rete/rdf"

// tripleTerm reads <<( s p o )>> of a pattern, a template or data.
func (p *parser) tripleTerm() Node {
	start := p.tok.start
	defer p.leave()
	if !p.enter() {
		return Node{}
	}
	p.advance()
	s := p.tripleTermPart(false)
	v := p.verbNode()
	o := p.tripleTermPart(false)
	p.expect(kTripleClose)
	return p.tripleNode(p.span(start), s, v, o)
}

// tripleTermPart reads a subject or an object inside << >> or <<( )>>: no
// collections and no property lists. Reified triples stand inside reified
// triples only.
func (p *parser) tripleTermPart(reified bool) Node {
	switch p.tok.kind {
	case kLBracket:
		start := p.tok.start
		p.advance()
		p.expect(kRBracket)
		return p.fresh(p.span(start))
	case kReifiedOpen:
		if reified {
			return p.reifiedTriple()
		}
	}
	return p.varOrTerm()
}

// tripleNode returns the node of a triple term: a constant if it is ground and
// can be a term of RDF.
func (p *parser) tripleNode(at Span, s, v, o Node) Node {
	if s.Kind == TermNode && v.Kind == TermNode && o.Kind == TermNode && s.Term.Kind() == rdf.KindIRI {
		return Node{Span: at, Kind: TermNode, Term: p.made(rdf.TripleTerm(s.Term, v.Term, o.Term))}
	}
	return Node{Span: at, Kind: TripleNode, Triple: &TripleTerm{at, s, v, o}}
}

// reifiedTriple reads << s p o ~ r >> and pushes r rdf:reifies <<( s p o )>>.
func (p *parser) reifiedTriple() Node {
	start := p.tok.start
	defer p.leave()
	if !p.enter() {
		return Node{}
	}
	p.advance()
	s := p.tripleTermPart(true)
	v := p.verbNode()
	o := p.tripleTermPart(true)
	var r Node
	if p.is(kTilde) {
		r = p.reifier()
	}
	p.expect(kReifiedClose)
	at := p.span(start)
	if r.Kind == NoNode {
		r = p.fresh(at)
	}
	i := p.push(r, rdfReifies, at)
	p.triples[i].O = p.tripleNode(at, s, v, o)
	r.Span = at
	return r
}

// reifier reads ~ and the name behind it, or makes a blank node.
func (p *parser) reifier() Node {
	start := p.tok.start
	p.advance()
	switch {
	case p.isIRI() || p.is(kVar):
		return p.varOrTerm()
	case p.is(kBlankLabel):
		return p.label()
	case p.tok.kind == kLBracket:
		p.advance()
		p.expect(kRBracket)
	}
	return p.fresh(p.span(start))
}

// annotations reads the reifiers and annotation blocks behind an object. A
// block describes the reifier before it, or a blank node.
func (p *parser) annotations(s Node, v verb, o Node) {
	var r Node
	for p.err == nil {
		switch {
		case p.is(kTilde):
			p.annotated(v)
			r = p.reifier()
			p.reify(r, s, v, o)
		case p.is(kAnnotationOpen):
			p.annotated(v)
			p.annotationBlock(r, s, v, o)
			r = Node{}
		default:
			return
		}
	}
}

// annotated refuses annotations of paths.
func (p *parser) annotated(v verb) {
	if v.path != nil {
		p.failAt(p.tok.start, "a triple whose predicate is a path cannot be annotated", "")
	}
}

// reify pushes r rdf:reifies <<( s p o )>>.
func (p *parser) reify(r, s Node, v verb, o Node) {
	i := p.push(r, rdfReifies, r.Span)
	p.triples[i].O = p.tripleNode(Span{s.Start, o.End}, s, v.node, o)
}

func (p *parser) annotationBlock(r, s Node, v verb, o Node) {
	start := p.tok.start
	defer p.leave()
	if !p.enter() {
		return
	}
	p.advance()
	if r.Kind == NoNode {
		r = p.fresh(Span{start, p.prevEnd})
		p.reify(r, s, v, o)
	}
	p.propertyList(r, true)
	p.expect(kAnnotationClose)
}
