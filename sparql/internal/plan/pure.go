package plan

import (
	"slices"
	"strings"

	"github.com/rete-go/rete/rdf"
	"github.com/rete-go/rete/sparql/internal/algebra"
	"github.com/rete-go/rete/sparql/internal/ast"
)

// ByChance reports whether a function may have another value the next time.
func ByChance(f ast.Func) bool {
	return f == ast.Rand || f == ast.UUID || f == ast.StrUUID || f == ast.BNode
}

// volatile reports whether e may have another value the next time: such
// expressions are not moved.
func volatile(e algebra.Expr) bool {
	switch e := e.(type) {
	case *algebra.Call:
		return ByChance(e.Func) || slices.ContainsFunc(e.Args, volatile)
	case *algebra.FunctionCall:
		return slices.ContainsFunc(e.Args, volatile)
	case *algebra.Exists:
		return chancy(e.Pattern)
	}
	return false
}

// chancy reports whether a pattern has volatile expressions.
func chancy(op algebra.Op) bool {
	return slices.ContainsFunc(algebra.Exprs(op), volatile) || slices.ContainsFunc(algebra.Inputs(op), chancy)
}

// Pure reports whether an expression has no chance in it, no pattern and, if functions says that
// there are such, no function of the caller: it can be computed on any goroutine.
func Pure(e algebra.Expr, functions bool) bool {
	all := func(args []algebra.Expr) bool {
		return !slices.ContainsFunc(args, func(a algebra.Expr) bool { return !Pure(a, functions) })
	}
	switch e := e.(type) {
	case *algebra.Call:
		return !ByChance(e.Func) && all(e.Args)
	case *algebra.FunctionCall:
		return !functions && strings.HasPrefix(e.IRI.Value(), rdf.XSD) && all(e.Args)
	case *algebra.Exists:
		return false
	}
	return true
}
