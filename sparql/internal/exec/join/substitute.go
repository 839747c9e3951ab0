package join

import (
	"context"

	"github.com/rete-go/rete/sparql/internal/exec/mem"
	"github.com/rete-go/rete/sparql/internal/exec/rowset"
	"github.com/rete-go/rete/sparql/internal/exec/run"
	"github.com/rete-go/rete/sparql/internal/plan"
)

// substituteOp evaluates EXISTS by planning its pattern anew for each distinct
// key, or where chance decides for each row.
type substituteOp struct {
	run   *run.Run
	node  *plan.Substitute
	input rowset.Op
	keyAt []int
	keys  *rowset.Set
	known []bool // by number of the key
	hold  mem.Holding
	out   rowset.Batch
}

// NewSubstitute makes the operator of an EXISTS whose pattern is planned for each key.
func NewSubstitute(r *run.Run, n *plan.Substitute) (rowset.Op, error) {
	input, err := r.Open(n.Input)
	if err != nil {
		return nil, err
	}
	return &substituteOp{
		run: r, node: n, input: input, keyAt: rowset.Place(n.Keys, n.Input.Base().Vars),
		keys: rowset.NewSet(len(n.Keys)), hold: r.Holding("exists"),
	}, nil
}

func (o *substituteOp) Next(ctx context.Context) (*rowset.Batch, error) {
	for {
		b, err := o.input.Next(ctx)
		if err != nil || b == nil {
			return nil, err
		}
		found, err := o.test(ctx, b)
		if err != nil {
			return nil, err
		}
		if o.node.Kind == plan.Mark {
			col := make([]id, b.N)
			for row := range col {
				col[row] = o.node.False
				if found[row] {
					col[row] = o.node.True
				}
			}
			o.out.N, o.out.Col = b.N, append(append(o.out.Col[:0], b.Col...), col)
			return &o.out, nil
		}
		kept := 0
		for row := range b.N {
			if found[row] != (o.node.Kind == plan.Semi) {
				continue
			}
			for _, col := range b.Col {
				col[kept] = col[row]
			}
			kept++
		}
		if b.N = kept; kept > 0 {
			return b, nil
		}
	}
}

// test finds out for each row whether the pattern has a solution.
func (o *substituteOp) test(ctx context.Context, b *rowset.Batch) ([]bool, error) {
	cols := make([][]id, len(o.keyAt))
	for i, at := range o.keyAt {
		cols[i] = b.Col[at]
	}
	if err := o.keys.Reserve(ctx, b.N); err != nil {
		return nil, err
	}
	found := make([]bool, b.N)
	key := make([]id, len(cols))
	for row := range b.N {
		for i := range cols {
			key[i] = cols[i][row]
		}
		if o.node.Each {
			var err error
			if found[row], err = o.exists(ctx, key); err != nil {
				return nil, err
			}
			continue
		}
		n, fresh := o.keys.Add(cols, row)
		if fresh {
			ok, err := o.exists(ctx, key)
			if err != nil {
				return nil, err
			}
			o.known = append(o.known, ok)
		}
		found[row] = o.known[n]
	}
	err := o.hold.To(ctx, o.keys.Bytes()+int64(len(o.known)))
	if mem.Refused(err) {
		// A key that comes again is tested again.
		o.keys, o.known, err = rowset.NewSet(len(o.node.Keys)), nil, nil
		o.hold.Free()
	}
	return found, err
}

func (o *substituteOp) exists(ctx context.Context, key []id) (bool, error) {
	n, err := o.node.Plan(ctx, key)
	if err != nil {
		return false, err
	}
	op, err := o.run.Open(n)
	if err != nil {
		return false, err
	}
	defer op.Close()
	b, err := op.Next(ctx)
	return b != nil, err
}

func (o *substituteOp) Close() {
	o.input.Close()
	o.hold.Free()
}
