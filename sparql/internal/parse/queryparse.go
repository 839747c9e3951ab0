package parse

import (
	"strconv"

	"github.com/rete-go/rete/sparql/internal/ast"
)

// query reads the whole text as a query.
func (p *parser) query() *ast.Query {
	start := p.tok.start
	p.prologue()
	q := &ast.Query{}
	switch p.tok.kind {
	case kSelect:
		items := p.selectClause(q)
		p.dataset(q)
		p.where(q, true)
		p.higher(p.height + items)
	case kConstruct:
		p.construct(q)
	case kDescribe:
		p.describe(q)
	case kAsk:
		p.advance()
		q.Form = ast.Ask
		p.dataset(q)
		p.where(q, true)
	default:
		for _, k := range []kind{kSelect, kConstruct, kDescribe, kAsk} {
			p.want.add(k)
		}
		p.unexpected()
		return q
	}
	p.modifiers(q)
	if p.accept(kValues) {
		q.Values = p.values(p.tok.start)
	}
	p.expect(kEOF)
	p.finish(q, start)
	q.Version = p.version
	if p.base != nil {
		q.Base = p.base.String()
	}
	return q
}

// finish checks a query that has been read.
func (p *parser) finish(q *ast.Query, start uint32) {
	q.Span = p.span(start)
	if p.err != nil {
		return
	}
	q.Grouped = len(q.GroupBy) > 0 || p.aggregated
	p.aggregated = false
}

// subSelect reads a SELECT in a group.
func (p *parser) subSelect() *ast.SubSelect {
	start := p.tok.start
	aggregated := p.aggregated
	p.aggregated = false
	p.scoped = true
	q := &ast.Query{}
	items := p.selectClause(q)
	p.where(q, true)
	p.higher(p.height + items)
	p.modifiers(q)
	height := p.height
	if p.accept(kValues) {
		q.Values = p.values(p.tok.start)
	}
	p.higher(height + 1)
	p.finish(q, start)
	p.aggregated = aggregated
	return &ast.SubSelect{Span: q.Span, Query: q}
}

// selectClause reads SELECT and what it projects. It returns by how much that makes the tree
// of the pattern higher.
func (p *parser) selectClause(q *ast.Query) (height int) {
	p.advance()
	q.Form = ast.Select
	if q.Distinct = p.accept(kDistinct); !q.Distinct {
		q.Reduced = p.accept(kReduced)
	}
	if p.accept(kStar) {
		q.Star = true
		return 0
	}
	highest := 0
	p.aggs = aggsHere
	for p.err == nil {
		start := p.tok.start
		switch {
		case p.is(kVar):
			v := p.variable()
			q.Items = append(q.Items, ast.SelectItem{Span: v.Span, Var: v})
		case p.is(kLParen):
			e, v := p.named()
			q.Items = append(q.Items, ast.SelectItem{Span: p.span(start), Expr: e, Var: v})
			height++
			highest = max(highest, p.height)
		default:
			if len(q.Items) == 0 || p.tok.kind == kComma || p.tok.kind == kAggregate || p.tok.kind == kFunc {
				p.unexpected()
			}
			p.aggs = aggsNever
			return height + highest
		}
	}
	return height + highest
}

// named reads (expression AS ?v).
func (p *parser) named() (ast.Expr, ast.Var) {
	defer p.leave()
	if !p.enter() {
		return nil, ast.Var{}
	}
	p.scoped = true
	p.expect(kLParen)
	e := p.expression()
	p.expect(kAs)
	v := p.variable()
	p.expect(kRParen)
	return e, v
}

// dataset reads FROM clauses.
func (p *parser) dataset(q *ast.Query) {
	for p.err == nil && p.is(kFrom) {
		q.Dataset = append(q.Dataset, p.datasetClause())
	}
}

// datasetClause reads FROM or USING, NAMED or not, and the IRI.
func (p *parser) datasetClause() ast.DatasetClause {
	start := p.tok.start
	p.advance()
	named := p.accept(kNamed)
	t := p.iri()
	return ast.DatasetClause{Span: p.span(start), Named: named, IRI: t}
}

// where reads the pattern of a query.
func (p *parser) where(q *ast.Query, required bool) {
	if p.accept(kWhere) || p.is(kLBrace) || required {
		q.Where = p.group()
	}
}

// construct reads CONSTRUCT in both its forms.
func (p *parser) construct(q *ast.Query) {
	p.advance()
	q.Form = ast.Construct
	if p.is(kLBrace) {
		p.apart(place{name: "a template", noPath: true}, func() { q.Template = p.template() })
		p.dataset(q)
		p.where(q, true)
		return
	}
	q.Short = true
	p.dataset(q)
	if !p.expect(kWhere) {
		return
	}
	start := p.tok.start
	old := p.place
	p.place = place{name: "CONSTRUCT WHERE", noPath: true}
	q.Template = p.template()
	p.place = old
	at := p.span(start)
	q.Where = &ast.Group{Span: at}
	if len(q.Template) > 0 {
		q.Where.Elements = []ast.Element{&ast.Triples{Span: at, Triples: q.Template}}
	}
}

