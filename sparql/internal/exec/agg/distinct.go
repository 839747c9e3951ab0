package agg

import (
	"context"

	"github.com/rete-go/rete/sparql/internal/exec/mem"
	"github.com/rete-go/rete/sparql/internal/exec/order"
	"github.com/rete-go/rete/sparql/internal/exec/rowset"
	"github.com/rete-go/rete/sparql/internal/exec/run"
	"github.com/rete-go/rete/sparql/internal/plan"
)

// distinctOp drops rows that came before. Refused memory, it sorts: see
// [order.DistinctSpill].
type distinctOp struct {
	input rowset.Op
	run   *run.Run
	seen  *rowset.Set
	hold  mem.Holding
	disk  *order.DistinctSpill
}

// NewDistinct makes the operator that drops rows that came before.
func NewDistinct(r *run.Run, n *plan.Distinct) (rowset.Op, error) {
	input, err := r.Open(n.Input)
	if err != nil {
		return nil, err
	}
	o := &distinctOp{input: input, run: r, seen: rowset.NewSet(len(n.Vars)), hold: r.Holding("distinct")}
	r.Budget.Register(o)
	return o, nil
}

func (o *distinctOp) Next(ctx context.Context) (*rowset.Batch, error) {
	for o.disk == nil {
		b, err := o.input.Next(ctx)
		if err != nil || b == nil {
			return nil, err
		}
		if o.disk == nil {
			if more := o.seen.Growth(b.N); more > 0 && o.seen.Rows.N > 0 { // it can spill what it has
				if err := o.hold.To(ctx, o.seen.Bytes()+more); err != nil {
					return nil, err
				}
			}
		}
		if o.disk != nil { // what the input asked for was taken from here, or the set would have grown
			o.hold.Free()
			if err := o.disk.Add(ctx, b); err != nil {
				return nil, err
			}
			break
		}
		if err := o.seen.Reserve(ctx, b.N); err != nil {
			return nil, err
		}
		kept := 0
		for row := range b.N {
			if _, fresh := o.seen.Add(b.Col, row); !fresh {
				continue
			}
			b.Move(kept, row)
			kept++
		}
		if err := o.hold.To(ctx, o.seen.Bytes()); err != nil {
			return nil, err
		}
		if o.disk != nil { // it was this one that had the most
			o.hold.Free()
		}
		if b.N = kept; kept > 0 {
			return b, nil
		}
	}
	return o.disk.Next(ctx, o.input)
}

// Spillable implements [mem.Spiller].
func (o *distinctOp) Spillable() int64 {
	if o.disk != nil || o.seen.Rows.N == 0 {
		return 0
	}
	return max(o.hold.Bytes, 1) // the first rows may not be counted yet
}

// Spill goes over to sorting. The rows so far have been handed on.
func (o *distinctOp) Spill(ctx context.Context) error {
	disk := order.NewDistinctSpill(o.run, o.hold, len(o.seen.Rows.Col))
	o.disk = disk
	if err := disk.Start(ctx, &o.seen.Rows); err != nil {
		return err
	}
	o.seen = nil
	// The set was larger than what is held by now: its last batch may not have
	// been asked for yet.
	o.hold.Free()
	return nil
}

func (o *distinctOp) Close() {
	o.input.Close()
	o.run.Budget.Unregister(o)
	o.hold.Free()
	if o.disk != nil {
		o.disk.Close()
	}
}
