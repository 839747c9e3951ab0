package pyramid

import (
	"maps"
	"slices"

	"github.com/rete-go/rete/internal/summary"
)

// Summary gives predicates their names, those of ids 1, 2, …
func (p *Pyramid) Summary(rounds uint16, names []string) *summary.Summary {
	s := &summary.Summary{Rounds: rounds}
	at := make([]*summary.Predicate, len(names))
	list := make([]summary.Predicate, len(names))
	for i, name := range names {
		list[i].Name = name
		at[i] = &list[i]
	}
	sizes := map[uint32]uint64{}
	for _, e := range p.Edges {
		if !p.Distinct {
			at[e.Predicate-1].Triples += e.Count
			s.Triples += e.Count
		}
		sizes[e.From] += e.Count
		s.Between = append(s.Between, summary.Between{From: e.From, Predicate: names[e.Predicate-1], To: e.To, Triples: e.Count})
	}
	for _, st := range p.Stats {
		x := at[st.Predicate-1]
		x.Subjects, x.Objects, x.MaxObjects, x.MaxSubjects = st.Subjects, st.Objects, st.MaxObjects, st.MaxSubjects
		if p.Distinct {
			x.Triples = st.Count
			s.Triples += st.Count
		}
	}
	for i := range list {
		if list[i].Triples > 0 {
			s.Predicates = append(s.Predicates, list[i])
		}
	}
	if p.Schema != nil {
		s.Hierarchy, s.Levels = p.Schema.Classes, p.Schema.Levels
		s.Cycles, s.Disjoint, s.Equivalent = p.Schema.Cycles, p.Schema.Disjoint, p.Schema.Equivalent
		s.Communities = p.Schema.Communities
	}
	addCommunities(s, sizes)
	return s
}

// addCommunities lists the communities that the schema does not, and gives all their triples.
func addCommunities(s *summary.Summary, sizes map[uint32]uint64) {
	for i := range s.Communities {
		c := &s.Communities[i]
		c.Triples = sizes[c.Number]
		delete(sizes, c.Number)
	}
	for _, n := range slices.Sorted(maps.Keys(sizes)) {
		s.Communities = append(s.Communities, summary.Community{Number: n, Triples: sizes[n]})
	}
}
