package agg

import (
	"context"

	"github.com/rete-go/rete/dataset"
	"github.com/rete-go/rete/sparql/internal/algebra"
	"github.com/rete-go/rete/sparql/internal/ast"
	"github.com/rete-go/rete/sparql/internal/exec/eval"
	"github.com/rete-go/rete/sparql/internal/exec/rowset"
	"github.com/rete-go/rete/sparql/internal/plan"
	"github.com/rete-go/rete/sparql/internal/value"
)

// valueCounts counts how often each id of a variable stands in each group, for
// aggregates that do not depend on the order of rows: they then take each
// distinct value once, with its number.
type valueCounts struct {
	v      plan.Var
	col    int // of the input; -1: never bound
	aggs   []*aggregate
	seen   *rowset.Set // (group + 1, id)
	counts []int64
	from   int  // the first pair that the aggregates have not taken
	busy   bool // they are taking pairs
}

// maxValueCounts is the number of pairs that are counted before the aggregates take
// them.
const maxValueCounts = 1 << 16

// countsValues reports whether an aggregate can take counted values.
func countsValues(s algebra.Aggregation) (plan.Var, bool) {
	v, ok := s.Arg.(*algebra.VarExpr)
	if !ok || s.Distinct || s.Kind == ast.Count || s.Kind == ast.GroupConcat {
		return 0, false
	}
	return v.Var, true
}

// reserve makes room for the given number of pairs, with checks of the context.
func (t *valueCounts) reserve(ctx context.Context, pairs int) error {
	if err := t.seen.Reserve(ctx, pairs); err != nil {
		return err
	}
	counts, err := rowset.ExtendChecking(ctx, t.counts, pairs)
	if err == nil {
		t.counts = counts
	}
	return err
}

// add counts the rows of a batch; groups is the column of group numbers plus 1.
func (t *valueCounts) add(groups, col []id) {
	last := -1 // the pair of the row before
	for row, g := range groups {
		if last < 0 || groups[row-1] != g || col[row-1] != col[row] {
			n, fresh := t.seen.Add2(g, col[row])
			if fresh {
				t.counts = append(rowset.Extend(t.counts, 1), 0)
			}
			last = n
		}
		t.counts[last]++
	}
}

// count adds to the number of times that an id stands in a group.
func (t *valueCounts) count(group, i id, times int64) {
	n, fresh := t.seen.Add2(group, i)
	if fresh {
		t.counts = append(rowset.Extend(t.counts, 1), 0)
	}
	t.counts[n] += times
}

// flush hands the counted values to the aggregates. Refused memory, it has handed on the
// first of them.
func (t *valueCounts) flush(ctx context.Context, o *groupOp) error {
	t.busy = true
	defer func() { t.busy = false }()
	rows := &t.seen.Rows
	slots := make([][]int32, 1)
	var values []value.Value
	for t.from < rows.N {
		to := min(t.from+dataset.MaxBatch, rows.N)
		list := rows.Col[1][t.from:to]
		values = values[:0]
		if ascending(list) { // of one group, by a scan in the order of the values
			var err error
			if values, err = o.run.Terms.Decoded(ctx, list, values); err != nil {
				return err
			}
		} else {
			if err := o.run.Terms.Values(ctx, [][]id{list}, slots); err != nil {
				return err
			}
			for _, slot := range slots[0] {
				values = append(values, *o.run.Terms.Value(slot))
			}
		}
		if err := t.hand(ctx, o, values, rows.Col[0][t.from:to], t.counts[t.from:to]); err != nil {
			return err
		}
		t.from = to
	}
	t.seen, t.counts, t.from = rowset.NewSet(2), t.counts[:0], 0
	return ctx.Err()
}

// hand adds values of groups to the aggregates, if there is memory.
func (t *valueCounts) hand(ctx context.Context, o *groupOp, values []value.Value, groups []id, counts []int64) error {
	if o.run.Budget.Bounded() {
		text, runs := eval.TextOf(values), 0
		for i, g := range groups {
			if i == 0 || g != groups[i-1] {
				runs++
			}
		}
		room := int64(0)
		for _, a := range t.aggs {
			room += a.simpleRoom(len(values), text, runs)
		}
		if !o.hold.Try(o.bytes() + o.reserve() + room) {
			room = 0
			for _, a := range t.aggs {
				for i, g := range groups {
					room += int64(a.states[g-1].Room(values[i], counts[i]))
				}
			}
			if err := o.hold.To(ctx, o.bytes()+o.reserve()+room); err != nil {
				return err
			}
		}
	}
	for _, a := range t.aggs {
		for i := 0; i < len(groups); {
			s := a.states[groups[i]-1]
			held := s.Bytes()
			for g := groups[i]; i < len(groups) && groups[i] == g; i++ {
				s.AddN(values[i], counts[i])
			}
			a.bytes += int64(s.Bytes() - held)
		}
	}
	return nil
}

// flushAll hands on all counted values of a variable, unless the groups go to files with
// them.
func (o *groupOp) flushAll(ctx context.Context, t *valueCounts) error {
	for {
		err := t.flush(ctx, o)
		if err == nil {
			return nil
		}
		if err := o.makeRoom(ctx, err); err != nil {
			return err
		}
	}
}

// ascending reports whether ids ascend, without repeats.
func ascending(list []id) bool {
	for i := 1; i < len(list); i++ {
		if list[i] <= list[i-1] {
			return false
		}
	}
	return true
}
