package agg

import (
	"context"
	"slices"

	"github.com/rete-go/rete/dataset"
	"github.com/rete-go/rete/sparql/internal/algebra"
	"github.com/rete-go/rete/sparql/internal/exec/mem"
	"github.com/rete-go/rete/sparql/internal/exec/rowset"
	"github.com/rete-go/rete/sparql/internal/value"
)

// Memory is asked for before groups grow: for the new groups of a batch, and then for
// what its values add to them.

// loadAll groups all rows of the input. Without keys there is always a group.
func (o *groupOp) loadAll(ctx context.Context) error {
	if len(o.node.Keys) == 0 {
		o.groups.Add(nil, 0)
		if err := o.grow(ctx); err != nil {
			return err
		}
	}
	return o.load(ctx, o.input)
}

// load groups the rows of an input: that of the operator, or a part of it that was
// spilled.
func (o *groupOp) load(ctx context.Context, input rowset.Op) error {
	for {
		o.busy = false // the groups can be given up while the input works
		b, err := input.Next(ctx)
		o.busy = true
		if err != nil {
			return err
		}
		if b == nil {
			break
		}
		if err := o.take(ctx, b); err != nil {
			return err
		}
	}
	for _, t := range o.valueCounts {
		if err := o.flushAll(ctx, t); err != nil {
			return err
		}
	}
	if err := o.addSpilled(ctx); err != nil {
		return err
	}
	o.shrink(ctx)
	return o.endParts()
}

// shrink gives back what was asked for in addition to the groups that there are.
func (o *groupOp) shrink(ctx context.Context) {
	if held := o.bytes(); held < o.hold.Bytes {
		_ = o.hold.To(ctx, held) // gives back
	}
}

// take groups the rows of a batch.
func (o *groupOp) take(ctx context.Context, b *rowset.Batch) error {
	o.keys = slices.Grow(o.keys[:0], len(o.keyAt))[:len(o.keyAt)]
	for i, at := range o.keyAt {
		if at >= 0 {
			o.keys[i] = b.Col[at]
		} else {
			o.keys[i] = rowset.Zeros[:b.N]
		}
	}
	if err := o.admit(ctx, b); err != nil || b.N == 0 {
		return err
	}
	o.rows = slices.Grow(o.rows[:0], b.N)[:b.N]
	if len(o.keys) > 0 {
		if err := o.groups.Reserve(ctx, b.N); err != nil {
			return err
		}
		for row := range b.N {
			g, _ := o.groups.Add(o.keys, row)
			o.rows[row] = int32(g)
		}
	} else {
		clear(o.rows)
	}
	if err := o.grow(ctx); err != nil {
		return err
	}
	for from := 0; from < b.N; {
		n := min(b.N-from, o.step)
		part := b.Slice(from, n)
		o.row, o.column = o.rows[from:from+n], o.column[:0]
		for _, g := range o.row {
			o.column = append(o.column, id(g)+1)
		}
		taken, err := o.takePart(ctx, &part)
		if err != nil {
			return err
		}
		if taken {
			from += n
		}
		if o.groups.Rows.N == 0 { // they went to files, and the rows that were not taken follow
			for i := range o.keys {
				o.keys[i] = o.keys[i][from:]
			}
			rest := b.Slice(from, b.N-from)
			return o.spillRows(o.keys, &rest)
		}
	}
	_, err := o.obtain(ctx, func(bool) int64 { return 0 })
	return err
}

// takePart adds rows to their groups. It returns false if these went to files before; they
// may also have gone there afterwards, with the rows.
func (o *groupOp) takePart(ctx context.Context, b *rowset.Batch) (bool, error) {
	stay, err := o.read(ctx, b)
	if err == nil && stay {
		stay, err = o.obtain(ctx, func(exact bool) int64 { return o.room(b, exact) })
	}
	if err != nil || !stay {
		return false, err
	}
	for _, a := range o.aggs {
		if err := o.add(ctx, a, b); err != nil {
			return false, err
		}
	}
	for _, t := range o.valueCounts {
		if err := t.reserve(ctx, b.N); err != nil {
			return false, err
		}
		t.add(o.column, b.Col[t.col][:b.N])
	}
	for _, t := range o.valueCounts {
		if t.seen.Rows.N > maxValueCounts {
			if err := o.flushAll(ctx, t); err != nil {
				return false, err
			}
		}
	}
	if b.N == o.step {
		o.pace()
	}
	return true, o.run.ValueErr()
}

// pace chooses how many rows are taken at once: as many as make texts of a mebibyte.
func (o *groupOp) pace() {
	text := 0
	for _, a := range o.aggs {
		if _, ok := a.spec.Arg.(*algebra.VarExpr); !ok {
			for _, v := range a.vals {
				text += v.Bytes()
			}
		}
	}
	switch {
	case text > resultText:
		o.step = max(o.step/2, 1)
	case text < resultText/4:
		o.step = min(2*o.step, dataset.MaxBatch)
	}
}

