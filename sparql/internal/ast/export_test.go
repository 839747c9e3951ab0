package ast

// ExprString returns e as SPARQL.
func ExprString(e Expr) string {
	p := &printer{}
	p.expr(e)
	return p.b.String()
}
