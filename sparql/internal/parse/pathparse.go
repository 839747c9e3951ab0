package parse

import "github.com/rete-go/rete/sparql/internal/ast"

// pathContinues reports whether the next token carries a path on after its
// first link.
func (p *parser) pathContinues() bool {
	switch p.tok.kind {
	case kSlash, kBar, kStar, kQuestion:
		return true
	case kPlus:
		return !p.signed()
	}
	if !p.place.noPath {
		p.want.add(kPathOp)
	}
	return false
}

// path reads a property path whose first primary may have been read already.
func (p *parser) path(first *ast.Path) *ast.Path { return p.pathList(ast.PathAlt, kBar, first) }

// pathList reads paths with an operator between them: alternatives of
// sequences of elements.
func (p *parser) pathList(op ast.PathOp, sign kind, first *ast.Path) *ast.Path {
	path := p.pathMember(op, first)
	if p.tok.kind != sign {
		p.want.add(kPathOp)
		return path
	}
	start := p.prevEnd
	if path != nil {
		start = path.Start
	}
	args := []*ast.Path{path}
	for p.err == nil && p.tok.kind == sign {
		p.advance()
		args = append(args, p.pathMember(op, nil))
	}
	if op == ast.PathAlt {
		p.joins++
	}
	return &ast.Path{Span: p.span(start), Op: op, Args: args}
}

// pathMember reads what stands between the operators of op.
func (p *parser) pathMember(op ast.PathOp, first *ast.Path) *ast.Path {
	if op == ast.PathAlt {
		return p.pathList(ast.PathSeq, kSlash, first)
	}
	return p.pathElement(first)
}

// pathElement reads ^? primary modifier?.
func (p *parser) pathElement(primary *ast.Path) *ast.Path {
	start := p.tok.start
	if primary != nil {
		return p.pathModifier(primary)
	}
	if p.tok.kind == kCaret {
		p.advance()
		inner := p.pathModifier(p.pathPrimary())
		return &ast.Path{Span: p.span(start), Op: ast.PathInverse, Args: []*ast.Path{inner}}
	}
	return p.pathModifier(p.pathPrimary())
}

func (p *parser) pathModifier(path *ast.Path) *ast.Path {
	var op ast.PathOp
	switch {
	case path == nil:
		return path
	case p.tok.kind == kStar:
		op = ast.PathZeroOrMore
	case p.tok.kind == kQuestion:
		op = ast.PathZeroOrOne
	case p.tok.kind == kPlus && !p.signed():
		op = ast.PathOneOrMore
	default:
		return path
	}
	p.advance()
	p.joins++
	return &ast.Path{Span: p.span(path.Start), Op: op, Args: []*ast.Path{path}}
}

func (p *parser) pathPrimary() *ast.Path {
	start := p.tok.start
	switch p.tok.kind {
	case kIRI, kPName, kA:
		n := p.verbNode()
		return &ast.Path{Span: n.Span, IRI: n.Term}
	case kBang:
		p.advance()
		return p.negatedSet(start)
	case kLParen:
		defer p.leave()
		if !p.enter() {
			return nil
		}
		p.advance()
		path := p.path(nil)
		p.expect(kRParen)
		return path
	}
	p.unexpectedFor(kPath)
	return nil
}

// negatedSet reads what stands after the ! of a path.
func (p *parser) negatedSet(start uint32) *ast.Path {
	set := &ast.Path{Op: ast.PathNegated}
	p.joins++
	if !p.accept(kLParen) {
		set.Links = append(set.Links, p.negatedLink())
		set.Span = p.span(start)
		return set
	}
	if !p.accept(kRParen) {
		set.Links = append(set.Links, p.negatedLink())
		for p.err == nil && p.accept(kBar) {
			set.Links = append(set.Links, p.negatedLink())
		}
		p.expect(kRParen)
	}
	set.Span = p.span(start)
	return set
}

func (p *parser) negatedLink() ast.NegatedLink {
	start := p.tok.start
	inverse := p.accept(kCaret)
	if p.accept(kA) {
		return ast.NegatedLink{Span: p.span(start), IRI: rdfType, Inverse: inverse}
	}
	p.want.add(kA)
	t := p.iri()
	return ast.NegatedLink{Span: p.span(start), IRI: t, Inverse: inverse}
}
