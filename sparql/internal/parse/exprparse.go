package parse

import (
	"github.com/rete-go/rete/rdf"
	"github.com/rete-go/rete/sparql/internal/ast"
)

// aggState says whether an aggregate may stand in the expression being read.
type aggState uint8

const (
	aggsNever  aggState = iota // in a pattern, in GROUP BY
	aggsHere                   // in SELECT, HAVING, ORDER BY
	aggsInside                 // in the argument of another one
)

// Binding powers of the operators, weakest first.
const (
	bindOr = 1 + iota
	bindAnd
	bindCompare
	bindSum
	bindProduct
)

// binary returns the function and the binding power of an infix operator; power
// 0 for other tokens.
func binary(k kind) (f ast.Func, power int) {
	switch k {
	case kOrOr:
		return ast.Or, bindOr
	case kAndAnd:
		return ast.And, bindAnd
	case kEqual:
		return ast.Equal, bindCompare
	case kNotEqual:
		return ast.NotEqual, bindCompare
	case kLess:
		return ast.Less, bindCompare
	case kGreater:
		return ast.Greater, bindCompare
	case kLessOrEqual:
		return ast.LessOrEqual, bindCompare
	case kGreaterOrEqual:
		return ast.GreaterOrEqual, bindCompare
	case kIn, kNot:
		return ast.In, bindCompare
	case kPlus:
		return ast.Addition, bindSum
	case kMinus:
		return ast.Subtraction, bindSum
	case kStar:
		return ast.Multiplication, bindProduct
	case kSlash:
		return ast.Division, bindProduct
	}
	return ast.NoFunc, 0
}

// maxChain bounds a row of operators of one strength (a + b + c + …) that is no
// list: each makes the tree one level deeper.
const maxChain = 10_000

// expression reads an expression.
func (p *parser) expression() ast.Expr { return p.operators(bindOr) }

// operators reads an expression of operators that bind at least as strongly as
// power.
func (p *parser) operators(power int) ast.Expr {
	start := p.tok.start
	left := p.unary()
	height := p.height
	var list *ast.Call // the || or && that left is, if it was made here
	compared := false  // left is a comparison that was made here
	for n := 0; p.err == nil; n++ {
		f, strength := binary(p.tok.kind)
		if strength == 0 || strength < power {
			p.want.add(kOperator)
			break
		}
		if n > maxChain && f > ast.And {
			p.failAt(p.tok.start, "more than "+number(maxChain)+" operators in a row", "")
			break
		}
		if strength == bindCompare && compared {
			p.failAt(p.tok.start, "a comparison cannot be compared with "+quote(p.source(p.tok)), "join comparisons with &&, or put one in parentheses")
			break
		}
		if strength > bindCompare && compared { // only after IN ( … ), which has no right side that takes it
			p.failAt(p.tok.start, "the result of IN stands before "+quote(p.source(p.tok)), "put IN with its list in parentheses")
			break
		}
		compared = strength == bindCompare
		if f == ast.In {
			left, list = p.in(left, start), nil
			height = max(height, p.height) + 1
			continue
		}
		p.advance()
		right := p.operators(strength + 1)
		switch {
		case list != nil && list.Func == f:
			list.Args = append(list.Args, right)
			list.Span = p.span(start)
			height = max(height, p.height+1)
		default:
			list = &ast.Call{Span: p.span(start), Func: f, Args: []ast.Expr{left, right}}
			left = list
			height = max(height, p.height) + 1
			if f > ast.And {
				list = nil
			}
		}
	}
	p.higher(height)
	return left
}

// in reads IN ( … ) or NOT IN ( … ) after left.
func (p *parser) in(left ast.Expr, start uint32) ast.Expr {
	c := &ast.Call{Func: ast.In, Args: []ast.Expr{left}}
	if p.accept(kNot) {
		c.Func = ast.NotIn
	}
	if p.expect(kIn) {
		c.Args = append(c.Args, p.arguments()...)
	}
	c.Span = p.span(start)
	return c
}

// unary reads a primary expression with a sign or with any number of ! before it. A sign
// stands before a primary expression alone, which may be a number with its own sign.
func (p *parser) unary() ast.Expr {
	start := p.tok.start
	f := ast.NoFunc
	switch p.tok.kind {
	case kBang:
		f = ast.Not
	case kPlus:
		f = ast.UnaryPlus
	case kMinus:
		f = ast.UnaryMinus
	}
	if f == ast.NoFunc || p.signed() {
		return p.primary()
	}
	defer p.leave()
	if !p.enter() {
		return nil
	}
	p.advance()
	var arg ast.Expr
	if f == ast.Not {
		arg = p.unary()
	} else {
		arg = p.primary()
	}
	p.higher(p.height + 1)
	return &ast.Call{Span: p.span(start), Func: f, Args: []ast.Expr{arg}}
}

// primary reads an expression without operators around it.
func (p *parser) primary() ast.Expr {
	start := p.tok.start
	p.height = 1
	switch p.tok.kind {
	case kVar:
		return &ast.VarExpr{Var: p.variable()}
	case kLParen:
		return p.parenthesised()
	case kIRI, kPName:
		return p.iriOrFunction()
	case kTripleOpen:
		return p.exprTriple()
	}
	if p.constantStart() {
		t := p.constant()
		return &ast.TermExpr{Span: p.span(start), Term: t}
	}
	if e, ok := p.builtIn(); ok {
		return e
	}
	p.unexpectedFor(kExpression)
	return nil
}

