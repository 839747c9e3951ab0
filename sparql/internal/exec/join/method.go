package join

import (
	"context"
	"math"

	"github.com/rete-go/rete/sparql/internal/exec/mem"
	"github.com/rete-go/rete/sparql/internal/exec/rowset"
	"github.com/rete-go/rete/sparql/internal/exec/run"
	"github.com/rete-go/rete/sparql/internal/plan"
)

// A join is planned by estimates, which may be wrong. Which of its sides is stored is decided here,
// once, by the first rows of both; they are kept, so that nothing is read twice:
//
//   - A hash join reads its left side first. If that ends before it has more than an eighth of the
//     rows that are expected of the right one, it is stored, and the right one is narrowed by its ids.
//   - Else the right side is stored. If that comes to have many more rows than expected, the left one
//     is read until it has as many: if it ends before, it is stored instead.
//   - An applied join, that is one by probes, stores its right side from the stretch on after which
//     the left one has had many more rows than expected, if that is cheaper.
//
// In a pipeline that several goroutines are about to run, the left side is read by operators of its
// own, and only where its rows are likely to be stored; if they are not, the estimates decide.

// leastTried is how many rows are read at least for the right side of a join of a pipeline, for
// the left one to be read first.
const leastTried = 4096

// Costs in nanoseconds, as the planner has them: of a row of a scan that is put into a
// table, of looking a row up there, and of a filter on a row.
const (
	switchStore  = 85
	switchFind   = 45
	switchFilter = 200
)

