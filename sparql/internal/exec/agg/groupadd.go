package agg

import (
	"context"
	"slices"

	"github.com/rete-go/rete/sparql/internal/algebra"
	"github.com/rete-go/rete/sparql/internal/ast"
	"github.com/rete-go/rete/sparql/internal/exec/eval"
	"github.com/rete-go/rete/sparql/internal/exec/rowset"
	"github.com/rete-go/rete/sparql/internal/value"
)

// evaluate computes what an aggregate needs to know of the rows of a batch.
func (o *groupOp) evaluate(ctx context.Context, a *aggregate, b *rowset.Batch) error {
	a.cols, a.vals = a.cols[:0], a.vals[:0]
	if a.ids {
		if a.seen != nil && (a.spec.Star || a.col >= 0) {
			a.cols = append(a.cols, o.column)
			for _, at := range a.seenAt {
				a.cols = append(a.cols, b.Col[at][:b.N])
			}
			if !a.spec.Star {
				a.cols = append(a.cols, b.Col[a.col][:b.N])
			}
		}
		return nil
	}
	if a.k == nil { // its values are counted before
		return nil
	}
	a.vals = slices.Grow(a.vals, b.N)[:b.N]
	for row := range a.vals { // their texts are held until the batch was added
		o.run.Solution.Row = row
		a.vals[row] = a.k(row)
		if err := o.run.Values.Err(); err != nil {
			return err
		}
	}
	if a.seen == nil {
		return nil
	}
	// Distinct values are distinct terms, so ids are compared.
	a.ids1 = append(a.ids1[:0], rowset.Zeros[:b.N]...)
	if _, ok := a.spec.Arg.(*algebra.VarExpr); ok && a.col >= 0 {
		copy(a.ids1, b.Col[a.col])
	} else {
		surfaces := make([]string, b.N)
		for row, v := range a.vals {
			surfaces[row] = o.run.Values.Surface(v)
		}
		if err := o.run.Terms.Intern(ctx, surfaces, a.ids1); err != nil {
			return err
		}
	}
	a.cols = append(a.cols, o.column, a.ids1)
	return nil
}

// room returns how much more the groups may hold with the rows of a batch.
func (o *groupOp) room(b *rowset.Batch, exact bool) (n int64) {
	for _, a := range o.aggs {
		if a.spilled != nil {
			continue
		}
		fresh := b.N
		if exact && len(a.cols) > 0 {
			fresh = a.seen.Missing(a.cols, b.N)
		}
		if len(a.cols) > 0 {
			n += a.seen.Growth(fresh)
		}
		if fresh == 0 {
			continue
		}
		if !exact {
			n += a.simpleRoom(len(a.vals), eval.TextOf(a.vals), min(len(a.vals), o.groups.Rows.N))
			continue
		}
		for row, v := range a.vals {
			n += int64(a.states[o.row[row]].Room(v, 1))
		}
	}
	for _, t := range o.valueCounts {
		fresh := b.N
		if exact {
			fresh = t.seen.Missing([][]id{o.column, b.Col[t.col]}, b.N)
		}
		n += t.seen.Growth(fresh) + rowset.Growth(t.counts, fresh, 8)
	}
	return n
}

// simpleRoom is a bound of what values of some groups, with their text, add to
// their states; see [value.Aggregate].
func (a *aggregate) simpleRoom(values, text, groups int) int64 {
	if values == 0 {
		return 0
	}
	switch a.spec.Kind {
	case ast.Count:
		return 0
	case ast.Sum, ast.Avg:
		text += groups * value.SumRoom
	case ast.GroupConcat:
		text += values * (32 + len(a.spec.Separator)) // a number that has no text yet
		text += text/2 + values
	}
	return int64(text)
}

// add adds the rows of a batch to one aggregate.
func (o *groupOp) add(ctx context.Context, a *aggregate, b *rowset.Batch) error {
	switch {
	case a.ids && a.seen != nil:
		return o.countDistinct(ctx, a, b)
	case a.spec.Star:
		for _, g := range o.row {
			a.counts[g]++
		}
	case a.ids && a.col >= 0:
		for row, g := range o.row {
			if b.Col[a.col][row] != 0 {
				a.counts[g]++
			}
		}
	case a.ids:
	case a.seen != nil:
		return o.addDistinct(ctx, a, b)
	default:
		for row := 0; row < len(a.vals); {
			g := o.row[row]
			s := a.states[g]
			held := s.Bytes()
			for ; row < len(a.vals) && o.row[row] == g; row++ {
				s.Add(a.vals[row])
			}
			a.bytes += int64(s.Bytes() - held)
		}
	}
	return nil
}

// countDistinct counts the rows, or the terms of a variable, that a group has
// not had.
func (o *groupOp) countDistinct(ctx context.Context, a *aggregate, b *rowset.Batch) error {
	switch {
	case len(a.cols) == 0: // a variable that is never bound
		return nil
	case a.spilled != nil:
		return a.put(ctx, a.cols, b.N, a.spec.Star)
	}
	if err := a.seen.Reserve(ctx, b.N); err != nil {
		return err
	}
	for row, g := range o.row {
		if !a.spec.Star && a.cols[1][row] == 0 {
			continue
		}
		if _, fresh := a.seen.Add(a.cols, row); fresh {
			a.counts[g]++
		}
	}
	return nil
}

// addDistinct adds values that the group has not had.
func (o *groupOp) addDistinct(ctx context.Context, a *aggregate, b *rowset.Batch) error {
	if a.spilled == nil {
		if err := a.seen.Reserve(ctx, b.N); err != nil {
			return err
		}
	}
	terms := a.cols[1]
	for row, g := range o.row {
		fresh := terms[row] == 0
		if !fresh && a.spilled == nil {
			_, fresh = a.seen.Add(a.cols, row)
		}
		if fresh {
			held := a.states[g].Bytes()
			a.states[g].Add(a.vals[row])
			a.bytes += int64(a.states[g].Bytes() - held)
		}
	}
	if a.spilled != nil {
		return a.put(ctx, a.cols, b.N, false)
	}
	return nil
}
