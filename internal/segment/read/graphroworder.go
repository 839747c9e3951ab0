package read

import (
	"cmp"
	"context"
	"math/bits"
	"slices"
	"sort"

	"github.com/rete-go/rete/internal/cancel"
	"github.com/rete-go/rete/tile"
)

// LeadingOrder returns the order with the first column of o whose other columns stand as in SPO. Rows of
// a graph that share the first column ascend in it without being sorted.
func LeadingOrder(o tile.Order) tile.Order {
	return [3]tile.Order{tile.SPO, tile.PSO, tile.OSP}[o.Columns()[0]]
}

// NewGraphRows sorts rows, which ascend by graph and then in the order SPO, by the columns of an
// order and then by graph.
func NewGraphRows(ctx context.Context, byGraph []GraphRow, o tile.Order) (*GraphRows, error) {
	lead, err := rowsByLead(ctx, byGraph, LeadingOrder(o))
	if err != nil {
		return nil, err
	}
	return rowsByOrder(ctx, lead, o)
}

// NewLeadRows returns those of rows, which ascend by graph and then in the order SPO, whose first column
// in an order is id, sorted as [Segment.LeadRows] says.
func NewLeadRows(ctx context.Context, byGraph []GraphRow, o tile.Order, id uint32, graphs bool) (*GraphRows, error) {
	cols := LeadingOrder(o).Columns()
	var rows []GraphRow
	err := cancel.Blocks(ctx, len(byGraph), func(from, to int) {
		for _, r := range byGraph[from:to] {
			if r[cols[0]] == id {
				rows = append(rows, GraphRow{id, r[cols[1]], r[cols[2]], r[3]})
			}
		}
	})
	if err != nil {
		return nil, err
	}
	return leadRows(ctx, rows, o, graphs)
}

// rowsByLead returns rows that ascend by graph and then in the order SPO by the first column of a leading
// order, then by graph, and then by the other columns.
func rowsByLead(ctx context.Context, byGraph []GraphRow, o tile.Order) ([]GraphRow, error) {
	rows := make([]GraphRow, len(byGraph))
	cols := o.Columns()
	err := cancel.Blocks(ctx, len(rows), func(from, to int) {
		for i, r := range byGraph[from:to] {
			rows[from+i] = GraphRow{r[cols[0]], r[cols[1]], r[cols[2]], r[3]}
		}
	})
	if err != nil {
		return nil, err
	}
	return sortRows(ctx, rows, 0)
}

// ofLead returns the rows with an id of rows that [rowsByLead] made.
func ofLead(rows []GraphRow, id uint32) []GraphRow {
	from := sort.Search(len(rows), func(i int) bool { return rows[i][0] >= id })
	rows = rows[from:]
	n := sort.Search(len(rows), func(i int) bool { return rows[i][0] > id })
	return rows[:n:n]
}

// rowsByOrder sorts rows that [rowsByLead] made by the columns of an order and then by graph.
func rowsByOrder(ctx context.Context, lead []GraphRow, o tile.Order) (*GraphRows, error) {
	rows, err := arranged(ctx, lead, o)
	if err != nil {
		return nil, err
	}
	since := 0
	for from := 0; from < len(rows); {
		to := from + 1
		for to < len(rows) && rows[to][0] == rows[from][0] {
			to++
		}
		sorted, err := sortRows(ctx, rows[from:to], 2, 1)
		if err == nil && &sorted[0] != &rows[from] {
			err = cancel.Copy(ctx, rows[from:to], sorted)
		}
		if err != nil {
			return nil, err
		}
		if since += to - from; since >= cancel.Block {
			if since = 0; ctx.Err() != nil {
				return nil, ctx.Err()
			}
		}
		from = to
	}
	return &GraphRows{Rows: rows}, nil
}

// leadRows sorts rows with one id that [rowsByLead] made as [Segment.LeadRows] says.
func leadRows(ctx context.Context, lead []GraphRow, o tile.Order, graphs bool) (*GraphRows, error) {
	if graphs && o == LeadingOrder(o) {
		return &GraphRows{Rows: lead}, nil
	}
	rows, err := arranged(ctx, lead, o)
	if err != nil {
		return nil, err
	}
	if graphs {
		rows, err = sortRows(ctx, rows, 1, 3)
	} else {
		rows, err = sortRows(ctx, rows, 2, 1)
	}
	return &GraphRows{Rows: rows}, err
}

// arranged returns a copy of rows in the leading order of another one, with its columns.
func arranged(ctx context.Context, rows []GraphRow, o tile.Order) ([]GraphRow, error) {
	out := make([]GraphRow, len(rows))
	if o == LeadingOrder(o) {
		return out, cancel.Copy(ctx, out, rows)
	}
	return out, cancel.Blocks(ctx, len(rows), func(from, to int) {
		for i, r := range rows[from:to] {
			out[from+i] = GraphRow{r[0], r[2], r[1], r[3]}
		}
	})
}

// Rows are sorted by digits, unless there are few.
const (
	digitBits = 11
	digits    = 1 << digitBits
	smallSort = 512
)

// sortRows returns rows sorted stably by columns, of which the first one counts least, in their place or
// in another one.
func sortRows(ctx context.Context, rows []GraphRow, cols ...int) ([]GraphRow, error) {
	if len(rows) < smallSort {
		compare := func(x, y GraphRow) int {
			for i := len(cols) - 1; i >= 0; i-- {
				if c := cols[i]; x[c] != y[c] {
					return cmp.Compare(x[c], y[c])
				}
			}
			return 0
		}
		if !slices.IsSortedFunc(rows, compare) {
			slices.SortStableFunc(rows, compare)
		}
		return rows, nil
	}
	from, to := rows, make([]GraphRow, len(rows))
	for _, c := range cols {
		all := uint32(0)
		for i := range from {
			all |= from[i][c]
			if err := cancel.Check(ctx, i); err != nil {
				return nil, err
			}
		}
		for shift := 0; shift < bits.Len32(all); shift += digitBits {
			if err := sortByDigit(ctx, to, from, c, shift); err != nil {
				return nil, err
			}
			from, to = to, from
		}
	}
	return from, nil
}

// sortByDigit sorts rows stably by one digit of a column.
func sortByDigit(ctx context.Context, to, from []GraphRow, c, shift int) error {
	var at [digits]int
	err := cancel.Blocks(ctx, len(from), func(lo, hi int) {
		for i := lo; i < hi; i++ {
			at[from[i][c]>>shift&(digits-1)]++
		}
	})
	if err != nil {
		return err
	}
	sum := 0
	for i, n := range at {
		at[i] = sum
		sum += n
	}
	return cancel.Blocks(ctx, len(from), func(lo, hi int) {
		for i := lo; i < hi; i++ {
			d := from[i][c] >> shift & (digits - 1)
			to[at[d]] = from[i]
			at[d]++
		}
	})
}
