package exec

import (
	"context"

	"github.com/rete-go/rete/sparql/internal/exec/mem"
	"github.com/rete-go/rete/sparql/internal/plan"
)

// distinctOp drops rows that came before. Refused memory, it sorts: see
// distinctSpill.
type distinctOp struct {
	input Op
	run   *Run
	seen  *rowSet
	hold  mem.Holding
	disk  *distinctSpill
}

func newDistinct(r *Run, n *plan.Distinct) (Op, error) {
	input, err := r.open(n.Input)
	if err != nil {
		return nil, err
	}
	o := &distinctOp{input: input, run: r, seen: newRowSet(len(n.Vars)), hold: r.holding("distinct")}
	r.Budget.Register(o)
	return o, nil
}

func (o *distinctOp) Next(ctx context.Context) (*Batch, error) {
	for o.disk == nil {
		b, err := o.input.Next(ctx)
		if err != nil || b == nil {
			return nil, err
		}
		if o.disk == nil {
			if more := o.seen.growth(b.N); more > 0 && o.seen.rows.n > 0 { // it can spill what it has
				if err := o.hold.To(o.seen.bytes() + more); err != nil {
					return nil, err
				}
			}
		}
		if o.disk != nil { // what the input asked for was taken from here, or the set would have grown
			o.hold.Free()
			if err := o.disk.add(b); err != nil {
				return nil, err
			}
			break
		}
		if err := o.seen.reserve(ctx, b.N); err != nil {
			return nil, err
		}
		kept := 0
		for row := range b.N {
			if _, fresh := o.seen.add(b.Col, row); !fresh {
				continue
			}
			b.move(kept, row)
			kept++
		}
		if err := o.hold.To(o.seen.bytes()); err != nil {
			return nil, err
		}
		if o.disk != nil { // it was this one that had the most
			o.hold.Free()
		}
		if b.N = kept; kept > 0 {
			return b, nil
		}
	}
	return o.disk.next(ctx, o.input)
}

// Spillable implements spiller.
func (o *distinctOp) Spillable() int64 {
	if o.disk != nil || o.seen.rows.n == 0 {
		return 0
	}
	return max(o.hold.Bytes, 1) // the first rows may not be counted yet
}

// Spill goes over to sorting. The rows so far have been handed on.
func (o *distinctOp) Spill() error {
	disk := o.run.newDistinctSpill(len(o.seen.rows.col))
	disk.byRow.hold.Counted, disk.byPlace.hold.Counted = o.hold.Counted, o.hold.Counted
	o.disk = disk
	if err := disk.start(&o.seen.rows); err != nil {
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
		o.disk.close()
	}
}
