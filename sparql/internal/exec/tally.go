package exec

import (
	"context"

	"github.com/rete-go/rete/sparql/algebra"
	"github.com/rete-go/rete/sparql/ast"
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
	cols := [][]id{groups, col}
	for row := range groups {
		n, fresh := t.seen.add(cols, row)
		if fresh {
			t.counts = append(t.counts, 0)
		}
		t.counts[n]++
	}
}

// flush hands the counted values to the aggregates.
func (t *tally) flush(ctx context.Context, o *groupOp) error {
	rows := &t.seen.rows
	slots := make([][]int32, 1)
	for from := 0; from < rows.n; from += batchRows {
		to := min(from+batchRows, rows.n)
		if err := o.run.Terms.Values(ctx, [][]id{rows.col[1][from:to]}, slots); err != nil {
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
