package view

import (
	"bytes"
	"context"
	"slices"
	"sync/atomic"

	"github.com/rete-go/rete/engine/internal/layers"
	"github.com/rete-go/rete/internal/ids"
)

// WithTop returns the view with an empty top over it: what batches are applied to.
// v must have an adds layer, an empty one will do.
func (v *view) WithTop(ctx context.Context) (*view, error) {
	n, err := v.table(ctx)
	if err != nil {
		return nil, err
	}
	// The dictionary of the top is one more layer, which has no names.
	n = &viewNames{
		preds: n.preds.extended([][][]byte{nil}), graphs: n.graphs.extended([][][]byte{nil}),
		toBase: n.toBase, baseView: n.baseView, delta: n.delta,
	}
	return v.overlaid(&top{core: v, dict: layers.NewJournalDict(), counted: new(counted)}, n), nil
}

// TopID returns the id of a term in the dictionary of the journal, which gets it
// if it does not have it.
func (v *view) TopID(surface string) ID {
	return ID(len(v.top.core.adds))<<localBits | ID(v.top.dict.Add(surface))
}

// BaseQuads is the number of quads of the largest layer.
func (v *view) BaseQuads() uint64 { return v.base.counts.Quads }

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
	l := &layer{Layer: terms, counts: terms.Counts(), index: len(core.layers), number: len(core.adds),
		rank: len(core.owners) + 1} // behind dels layers too: none of the log has its terms
	next := &view{
		layers: core.layers, base: core.base, entries: core.entries, budget: core.budget, match: core.match,
		adds: append(slices.Clip(core.adds), l), owners: append(slices.Clip(core.owners), l), top: t,
	}
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
	preds := make(map[ID]uint32, 4)
	freshPreds, freshGraphs := map[ID]bool{}, map[ID]bool{}
	graphs := map[ID]bool{0: true}
	for i := range changes {
		c := &changes[i]
		if now == v && (!v.knows(c.P) || c.G != 0 && !v.knows(c.G)) {
			now = v.overlaid(v.top, n) // names that are new are decoded by a view that knows them
		}
		if _, ok := preds[c.P]; !ok {
			rank, err := now.predicateRank(ctx, n, c.P)
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
				if preds[id], err = now.predicateRank(ctx, next, id); err != nil {
					return nil, err
				}
			}
		}
		n = next
	}
	t.push(newRun(changes, v.entries+v.top.seq, func(p ID) uint32 { return preds[p] }))
	return v.overlaid(t, n), nil
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
func (v *view) moreNames(ctx context.Context, n *viewNames, preds, graphs map[ID]bool) (*viewNames, []uint32, error) {
	next := &viewNames{baseView: n.baseView, delta: n.delta}
	var pm, gm []uint32
	var err error
	if next.preds, pm, err = v.inserted(ctx, &n.preds, preds); err != nil {
		return nil, nil, err
	}
	if next.graphs, gm, err = v.inserted(ctx, &n.graphs, graphs); err != nil {
		return nil, nil, err
	}
	next.toBase = n.toBase
	if len(preds) > 0 {
		next.placeBase(v)
	} else {
		pm = nil
	}
	next.delta = newDeltaBox(n.delta.cur.Load().moved(pm, gm))
	return next, pm, nil
}

// inserted returns a table with the names of more terms, and its ranks of the old
// names by their old ranks.
func (v *view) inserted(ctx context.Context, t *nameTable, terms map[ID]bool) (nameTable, []uint32, error) {
	type fresh struct {
		surface []byte
		id      ID
	}
	list := make([]ID, 0, len(terms))
	for id := range terms {
		list = append(list, id)
	}
	slices.Sort(list)
	var decoded ids.Terms
	if err := v.Decode(ctx, list, &decoded); err != nil {
		return nameTable{}, nil, err
	}
	add := make([]fresh, len(list))
	for i, id := range list {
		add[i] = fresh{bytes.Clone(decoded.At(i)), id}
	}
	slices.SortFunc(add, func(a, b fresh) int { return bytes.Compare(a.surface, b.surface) })

	size := len(t.surfaces) + len(add)
	out := nameTable{surfaces: make([][]byte, 0, size), ids: make([]atomic.Uint64, size)}
	moves := make([]uint32, len(t.surfaces)+1)
	put := func(surface []byte, id uint64) {
		out.ids[len(out.surfaces)].Store(id)
		out.surfaces = append(out.surfaces, surface)
	}
	for i, s := range t.surfaces {
		for len(add) > 0 && bytes.Compare(add[0].surface, s) < 0 {
			put(add[0].surface, uint64(add[0].id))
			add = add[1:]
		}
		put(s, t.ids[i].Load())
		moves[i+1] = uint32(len(out.surfaces))
	}
	for _, f := range add {
		put(f.surface, uint64(f.id))
	}
	out.known = t.known
	out.ranks = make([][]uint32, len(t.ranks))
	for i, ranks := range t.ranks {
		moved := make([]uint32, len(ranks))
		for k, r := range ranks {
			moved[k] = moves[r]
		}
		out.ranks[i] = moved
	}
	return out, moves, nil
}

// ForgetTerms takes the terms out of the dictionary that the view does not know:
// no view that is in use does.
func (v *view) ForgetTerms() {
	if t := v.top; t != nil {
		t.dict.Truncate(len(v.adds[len(v.adds)-1].Layer.(*layers.JournalTerms).Terms))
	}
}
