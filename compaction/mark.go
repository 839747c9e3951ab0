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
	nodes, preds := j.nodes.marks, j.preds.marks
	for _, g := range j.graphs {
		sink := func(s, p, o []uint32) error {
			g.rows += int64(len(s))
			for i := range s {
				nodes[s[i]] |= asSubject
				preds[p[i]] |= asPredicate
				nodes[o[i]] |= asObject
			}
			return nil
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
func (j *job) assign() {
	var shared, subjects, objects uint32
	for _, m := range j.nodes.marks {
		if m&(asSubject|asObject) == asSubject|asObject {
			shared++
		}
	}
	j.shared = shared
	j.nodes.ids = make([]uint32, len(j.nodes.marks))
	both := uint32(0)
	for n, m := range j.nodes.marks {
		switch m & (asSubject | asObject) {
		case asSubject | asObject:
			both++
			j.nodes.ids[n] = both
		case asSubject:
			subjects++
			j.nodes.ids[n] = shared + subjects
		case asObject:
			objects++
			j.nodes.ids[n] = shared + objects
		}
	}
	j.preds.ids = make([]uint32, len(j.preds.marks))
	predicates := uint32(0)
	for n, m := range j.preds.marks {
		if m&asPredicate != 0 {
			predicates++
			j.preds.ids[n] = predicates
		}
	}
	for _, l := range j.layers {
		rewrite(l.ids[0], &j.nodes, asSubject)
		rewrite(l.ids[1], &j.preds, asPredicate)
		rewrite(l.ids[2], &j.nodes, asObject)
	}
}

// rewrite turns numbers of the merged dictionary into ids of a role.
func rewrite(ids []uint32, m *merged, role uint8) {
	for i, n := range ids {
		if m.marks[n]&role != 0 {
			ids[i] = m.ids[n]
		} else {
			ids[i] = 0
		}
	}
}

// canonical reports whether all terms of the output are spelled canonically.
func (j *job) canonical() bool {
	for _, m := range []*merged{&j.nodes, &j.preds} {
		for n, mark := range m.marks {
			if mark&odd != 0 && m.ids[n] != 0 {
				return false
			}
		}
	}
	return true
}
