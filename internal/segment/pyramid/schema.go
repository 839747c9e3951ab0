package pyramid

import (
	"cmp"
	"context"
	"slices"

	"github.com/rete-go/rete/internal/segment/format"
	"github.com/rete-go/rete/internal/segment/sorted"
	"github.com/rete-go/rete/internal/summary"
)

// Bounds of the schema block. They are part of the canonical form.
const (
	maxMembers     = 8   // classes of a community
	maxPairsListed = 256 // disjoint and equivalent classes, cycles
	schemaSize     = 28 << 10
)

// levelsOf returns the levels, without links yet.
func levelsOf(voc *vocabulary) (levels []*level) {
	for _, depth := range voc.Levels() {
		levels = append(levels, &level{voc: voc, depth: depth, sum: map[[2]uint16]uint64{}})
	}
	return levels
}

// schema makes the schema block; nil if there are no classes. Its lists are cut until it has
// schemaSize bytes, or few.
func (c *counter) schema(ctx context.Context, round uint64) (*Schema, error) {
	if len(c.voc.names) == 1 {
		return nil, nil
	}
	preds, err := predicateNames(ctx, c.f, c.levels)
	if err != nil {
		return nil, err
	}
	s := new(Schema)
	for n := 1; ; n *= 2 {
		*s = Schema{}
		s.Classes = c.voc.list(summary.MaxClasses / n)
		for _, l := range c.levels {
			s.Levels = append(s.Levels, l.list(round, n, preds))
		}
		for i, m := range c.members {
			of := summary.Community{Number: uint32(i), Classes: c.voc.histogram(m, maxMembers)}
			if len(of.Classes) > 0 {
				of.Dominant = of.Classes[0].Class
			}
			s.Communities = append(s.Communities, of)
		}
		for _, cycle := range c.voc.Cycles[:min(len(c.voc.Cycles), maxPairsListed/n)] {
			s.Cycles = append(s.Cycles, c.voc.namesOf(cycle[:min(len(cycle), maxPairsListed/n)]))
		}
		s.Disjoint, s.Equivalent = c.voc.pairs(c.voc.disjoint, maxPairsListed/n), c.voc.pairs(c.voc.equivalent, maxPairsListed/n)
		if n == 16 || len(s.append(nil)) <= schemaSize {
			return s, nil
		}
	}
}

// list returns the first classes of the hierarchy, by depth.
func (v *vocabulary) list(most int) (list []summary.Class) {
	ranks := make([]uint16, 0, len(v.names))
	for r := 1; r < len(v.names); r++ {
		ranks = append(ranks, uint16(r))
	}
	slices.SortStableFunc(ranks, func(x, y uint16) int { return cmp.Compare(v.Depth[x], v.Depth[y]) })
	for _, r := range ranks[:min(len(ranks), most)] {
		list = append(list, summary.Class{Name: v.names[r], Parents: v.namesOf(v.Parents[r]), Depth: uint32(v.Depth[r])})
	}
	return list
}

func (v *vocabulary) namesOf(ranks []uint16) (names []string) {
	for _, r := range ranks {
		names = append(names, v.names[r])
	}
	return names
}

func (v *vocabulary) pairs(list [][2]uint16, most int) (pairs [][2]string) {
	for _, p := range list[:min(len(list), most)] {
		pairs = append(pairs, [2]string{v.names[p[0]], v.names[p[1]]})
	}
	return pairs
}

// histogram returns the classes with the most triples.
func (v *vocabulary) histogram(counts map[uint16]uint64, most int) (list []summary.ClassCount) {
	ranks := make([]uint16, 0, len(counts))
	for r := range counts {
		ranks = append(ranks, r)
	}
	slices.SortFunc(ranks, func(x, y uint16) int { return cmp.Or(cmp.Compare(counts[y], counts[x]), cmp.Compare(x, y)) })
	for _, r := range ranks[:min(len(ranks), most)] {
		list = append(list, summary.ClassCount{Class: v.names[r], Count: counts[r]})
	}
	return list
}

// list makes the level, with one part in n of what there is room for.
func (l *level) list(round uint64, n int, preds map[uint32]string) summary.Level {
	counts := map[uint16]uint64{}
	for r, instances := range l.voc.instances {
		if instances > 0 {
			counts[l.voc.At(uint16(r), l.depth)] += instances
		}
	}
	out := summary.Level{Round: round, Depth: uint32(l.depth), Classes: l.voc.histogram(counts, summary.MaxClasses/n)}
	for _, k := range l.most()[:min(len(l.found), summary.MaxLinks/n)] {
		out.Links = append(out.Links, summary.Link{From: l.name(k.from), Predicate: preds[k.predicate], To: l.name(k.to), Count: k.count})
	}
	return out
}

func (l *level) name(rank uint16) string {
	if int(rank) == len(l.voc.names) {
		return summary.Literal
	}
	return l.voc.names[rank]
}

// predicateNames reads the names of the predicates that links have.
func predicateNames(ctx context.Context, f *sorted.File, levels []*level) (map[uint32]string, error) {
	names := map[uint32]string{}
	var ids []uint32
	for _, l := range levels {
		for _, k := range l.most() {
			if _, ok := names[k.predicate]; !ok {
				names[k.predicate] = ""
				ids = append(ids, k.predicate)
			}
		}
	}
	slices.Sort(ids)
	from := f.Terms(format.Predicates)
	for _, id := range ids {
		name, err := from.At(ctx, id)
		if err != nil {
			return nil, err
		}
		names[id] = string(name)
	}
	return names, nil
}
