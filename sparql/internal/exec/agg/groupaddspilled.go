package agg

import (
	"context"
	"slices"

	"github.com/rete-go/rete/sparql/internal/exec/order"
	"github.com/rete-go/rete/sparql/internal/exec/rowset"
	"github.com/rete-go/rete/sparql/internal/value"
)

// The values that an aggregate with DISTINCT has seen can be more than fit in memory,
// also of a single group. Then rows of (group, value) are sorted in files, and the
// first of equal ones are added at the end.

// leastSeen is the least memory of seen values that is worth to be written.
const leastSeen = 64 << 10

// mostSeen returns the aggregate that has seen the most; nil if none has seen much, or it
// may not go to files.
func (o *groupOp) mostSeen() *aggregate {
	var most *aggregate
	for _, a := range o.aggs {
		if a.seen != nil && a.spilled == nil && (most == nil || a.seen.Bytes() > most.seen.Bytes()) {
			most = a
		}
	}
	if most == nil || most.seen.Bytes() < leastSeen || !o.run.Budget.MaySpill(1) {
		return nil
	}
	return most
}

// seenSpilled puts what an aggregate has seen into files.
func (o *groupOp) seenSpilled(ctx context.Context, a *aggregate) error {
	columns := len(a.seen.Rows.Col)
	d := order.NewDistinctSpill(o.run, o.hold, columns)
	a.spilled = d
	if err := d.Start(ctx, &a.seen.Rows); err != nil {
		return err
	}
	a.seen = rowset.NewSet(columns)
	return nil
}

// put adds rows whose last column is bound to the files.
func (a *aggregate) put(ctx context.Context, cols [][]id, rows int, all bool) error {
	b := rowset.Batch{Col: make([][]id, len(cols))}
	last := cols[len(cols)-1]
	for row := range rows {
		if !all && last[row] == 0 {
			continue
		}
		for c := range cols {
			b.Col[c] = append(b.Col[c], cols[c][row])
		}
		b.N++
	}
	if b.N == 0 {
		return nil
	}
	return a.spilled.Add(ctx, &b)
}

// addSpilled adds what was put into files to the aggregates.
func (o *groupOp) addSpilled(ctx context.Context) error {
	for _, a := range o.aggs {
		if a.spilled == nil {
			continue
		}
		if err := o.addFirsts(ctx, a); err != nil {
			return err
		}
		a.spilled.Close()
		a.spilled = nil
	}
	return nil
}

// addFirsts adds the distinct rows of an aggregate. Where it reads values, their order may
// tell.
func (o *groupOp) addFirsts(ctx context.Context, a *aggregate) error {
	if a.ids {
		return a.spilled.Each(ctx, func(b *rowset.Batch) error {
			for _, g := range b.Col[0][:b.N] {
				a.counts[g-1]++
			}
			return nil
		})
	}
	for {
		b, err := a.spilled.Next(ctx, new(rowset.Chain))
		if b == nil || err != nil {
			return err
		}
		if err := o.addRows(ctx, a, b); err != nil {
			return err
		}
	}
}

// addRows adds distinct rows of (group, value).
func (o *groupOp) addRows(ctx context.Context, a *aggregate, b *rowset.Batch) error {
	groups := b.Col[0][:b.N]
	list := slices.Clone(b.Col[1][:b.N])
	slices.Sort(list)
	list = slices.Compact(list)
	values, err := o.run.Terms.Decoded(ctx, list, nil)
	if err != nil {
		return err
	}
	rows, room := make([]value.Value, b.N), int64(0)
	for row, g := range groups {
		at, _ := slices.BinarySearch(list, b.Col[1][row])
		rows[row] = values[at]
		room += int64(a.states[g-1].Room(values[at], 1))
	}
	if err := o.hold.To(ctx, o.bytes()+room); err != nil {
		return err
	}
	for row, g := range groups {
		s := a.states[g-1]
		held := s.Bytes()
		s.Add(rows[row])
		a.bytes += int64(s.Bytes() - held)
	}
	return nil
}

// closeSpilled closes files that are left.
func (o *groupOp) closeSpilled() {
	for _, a := range o.aggs {
		if a.spilled != nil {
			a.spilled.Close()
			a.spilled = nil
		}
	}
}
