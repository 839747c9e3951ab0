package compaction

import (
	"context"
	"math"

	"github.com/rete-go/rete/tile"
)

// mark merges the rows of all layers in SPO order and marks the terms that the
// output uses, and how.
func (j *job) mark(ctx context.Context) error {
	total := int64(0)
	for _, l := range j.layers {
		total += int64(l.counts.Quads)
	}
	j.meter.begin("mark", total)
	j.shared = math.MaxUint32 // no roles yet: the numbers are in one order
	group := new(grouping)
	for _, g := range j.graphs {
		sink := func(s, p, o []uint32) error {
			g.rows += int64(len(s))
			if err := group.mark(j.nodes.table, s, asSubject); err != nil {
				return err
			}
			if err := group.mark(j.preds.table, p, asSubject); err != nil {
				return err
			}
			return group.mark(j.nodes.table, o, asObject)
		}
		if err := j.makeOrder(ctx, g, tile.SPO, sink); err != nil {
			return err
		}
	}
	return nil
}

// makeOrder is fold with a space of its own.
func (j *job) makeOrder(ctx context.Context, g *graph, o tile.Order, sink sink) error {
	s := &space{budget: &j.budget, folder: j.folder}
	defer s.close()
	return j.fold(ctx, g, o, s, sink)
}

// assign splits the marked terms into the sections of the output, and turns the
// maps of the layers into maps to its ids.
func (j *job) assign(ctx context.Context) error {
	for _, m := range []*merged{&j.nodes, &j.preds} {
		uncanonical, err := m.rank(ctx)
		if err != nil {
			return err
		}
		j.odd = j.odd || uncanonical
	}
	j.shared = j.nodes.ends[0]
	for _, l := range j.layers {
		for i, to := range []struct {
			*merged
			role uint32
		}{{&j.nodes, asSubject}, {&j.preds, asSubject}, {&j.nodes, asObject}} {
			if err := to.rewrite(ctx, l.ids[i], to.role); err != nil {
				return err
			}
		}
	}
	return nil
}

// rank turns marks into ranks, and reports whether the output has a term that is not spelled canonically.
func (m *merged) rank(ctx context.Context) (uncanonical bool, err error) {
	const both = asSubject | asObject
	var count, next [both + 1]uint32
	var v view
	for k := range m.pages {
		if err := context.Cause(ctx); err != nil {
			return false, err
		}
		page, err := v.of(m.table, uint32(k))
		if err != nil {
			return false, err
		}
		for _, mark := range page {
			count[mark&both]++
		}
	}
	m.ends[0] = count[both]
	m.ends[1] = m.ends[0] + count[asSubject]
	next[asSubject], next[asObject] = m.ends[0], m.ends[1]
	err = m.replace(ctx, func(page []uint32) error {
		for i, mark := range page {
			role := mark & both
			if role == 0 {
				page[i] = 0
				continue
			}
			uncanonical = uncanonical || mark&odd != 0
			next[role]++
			page[i] = next[role]
		}
		return nil
	})
	return uncanonical, err
}

// rewrite turns numbers of the merged dictionary into ids of a role.
func (m *merged) rewrite(ctx context.Context, ids *table, role uint32) error {
	var v view
	return ids.replace(ctx, func(page []uint32) error {
		for i, n := range page {
			rank, err := v.get(m.table, n)
			if err != nil {
				return err
			}
			page[i] = m.id(rank, role)
		}
		return nil
	})
}

// canonical reports whether all terms of the output are spelled canonically.
func (j *job) canonical() bool { return !j.odd }