// wrong reports whether a number of rows shows that an estimate is wrong. A join changes its
// method then between two stretches, or before its first row, so that no row is lost or comes
// twice.
func (o *joinOp) wrong(rows int, expected float64) bool {
	c := &o.run.Choices
	return float64(rows) > c.WrongTimes*max(expected, c.WrongLeast)
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

// decide stores the one side of a hash join or the other.
func (o *joinOp) decide(ctx context.Context) error {
	if !o.steady {
		if stored, err := o.fewLeft(ctx, o.fewRows(o.node.Right.Base().Rows), nil); stored || err != nil {
			return err
		}
	}
	right, err := o.run.Open(o.node.Right)
	if err != nil {
		return err
	}
	many, err := o.storeFirst(ctx, right)
	if many {
		var stored bool
		o.giving.held = true
		stored, err = o.fewLeft(ctx, o.stored.N, right)
		if o.giving.held = false; stored {
			return err
		}
		if err == nil {
			err = o.store(ctx, right, math.MaxInt)
		}
	}
	right.Close()
	if err != nil {
		return err
	}
	return o.index(ctx)
}

// storeFirst stores the right side: all of it, or, with true, the first rows, if they come to be many
// more than expected.
func (o *joinOp) storeFirst(ctx context.Context, right rowset.Op) (bool, error) {
	expected := o.node.Right.Base().Rows
	if o.steady || expected > math.MaxInt32/o.run.Choices.WrongTimes {
		return false, o.store(ctx, right, math.MaxInt)
	}
	for !o.wrong(o.stored.N, expected) {
		before := o.stored.N
		err := o.store(ctx, right, before+1)
		if err != nil || o.stored.N == before || o.giving.files != nil { // at its end
			return false, err
		}
	}
	return true, nil
}

// smallSide names the first rows of a left side where memory is refused.
const smallSide = "small side of a join"

// fewRows is the most rows of the left side that are stored in the place of right rows of the right
// one.
func (o *joinOp) fewRows(right float64) int {
	return int(min(right/o.run.Choices.FewTimes, float64(min(lastStretch, o.mostRows()))))
}

// fewLeft stores the left side if it has no more than most rows. right is the right one, if it was begun.
func (o *joinOp) fewLeft(ctx context.Context, most int, right rowset.Op) (bool, error) {
	rows, err := o.wholeLeft(ctx, most)
	if rows == nil || err != nil {
		return false, err
	}
	return o.storeLeft(ctx, rows, right)
}

// fewInPipeline is [joinOp.fewLeft] in a pipeline of which other goroutines are to run parts. It is where many
// more rows are read for the right side than for the pipeline. What the rows become may be worth
// several goroutines.
func (o *joinOp) fewInPipeline(ctx context.Context, p *run.Pipeline) (bool, error) {
	r, right := o.run, readRows(o.node.Right)
	if right < max(leastTried, r.Choices.FewTimes*p.Node.Leaf.All) {
		return false, nil
	}
	built := make(map[*plan.Join]rowset.Op)
	for _, op := range p.Ops {
		if j, ok := op.(*joinOp); ok && j.opened {
			if j.giving.files != nil {
				return false, nil // its stored side is not there any more
			}
			built[j.node] = j
		}
	}
	parted, trace, before := o.left, r.Trace, r.Built
	if r.Built = built; trace != nil {
		r.Trace = run.NewTrace(o.node.Left)
	}
	left, err := r.Open(o.node.Left)
	var rows *rowset.Relation
	if err == nil {
		o.left = left
		rows, err = o.wholeLeft(ctx, o.fewRows(right))
	}
	own := r.Trace
	r.Trace, r.Built = trace, before
	if err != nil || rows == nil || float64(rows.N)*p.Node.Rows >= right*max(o.node.Left.Base().Rows, 1) {
		if o.left != parted {
			o.left.Close()
		}
		o.left = parted
		if mem.Refused(err) {
			err = nil
		}
		return false, err
	}
	trace.Merge(own)
	parted.Close()
	stored, err := o.storeLeft(ctx, rows, nil)
	o.opened, o.steady = stored, true
	return true, err
}

// storesInstead changes an applied join to one that stores the whole right side, if
// the left one has far more rows than expected and those that are likely to come are
// dearer to probe with. It returns false if nothing was changed: also when memory was
// refused, then for good.
func (o *joinOp) storesInstead(ctx context.Context) (bool, error) {
	if o.steady || !o.wrong(o.taken, o.node.Left.Base().Rows) {
		return false, nil
	}
	all, perRow, ok := wholeSide(o.node.Right)
	if !ok || all*(switchStore+perRow) > float64(o.taken)*(o.run.Choices.ProbeCost-switchFind) {
		return false, nil
	}
	o.steady = true
	o.change()
	o.run.SetInput(o.node.Input, nil) // the right side is not narrowed any more
	right, err := o.run.Open(o.node.Right)
	if err != nil {
		return false, err
	}
	defer right.Close()
	o.giving.turns = true
	defer func() { o.giving.turns = false }()
	if err = o.store(ctx, right, math.MaxInt); err == nil {
		err = o.index(ctx)
	}
	if mem.Refused(err) && o.giving.files == nil {
		o.change()
		o.hold.Free()
		return false, nil
	}
	o.changed(run.JoinChange{Left: true, Rows: int64(o.taken), Expected: o.node.Left.Base().Rows})
	return err == nil, err
}

// wholeSide returns how many rows the right side of an applied join reads when nothing
// narrows it, and the cost of each in addition to its reading; false if it is no plain scan.
func wholeSide(n plan.Node) (rows, perRow float64, ok bool) {
	for {
		switch p := n.(type) {
		case *plan.Scan:
			return p.All, perRow, p.Extreme == nil
		case *plan.Filter:
			for _, e := range p.Exprs {
				if !plan.Pure(e, true) {
					return 0, 0, false
				}
				perRow += switchFilter
			}
			n = p.Input
		case *plan.Project:
			n = p.Input
		default:
			return 0, 0, false
		}
	}
}

// changed notes that the join has changed its method.
func (o *joinOp) changed(c run.JoinChange) {
	c.Times, c.Join = 1, o.planned
	o.run.Trace.Changed(o.planned, &c)
}
