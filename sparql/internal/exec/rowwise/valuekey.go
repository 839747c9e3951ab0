package rowwise

import (
	"context"

	"github.com/rete-go/rete/sparql/internal/exec/eval"
	"github.com/rete-go/rete/sparql/internal/exec/mem"
	"github.com/rete-go/rete/sparql/internal/exec/rowset"
	"github.com/rete-go/rete/sparql/internal/exec/run"
	"github.com/rete-go/rete/sparql/internal/plan"
	"github.com/rete-go/rete/sparql/internal/value"
)

// valueKeyOp adds a column with a number for the value of another: terms that
// are equal in the sense of "=" have the same one, which [terms.Table.Key] gives. It is 0 where the term is
// equal to nothing; such rows are dropped if the plan says so.
type valueKeyOp struct {
	run    *run.Run
	node   *plan.ValueKey
	input  rowset.Op
	of     int
	known  *rowset.IDMap // from ids
	hold   mem.Holding
	values []value.Value
	text   []byte
	key    []id
	out    rowset.Batch
}

// NewValueKey makes the operator that adds a column with keys of values.
func NewValueKey(r *run.Run, n *plan.ValueKey) (rowset.Op, error) {
	input, err := r.Open(n.Input)
	if err != nil {
		return nil, err
	}
	return &valueKeyOp{
		run: r, node: n, input: input, of: rowset.Place([]plan.Var{n.Of}, n.Input.Base().Vars)[0],
		known: rowset.NewIDMap(), hold: r.Holding("value keys"),
	}, nil
}

func (o *valueKeyOp) Next(ctx context.Context) (*rowset.Batch, error) {
	for {
		b, err := o.input.Next(ctx)
		if err != nil || b == nil {
			return nil, err
		}
		at, err := o.learn(ctx, b.Col[o.of][:b.N])
		if err != nil {
			return nil, err
		}
		o.key = o.key[:0]
		kept := 0
		for row := range b.N {
			k := o.known.Vals[at[row]]
			if k == 0 && o.node.Drop {
				continue
			}
			o.key = append(o.key, k)
			b.Move(kept, row)
			kept++
		}
		if kept == 0 {
			continue
		}
		o.out.N, o.out.Col = kept, append(append(o.out.Col[:0], b.Col...), o.key)
		return &o.out, nil
	}
}

// learn numbers the values of those ids that are new. It returns where those of the column are.
func (o *valueKeyOp) learn(ctx context.Context, col []id) ([]int32, error) {
	if o.known.Len() > eval.MaxMemo { // they can be found again
		o.known = rowset.NewIDMap()
	}
	at, fresh, err := o.known.AddAll(ctx, col)
	if err != nil {
		return nil, err
	}
	if o.values, err = o.run.Terms.Decoded(ctx, fresh, o.values[:0]); err != nil {
		return nil, err
	}
	for n, i := range fresh {
		var ok bool
		// Floats may be among them: the coarser keys serve all numbers.
		if o.text, ok = value.AppendJoinKey(o.text[:0], o.values[n], true); !ok {
			continue
		}
		k, err := o.run.Terms.Key(ctx, o.text)
		if err != nil {
			return nil, err
		}
		o.known.Vals[o.known.Find(i)] = k
	}
	return at, o.hold.To(ctx, o.known.Bytes())
}

func (o *valueKeyOp) Close() {
	o.input.Close()
	o.hold.Free()
}
