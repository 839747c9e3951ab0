package view

import (
	"context"
	"slices"

	"github.com/rete-go/rete/dataset"
	"github.com/rete-go/rete/engine/internal/idspace"
	"github.com/rete-go/rete/engine/internal/layers"
)

// WithTop returns the view with an empty top over it: what batches are applied to.
// v must have an adds layer, an empty one will do.
func (v *view) WithTop(ctx context.Context) (*view, error) {
	n, err := v.table(ctx)
	if err != nil {
		return nil, err
	}
	// The dictionary of the top is one more layer, which has no names.
	names := idspace.Names{
		Preds: n.Preds.Extended([][][]byte{nil}), Graphs: n.Graphs.Extended([][][]byte{nil}),
		ToBase: n.ToBase, BaseView: n.BaseView,
	}
	return v.overlaid(&top{core: v, dict: layers.NewJournalDict(), counted: new(counted)}, &viewNames{names, n.delta}), nil
}

// TopID returns the id of a term in the dictionary of the journal, which gets it
// if it does not have it.
func (v *view) TopID(surface string) dataset.ID {
	return dataset.ID(len(v.top.core.Adds))<<idspace.LocalBits | dataset.ID(v.top.dict.Add(surface))
}

// BaseQuads is the number of quads of the largest layer.
func (v *view) BaseQuads() uint64 { return v.Base.Sizes.Quads }

// HasTop reports whether changes can be applied to the view.
func (v *view) HasTop() bool { return v.top != nil }

// HasChanges reports whether the view has changes above the log.
func (v *view) HasChanges() bool { return v.top.rows() > 0 }

// TopSeq is the number of changes that were applied above the log.
func (v *view) TopSeq() uint32 { return v.top.seq }

// MarkDurable says that the batches of the view are on disk, and readers have it.
func (v *view) MarkDurable() { v.durable.Store(true) }

// overlaid returns the view of the log with a top.
func (v *view) overlaid(t *top, n *viewNames) *view {
	core := t.core
	terms := t.dict.Prefix()
	l := &idspace.Layer{Layer: terms, Sizes: terms.Counts(), Index: len(core.Layers), Number: len(core.Adds),
		Rank: len(core.Owners) + 1} // after dels layers too: none of the log has its terms
	next := &view{IDs: core.IDs, budget: core.budget, match: core.match, top: t}
	next.Adds, next.Owners = append(slices.Clip(core.Adds), l), append(slices.Clip(core.Owners), l)
	next.names.Done.Store(n)
	return next
}

// Apply returns the view after changes, one after the other, whose ids are those of
// the view or of its dictionary. sure says that each of them was evaluated on the state
// before it, so that it changes something. It costs what the batch has; a new
// predicate or graph name moves the ranks after it, which touches what is in memory
// once.
func (v *view) Apply(ctx context.Context, changes []Change, sure bool) (*view, error) {
	n, err := v.table(ctx)
	if err != nil {
		return nil, err
	}
	now := v
	preds := make(map[dataset.ID]uint32, 4)
	freshPreds, freshGraphs := map[dataset.ID]bool{}, map[dataset.ID]bool{}
	graphs := map[dataset.ID]bool{0: true}
	for i := range changes {
		c := &changes[i]
		if now == v && (!v.knows(c.P) || c.G != 0 && !v.knows(c.G)) {
			now = v.overlaid(v.top, n) // names that are new are decoded by a view that knows them
		}
		if _, ok := preds[c.P]; !ok {
			rank, err := now.PredicateRank(ctx, &n.Names, c.P)
			if err != nil {
				return nil, err
			}
			if preds[c.P] = rank; rank == 0 {
				freshPreds[c.P] = true
			}
		}
		if !graphs[c.G] {
			graphs[c.G] = true
			rank, err := now.graphRank(ctx, n, c.G)
			if err != nil {
				return nil, err
			}
			if rank == 0 {
				freshGraphs[c.G] = true
			}
		}
	}
	next := *v.top
	t := &next
	if t.seq += uint32(len(changes)); !sure {
		t.unsure = t.seq
	}
	if len(freshPreds)+len(freshGraphs) > 0 {
		next, moves, err := now.moreNames(ctx, n, freshPreds, freshGraphs)
		if err != nil {
			return nil, err
		}
		if len(freshPreds) > 0 {
			t.runs, t.idle = movedRuns(t.runs, moves), movedRuns(t.idle, moves)
			for id := range preds {
				if preds[id], err = now.PredicateRank(ctx, &next.Names, id); err != nil {
					return nil, err
				}
			}
		}
		n = next
	}
	t.push(newRun(changes, v.Entries+v.top.seq, func(p dataset.ID) uint32 { return preds[p] }))
	after := v.overlaid(t, n)
	after.since = v.textAfter(changes)
	return after, nil
}

func movedRuns(runs []*topRun, preds []uint32) []*topRun {
	out := make([]*topRun, len(runs))
	for i, r := range runs {
		out[i] = r.moved(preds)
	}
	return out
}

// moreNames returns the names with more predicates and graph names, and the new
// ranks of the old predicates.
func (v *view) moreNames(ctx context.Context, n *viewNames, preds, graphs map[dataset.ID]bool) (*viewNames, []uint32, error) {
	next := &viewNames{delta: n.delta}
	next.BaseView = n.BaseView
	var pm, gm []uint32
	var err error
	if next.Preds, pm, err = v.Inserted(ctx, &n.Preds, preds); err != nil {
		return nil, nil, err
	}
	if next.Graphs, gm, err = v.Inserted(ctx, &n.Graphs, graphs); err != nil {
		return nil, nil, err
	}
	next.ToBase = n.ToBase
	if len(preds) > 0 {
		next.PlaceBase(&v.IDs)
	} else {
		pm = nil
	}
	next.delta = newDeltaBox(n.delta.cur.Load().moved(pm, gm))
	return next, pm, nil
}

// DropTerms takes the terms out of the dictionary that the view does not know:
// no view that is in use does.
func (v *view) DropTerms() {
	if t := v.top; t != nil {
		t.dict.Truncate(len(v.Adds[len(v.Adds)-1].Layer.(*layers.JournalTerms).Terms))
	}
}
