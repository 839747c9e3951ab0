package ast

// walk calls visit for e and, where it returns true, for the expressions in it,
// outer ones first. It does not go into the patterns of [Exists].
func walk(e Expr, visit func(Expr) bool) {
	if e == nil || !visit(e) {
		return
	}
	switch e := e.(type) {
	case *Call:
		for _, a := range e.Args {
			walk(a, visit)
		}
	case *FunctionCall:
		for _, a := range e.Args {
			walk(a, visit)
		}
	case *Aggregate:
		walk(e.Arg, visit)
	case *TripleExpr:
		walk(e.S, visit)
		walk(e.P, visit)
		walk(e.O, visit)
	}
}
