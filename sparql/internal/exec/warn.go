package exec

import (
	"context"

	"github.com/rete-go/rete/sparql/algebra"
)

// Dropped is what a filter dropped because its expression had no value.
type Dropped struct {
	Expr   algebra.Expr
	Rows   int64
	Sample []Sample // of the first row: the variables that the expression reads
}

// Sample is a variable of a row.
type Sample struct {
	Var     Var
	Surface string // empty: unbound
}

// Warnings collects what filters drop by value errors. It does not change what
// they keep.
type Warnings struct {
	List  []*Dropped
	known map[algebra.Expr]*Dropped
}

// of returns the entry of an expression; nil where nobody collects.
func (w *Warnings) of(e algebra.Expr) *Dropped {
	if w == nil {
		return nil
	}
	if w.known == nil {
		w.known = make(map[algebra.Expr]*Dropped)
	}
	d := w.known[e]
	if d == nil {
		d = &Dropped{Expr: e}
		w.known[e] = d
		w.List = append(w.List, d)
	}
	return d
}

// note counts a row of a batch. The first one is looked at.
func (d *Dropped) note(ctx context.Context, o *filterOp, b *Batch, row int) error {
	if d == nil {
		return nil
	}
	if d.Rows++; d.Rows > 1 {
		return nil
	}
	var vars algebra.VarSet
	algebra.ExprVars(d.Expr, &vars)
	for _, v := range vars.List() {
		s := Sample{Var: v}
		if at := place([]Var{v}, o.node.Input.Base().Vars)[0]; at >= 0 && b.Col[at][row] != 0 {
			var err error
			if s.Surface, err = o.run.Terms.SurfaceOf(ctx, b.Col[at][row]); err != nil {
				return err
			}
		}
		d.Sample = append(d.Sample, s)
	}
	return nil
}
