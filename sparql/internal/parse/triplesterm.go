package parse

import (
	"github.com/rete-go/rete/rdf"
	"github.com/rete-go/rete/sparql/internal/ast"
)

// tripleTerm reads <<( s p o )>> of a pattern, a template or data.
func (p *parser) tripleTerm() ast.Node {
	start := p.tok.start
	defer p.leave()
	if !p.enter() {
		return ast.Node{}
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
func (p *parser) tripleTermPart(reified bool) ast.Node {
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
func (p *parser) tripleNode(at ast.Span, s, v, o ast.Node) ast.Node {
	if s.Kind == ast.TermNode && v.Kind == ast.TermNode && o.Kind == ast.TermNode && s.Term.Kind() == rdf.KindIRI {
		return ast.Node{Span: at, Kind: ast.TermNode, Term: p.made(rdf.TripleTerm(s.Term, v.Term, o.Term))}
	}
	return ast.Node{Span: at, Kind: ast.TripleNode, Triple: &ast.TripleTerm{Span: at, S: s, P: v, O: o}}
}

// reifiedTriple reads << s p o ~ r >> and pushes r rdf:reifies <<( s p o )>>.
func (p *parser) reifiedTriple() ast.Node {
	start := p.tok.start
	defer p.leave()
	if !p.enter() {
		return ast.Node{}
	}
	p.advance()
	s := p.tripleTermPart(true)
	v := p.verbNode()
	o := p.tripleTermPart(true)
	var r ast.Node
	if p.is(kTilde) {
		r = p.reifier()
	}
	p.expect(kReifiedClose)
	at := p.span(start)
	if r.Kind == ast.NoNode {
		r = p.fresh(at)
	}
	i := p.push(r, rdfReifies, at)
	p.triples[i].O = p.tripleNode(at, s, v, o)
	r.Span = at
	return r
}

// reifier reads ~ and the name after it, or makes a blank node.
func (p *parser) reifier() ast.Node {
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

// annotations reads the reifiers and annotation blocks after an object. A
// block describes the reifier before it, or a blank node.
func (p *parser) annotations(s ast.Node, v verb, o ast.Node) {
	var r ast.Node
	for p.err == nil {
		switch {
		case p.is(kTilde):
			p.annotated(v)
			r = p.reifier()
			p.reify(r, s, v, o)
		case p.is(kAnnotationOpen):
			p.annotated(v)
			p.annotationBlock(r, s, v, o)
			r = ast.Node{}
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
func (p *parser) reify(r, s ast.Node, v verb, o ast.Node) {
	i := p.push(r, rdfReifies, r.Span)
	p.triples[i].O = p.tripleNode(ast.Span{Start: s.Start, End: o.End}, s, v.node, o)
}

func (p *parser) annotationBlock(r, s ast.Node, v verb, o ast.Node) {
	start := p.tok.start
	defer p.leave()
	if !p.enter() {
		return
	}
	p.advance()
	if r.Kind == ast.NoNode {
		r = p.fresh(ast.Span{Start: start, End: p.prevEnd})
		p.reify(r, s, v, o)
	}
	p.propertyList(r, true)
	p.expect(kAnnotationClose)
}
