package exec

import (
	"context"
	"slices"
)

// The values that an aggregate with DISTINCT has seen can be more than fit in memory,
// also of a single group. Then rows of (group, value) are sorted in files, and the
// first of equal ones are added at the end.

// leastSeen is the least memory of seen values that is worth to be written.
const leastSeen = 64 << 10

// seenAside puts what the aggregate that holds the most has seen into files; false if
// none holds much.
func (o *groupOp) seenAside() (bool, error) {
	var most *aggregate
	for _, a := range o.aggs {
		if a.seen != nil && a.aside == nil && (most == nil || a.seen.bytes() > most.seen.bytes()) {
			most = a
		}
	}
	if most == nil || most.seen.bytes() < leastSeen || o.run.Budget.SpillLimit == 0 {
		return false, nil
	}
	columns := len(most.seen.rows.col)
	d := o.run.newDistinctSpill(columns)
	for _, s := range []*sorter{d.byRow, d.byPlace} {
		s.hold.op, s.hold.m = o.hold.op, o.hold.m
	}
	most.aside = d
	if err := d.start(&most.seen.rows); err != nil {
		return false, err
	}
	most.bytes -= most.seen.bytes()
	most.seen = newRowSet(columns)
	return true, nil
}

// put adds rows whose last column is bound to the files.
func (a *aggregate) put(cols [][]id, rows int, all bool) error {
	b := Batch{Col: make([][]id, len(cols))}
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
	return a.aside.add(&b)
}

// addAside adds what was put into files to the aggregates.
func (o *groupOp) addAside(ctx context.Context) error {
	for _, a := range o.aggs {
		if a.aside == nil {
			continue
		}
		for {
			b, err := a.aside.next(ctx, &keptOp{rows: newRelation(nil)})
			if err != nil {
				return err
			}
			if b == nil {
				break
			}
			if err := o.addRows(ctx, a, b); err != nil {
				return err
			}
		}
		a.aside.close()
		a.aside = nil
	}
	return o.hold.to(o.bytes())
}

// addRows adds distinct rows of (group, value).
func (o *groupOp) addRows(ctx context.Context, a *aggregate, b *Batch) error {
	if a.ids {
		for _, g := range b.Col[0][:b.N] {
			a.counts[g-1]++
		}
		return nil
	}
	list := slices.Clone(b.Col[1][:b.N])
	slices.Sort(list)
	list = slices.Compact(list)
	values, err := o.run.Terms.Decoded(ctx, list, nil)
	if err != nil {
		return err
	}
	for row, g := range b.Col[0][:b.N] {
		at, _ := slices.BinarySearch(list, b.Col[1][row])
		s := a.states[g-1]
		held := s.Bytes()
		s.Add(values[at])
		a.bytes += int64(s.Bytes() - held)
	}
	return o.hold.to(o.bytes())
}

// closeAside closes files that are left.
func (o *groupOp) closeAside() {
	for _, a := range o.aggs {
		if a.aside != nil {
			a.aside.close()
			a.aside = nil
		}
	}
}
