package agg

import (
	"context"
	"errors"
	"fmt"
	"strconv"

	"github.com/rete-go/rete/dataset"
	"github.com/rete-go/rete/sparql/internal/exec/eval"
	"github.com/rete-go/rete/sparql/internal/exec/mem"
)

// results returns the ids of the values of an aggregate for the next n groups.
func (o *groupOp) results(ctx context.Context, a *aggregate, n int) ([]id, error) {
	surfaces := make([]string, n)
	for i := range n {
		g := o.at + i
		if a.ids {
			surfaces[i] = eval.Integer(strconv.FormatInt(a.counts[g], 10))
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

// spilledGroups is a file of groups that were given up to be handed on later.
type spilledGroups struct {
	r    *mem.Reader
	have bool // the record at hand is still to be taken
}

// Spillable implements [mem.Spiller]: the groups, while the input works or until they are
// handed on.
func (o *groupOp) Spillable() int64 {
	switch {
	case o.busy || !o.run.Budget.MaySpill(1) || len(o.node.Keys) == 0:
		return 0
	case !o.loaded && o.mayGive(), o.loaded && o.kept == nil && (o.at < o.groups.Rows.N || len(o.later) > 0):
		return o.hold.Bytes
	}
	return 0
}

// Spill implements [mem.Spiller].
func (o *groupOp) Spill(ctx context.Context) error {
	if !o.loaded {
		return o.spillGroups(ctx)
	}
	f, err := o.hold.NewFile(mem.Block)
	if err != nil {
		return err
	}
	if err := o.spillRest(ctx, f); err != nil {
		_ = f.Close() // gone either way
		return err
	}
	r, err := f.Finish(len(o.node.Keys))
	if err != nil {
		return err
	}
	o.kept = &spilledGroups{r: r}
	o.reset()
	return nil
}

// spillRest writes the groups that were not handed on.
func (o *groupOp) spillRest(ctx context.Context, f *mem.File) error {
	w := o.newRecordWriter(len(o.node.Keys))
	for {
		for ; o.at < o.groups.Rows.N; o.at++ {
			if err := w.stateOf(ctx, o.at); err != nil {
				return err
			}
			if err := f.Add(w.key, w.cols, 0); err != nil {
				return err
			}
		}
		if len(o.later) == 0 {
			return nil
		}
		o.takeOver(o.later[0])
		o.later = o.later[1:]
	}
}

// readKept takes the next groups of the file in; none at its end.
func (o *groupOp) readKept(ctx context.Context) error {
	o.reset()
	k := o.kept
	for o.groups.Rows.N < dataset.MaxBatch {
		if !k.have {
			ok, err := k.r.Next()
			if err != nil {
				return err
			}
			if !ok {
				break
			}
			k.have = true
		}
		need := o.bytes() + o.recordRoom(k.r.Key)
		if need > o.hold.Bytes && !o.hold.Try(need+mem.DrawStep/4) {
			if o.groups.Rows.N > 0 {
				return ctx.Err() // these first
			}
			if err := o.hold.To(ctx, need); err != nil {
				return err
			}
		}
		if o.bytes() > resultText && o.groups.Rows.N > 0 {
			return ctx.Err()
		}
		keys := make([][]id, len(k.r.Row))
		for c := range keys {
			keys[c] = []id{k.r.Row[c]}
		}
		if err := o.takeRecord(ctx, k.r, keys, nil); err != nil {
			return err
		}
		k.have = false
	}
	if o.groups.Rows.N == 0 {
		o.kept = nil
		return errors.Join(k.r.Close(), ctx.Err())
	}
	return ctx.Err()
}