// admit asks for the memory of new groups. If there is none, the rows of those are taken
// out of the batch, and spilled.
func (o *groupOp) admit(ctx context.Context, b *rowset.Batch) error {
	for !o.disk.open() {
		held := o.bytes() + o.reserve()
		if o.hold.Try(held + o.growth(b.N)) {
			return nil
		}
		fresh := o.groups.Missing(o.keys, b.N)
		if fresh == 0 {
			return nil
		}
		err := o.hold.To(ctx, held+o.growth(fresh))
		if err == nil {
			return nil
		}
		if err := o.makeRoom(ctx, err); err != nil {
			return err
		}
	}
	return o.spillRows(o.keys, b)
}

// read computes what the aggregates need to know of the rows of a batch. It returns
// false if the groups went to files to make room for that.
func (o *groupOp) read(ctx context.Context, b *rowset.Batch) (bool, error) {
	for {
		o.run.NewBatch()
		o.run.Values.Again() // the texts of the batch before are needed no more
		err := o.c.Prepare(ctx, b)
		for _, a := range o.aggs {
			if err == nil {
				err = o.evaluate(ctx, a, b)
			}
		}
		if err == nil {
			return true, o.run.Values.Err()
		}
		if err := o.makeRoom(ctx, err); err != nil {
			return false, err
		}
		if o.groups.Rows.N == 0 {
			return false, nil
		}
	}
}

// obtain asks for the memory of the groups and for room in addition: a simple bound of
// that, or, where there is not so much, the exact amount. It returns false if the groups
// went to files instead.
func (o *groupOp) obtain(ctx context.Context, room func(exact bool) int64) (bool, error) {
	if !o.run.Budget.Bounded() {
		return true, o.hold.To(ctx, o.bytes())
	}
	if o.hold.Try(o.bytes() + o.reserve() + room(false)) {
		return true, nil
	}
	for {
		err := o.hold.To(ctx, o.bytes()+o.reserve()+room(true))
		if err == nil {
			return true, nil
		}
		if err := o.makeRoom(ctx, err); err != nil {
			return false, err
		}
		if o.groups.Rows.N == 0 {
			return false, nil
		}
	}
}

// reserve is memory that is asked for in addition to that of the groups, so that there is
// room for their results when no more groups can be taken.
func (o *groupOp) reserve() int64 {
	if o.disk.open() || !o.run.Budget.Bounded() || !o.maySpill() {
		return 0
	}
	return o.bytes() / 4
}

// makeRoom decides what to do without the memory that err says was refused. At first,
// only the groups that there are take rows. Where they grow themselves, what they have
// seen is sorted in files, or all that is known of them goes to files; if that cannot
// be, the query has to end.
func (o *groupOp) makeRoom(ctx context.Context, err error) error {
	if !mem.Refused(err) {
		return err
	}
	if !o.disk.open() && o.maySpill() {
		return o.openParts()
	}
	flushed := false
	for _, t := range o.valueCounts {
		if t.seen.Rows.N == 0 || t.busy {
			continue
		}
		switch failed := t.flush(ctx, o); {
		case failed == nil:
			flushed = true
		case !mem.Refused(failed):
			return failed
		}
	}
	if flushed {
		return nil
	}
	a := o.mostSeen()
	switch {
	case a != nil && (!o.mayGive() || o.groups.Rows.N < fewGroups && 2*a.seen.Bytes() > o.bytes()):
		return o.seenSpilled(ctx, a)
	case o.mayGive():
		return o.spillGroups(ctx)
	}
	return err
}

// fewGroups are so few that parts of them would differ in size.
const fewGroups = 8 * mem.Parts

// bytes returns the memory of the groups.
func (o *groupOp) bytes() int64 {
	held := o.groups.Bytes()
	for _, a := range o.aggs {
		held += a.bytes + int64(cap(a.counts))*8 + int64(cap(a.states))*16
		if a.seen != nil {
			held += a.seen.Bytes()
		}
	}
	for _, t := range o.valueCounts {
		held += t.seen.Bytes() + int64(cap(t.counts))*8
	}
	return held
}

// growth returns the bytes that are made new when more groups come.
func (o *groupOp) growth(groups int) int64 {
	n := o.groups.Growth(groups)
	for _, a := range o.aggs {
		if a.ids {
			n += rowset.Growth(a.counts, groups, 8)
		} else {
			n += rowset.Growth(a.states, groups, 16) + int64(groups)*a.empty
		}
	}
	return n
}

// grow gives every group its states.
func (o *groupOp) grow(ctx context.Context) error {
	for _, a := range o.aggs {
		n := o.groups.Rows.N - max(len(a.counts), len(a.states))
		if n <= 0 {
			continue
		}
		if a.ids {
			if err := a.growCounts(ctx, n); err != nil {
				return err
			}
			continue
		}
		states, err := rowset.ExtendChecking(ctx, a.states, n)
		if err != nil {
			return err
		}
		a.states = states
		a.bytes += int64(n) * a.empty
		for range n {
			s, _ := value.NewAggregate(a.spec.Kind.String(), a.spec.Separator)
			a.states = append(a.states, s)
		}
	}
	return nil
}

// growCounts gives n more groups a count.
func (a *aggregate) growCounts(ctx context.Context, n int) error {
	counts, err := rowset.ExtendChecking(ctx, a.counts, n)
	if err != nil {
		return err
	}
	a.counts = counts[:len(counts)+n]
	return nil
}
