package rowwise

import (
	"context"
	"slices"

	"github.com/rete-go/rete/sparql/internal/algebra"
	"github.com/rete-go/rete/sparql/internal/exec/eval"
	"github.com/rete-go/rete/sparql/internal/exec/rowset"
	"github.com/rete-go/rete/sparql/internal/exec/run"
	"github.com/rete-go/rete/sparql/internal/plan"
)

// extendOp adds columns, one after the other; each sees those before it.
type extendOp struct {
	run   *run.Run
	node  *plan.Extend
	input rowset.Op
	cols  []*extendCol
	out   rowset.Batch
	room  rowset.Batches // of the columns
	size  int            // bytes of a row in them
}

// extendCol is one added column.
type extendCol struct {
	c        *eval.Compiler
	k        eval.Kernel
	copied   int // the column that it repeats; -1 for an expression
	memo     *eval.Memo
	memoAt   int // the column of the memo's variable
	ids      []id
	surfaces []string // of rows whose ids are not known yet
}

// stringBytes is what a string takes in a column.
const stringBytes = 16

// NewExtend makes the operator that adds columns.
func NewExtend(r *run.Run, n *plan.Extend) (rowset.Op, error) {
	input, err := r.Open(n.Input)
	if err != nil {
		return nil, err
	}
	return &extendOp{run: r, node: n, input: input, room: r.Batches("a batch of BIND")}, nil
}

func (o *extendOp) compile(ctx context.Context) error {
	exprs := make([]algebra.Expr, len(o.node.Added))
	for i, a := range o.node.Added {
		exprs[i] = a.Expr
	}
	if err := eval.Know(ctx, o.run, exprs); err != nil {
		return err
	}
	input := o.node.Input.Base().Vars
	all := slices.Clone(input)
	for _, a := range o.node.Added {
		all = append(all, a.Var)
	}
	for i, a := range o.node.Added {
		schema := all[:len(input)+i]
		col := &extendCol{c: eval.NewCompiler(o.run, schema), copied: -1}
		if v, ok := a.Expr.(*algebra.VarExpr); ok {
			col.copied = rowset.Place([]plan.Var{v.Var}, schema)[0]
		}
		var err error
		if v, ok := eval.OnlyVar(a.Expr); ok {
			if col.memoAt = rowset.Place([]plan.Var{v}, schema)[0]; col.memoAt >= 0 {
				if col.memo, err = eval.NewMemo(o.run, a.Expr, v, false); err != nil {
					return err
				}
			}
		}
		if col.k, err = col.c.Compile(a.Expr); err != nil {
			return err
		}
		o.cols = append(o.cols, col)
		if o.size += rowset.IDBytes; col.copied < 0 && col.memo == nil {
			o.size += stringBytes
		}
	}
	return nil
}

func (o *extendOp) Next(ctx context.Context) (*rowset.Batch, error) {
	if o.cols == nil {
		if err := o.compile(ctx); err != nil {
			return nil, err
		}
	}
	b, err := o.input.Next(ctx)
	if err != nil || b == nil {
		return nil, err
	}
	if err := o.room.Fit(ctx, b.N, o.size); err != nil {
		return nil, err
	}
	o.run.NewBatch()
	o.out.N = b.N
	o.out.Col = append(o.out.Col[:0], b.Col...)
	for _, col := range o.cols {
		if err := o.fill(ctx, col); err != nil {
			return nil, err
		}
		o.out.Col = append(o.out.Col, col.ids)
	}
	return &o.out, nil
}

// fill computes one column.
func (o *extendOp) fill(ctx context.Context, col *extendCol) error {
	n := o.out.N
	if col.copied >= 0 {
		col.ids = append(col.ids[:0], o.out.Col[col.copied][:n]...)
		return nil
	}
	if m := col.memo; m != nil {
		results, err := m.Results(ctx, o.out.Col[col.memoAt][:n])
		col.ids = append(col.ids[:0], results...)
		return err
	}
	if err := col.c.Prepare(ctx, &o.out); err != nil {
		return err
	}
	col.ids = rowset.Sized(col.ids, n)
	for row := 0; row < n; row += len(col.surfaces) {
		if err := o.some(ctx, col, row); err != nil {
			return err
		}
	}
	return o.run.ValueErr()
}

// some computes a column from a row on, as far as there is not too much text.
func (o *extendOp) some(ctx context.Context, col *extendCol, from int) error {
	col.surfaces = col.surfaces[:0]
	bytes := 0
	for row := from; row < len(col.ids) && bytes < eval.TextRows; row++ {
		o.run.Solution.Row = row
		s := o.run.Values.Surface(col.k(row))
		if err := o.run.RowErr(); err != nil {
			return err
		}
		col.surfaces = append(col.surfaces, s)
		bytes += len(s)
	}
	if bytes >= eval.TextRows {
		defer clear(col.surfaces)
	}
	return o.run.Terms.Intern(ctx, col.surfaces, col.ids[from:from+len(col.surfaces)])
}

// Input implements [run.Piped].
func (o *extendOp) Input() rowset.Op { return o.input }

func (o *extendOp) Close() {
	o.input.Close()
	o.room.Free()
}
