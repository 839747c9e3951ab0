package run

import (
	"github.com/rete-go/rete/sparql/internal/algebra"
	"github.com/rete-go/rete/sparql/internal/ast"
	"github.com/rete-go/rete/sparql/internal/plan"
)

// Dropped is what a filter dropped because its expression had no value.
type Dropped struct {
	Expr   algebra.Expr
	Rows   int64
	Sample []Sample // of the first row: the variables that the expression reads
}

// Sample is a variable of a row.
type Sample struct {
	Var     plan.Var
	Surface string // empty: unbound
}

// Warnings collects what filters drop by value errors. It does not change what
// they keep.
type Warnings struct {
	List  []*Dropped
	known map[ast.Span]*Dropped // by their places in the text: EXISTS makes copies
}

// Of returns the entry of an expression.
func (w *Warnings) Of(e algebra.Expr) *Dropped {
	if w.known == nil {
		w.known = make(map[ast.Span]*Dropped)
	}
	d := w.known[e.Range()]
	if d == nil {
		d = &Dropped{Expr: e}
		w.known[e.Range()] = d
		w.List = append(w.List, d)
	}
	return d
}
