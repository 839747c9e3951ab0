package order

import (
	"context"

	"github.com/rete-go/rete/sparql/internal/algebra"
	"github.com/rete-go/rete/sparql/internal/exec/mem"
	"github.com/rete-go/rete/sparql/internal/exec/rowset"
	"github.com/rete-go/rete/sparql/internal/plan"
)

// beyond is the ids of a first condition whose rows are beyond the bound of a sort of
// which only the first rows are wanted. The bound only comes nearer, so that rows with
// these ids need not be compared again.
type beyond struct {
	hold mem.Holding
	col  int // of the condition; below zero: it is no variable, or the ids are not kept any more
	ids  rowset.Numbering
	hits int // rows that were dropped by their ids
	adds int // ids that were added
}

// After this number of ids, one row in this share must have been dropped by one of them, or the ids
// are let go of.
const (
	tryBeyond  = 32 << 10
	lastBeyond = 16
)

func (o *orderOp) newBeyond() beyond {
	h := beyond{hold: o.sorter.hold, col: -1}
	if v, ok := o.node.Keys[0].Expr.(*algebra.VarExpr); ok && o.node.Limit >= 0 {
		h.col = rowset.Place([]plan.Var{v.Var}, o.node.Input.Base().Vars)[0]
	}
	return h
}

// drop drops the rows with such ids from a batch.
func (h *beyond) drop(b *rowset.Batch) {
	if h.col < 0 || h.ids.Blocks() == 0 {
		return
	}
	kept := 0
	for row, i := range b.Col[h.col][:b.N] {
		if !h.ids.Has(i) {
			b.Move(kept, row)
			kept++
		}
	}
	h.hits += b.N - kept
	b.N = kept
}

// add adds ids that are not 0, in any order.
func (h *beyond) add(ctx context.Context, list []id) error {
	if h.col < 0 || len(list) == 0 {
		return nil
	}
	if h.adds += len(list); h.adds > tryBeyond && h.hits < h.adds/lastBeyond || !h.hold.Try(h.ids.Room(len(list))) {
		h.free()
		return nil
	}
	if err := h.ids.Reserve(ctx, len(list)); err != nil {
		return err
	}
	h.ids.Add(list)
	return h.hold.To(ctx, h.ids.Bytes()) // no more than before
}

// free lets go of the ids, for ever.
func (h *beyond) free() {
	h.ids, h.col = rowset.Numbering{}, -1
	h.hold.Free()
}
