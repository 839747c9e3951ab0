package algebra

import (
	"github.com/rete-go/rete/rdf"
	"github.com/rete-go/rete/sparql/internal/ast"
)

// Expr is an expression over variables: [*VarExpr], [*Const], [*Call],
// [*FunctionCall] or [*Exists]. Aggregates have become variables of a [Group].
type Expr interface {
	Range() ast.Span
	expr()
}

// VarExpr is the value of a variable.
type VarExpr struct {
	ast.Span
	Var Var
}

// Const is a term.
type Const struct {
	ast.Span
	Term rdf.Term
}

// Call is an operator or a built-in function; a triple term with variables in
// it (`<<( ?s ?p ?o )>>`) is a call of [ast.MakeTriple].
type Call struct {
	ast.Span
	Func ast.Func
	Args []Expr
}

// Flat returns the arguments of a call, with those of calls of the same function that
// are its arguments in their places: of || and &&, which may be nested deeply.
func Flat(c *Call) []Expr { return flat(c, nil) }

func flat(c *Call, args []Expr) []Expr {
	for _, a := range c.Args {
		if in, ok := a.(*Call); ok && in.Func == c.Func {
			args = flat(in, args)
		} else {
			args = append(args, a)
		}
	}
	return args
}

// FunctionCall is a function named by an IRI: a cast or an extension.
type FunctionCall struct {
	ast.Span
	IRI  rdf.Term
	Args []Expr
}

// Exists is true if Pattern has a solution after the variables of the current
// solution have been put into it; false with Not. Variables of the pattern and
// of the solution with one slot are the same variable.
type Exists struct {
	ast.Span
	Not     bool
	Pattern Op
}

func (*VarExpr) expr()      {}
func (*Const) expr()        {}
func (*Call) expr()         {}
func (*FunctionCall) expr() {}
func (*Exists) expr()       {}
