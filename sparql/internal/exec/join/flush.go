package join

import (
	"context"
	"slices"

	"github.com/rete-go/rete/dataset"
	"github.com/rete-go/rete/internal/cancel"
	"github.com/rete-go/rete/sparql/internal/exec/rowset"
	"github.com/rete-go/rete/sparql/internal/plan"
)

// begin marks all left rows as without a match.
func (o *joinOp) begin(ctx context.Context, leftRows int) error {
	if o.node.Kind == plan.Inner {
		return nil
	}
	o.matched = slices.Grow(o.matched[:0], leftRows)[:leftRows]
	o.open, o.flushed = leftRows, 0
	return cancel.Blocks(ctx, leftRows, func(from, to int) { clear(o.matched[from:to]) })
}

// flush hands on left rows by whether they matched. It may have none yet.
func (o *joinOp) flush(ctx context.Context) (*rowset.Batch, error) {
	rows, all := o.stored.Col, o.stored.N
	if !o.node.Apply {
		rows, all = o.last.Col, o.last.N
	}
	o.si = o.si[:0]
	want := o.node.Kind == plan.Semi
	n := min(all, o.flushed+cancel.Block)
	for ; o.flushed < n && len(o.si) < dataset.MaxBatch; o.flushed++ {
		if o.node.Kind == plan.Mark || o.matched[o.flushed] == want {
			o.si = append(o.si, int32(o.flushed))
		}
	}
	if o.flushed == all {
		o.state = joinProbe
		if o.node.Apply {
			o.state = joinLoad
		}
	}
	if len(o.si) == 0 {
		return nil, nil
	}
	err := o.pairing.Fit(ctx, len(o.si), pairBytes)
	if err == nil {
		err = o.made.Fit(ctx, len(o.si), rowset.IDBytes*o.columns())
	}
	if err != nil {
		return nil, err
	}
	o.out.N = len(o.si)
	for i, v := range o.node.Vars {
		dst := o.out.Col[i][:0]
		c := o.m.outs[i].left
		for _, r := range o.si {
			switch {
			case c >= 0:
				dst = append(dst, rows[c][r])
			case v == o.node.Mark && o.matched[r]:
				dst = append(dst, o.node.True)
			case v == o.node.Mark:
				dst = append(dst, o.node.False)
			default:
				dst = append(dst, 0)
			}
		}
		o.out.Col[i] = dst
	}
	return &o.out, nil
}
