package parse

import "github.com/rete-go/rete/sparql/internal/ast"

// aggregate reads a set function.
func (p *parser) aggregate() ast.Expr {
	t := p.tok
	a := &ast.Aggregate{Kind: ast.AggregateKind(t.val)}
	switch p.aggs {
	case aggsNever:
		p.failAt(t.start, "an aggregate cannot stand here", "aggregates stand in SELECT, HAVING and ORDER BY; a sub-select computes one for a pattern")
		return a
	case aggsInside:
		p.failAt(t.start, "an aggregate cannot stand inside another one", "compute the inner one in a sub-select")
		return a
	}
	defer p.leave()
	if !p.enter() {
		return a
	}
	p.advance()
	p.aggregated, p.scoped = true, true
	p.aggs = aggsInside
	if p.expect(kLParen) {
		p.aggregateBody(a)
	}
	p.aggs = aggsHere
	a.Span = p.span(t.start)
	return a
}

func (p *parser) aggregateBody(a *ast.Aggregate) {
	a.Distinct = p.accept(kDistinct)
	if a.Kind == ast.Count && p.accept(kStar) {
		a.Star = true
	} else {
		a.Arg = p.expression()
	}
	if a.Kind == ast.GroupConcat {
		a.Separator = " "
		if p.accept(kSemicolon) {
			p.expect(kSeparator)
			p.expect(kEqual)
			t := p.tok
			if !p.isString() {
				p.unexpected()
				return
			}
			p.advance()
			a.Separator = p.stringText(t)
		}
	}
	p.expect(kRParen)
}
