package rowwise

import (
	"context"
	"slices"

	"github.com/rete-go/rete/sparql/internal/algebra"
	"github.com/rete-go/rete/sparql/internal/exec/rowset"
	"github.com/rete-go/rete/sparql/internal/exec/run"
	"github.com/rete-go/rete/sparql/internal/plan"
	"github.com/rete-go/rete/sparql/internal/value"
)

// verdict is what became of a row: it stays, or goes since an expression is false,
// or since the expression with this number, the first of them, is an error in it.
type verdict int

const (
	kept    verdict = -1
	refused verdict = -2
)

// add adds the value of the expression with a number.
func (v *verdict) add(t value.Tri, number int) {
	switch {
	case t == value.TriFalse:
		*v = refused
	case t == value.TriError && (*v == kept || *v > verdict(number)):
		*v = verdict(number)
	}
}

// keepCounted drops the rows of a batch for which not all expressions are true, and
// counts those in which none is false: an error and false are false (17.2).
func (o *filterOp) keepCounted(ctx context.Context, b *rowset.Batch) error {
	o.drops = slices.Grow(o.drops[:0], b.N)[:b.N]
	for i := range o.drops {
		o.drops[i] = kept
	}
	for _, m := range o.memos {
		results, err := m.Results(ctx, b.Col[m.col][:b.N])
		if err != nil {
			return err
		}
		for row := range o.drops {
			o.drops[row].add(value.Tri(results[row]), m.number)
		}
	}
	if len(o.tests) > 0 {
		if err := o.c.Prepare(ctx, b); err != nil {
			return err
		}
	}
	left := 0
	for row := range o.drops {
		v := &o.drops[row]
		for _, t := range o.tests {
			if *v == refused {
				break
			}
			v.add(t.truth(row), t.number)
		}
		if err := o.run.RowErr(); err != nil {
			return err
		}
		switch {
		case *v == kept:
			b.Move(left, row)
			left++
		case *v >= 0:
			if err := o.note(ctx, o.run.Warnings.Of(o.node.Exprs[*v]), b, row); err != nil {
				return err
			}
		}
	}
	b.N = left
	return o.run.ValueErr()
}

// note counts a row of a batch. The first one is checked.
func (o *filterOp) note(ctx context.Context, d *run.Dropped, b *rowset.Batch, row int) error {
	if d.Rows++; d.Rows > 1 {
		return nil
	}
	var vars algebra.VarSet
	algebra.ExprVars(d.Expr, &vars)
	for _, v := range vars.List() {
		s := run.Sample{Var: v}
		if at := rowset.Place([]plan.Var{v}, o.node.Input.Base().Vars)[0]; at >= 0 && b.Col[at][row] != 0 {
			var err error
			if s.Surface, err = o.run.Terms.SurfaceOf(ctx, b.Col[at][row]); err != nil {
				return err
			}
		}
		d.Sample = append(d.Sample, s)
	}
	return nil
}
