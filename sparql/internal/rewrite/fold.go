package rewrite

import (
	"context"
	"slices"
	"strings"

	"github.com/rete-go/rete/rdf"
	"github.com/rete-go/rete/sparql/internal/algebra"
	"github.com/rete-go/rete/sparql/internal/ast"
	"github.com/rete-go/rete/sparql/internal/value"
)

// conjuncts folds conditions over input and takes them apart at &&. never is
// set if they cannot all be true.
func (r *rewriter) conjuncts(exprs []algebra.Expr, input algebra.Op) (list []algebra.Expr, never bool) {
	for _, e := range exprs {
		list = apart(r.expr(e, input), list)
	}
	for _, e := range list {
		if k, ok := e.(*algebra.Const); ok && triOf(k) != value.TriTrue {
			return nil, true
		}
	}
	return slices.DeleteFunc(list, func(e algebra.Expr) bool { _, ok := e.(*algebra.Const); return ok }), false
}

// apart appends the conjuncts of e to list.
func apart(e algebra.Expr, list []algebra.Expr) []algebra.Expr {
	if c, ok := e.(*algebra.Call); ok && c.Func == ast.And {
		for _, a := range c.Args {
			list = apart(a, list)
		}
		return list
	}
	return append(list, e)
}

// expr folds the constants of an expression over the solutions of input, and
// rewrites the patterns of EXISTS in it.
func (r *rewriter) expr(e algebra.Expr, input algebra.Op) algebra.Expr {
	switch e := e.(type) {
	case *algebra.Call:
		c := &algebra.Call{Span: e.Span, Func: e.Func, Args: r.exprs(e.Args, input)}
		return r.fold(c)
	case *algebra.FunctionCall:
		c := &algebra.FunctionCall{Span: e.Span, IRI: e.IRI, Args: r.exprs(e.Args, input)}
		if f, ok := value.Lookup(e.IRI.Value()); ok && isCast(e.IRI) && len(c.Args) == 1 {
			return r.compute(c, f, c.Args)
		}
		return c
	case *algebra.Exists:
		inner := *r
		inner.outer = r.outer.Or(r.scopes.Possible(input))
		p := inner.push(e.Pattern, nil)
		return &algebra.Exists{Span: e.Span, Not: e.Not, Pattern: p}
	}
	return e
}

func (r *rewriter) exprs(list []algebra.Expr, input algebra.Op) []algebra.Expr {
	if !r.meter.Step(len(list)) || !r.meter.Hold(callBytes+argBytes*len(list)) {
		return list
	}
	out := make([]algebra.Expr, len(list))
	for i, e := range list {
		out[i] = r.expr(e, input)
	}
	return out
}

// fold computes a call whose arguments have been folded.
func (r *rewriter) fold(c *algebra.Call) algebra.Expr {
	switch c.Func {
	case ast.And:
		return foldLogic(c, value.TriFalse, value.Tri.And)
	case ast.Or:
		return foldLogic(c, value.TriTrue, value.Tri.Or)
	case ast.Not:
		if k, ok := c.Args[0].(*algebra.Const); ok {
			return truth(c.Span, triOf(k).Not())
		}
		return c
	case ast.If:
		if k, ok := c.Args[0].(*algebra.Const); ok {
			switch triOf(k) {
			case value.TriTrue:
				return c.Args[1]
			case value.TriFalse:
				return c.Args[2]
			}
			return failed(c.Span)
		}
		return c
	case ast.Coalesce:
		return foldCoalesce(c)
	case ast.In, ast.NotIn:
		return r.foldIn(c)
	case ast.Bound, ast.IRI, ast.Replace:
		// BOUND needs no value, IRI needs the base, REPLACE may multiply text.
		return c
	}
	f, ok := value.Lookup(c.Func.Key())
	if !ok || f.Volatile || f.Request {
		return c
	}
	return r.compute(c, f, c.Args)
}

const (
	// callBytes and argBytes are what a call is counted for, and each of its arguments.
	callBytes = 64
	argBytes  = 48
	// stepBytes is the number of bytes of text that count as a step.
	stepBytes = 64
	// maxText is the longest text that is made of constants: longer ones are made when the
	// query runs.
	maxText = 64 << 10
)

