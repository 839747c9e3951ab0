package join

import (
	"cmp"
	"context"
	"math"

	"github.com/rete-go/rete/sparql/internal/exec/mem"
	"github.com/rete-go/rete/sparql/internal/exec/rowset"
	"github.com/rete-go/rete/sparql/internal/exec/run"
	"github.com/rete-go/rete/sparql/internal/plan"
)

// A join changes its method when an input has wrongTimes the rows that were
// expected, and no fewer than that. It does so between two stretches, or before its
// first row, so that no row is lost or comes twice.
const (
	wrongTimes = 10
	wrongLeast = 100
)

// Costs in nanoseconds, as the planner has them: of a row of a scan that is put into a
// table, of looking a row up there, of a probe, and of a filter on a row.
const (
	switchStore  = 85
	switchFind   = 45
	switchProbe  = 72
	switchFilter = 200
)

// wrong reports whether a number of rows shows that an estimate is wrong.
func (o *joinOp) wrong(rows int, expected float64) bool {
	return o.run.Doubt && rows > 0 || float64(rows) > wrongTimes*max(expected, wrongLeast)
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

// storesInstead changes an applied join to one that stores the whole right side, if
// the left one has far more rows than expected and those that are likely to come are
// dearer to probe with. It returns false if nothing was changed: also when memory was
// refused, then for good.
func (o *joinOp) storesInstead(ctx context.Context) (bool, error) {
	if o.steady || !o.wrong(o.taken, o.node.Left.Base().Rows) {
		return false, nil
	}
	all, perRow, ok := wholeSide(o.node.Right)
	if dear := all*(switchStore+perRow) > float64(o.taken)*(switchProbe-switchFind); !ok || dear && !o.run.Doubt {
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

// storeRight stores the right side. If that has far more rows than expected, the left
// side is read: if it has fewer than are stored by then, it is stored instead, and
// the right one streams past. left says so.
func (o *joinOp) storeRight(ctx context.Context, right rowset.Op) (left bool, err error) {
	expected := o.node.Right.Base().Rows
	if o.steady || expected > math.MaxInt32/wrongTimes {
		return false, o.store(ctx, right, math.MaxInt)
	}
	for !o.wrong(o.stored.N, expected) {
		before := o.stored.N
		if err := o.store(ctx, right, before+1); err != nil || o.stored.N == before && o.giving.files == nil {
			return false, err
		}
		if o.giving.files != nil {
			o.steady = true
			return false, o.store(ctx, right, math.MaxInt)
		}
	}
	o.steady, o.giving.held = true, true
	defer func() { o.giving.held = false }()
	kept := rowset.NewRelation(o.node.Left.Base().Vars)
	hold := o.run.Holding("join")
	defer func() { hold.Free() }()
	all := false
	for !all && kept.N < o.stored.N {
		b, err := o.left.Next(ctx)
		if err != nil {
			return false, err
		}
		if all = b == nil; all {
			break
		}
		err = hold.To(kept.Bytes() + kept.Growth(b.N))
		if err != nil && !mem.Refused(err) {
			return false, err
		}
		if err := kept.AddChecking(ctx, b); err != nil {
			return false, err
		}
		if err != nil { // there is no memory to read further
			break
		}
	}
	o.giving.held = false
	if !all {
		o.left = &rowset.Chain{Ops: []rowset.Op{&rowset.Kept{Rows: kept, Hold: hold}, o.left}}
		hold.Bytes = 0
		return false, o.store(ctx, right, math.MaxInt)
	}
	return o.storeLeft(ctx, kept, right)
}

// storeLeft makes the left side, which has these rows, the stored one. If there is not the
// memory for that it stores the right one, and returns false.
func (o *joinOp) storeLeft(ctx context.Context, left *rowset.Relation, right rowset.Op) (bool, error) {
	rows := o.stored
	o.change()
	o.stored, o.extra, o.giving.held = left, rows.Bytes(), true
	err := o.index(ctx)
	o.giving.held = false
	if mem.Refused(err) {
		o.change()
		o.stored, o.extra = rows, 0
		o.left = &rowset.Chain{Ops: []rowset.Op{&rowset.Kept{Rows: left}, o.left}}
		return false, o.store(ctx, right, math.MaxInt)
	}
	o.right, o.leftDone = &rowset.Chain{Ops: []rowset.Op{&rowset.Kept{Rows: rows}, right}}, true
	o.changed(run.JoinChange{Rows: int64(rows.N), Expected: o.node.Right.Base().Rows})
	return true, cmp.Or(err, o.begin(ctx, left.N))
}

// changed notes that the join has changed its method.
func (o *joinOp) changed(c run.JoinChange) {
	c.Times, c.Join = 1, o.planned
	o.run.Trace.Changed(o.planned, &c)
}
