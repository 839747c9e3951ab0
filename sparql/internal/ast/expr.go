package ast

import "github.com/rete-go/rete/rdf"

// Expr is an expression: [*VarExpr], [*TermExpr], [*TripleExpr], [*Call],
// [*FunctionCall], [*Aggregate] or [*Exists].
type Expr interface {
	Range() Span
	expr()
}

// VarExpr is a variable.
type VarExpr struct{ Var }

// TermExpr is a constant: an IRI, a literal or a ground triple term.
type TermExpr struct {
	Span
	Term rdf.Term
}

// TripleExpr is a triple term with a variable in it. S, P and O are [*VarExpr],
// [*TermExpr], or, for O, [*TripleExpr].
type TripleExpr struct {
	Span
	S, P, O Expr
}

// Call is an operator or a built-in function with its arguments. Its number of
// arguments has been checked ([Func.Arity]).
type Call struct {
	Span
	Func Func
	Args []Expr
}

// FunctionCall is a function named by an IRI: a cast or an extension.
type FunctionCall struct {
	Span
	IRI      rdf.Term
	Distinct bool // `f(DISTINCT …)`, for extensions that aggregate
	Args     []Expr
}

// AggregateKind is a set function (SPARQL 1.1, section 18.5.1).
type AggregateKind uint8

const (
	Count AggregateKind = iota
	Sum
	Min
	Max
	Avg
	Sample
	GroupConcat
)

// Aggregate is a set function over a group. It stands only in SELECT, HAVING
// and ORDER BY, and never inside another one.
type Aggregate struct {
	Span
	Kind      AggregateKind
	Distinct  bool
	Star      bool // COUNT(*); Arg is nil then
	Arg       Expr
	Separator string // of GROUP_CONCAT; a space where the text has none
}

// Exists is EXISTS { … } or NOT EXISTS { … }.
type Exists struct {
	Span
	Not     bool
	Pattern *Group
}

func (*VarExpr) expr()      {}
func (*TermExpr) expr()     {}
func (*TripleExpr) expr()   {}
func (*Call) expr()         {}
func (*FunctionCall) expr() {}
func (*Aggregate) expr()    {}
func (*Exists) expr()       {}

// Walk calls visit for e and, where it returns true, for the expressions in it,
// outer ones first. It does not go into the patterns of [Exists].
func Walk(e Expr, visit func(Expr) bool) {
	if e == nil || !visit(e) {
		return
	}
	switch e := e.(type) {
	case *Call:
		for _, a := range e.Args {
			Walk(a, visit)
		}
	case *FunctionCall:
		for _, a := range e.Args {
			Walk(a, visit)
		}
	case *Aggregate:
		Walk(e.Arg, visit)
	case *TripleExpr:
		Walk(e.S, visit)
		Walk(e.P, visit)
		Walk(e.O, visit)
	}
}
