package view

import (
	"context"
	"strings"

	"github.com/rete-go/rete/dataset"
	"github.com/rete-go/rete/engine/internal/folds"
	"github.com/rete-go/rete/engine/internal/idspace"
	"github.com/rete-go/rete/engine/internal/layers"
	"github.com/rete-go/rete/internal/cancel"
)

// batches returns the changes of the top of the older view as rows of the entry that they
// became, by graph rank. From then on h knows the ids of its terms.
func (h *heir) batches(ctx context.Context) (map[uint32]*folds.Run, error) {
	terms := h.from.Adds[len(h.from.Adds)-1]
	found, err := h.lookUp(ctx, terms.Layer.(*layers.JournalTerms).Terms)
	if err != nil {
		return nil, err
	}
	ids := func(id dataset.ID) dataset.ID {
		if id>>idspace.LocalBits == dataset.ID(terms.Number) {
			return found[id&idspace.LocalMask-1]
		}
		return id
	}
	sealed := *h
	sealed.ids = ids
	weight := func(w uint32) uint32 { return h.from.Entries<<2 | w&1 }
	out := map[uint32]*folds.Run{}
	for _, g := range h.from.top.all().graphs {
		rank := uint32(0)
		if g.id != 0 {
			if rank, err = h.from.graphRank(ctx, h.old, g.id); err != nil {
				return nil, err
			}
			if rank, _ = ranked(h.graphs, rank); rank == 0 {
				continue // nothing is left in it
			}
		}
		run, err := sealed.run(ctx, g.Run, weight)
		if err != nil {
			return nil, err
		}
		if run.Len() > 0 {
			out[rank] = run
		}
	}
	h.ids = ids
	return out, nil
}

// lookUp returns the ids of terms that no older layer has, 0 of those that none has.
func (h *heir) lookUp(ctx context.Context, terms []string) ([]dataset.ID, error) {
	order := make([]int, len(terms))
	for i := range order {
		order[i] = i
	}
	if err := cancel.Sort(ctx, order, func(a, b int) int { return strings.Compare(terms[a], terms[b]) }); err != nil {
		return nil, err
	}
	out := make([]dataset.ID, len(terms))
	fresh := h.v.Owners[len(h.from.core().Owners):]
	sorted, got := make([][]byte, 0, idspace.TranslateBatch), make([]dataset.ID, idspace.TranslateBatch)
	for len(order) > 0 {
		part := order[:min(len(order), idspace.TranslateBatch)]
		order = order[len(part):]
		sorted = sorted[:0]
		for _, i := range part {
			sorted = append(sorted, []byte(terms[i]))
		}
		if err := h.v.Own(ctx, &h.names.Names, fresh, sorted, got[:len(part)]); err != nil {
			return nil, err
		}
		for k, i := range part {
			out[i] = got[k]
		}
	}
	return out, nil
}
