package summary

import (
	"cmp"
	"slices"
)

// Roll makes hierarchy, cycles and levels of a summary, of the instances of classes, of the links between
// classes as they are, of pairs of class and parent, and of further classes. Links may be nil:
// the levels have none then.
func Roll(s *Summary, instances map[string]uint64, links map[Link]uint64, parents [][2]string, further []string) {
	names := further
	for c := range instances {
		names = append(names, c)
	}
	for _, p := range parents {
		names = append(names, p[0], p[1])
	}
	slices.Sort(names)
	names = slices.Compact(names)
	rank := make(map[string]uint16, len(names))
	for i, name := range names {
		rank[name] = uint16(i + 1)
	}
	pairs := make([][2]uint16, len(parents))
	for i, p := range parents {
		pairs[i] = [2]uint16{rank[p[0]], rank[p[1]]}
	}
	slices.SortFunc(pairs, func(x, y [2]uint16) int { return slices.Compare(x[:], y[:]) })
	h := NewHierarchy(len(names)+1, slices.Compact(pairs))
	at := func(class string, depth uint8) string {
		if r := rank[class]; r > 0 {
			return names[h.At(r, depth)-1]
		}
		return class // of links: no class
	}
	s.Hierarchy, s.Cycles, s.Levels = nil, nil, nil
	if len(names) == 0 {
		return
	}
	s.list(&h, names)
	for _, depth := range h.Levels() {
		l := Level{Depth: uint32(depth)}
		counts := map[string]uint64{}
		for c, n := range instances {
			counts[at(c, depth)] += n
		}
		for c, n := range counts {
			l.Classes = append(l.Classes, ClassCount{c, n})
		}
		slices.SortFunc(l.Classes, func(x, y ClassCount) int { return cmp.Or(cmp.Compare(y.Count, x.Count), cmp.Compare(x.Class, y.Class)) })
		l.Classes = l.Classes[:min(len(l.Classes), MaxClasses)]
		sums := map[Link]uint64{}
		for k, n := range links {
			sums[Link{From: at(k.From, depth), Predicate: k.Predicate, To: at(k.To, depth)}] += n
		}
		for k, n := range sums {
			k.Count = n
			l.Links = append(l.Links, k)
		}
		slices.SortFunc(l.Links, compareLinks)
		l.Links = l.Links[:min(len(l.Links), MaxLinks)]
		s.Levels = append(s.Levels, l)
	}
}

// list lists the first classes of the hierarchy, by depth, and the cycles.
func (s *Summary) list(h *Hierarchy, names []string) {
	of := func(ranks []uint16) (list []string) {
		for _, r := range ranks {
			list = append(list, names[r-1])
		}
		return list
	}
	ranks := make([]uint16, len(names))
	for i := range ranks {
		ranks[i] = uint16(i + 1)
	}
	slices.SortStableFunc(ranks, func(x, y uint16) int { return cmp.Compare(h.Depth[x], h.Depth[y]) })
	for _, r := range ranks[:min(len(ranks), MaxClasses)] {
		s.Hierarchy = append(s.Hierarchy, Class{names[r-1], of(h.Parents[r]), uint32(h.Depth[r])})
	}
	for _, c := range h.Cycles[:min(len(h.Cycles), MaxClasses)] {
		s.Cycles = append(s.Cycles, of(c))
	}
}

// compareLinks puts the links with the most triples first; equal ones go by their names, no class
// before all and literals after all.
func compareLinks(x, y Link) int {
	return cmp.Or(cmp.Compare(y.Count, x.Count), compareEnds(x.From, y.From), cmp.Compare(x.Predicate, y.Predicate), compareEnds(x.To, y.To))
}

func compareEnds(x, y string) int {
	place := func(s string) int {
		switch s {
		case Untyped:
			return 0
		case Literal:
			return 2
		}
		return 1
	}
	return cmp.Or(cmp.Compare(place(x), place(y)), cmp.Compare(x, y))
}
