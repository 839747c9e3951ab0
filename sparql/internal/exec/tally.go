package exec

import (
	"context"

	"github.com/rete-go/rete/sparql/algebra"
	"github.com/rete-go/rete/sparql/ast"
	"github.com/rete-go/rete/sparql/value"
)

// tally counts how often each id of a variable stands in each group, for
// aggregates that do not depend on the order of rows: they then take each
// distinct value once, with its number.
type tally struct {
	v      Var
	col    int // of the input; -1: never bound
	aggs   []*aggregate
	seen   *rowSet // (group + 1, id)
	counts []int64
}

// maxTally is the number of pairs that are counted before the aggregates take
// them.
const maxTally = 1 << 16

// tallied reports whether an aggregate can take counted values.
func tallied(s algebra.Aggregation) (Var, bool) {
	v, ok := s.Arg.(*algebra.VarExpr)
	if !ok || s.Distinct || s.Kind == ast.Count || s.Kind == ast.GroupConcat {
		return 0, false
	}
	return v.Var, true
}

// add counts the rows of a batch; groups is the column of group numbers plus 1.
func (t *tally) add(groups, col []id) {
	last := -1 // the pair of the row before
	for row, g := range groups {
		if last < 0 || groups[row-1] != g || col[row-1] != col[row] {
			n, fresh := t.seen.add2(g, col[row])
			if fresh {
				t.counts = append(t.counts, 0)
			}
			last = n
		}
		t.counts[last]++
	}
}

// flush hands the counted values to the aggregates.
func (t *tally) flush(ctx context.Context, o *groupOp) error {
	rows := &t.seen.rows
	slots := make([][]int32, 1)
	var values []value.Value
	for from := 0; from < rows.n; from += batchRows {
		to := min(from+batchRows, rows.n)
		list := rows.col[1][from:to]
		if ascending(list) { // of one group, by a scan in the order of the values
			var err error
			if values, err = o.run.Terms.Decoded(ctx, list, values[:0]); err != nil {
				return err
			}
			for _, a := range t.aggs {
				for i, g := range rows.col[0][from:to] {
					a.states[g-1].AddN(values[i], t.counts[from+i])
				}
			}
			continue
		}
		if err := o.run.Terms.Values(ctx, [][]id{list}, slots); err != nil {
			return err
		}
		for _, a := range t.aggs {
			for i, g := range rows.col[0][from:to] {
				a.states[g-1].AddN(*o.run.Terms.Value(slots[0][i]), t.counts[from+i])
			}
		}
	}
	t.seen, t.counts = newRowSet(2), t.counts[:0]
	return ctx.Err()
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
