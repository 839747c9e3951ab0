package join

import (
	"context"

	"github.com/rete-go/rete/sparql/internal/exec/mem"
	"github.com/rete-go/rete/sparql/internal/exec/rowset"
	"github.com/rete-go/rete/sparql/internal/exec/run"
	"github.com/rete-go/rete/sparql/internal/plan"
)

// wholeLeft returns the rows of the left side, if they are no more than most. Else it returns nil, and
// those that were read come again in front of the others.
func (o *joinOp) wholeLeft(ctx context.Context, most int) (*rowset.Relation, error) {
	rows := rowset.NewRelation(o.node.Left.Base().Vars)
	kept := &rowset.Kept{Rows: rows, Hold: o.run.Holding(smallSide)}
	for {
		b, err := o.left.Next(ctx)
		if b == nil && err == nil {
			kept.Hold.Free()
			return rows, nil
		}
		full := err == nil && rows.N+b.N > most
		if !full && err == nil {
			err = kept.Hold.To(ctx, rows.Bytes()+rows.Growth(b.N))
			if full = mem.Refused(err); full {
				err = nil
			}
		}
		if full {
			o.left = &rowset.Chain{Ops: []rowset.Op{kept, &rowset.Given{Batch: b}, o.left}}
			return nil, nil
		}
		if err == nil {
			err = rows.AddChecking(ctx, b)
		}
		if err != nil {
			kept.Hold.Free()
			return nil, err
		}
	}
}

// storeLeft makes rows that are all of the left side the stored side. The right one streams past: what
// was stored of it first, if it was begun, else narrowed by the ids of the left one. It
// returns false, with the join as it was, if there is not the memory for that.
func (o *joinOp) storeLeft(ctx context.Context, left *rowset.Relation, right rowset.Op) (bool, error) {
	if left.N == 0 {
		o.right, o.state = right, joinEnd
		return true, nil
	}
	begun := o.stored
	o.change()
	o.stored, o.extra = left, begun.Bytes()
	err := o.index(ctx)
	if mem.Refused(err) {
		o.change()
		o.stored, o.extra = begun, 0
		o.hold.Free()
		kept := &rowset.Kept{Rows: left, Hold: o.run.Holding(smallSide)}
		o.left = &rowset.Chain{Ops: []rowset.Op{kept, o.left}}
		return false, kept.Hold.To(ctx, left.Bytes())
	}
	change := run.JoinChange{Rows: int64(begun.N), Expected: o.node.Right.Base().Rows}
	if right != nil {
		o.right = &rowset.Chain{Ops: []rowset.Op{&rowset.Kept{Rows: begun}, right}}
	} else if err == nil {
		change = run.JoinChange{Left: true, Few: true, Rows: int64(left.N), Expected: o.node.Left.Base().Rows}
		change.Narrowed, err = o.narrowRight(left)
	}
	if err != nil {
		return true, err
	}
	o.leftDone, o.state = true, joinProbe
	o.changed(change)
	return true, o.begin(ctx, left.N)
}

// narrowRight opens the right side, narrowed by the ids of the left one if that can be.
func (o *joinOp) narrowRight(left *rowset.Relation) (bool, error) {
	var copied func(to, from plan.Node)
	if o.run.Trace != nil {
		copied = o.run.Trace.Alias
	}
	right := o.planned.Narrowed(o.run.Terms.Dataset().Orders, copied)
	narrowed := right != nil
	if !narrowed {
		right = o.node.Right
	}
	o.run.SetInput(o.node.Input, left)
	var err error
	o.right, err = o.run.Open(right)
	return narrowed, err
}

// change gives the join the other method.
func (o *joinOp) change() {
	o.release()
	n := *o.node
	n.Apply = !n.Apply
	o.node, o.m = &n, newMatcher(&n)
	if n.Cond != nil {
		o.cond = newCondition(o.run, &n)
	}
	o.tab = rowset.Table{}
	if n.Apply {
		o.stored = rowset.NewRelation(n.Left.Base().Vars)
	} else {
		o.stored = rowset.NewRelation(n.Right.Base().Vars)
	}
}
