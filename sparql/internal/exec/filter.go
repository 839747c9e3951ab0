package exec

import (
	"context"

	"github.com/rete-go/rete/sparql/internal/plan"
	"github.com/rete-go/rete/sparql/value"
)

// filterOp keeps the rows for which all expressions are true.
type filterOp struct {
	run   *Run
	node  *plan.Filter
	input Op
	c     *compiler
	tests []truth
	out   Batch
}

func newFilter(r *Run, n *plan.Filter) (Op, error) {
	input, err := r.open(n.Input)
	if err != nil {
		return nil, err
	}
	return &filterOp{run: r, node: n, input: input}, nil
}

func (o *filterOp) compile(ctx context.Context) error {
	if err := o.run.know(ctx, o.node.Exprs); err != nil {
		return err
	}
	o.c = newCompiler(o.run, o.node.Input.Base().Vars)
	for _, e := range o.node.Exprs {
		t, err := o.c.truth(e)
		if err != nil {
			return err
		}
		o.tests = append(o.tests, t)
	}
	return nil
}

func (o *filterOp) Next(ctx context.Context) (*Batch, error) {
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
		if err := o.c.prepare(ctx, b); err != nil {
			return nil, err
		}
		kept := 0
	rows:
		for row := range b.N {
			for _, t := range o.tests {
				if t(row) != value.TriTrue {
					continue rows
				}
			}
			if kept != row {
				for _, col := range b.Col {
					col[kept] = col[row]
				}
			}
			kept++
		}
		if err := o.run.valueErr(); err != nil {
			return nil, err
		}
		if b.N = kept; kept > 0 {
			return b, nil
		}
	}
}

func (o *filterOp) Close() { o.input.Close() }