// parenthesised reads ( expression ).
func (p *parser) parenthesised() ast.Expr {
	defer p.leave()
	if !p.enter() {
		return nil
	}
	if !p.expect(kLParen) {
		return nil
	}
	e := p.expression()
	p.expect(kRParen)
	return e
}

// iriOrFunction reads an IRI, or a call of the function that it names.
func (p *parser) iriOrFunction() ast.Expr {
	start := p.tok.start
	t := p.iri()
	if !p.is(kLParen) {
		return &ast.TermExpr{Span: p.span(start), Term: t}
	}
	c := &ast.FunctionCall{IRI: t}
	defer p.leave()
	if !p.enter() {
		return nil
	}
	p.advance()
	if !p.accept(kRParen) {
		c.Distinct = p.accept(kDistinct)
		c.Args = p.expressions()
	}
	c.Span = p.span(start)
	return c
}

// arguments reads ( expression, … ), which may be empty.
func (p *parser) arguments() []ast.Expr {
	defer p.leave()
	if !p.enter() || !p.expect(kLParen) || p.accept(kRParen) {
		return nil
	}
	return p.expressions()
}

// expressions reads one expression or more up to the closing parenthesis.
func (p *parser) expressions() []ast.Expr {
	list := []ast.Expr{p.expression()}
	height := p.height
	for p.err == nil && p.accept(kComma) {
		list = append(list, p.expression())
		height = max(height, p.height)
	}
	p.expect(kRParen)
	p.higher(height + 1)
	return list
}

// builtIn reads a call of a built-in function, an aggregate or EXISTS; ok is
// false if there is none.
func (p *parser) builtIn() (e ast.Expr, ok bool) {
	switch p.tok.kind {
	case kFunc:
		return p.call(), true
	case kAggregate:
		return p.aggregate(), true
	case kExists, kNot:
		return p.exists(), true
	}
	return nil, false
}

// call reads a built-in function.
func (p *parser) call() ast.Expr {
	t := p.tok
	c := &ast.Call{Func: ast.Func(t.val)}
	p.advance()
	c.Args = p.arguments()
	c.Span = p.span(t.start)
	if p.err != nil {
		return c
	}
	least, most := c.Func.Arity()
	if n := len(c.Args); n < least || most != ast.Unbounded && n > most {
		p.failAt(t.start, c.Func.String()+" takes "+arity(least, most)+", found "+number(n), "")
		return c
	}
	if c.Func == ast.Bound {
		if _, ok := c.Args[0].(*ast.VarExpr); !ok {
			p.failAt(c.Args[0].Range().Start, "BOUND takes a variable", "")
		}
	}
	return c
}

func arity(least, most int) string {
	s := number(least)
	if most != least {
		s += " to " + number(most)
	}
	if most == 1 {
		return s + " argument"
	}
	return s + " arguments"
}

// exists reads EXISTS { … } or NOT EXISTS { … }.
func (p *parser) exists() ast.Expr {
	e := &ast.Exists{}
	start := p.tok.start
	e.Not = p.accept(kNot)
	if p.expect(kExists) {
		e.Pattern = p.group()
	}
	e.Span = p.span(start)
	return e
}

// exprTriple reads <<( s p o )>> in an expression.
func (p *parser) exprTriple() ast.Expr {
	start := p.tok.start
	defer p.leave()
	if !p.enter() {
		return nil
	}
	p.advance()
	t := &ast.TripleExpr{S: p.exprTriplePart(false)}
	v := p.verbNode()
	t.P = nodeExpr(v)
	t.O = p.exprTriplePart(true)
	p.expect(kTripleClose)
	t.Span = p.span(start)
	if p.err != nil {
		return t
	}
	return p.groundTriple(t)
}

// exprTriplePart reads a subject, or with object set an object, of a triple
// term in an expression.
func (p *parser) exprTriplePart(object bool) ast.Expr {
	start := p.tok.start
	switch {
	case p.is(kVar):
		return &ast.VarExpr{Var: p.variable()}
	case p.isIRI():
		t := p.iri()
		return &ast.TermExpr{Span: p.span(start), Term: t}
	case object && p.tok.kind == kTripleOpen:
		return p.exprTriple()
	case object && p.constantStart():
		t := p.constant()
		return &ast.TermExpr{Span: p.span(start), Term: t}
	}
	p.unexpected()
	return nil
}

// nodeExpr returns a variable or a term as an expression.
func nodeExpr(n ast.Node) ast.Expr {
	if n.Kind == ast.VarNode {
		return &ast.VarExpr{Var: ast.Var{Span: n.Span, Name: n.Name}}
	}
	return &ast.TermExpr{Span: n.Span, Term: n.Term}
}

// groundTriple returns t, or the constant that it is.
func (p *parser) groundTriple(t *ast.TripleExpr) ast.Expr {
	s, ok1 := t.S.(*ast.TermExpr)
	v, ok2 := t.P.(*ast.TermExpr)
	o, ok3 := t.O.(*ast.TermExpr)
	if ok1 && ok2 && ok3 {
		return &ast.TermExpr{Span: t.Span, Term: p.made(rdf.TripleTerm(s.Term, v.Term, o.Term))}
	}
	return t
}
