package rowwise

import (
	"context"
	"slices"

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
	fresh  []id
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
		if err := o.learn(ctx, b.Col[o.of][:b.N]); err != nil {
			return nil, err
		}
		o.key = o.key[:0]
		kept := 0
		for row, i := range b.Col[o.of][:b.N] {
			slot, _ := o.known.Slot(i)
			k := o.known.Vals[slot]
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

// learn numbers the values of those ids that are new.
func (o *valueKeyOp) learn(ctx context.Context, col []id) error {
	if o.known.N > eval.MaxMemo { // they can be found again
		o.known = rowset.NewIDMap()
	}
	if err := o.known.Reserve(ctx, len(col)); err != nil {
		return err
	}
	o.fresh = o.fresh[:0]
	for _, i := range col {
		if _, ok := o.known.Slot(i); !ok {
			o.known.Put(i, 0)
			o.fresh = append(o.fresh, i)
		}
	}
	slices.Sort(o.fresh)
	var err error
	if o.values, err = o.run.Terms.Decoded(ctx, o.fresh, o.values[:0]); err != nil {
		return err
	}
	for n, i := range o.fresh {
		var ok bool
		// Floats may be among them: the coarser keys serve all numbers.
		if o.text, ok = value.AppendJoinKey(o.text[:0], o.values[n], true); !ok {
			continue
		}
		k, err := o.run.Terms.Key(o.text)
		if err != nil {
			return err
		}
		slot, _ := o.known.Slot(i)
		o.known.Vals[slot] = k
	}
	return o.hold.To(o.known.Bytes())
}

func (o *valueKeyOp) Close() {
	o.input.Close()
	o.hold.Free()
}
