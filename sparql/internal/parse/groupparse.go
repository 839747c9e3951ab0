package parse

import (
	"github.com/rete-go/rete/rdf"
	"github.com/rete-go/rete/sparql/internal/ast"
)

// maxElements bounds the members of one group, of which each may nest the
// algebra one level deeper. Triples count as one member.
const maxElements = 10_000

// group reads { … }.
func (p *parser) group() *ast.Group {
	g := &ast.Group{}
	start := p.tok.start
	defer p.leave()
	if !p.enter() || !p.expect(kLBrace) {
		return g
	}
	aggs, bgp := p.aggs, p.blanks.bgp
	p.aggs = aggsNever
	p.blanks.newBGP()
	if p.is(kSelect) {
		g.Elements = []ast.Element{p.subSelect()}
	} else {
		p.groupElements(g)
	}
	p.expect(kRBrace)
	p.aggs, p.blanks.bgp = aggs, bgp
	g.Span = p.span(start)
	return g
}

func (p *parser) groupElements(g *ast.Group) {
	height := 1
	defer func() { p.higher(height) }()
	for p.err == nil {
		if p.tripleStart() {
			el := &ast.Triples{}
			start, mark := p.tok.start, len(p.triples)
			p.joins = 1
			dotted := p.triplesBlock()
			height += p.joins
			var searches []*ast.Search
			el.Triples, searches = p.searches(p.take(mark))
			el.Span = p.span(start)
			if len(el.Triples) > 0 || len(searches) == 0 {
				g.Elements = append(g.Elements, el)
			}
			for _, s := range searches {
				g.Elements = append(g.Elements, s)
				height++
			}
			if !dotted && p.tripleStart() {
				p.want.add(kPattern)
				p.want.add(kRBrace)
				p.unexpected()
			}
			continue
		}
		if p.is(kRBrace) {
			p.want.add(kPattern)
			return
		}
		el := p.element()
		if el == nil {
			return
		}
		g.Elements = append(g.Elements, el)
		if len(g.Elements) > maxElements {
			p.failAt(p.tok.start, "more than "+number(maxElements)+" patterns in one group", "put terms into VALUES")
		}
		if _, ok := el.(*ast.Filter); ok {
			height = max(height, p.height+1)
		} else {
			height = max(height, p.height) + 1
			p.blanks.newBGP()
		}
		p.accept(kDot)
	}
}

// element reads a member of a group that is no triple; nil after an error.
func (p *parser) element() ast.Element {
	start := p.tok.start
	switch p.tok.kind {
	case kLBrace:
		return p.groupOrUnion()
	case kOptional:
		p.advance()
		g := p.group()
		return &ast.Optional{Span: p.span(start), Group: g}
	case kLateral:
		return p.lateral()
	case kMinusWord:
		p.advance()
		g := p.group()
		return &ast.Minus{Span: p.span(start), Group: g}
	case kGraph:
		p.advance()
		name := p.varOrIRI()
		g := p.group()
		return &ast.GraphPattern{Span: p.span(start), Name: name, Group: g}
	case kService:
		p.advance()
		silent := p.accept(kSilent)
		name := p.varOrIRI()
		g := p.group()
		return &ast.Service{Span: p.span(start), Silent: silent, Name: name, Group: g}
	case kFilter:
		p.advance()
		e := p.constraint()
		return &ast.Filter{Span: p.span(start), Expr: e}
	case kBind:
		return p.bind()
	case kValues:
		p.advance()
		return p.values(start)
	}
	p.unexpectedFor(kPattern)
	return nil
}

// lateral reads LATERAL { … }.
func (p *parser) lateral() ast.Element {
	start := p.tok.start
	if p.opt.Strict {
		p.failAt(start, "LATERAL is not part of SPARQL 1.1", "it is read without --strict")
		return nil
	}
	p.advance()
	g := p.group()
	p.scoped = true
	return &ast.Lateral{Span: p.span(start), Group: g}
}

// groupOrUnion reads { … } or { … } UNION { … }.
func (p *parser) groupOrUnion() ast.Element {
	start := p.tok.start
	first := p.group()
	if !p.is(kUnion) {
		return first
	}
	u := &ast.Union{Groups: []*ast.Group{first}}
	height := p.height
	for p.err == nil && p.accept(kUnion) {
		p.blanks.newBGP()
		u.Groups = append(u.Groups, p.group())
		height = max(height, p.height)
	}
	p.height = height
	u.Span = p.span(start)
	return u
}