// compute returns the value of a function of constants, e itself if there is
// something else among its arguments, or the value would be long.
func (r *rewriter) compute(e algebra.Expr, f *value.Function, args []algebra.Expr) algebra.Expr {
	values, ok := constants(args)
	if !ok || len(args) == 0 {
		return e
	}
	if slices.ContainsFunc(values, value.Value.IsNone) {
		return failed(e.Range())
	}
	size := 0
	for _, a := range args {
		size += len(a.(*algebra.Const).Term.Surface())
	}
	if size > maxText || !r.meter.Step(size/stepBytes) {
		return e
	}
	c := value.NewContext(context.Background())
	c.MaxText = maxText
	v, ok := f.Call(c, values)
	switch {
	case c.Err() != nil:
		return e
	case !ok:
		if _, faulty := value.FaultOf(c); faulty {
			return e // the query notes it when it runs
		}
		return failed(e.Range())
	}
	t := v.Term()
	r.meter.Hold(len(t.Surface()))
	return &algebra.Const{Span: e.Range(), Term: t}
}

func constants(args []algebra.Expr) ([]value.Value, bool) {
	values := make([]value.Value, len(args))
	for i, a := range args {
		k, ok := a.(*algebra.Const)
		if !ok {
			return nil, false
		}
		values[i] = value.FromTerm(k.Term)
	}
	return values, true
}

// failed is the expression that is always an error: a constant without a term.
func failed(at ast.Span) algebra.Expr { return &algebra.Const{Span: at} }

func triOf(k *algebra.Const) value.Tri { return value.TriOf(value.FromTerm(k.Term)) }

// truth returns a truth value as an expression.
func truth(at ast.Span, t value.Tri) algebra.Expr {
	if t == value.TriError {
		return failed(at)
	}
	return &algebra.Const{Span: at, Term: rdf.Boolean(t == value.TriTrue)}
}

// foldLogic folds && and ||: decisive is the value that decides alone. Other
// constants are joined into one; it stays if it is an error, and if less than
// two arguments would be left, since && and || make booleans of them.
func foldLogic(c *algebra.Call, decisive value.Tri, op func(a, b value.Tri) value.Tri) algebra.Expr {
	known := decisive.Not()
	var rest []algebra.Expr
	for _, a := range c.Args {
		if k, ok := a.(*algebra.Const); ok {
			known = op(known, triOf(k))
		} else {
			rest = append(rest, a)
		}
	}
	switch {
	case known == decisive || len(rest) == 0:
		return truth(c.Span, known)
	case known == value.TriError || len(rest) == 1:
		rest = append(rest, truth(c.Span, known))
	}
	if len(rest) == len(c.Args) {
		return c
	}
	return &algebra.Call{Span: c.Span, Func: c.Func, Args: rest}
}

// foldCoalesce drops arguments that are errors, and what stands after a
// constant.
func foldCoalesce(c *algebra.Call) algebra.Expr {
	var rest []algebra.Expr
	for _, a := range c.Args {
		k, constant := a.(*algebra.Const)
		if constant && k.Term.IsZero() {
			continue
		}
		rest = append(rest, a)
		if constant {
			break
		}
	}
	switch {
	case len(rest) == 0:
		return failed(c.Span)
	case len(rest) == 1:
		return rest[0]
	}
	return &algebra.Call{Span: c.Span, Func: c.Func, Args: rest}
}

func (r *rewriter) foldIn(c *algebra.Call) algebra.Expr {
	for _, a := range c.Args {
		if _, ok := a.(*algebra.Const); !ok {
			return c
		}
	}
	of := func(a algebra.Expr) value.Value { return value.FromTerm(a.(*algebra.Const).Term) }
	x := of(c.Args[0])
	t := value.In(x, nil)
	for _, a := range c.Args[1:] { // one by one: there may be millions
		if t == value.TriTrue || !r.meter.Step(1) {
			break
		}
		t = t.Or(value.In(x, []value.Value{of(a)}))
	}
	if c.Func == ast.NotIn {
		t = t.Not()
	}
	return truth(c.Span, t)
}

// isCast reports whether an IRI is that of a datatype of XML Schema.
func isCast(iri rdf.Term) bool { return strings.HasPrefix(iri.Value(), rdf.XSD) }
