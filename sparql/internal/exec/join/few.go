package join

import (
	"context"

	"github.com/rete-go/rete/sparql/internal/exec/mem"
	"github.com/rete-go/rete/sparql/internal/exec/rowset"
	"github.com/rete-go/rete/sparql/internal/exec/run"
	"github.com/rete-go/rete/sparql/internal/plan"
)

// fewTimes is how many times the rows of its left side the right side of a join is
// expected to have at least, for the left one to be stored instead.
const fewTimes = 8

// leastTried is how many rows are read at least for the right side of a join of a pipeline,
// for the left one to be tried before.
const leastTried = 4096

// fewInPipeline finds out whether the left side of a join of a pipeline has so few rows that
// its right side is not worth to be stored for them. It does so where many more rows are
// read for the right side than the leaf of the pipeline has, by running the left side for
// itself, until it has read a share of those rows; the joins below are built. Without any rows the join is at its end.
func fewInPipeline(ctx context.Context, r *run.Run, p *run.Pipeline, o *joinOp) (bool, error) {
	left, right := o.node.Left.Base(), readRows(o.node.Right)
	if right < max(leastTried, fewTimes*p.Node.Leaf.All) || r.Doubt {
		return false, nil
	}
	for _, op := range p.Ops {
		if j, ok := op.(*joinOp); ok && j.opened && j.giving.files != nil {
			return false, nil // its stored side is not there any more
		}
	}
	rows, err := tried(ctx, r, o.node.Left, int(min(right/fewTimes, lastStretch)), p.Ops)
	switch {
	case err == run.ErrTrial, mem.Refused(err):
		return false, nil
	case err != nil:
		return false, err
	case rows == 0:
		o.opened, o.state = true, joinEnd
		return true, nil
	}
	// What the rows become may be worth several goroutines.
	return float64(rows)*p.Node.Rows < right*max(left.Rows, 1), nil
}

// readRows returns about how many rows are read for those of a plan: the most that one of
// its nodes is expected to have, or to read.
func readRows(n plan.Node) float64 {
	most := n.Base().Rows
	if s, ok := n.(*plan.Scan); ok {
		most = max(most, s.All)
	}
	for _, c := range n.Inputs() {
		most = max(most, readRows(c))
	}
	return most
}

// tried counts the rows of a left side of a pipeline, unless that, or one of its scans,
// has too many.
func tried(ctx context.Context, r *run.Run, left plan.Node, most int, ops []rowset.Op) (int, error) {
	defer func(t *run.Trace, built map[*plan.Join]rowset.Op) { r.Trace, r.Built, r.Trial = t, built, nil }(r.Trace, r.Built)
	r.Trace, r.Built, r.Trial = nil, make(map[*plan.Join]rowset.Op), &most
	for _, op := range ops {
		if j, ok := op.(*joinOp); ok && j.opened {
			r.Built[j.node] = j
		}
	}
	op, err := r.Open(left)
	if err != nil {
		return 0, err
	}
	defer op.Close()
	rows := 0
	for {
		b, err := op.Next(ctx)
		if err != nil || b == nil {
			return rows, err
		}
		if rows += b.N; rows > most {
			return rows, run.ErrTrial
		}
	}
}

// fewLeft reads the left side of a join that was planned to store its right one, before
// the right side is begun. Without rows on the left it is not begun at all. If they are
// few compared with those that are expected on the right, they are stored, and the right side,
// narrowed by their ids where that can be, streams past. It returns true in both cases.
// Else the rows that were read are put back in front of the others.
func (o *joinOp) fewLeft(ctx context.Context) (bool, error) {
	if o.steady {
		return false, nil
	}
	most := 0
	if !o.run.Doubt {
		most = int(min(o.node.Right.Base().Rows/fewTimes, float64(min(lastStretch, o.mostRows()))))
	}
	rows := rowset.NewRelation(o.node.Left.Base().Vars)
	hold := o.run.Holding("small side of a join")
	defer func() { hold.Free() }()
	for {
		b, err := o.left.Next(ctx)
		if err != nil {
			return false, err
		}
		if b == nil {
			break
		}
		full := rows.N+b.N > most
		if !full {
			err = hold.To(rows.Bytes() + rows.Growth(b.N))
			if err != nil && !mem.Refused(err) {
				return false, err
			}
			full = err != nil
		}
		if full {
			o.left = &rowset.Chain{Ops: []rowset.Op{&rowset.Kept{Rows: rows, Hold: hold}, &rowset.Given{Batch: b}, o.left}}
			hold.Bytes = 0
			return false, nil
		}
		if err := rows.AddChecking(ctx, b); err != nil {
			return false, err
		}
	}
	if rows.N == 0 {
		o.state = joinEnd
		return true, nil
	}
	hold.Free()
	return o.takeLeft(ctx, rows)
}

// takeLeft makes rows that are all of the left side the stored side, and begins the right
// one. It returns false, with the join as it was, if there is not the memory for that.
func (o *joinOp) takeLeft(ctx context.Context, rows *rowset.Relation) (bool, error) {
	o.change()
	o.stored = rows
	err := o.index(ctx)
	if mem.Refused(err) {
		o.change()
		o.hold.Free()
		kept := &rowset.Kept{Rows: rows, Hold: o.run.Holding("small side of a join")}
		o.left = &rowset.Chain{Ops: []rowset.Op{kept, o.left}}
		return false, kept.Hold.To(rows.Bytes())
	}
	if err != nil {
		return false, err
	}
	var copied func(to, from plan.Node)
	if o.run.Trace != nil {
		copied = o.run.Trace.Alias
	}
	right := o.planned.Narrowed(o.run.Terms.Dataset().Orders, copied)
	narrowed := right != nil
	if !narrowed {
		right = o.node.Right
	}
	o.run.SetInput(o.node.Input, rows)
	if o.right, err = o.run.Open(right); err != nil {
		return false, err
	}
	o.leftDone, o.state = true, joinProbe
	o.changed(run.JoinChange{Left: true, Few: true, Narrowed: narrowed, Rows: int64(rows.N), Expected: o.node.Left.Base().Rows})
	return true, o.begin(ctx, rows.N)
}