// constraint reads the condition of FILTER or HAVING: an expression in
// parentheses, or a call.
func (p *parser) constraint() ast.Expr {
	switch p.tok.kind {
	case kLParen:
		return p.parenthesised()
	case kIRI, kPName:
		return p.functionCall()
	}
	if e, ok := p.builtIn(); ok {
		return e
	}
	p.unexpectedFor(kFilterExpr)
	return nil
}

// functionCall reads a call of a function named by an IRI.
func (p *parser) functionCall() ast.Expr {
	e := p.iriOrFunction()
	if _, ok := e.(*ast.TermExpr); ok {
		p.unexpectedFor(kLParen)
	}
	return e
}

// bind reads BIND(expression AS ?v).
func (p *parser) bind() ast.Element {
	start := p.tok.start
	p.advance()
	b := &ast.Bind{}
	if p.expect(kLParen) {
		b.Expr = p.expression()
		p.expect(kAs)
		b.Var = p.variable()
		p.expect(kRParen)
	}
	p.scoped = true
	b.Span = p.span(start)
	return b
}

// values reads the table after VALUES.
func (p *parser) values(start uint32) *ast.Values {
	v := &ast.Values{}
	p.height = 1
	weight := p.weight
	p.weight = cellBytes
	p.table(v)
	p.weight = weight
	v.Span = p.span(start)
	return v
}

// table reads the variables and the rows of a table.
func (p *parser) table(v *ast.Values) {
	if p.is(kVar) {
		v.Vars = []ast.Var{p.variable()}
		v.Rows.Width = 1
		if p.expect(kLBrace) {
			for p.err == nil && !p.accept(kRBrace) {
				v.Rows.Add(p.dataValue())
			}
		}
		return
	}
	if !p.expect(kLParen) {
		return
	}
	for p.err == nil && !p.accept(kRParen) {
		v.Vars = append(v.Vars, p.variable())
	}
	p.distinctVars(v.Vars)
	v.Rows.Width = len(v.Vars)
	if p.expect(kLBrace) {
		for p.err == nil && !p.accept(kRBrace) {
			p.valuesRow(&v.Rows)
		}
	}
}

// distinctVars refuses a variable that a table has twice.
func (p *parser) distinctVars(vars []ast.Var) {
	seen := make(map[string]bool, len(vars))
	for _, v := range vars {
		if seen[v.Name] {
			p.failAt(v.Start, "the variable ?"+shorten(v.Name)+" stands twice in VALUES", "")
			return
		}
		seen[v.Name] = true
	}
}

// valuesRow reads ( value … ).
func (p *parser) valuesRow(rows *ast.Rows) {
	start, mark := p.tok.start, len(rows.Terms)
	if !p.expect(kLParen) {
		return
	}
	for p.err == nil && !p.accept(kRParen) {
		rows.Terms = append(rows.Terms, p.dataValue())
	}
	rows.N++
	if n := len(rows.Terms) - mark; n != rows.Width {
		p.failAt(start, "a row of "+plural(n, "value")+" for "+plural(rows.Width, "variable"), "")
	}
}

// dataValue reads a value of VALUES; UNDEF is the zero term.
func (p *parser) dataValue() rdf.Term {
	switch {
	case p.constantStart():
		return p.constant()
	case p.accept(kUndef):
		return rdf.Term{}
	case p.is(kTripleOpen):
		return p.dataTriple()
	case p.tok.kind == kBlankLabel || p.tok.kind == kLBracket:
		p.failAt(p.tok.start, "there are no blank nodes in VALUES", "")
		return rdf.Term{}
	}
	p.unexpectedFor(kDataValue)
	return rdf.Term{}
}

// dataTriple reads a ground triple term.
func (p *parser) dataTriple() rdf.Term {
	defer p.leave()
	if !p.enter() {
		return rdf.Term{}
	}
	p.advance()
	s := p.iri()
	var v rdf.Term
	if p.accept(kA) {
		v = rdfType
	} else {
		v = p.iri()
	}
	var o rdf.Term
	switch {
	case p.is(kTripleOpen):
		o = p.dataTriple()
	case p.constantStart():
		o = p.constant()
	default:
		p.unexpectedFor(kDataValue)
	}
	p.expect(kTripleClose)
	if p.err != nil {
		return rdf.Term{}
	}
	return p.made(rdf.TripleTerm(s, v, o))
}
