package agg

import (
	"context"
	"slices"
	"sync"

	"github.com/rete-go/rete/internal/cancel"
	"github.com/rete-go/rete/sparql/internal/ast"
	"github.com/rete-go/rete/sparql/internal/exec/mem"
	"github.com/rete-go/rete/sparql/internal/exec/rowset"
	"github.com/rete-go/rete/sparql/internal/exec/run"
	"github.com/rete-go/rete/sparql/internal/plan"
)

// mergeable reports whether groups of several goroutines can be put together.
func (o *groupOp) mergeable() bool {
	for _, a := range o.aggs {
		// Of distinct values only the ids are known afterwards; texts have an order.
		if a.seen != nil && !a.ids || a.spec.Kind == ast.GroupConcat {
			return false
		}
	}
	return true
}

// loadParts groups the rows of a pipeline on several goroutines, each for itself, and
// puts their groups together. It returns false, with nothing changed, if one goroutine
// has to do it: also when memory was refused, since several do not spill.
func (o *groupOp) loadParts(ctx context.Context) (bool, error) {
	in, ok := run.Untraced(o.input).(run.Split)
	if !ok || !o.mergeable() {
		return false, nil
	}
	split, err := in.Begin(ctx)
	if split == nil || err != nil {
		return false, err
	}
	own := *o.run
	own.Budget = o.run.Budget.Fork(nil)
	defer own.Budget.Close()
	defer split.Free()
	var mu sync.Mutex
	var parts []*groupOp
	err = split.Each(ctx, &own, func(ctx context.Context, r *run.Run, rows run.Part) error {
		part, err := newGroupOf(r, o.node, rows)
		if err != nil {
			return err
		}
		mu.Lock()
		parts = append(parts, part)
		mu.Unlock()
		return part.loadAll(ctx)
	})
	if err == nil {
		for _, p := range parts {
			run.Delivered(o.input, p.input.(run.Part).Rows())
		}
		own.Budget.Close()
		split.Free()
		err = o.put(ctx, parts, leads(o.node, split.Leaf()))
	}
	if mem.Refused(err) {
		o.reset()
		o.later = nil
		return false, in.Restart()
	}
	return true, err
}

// put takes the groups of several operators over. alone says that no two of them have
// the same group.
func (o *groupOp) put(ctx context.Context, parts []*groupOp, alone bool) error {
	total := int64(0)
	for _, p := range parts {
		total += p.bytes()
	}
	if err := o.hold.To(ctx, total); err != nil {
		return err
	}
	o.takeOver(parts[0])
	if alone {
		o.later = parts[1:]
		return nil
	}
	for _, p := range parts[1:] {
		more := o.growth(p.groups.Rows.N) + int64(p.groups.Rows.N)*4
		for i, a := range p.aggs {
			if more += a.bytes; a.seen != nil {
				more += o.aggs[i].seen.Growth(a.seen.Rows.N) + int64(a.seen.Rows.N)*8
			}
		}
		// What was merged is garbage, but is counted until all is merged.
		if err := o.hold.To(ctx, max(total, o.bytes())+more); err != nil {
			return err
		}
		if err := o.merge(ctx, p); err != nil {
			return err
		}
	}
	return o.hold.To(ctx, o.bytes())
}

// takeOver takes the groups of another operator in the place of the own ones.
func (o *groupOp) takeOver(p *groupOp) {
	o.groups, o.at = p.groups, 0
	for i, a := range p.aggs {
		to := o.aggs[i]
		to.counts, to.states, to.seen, to.bytes = a.counts, a.states, a.seen, a.bytes
	}
}

// merge adds the groups of another operator.
func (o *groupOp) merge(ctx context.Context, p *groupOp) error {
	number := make([]int32, p.groups.Rows.N) // of the other's groups
	err := cancel.Each(ctx, len(number), func(from, to int) error {
		if err := o.groups.Reserve(ctx, to-from); err != nil {
			return err
		}
		for row := from; row < to; row++ {
			g, _ := o.groups.Add(p.groups.Rows.Col, row)
			number[row] = int32(g)
		}
		return nil
	})
	for i, a := range o.aggs {
		if err == nil && a.ids {
			err = a.growCounts(ctx, o.groups.Rows.N-len(a.counts))
		}
		if err != nil {
			return err
		}
		other := p.aggs[i]
		switch {
		case !a.ids:
			err = a.mergeStates(ctx, other, number)
		case a.seen != nil:
			err = a.mergeSeen(ctx, other, number)
		default:
			err = cancel.Blocks(ctx, len(other.counts), func(from, to int) {
				for row := from; row < to; row++ {
					a.counts[number[row]] += other.counts[row]
				}
			})
		}
	}
	return err
}

// mergeStates puts the states of the other operator to those of the same groups.
func (a *aggregate) mergeStates(ctx context.Context, other *aggregate, number []int32) error {
	return cancel.Each(ctx, len(other.states), func(from, to int) (err error) {
		if a.states, err = rowset.ExtendChecking(ctx, a.states, to-from); err != nil {
			return err
		}
		for row := from; row < to; row++ {
			g, s := int(number[row]), other.states[row]
			if g == len(a.states) {
				a.states = append(a.states, s)
				a.bytes += int64(s.Bytes())
				continue
			}
			held := a.states[g].Bytes()
			a.states[g].Merge(s)
			a.bytes += int64(a.states[g].Bytes() - held)
		}
		return nil
	})
}

// mergeSeen counts the distinct ids that only the other operator has seen.
func (a *aggregate) mergeSeen(ctx context.Context, other *aggregate, number []int32) error {
	cols := slices.Clone(other.seen.Rows.Col)
	groups := cols[0]
	cols[0] = make([]id, len(groups))
	return cancel.Each(ctx, len(groups), func(from, to int) error {
		if err := a.seen.Reserve(ctx, to-from); err != nil {
			return err
		}
		for row := from; row < to; row++ {
			g := number[groups[row]-1]
			cols[0][row] = id(g) + 1
			if _, fresh := a.seen.Add(cols, row); fresh {
				a.counts[g]++
			}
		}
		return nil
	})
}

// leads reports whether a key of the grouping is the column at whose ids the parts of
// the leaf are cut, so that a group is in one part.
func leads(n *plan.Group, leaf *plan.Scan) bool {
	for _, c := range leaf.Order.Columns() {
		if leaf.Pattern.At(c) == 0 {
			v := leaf.Cols[c]
			return slices.Contains(n.Keys, v) && slices.Contains(n.Input.Base().Vars, v)
		}
	}
	return false
}
