package agg

import (
	"context"

	"github.com/rete-go/rete/sparql/internal/exec/mem"
	"github.com/rete-go/rete/sparql/internal/exec/rowset"
)

// groupSpill is what a group operator spilled when it was refused memory: rows
// of groups that it does not have, in files by the hash of their keys. What was known of
// groups that were given up is there as well, before their rows: see [groupOp.spillGroups].
type groupSpill struct {
	level   int
	files   *rowset.Parts // of this level, while rows are spilled
	columns int
	pending []groupPart
}

// groupPart is a file that is still to be grouped.
type groupPart struct {
	r     *mem.Reader
	level int
}

// open reports whether rows of new groups are spilled.
func (d *groupSpill) open() bool { return d.files != nil }

func (d *groupSpill) close() {
	d.files.Close()
	for _, p := range d.pending {
		_ = p.r.Close()
	}
	d.files, d.pending = nil, nil
}

// maySpill reports whether rows can be spilled.
func (o *groupOp) maySpill() bool {
	return len(o.node.Keys) > 0 && o.disk.level < mem.Levels && o.run.Budget.MaySpill(mem.Parts)
}

// openParts makes the files of a level.
func (o *groupOp) openParts() error {
	o.disk.columns = max(len(o.node.Input.Base().Vars), o.recordColumns())
	var err error
	o.disk.files, err = rowset.NewParts(&o.hold, o.disk.level)
	return err
}

// spillRows takes the rows of groups that there are not out of a batch.
func (o *groupOp) spillRows(keys [][]id, b *rowset.Batch) error {
	kept := 0
	cols := b.Col
	for len(cols) < o.disk.columns {
		cols = append(cols[:len(cols):len(cols)], rowset.Zeros[:])
	}
	for row := range b.N {
		if o.groups.Has(keys, row) {
			b.Move(kept, row)
			kept++
			continue
		}
		if err := o.disk.files.Add(nil, keys, cols, row); err != nil {
			return err
		}
	}
	b.N = kept
	return nil
}

// endParts ends the files of the level.
func (o *groupOp) endParts() error {
	d := &o.disk
	if !d.open() {
		return nil
	}
	list, err := d.files.End(d.columns)
	if err != nil {
		return err
	}
	d.files = nil
	for _, r := range list {
		if r != nil {
			d.pending = append(d.pending, groupPart{r, d.level + 1})
		}
	}
	return nil
}

// nextPart groups the next part that was spilled; false if there is none.
func (o *groupOp) nextPart(ctx context.Context) (bool, error) {
	d := &o.disk
	if len(d.pending) == 0 {
		return false, nil
	}
	p := d.pending[len(d.pending)-1]
	d.pending = d.pending[:len(d.pending)-1]
	defer p.r.Close()
	o.reset()
	d.level = p.level
	return true, o.load(ctx, &groupRows{o: o, r: p.r})
}

// reset begins anew without groups.
func (o *groupOp) reset() {
	o.groups, o.at = rowset.NewSet(len(o.node.Keys)), 0
	for _, a := range o.aggs {
		a.counts, a.states, a.bytes = nil, nil, 0
		if a.seen != nil {
			a.seen = rowset.NewSet(len(a.seen.Rows.Col))
		}
	}
	for _, t := range o.valueCounts {
		t.seen, t.counts, t.from = rowset.NewSet(2), nil, 0
	}
	o.hold.Free()
}
