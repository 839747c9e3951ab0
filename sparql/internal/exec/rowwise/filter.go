package rowwise

import (
	"context"

	"github.com/rete-go/rete/dataset"
	"github.com/rete-go/rete/sparql/internal/exec/eval"
	"github.com/rete-go/rete/sparql/internal/exec/rowset"
	"github.com/rete-go/rete/sparql/internal/exec/run"
	"github.com/rete-go/rete/sparql/internal/plan"
	"github.com/rete-go/rete/sparql/internal/value"
)

type id = dataset.ID

// filterOp keeps the rows for which all expressions are true. Expressions of one
// variable are computed once for each of its ids.
type filterOp struct {
	run   *run.Run
	node  *plan.Filter
	input rowset.Op
	c     *eval.Compiler
	memos []filterMemo
	tests []filterTest
	drops []verdict // of the rows at hand, where they are counted
}

// filterTest is an expression of several variables.
type filterTest struct {
	truth  eval.Truth
	number int // among those of the filter
}

// filterMemo is an expression of the ids in one column.
type filterMemo struct {
	*eval.Memo
	col    int
	number int
}

// NewFilter makes the operator of FILTER.
func NewFilter(r *run.Run, n *plan.Filter) (rowset.Op, error) {
	input, err := r.Open(n.Input)
	if err != nil {
		return nil, err
	}
	return &filterOp{run: r, node: n, input: input}, nil
}

func (o *filterOp) compile(ctx context.Context) error {
	if err := eval.Know(ctx, o.run, o.node.Exprs); err != nil {
		return err
	}
	vars := o.node.Input.Base().Vars
	o.c = eval.NewCompiler(o.run, vars)
	for i, e := range o.node.Exprs {
		if v, ok := eval.OnlyVar(e); ok {
			if col := rowset.Place([]plan.Var{v}, vars)[0]; col >= 0 {
				m, err := eval.NewMemo(o.run, e, v, true)
				if err != nil {
					return err
				}
				o.memos = append(o.memos, filterMemo{m, col, i})
				continue
			}
		}
		t, err := o.c.Truth(e)
		if err != nil {
			return err
		}
		o.tests = append(o.tests, filterTest{t, i})
	}
	return nil
}

func (o *filterOp) Next(ctx context.Context) (*rowset.Batch, error) {
	if o.c == nil {
		if err := o.compile(ctx); err != nil {
			return nil, err
		}
	}
	for {
		b, err := o.input.Next(ctx)
		if err != nil || b == nil {
			return nil, err
		}
		if err := o.keepAll(ctx, b); err != nil {
			return nil, err
		}
		if b.N > 0 {
			return b, nil
		}
	}
}

// keepAll drops the rows of a batch for which not all expressions are true.
func (o *filterOp) keepAll(ctx context.Context, b *rowset.Batch) error {
	if o.run.Warnings != nil {
		return o.keepCounted(ctx, b)
	}
	for _, m := range o.memos {
		if err := m.keep(ctx, b); err != nil {
			return err
		}
	}
	return o.keep(ctx, b)
}

// SkipTo moves the input forward.
func (o *filterOp) SkipTo(ctx context.Context, key id) error {
	if o.node.Counted {
		return nil
	}
	return run.SkipTo(ctx, o.input, key)
}

// keep drops the rows of a batch for which the expression is not true.
func (m *filterMemo) keep(ctx context.Context, b *rowset.Batch) error {
	if b.N == 0 {
		return nil
	}
	results, err := m.Results(ctx, b.Col[m.col][:b.N])
	if err != nil {
		return err
	}
	kept := 0
	for row, is := range results {
		if value.Tri(is) == value.TriTrue {
			b.Move(kept, row)
			kept++
		}
	}
	b.N = kept
	return nil
}

// keep drops the rows of a batch for which not all other expressions are true.
func (o *filterOp) keep(ctx context.Context, b *rowset.Batch) error {
	if len(o.tests) == 0 || b.N == 0 {
		return nil
	}
	if err := o.c.Prepare(ctx, b); err != nil {
		return err
	}
	kept := 0
rows:
	for row := range b.N {
		for _, t := range o.tests {
			is := t.truth(row)
			if err := o.run.RowErr(); err != nil {
				return err
			}
			if is != value.TriTrue {
				continue rows
			}
		}
		b.Move(kept, row)
		kept++
	}
	b.N = kept
	return o.run.ValueErr()
}

// Input implements [run.Piped].
func (o *filterOp) Input() rowset.Op { return o.input }

func (o *filterOp) Close() { o.input.Close() }
