package exec

import (
	"context"

	"github.com/rete-go/rete/sparql/internal/plan"
	"github.com/rete-go/rete/sparql/value"
)

// orderOp sorts: rows are kept with their sort keys as bytes.
type orderOp struct {
	run    *Run
	node   *plan.Order
	input  Op
	c      *compiler
	keys   []kernel
	sorter *sorter
	loaded bool
	out    Batch
}

func newOrder(r *Run, n *plan.Order) (Op, error) {
	input, err := r.open(n.Input)
	if err != nil {
		return nil, err
	}
	return &orderOp{
		run: r, node: n, input: input, sorter: r.newSorter("order", len(n.Vars), n.Limit), out: Batch{Col: make([][]id, len(n.Vars))},
	}, nil
}

func (o *orderOp) compile() error {
	o.c = newCompiler(o.run, o.node.Input.Base().Vars)
	for _, k := range o.node.Keys {
		kern, err := o.c.compile(k.Expr)
		if err != nil {
			return err
		}
		o.keys = append(o.keys, kern)
	}
	return nil
}

func (o *orderOp) Next(ctx context.Context) (*Batch, error) {
	if !o.loaded {
		if err := o.compile(); err != nil {
			return nil, err
		}
		if err := o.load(ctx); err != nil {
			return nil, err
		}
		o.loaded = true
	}
	if err := o.sorter.next(&o.out, nil); err != nil || o.out.N == 0 {
		return nil, err
	}
	return &o.out, nil
}

// load takes all rows in, with their keys.
func (o *orderOp) load(ctx context.Context) error {
	s := o.sorter
	for {
		b, err := o.input.Next(ctx)
		if err != nil {
			return err
		}
		if b == nil {
			return s.finish()
		}
		o.run.newBatch()
		if err := o.c.prepare(ctx, b); err != nil {
			return err
		}
		s.begin()
		for row := range b.N {
			o.run.sol.row = row
			for i, k := range o.keys {
				from := len(s.text)
				s.text = value.AppendSortKey(s.text, k(row))
				if o.node.Keys[i].Desc {
					value.Descend(s.text[from:])
				}
			}
			s.endKey()
		}
		if err := o.run.valueErr(); err != nil {
			return err
		}
		if err := s.add(b); err != nil {
			return err
		}
	}
}

func (o *orderOp) Close() {
	o.input.Close()
	o.sorter.close()
}
