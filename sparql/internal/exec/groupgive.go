package exec

import (
	"context"
	"fmt"
	"strconv"
)

// results returns the ids of the values of an aggregate for the next n groups.
func (o *groupOp) results(ctx context.Context, a *aggregate, n int) ([]id, error) {
	surfaces := make([]string, n)
	for i := range n {
		g := o.at + i
		if a.ids {
			surfaces[i] = integer(strconv.FormatInt(a.counts[g], 10))
			continue
		}
		if a.states[g] == nil {
			return nil, fmt.Errorf("sparql: no aggregate %s", a.spec.Kind)
		}
		if v, ok := a.states[g].Result(); ok && !v.IsNone() {
			surfaces[i] = v.Surface()
		}
	}
	ids := make([]id, n)
	return ids, o.run.Terms.Intern(ctx, surfaces, ids)
}

// spillable implements spiller: groups that wait to be handed on, if all that is known
// of each is its counts.
func (o *groupOp) spillable() int64 {
	if !o.loaded || o.busy || o.kept != nil || len(o.later) > 0 || o.at == o.groups.rows.n || len(o.node.Keys) == 0 {
		return 0
	}
	for _, a := range o.aggs {
		if !a.ids {
			return 0
		}
	}
	return o.hold.bytes
}

// spill writes the groups that were not handed on to a file.
func (o *groupOp) spill() error {
	f, err := o.hold.newSpillFile(spillBlock)
	if err != nil {
		return err
	}
	cols := o.groups.rows.col
	for _, a := range o.aggs {
		counts := make([]id, o.groups.rows.n-o.at)
		for i := range counts {
			counts[i] = id(a.counts[o.at+i])
		}
		cols = append(cols[:len(cols):len(cols)], counts)
	}
	for c := range o.node.Keys {
		cols[c] = cols[c][o.at:]
	}
	for row := range o.groups.rows.n - o.at {
		if err := f.row(nil, cols, row); err != nil {
			_ = f.close() // gone either way
			return err
		}
	}
	if o.kept, err = f.finish(len(cols)); err != nil {
		return err
	}
	o.forget()
	return nil
}

// readKept takes the next groups of the file in; their number, 0 at its end.
func (o *groupOp) readKept() (int, error) {
	if o.kept == nil {
		return 0, nil
	}
	o.forget()
	for o.groups.rows.n < batchRows {
		ok, err := o.kept.next()
		if err != nil {
			return 0, err
		}
		if !ok {
			break
		}
		keys := len(o.node.Keys)
		for c := range keys {
			o.groups.rows.col[c] = append(o.groups.rows.col[c], o.kept.row[c])
		}
		for i, a := range o.aggs {
			a.counts = append(a.counts, int64(o.kept.row[keys+i]))
		}
		o.groups.rows.n++
	}
	if o.groups.rows.n == 0 {
		err := o.kept.close()
		o.kept = nil
		return 0, err
	}
	return o.groups.rows.n, nil
}
