package algebra

import "github.com/rete-go/rete/sparql/internal/ast"

// pure reports whether e has the same value for the same solution whenever it
// is computed.
func pure(e Expr) bool {
	switch e := e.(type) {
	case *Call:
		switch e.Func {
		case ast.Rand, ast.UUID, ast.StrUUID, ast.BNode:
			return false
		}
		return allPure(e.Args)
	case *FunctionCall:
		return isCast(e.IRI) && allPure(e.Args)
	case *Exists:
		return false
	}
	return true
}

func allPure(args []Expr) bool {
	for _, a := range args {
		if !pure(a) {
			return false
		}
	}
	return true
}