// template reads { triples }.
func (p *parser) template() []ast.Triple {
	mark := len(p.triples)
	if !p.expect(kLBrace) {
		return nil
	}
	if p.tripleStart() {
		p.triplesBlock()
	} else {
		p.want.add(kTerm)
	}
	p.expect(kRBrace)
	return p.take(mark)
}

// describe reads DESCRIBE and its targets.
func (p *parser) describe(q *ast.Query) {
	p.advance()
	q.Form = ast.Describe
	if p.accept(kStar) {
		q.Star = true
	} else {
		q.Targets = append(q.Targets, p.varOrIRI())
		for p.err == nil && (p.is(kVar) || p.isIRI()) {
			q.Targets = append(q.Targets, p.varOrIRI())
		}
	}
	p.dataset(q)
	p.where(q, false)
}

// modifiers reads GROUP BY, HAVING, ORDER BY, LIMIT and OFFSET.
func (p *parser) modifiers(q *ast.Query) {
	height := p.height
	if p.accept(kGroup) {
		p.expect(kBy)
		for more := true; more; more = p.err == nil && p.keyStart() {
			k := p.groupKey()
			q.GroupBy = append(q.GroupBy, k)
			if _, plain := k.Expr.(*ast.VarExpr); !plain || k.Var.Name != "" {
				height = max(height, p.height) + 1
			}
		}
		p.scoped = true
	}
	p.aggs = aggsHere
	if p.accept(kHaving) {
		for more := true; more; more = p.err == nil && p.tok.kind != kVar && p.keyStart() {
			q.Having = append(q.Having, p.constraint())
			height = max(height, p.height)
		}
	}
	if p.accept(kOrder) {
		p.expect(kBy)
		for more := true; more; more = p.err == nil && (p.tok.kind == kAsc || p.tok.kind == kDesc || p.keyStart()) {
			q.OrderBy = append(q.OrderBy, p.orderKey())
			height = max(height, p.height)
		}
	}
	p.higher(height + 1)
	p.aggs = aggsNever
	p.limits(q)
}

// keyStart reports whether the next token begins another key or condition.
func (p *parser) keyStart() bool {
	switch p.tok.kind {
	case kVar, kLParen, kIRI, kPName, kFunc, kAggregate, kExists, kNot:
		return true
	}
	p.want.add(kExpression)
	return false
}

// groupKey reads a key of GROUP BY.
func (p *parser) groupKey() ast.GroupKey {
	start := p.tok.start
	switch p.tok.kind {
	case kVar:
		v := p.variable()
		return ast.GroupKey{Span: v.Span, Expr: &ast.VarExpr{Var: v}}
	case kLParen:
		defer p.leave()
		if !p.enter() {
			return ast.GroupKey{}
		}
		p.advance()
		k := ast.GroupKey{Expr: p.expression()}
		if p.accept(kAs) {
			k.Var = p.variable()
		}
		p.expect(kRParen)
		k.Span = p.span(start)
		return k
	}
	e := p.key()
	return ast.GroupKey{Span: p.span(start), Expr: e}
}

// key reads a key that is a call.
func (p *parser) key() ast.Expr {
	switch p.tok.kind {
	case kIRI, kPName:
		return p.functionCall()
	}
	if e, ok := p.builtIn(); ok {
		return e
	}
	p.want.add(kVar)
	p.unexpectedFor(kFilterExpr)
	return nil
}

// orderKey reads a key of ORDER BY.
func (p *parser) orderKey() ast.OrderKey {
	k := ast.OrderKey{}
	start := p.tok.start
	switch {
	case p.tok.kind == kVar:
		k.Expr = &ast.VarExpr{Var: p.variable()}
	case p.tok.kind == kLParen:
		k.Expr = p.parenthesised()
	case p.is(kAsc) || p.is(kDesc):
		k.Desc = p.tok.kind == kDesc
		p.advance()
		k.Expr = p.parenthesised()
	default:
		k.Expr = p.key()
	}
	k.Span = p.span(start)
	return k
}

// limits reads LIMIT and OFFSET in either order.
func (p *parser) limits(q *ast.Query) {
	hasOffset := false
	for p.err == nil {
		switch {
		case !q.HasLimit && p.accept(kLimit):
			q.HasLimit = true
			q.Limit = p.count()
		case !hasOffset && p.accept(kOffset):
			hasOffset = true
			q.Offset = p.count()
		default:
			return
		}
	}
}

// count takes the number of LIMIT or OFFSET.
func (p *parser) count() uint64 {
	t := p.tok
	if !p.expect(kInteger) {
		return 0
	}
	n, err := strconv.ParseUint(p.source(t), 10, 64)
	if err != nil {
		p.failAt(t.start, "the number "+shorten(p.source(t))+" is too large", "")
	}
	return n
}
