package sparql

import (
	"context"
	"slices"

	"github.com/rete-go/rete/dataset"
	"github.com/rete-go/rete/rdf"
	"github.com/rete-go/rete/sparql/internal/algebra"
)

// chooses keeps in which graphs the query is run.
func (s *session) chooses(c *config) {
	d := s.query.q.Dataset
	if c.graphs {
		d = &algebra.Dataset{Default: c.defaultGraph, Named: c.namedGraphs}
	}
	if s.plain = d == nil && !c.union && c.with.IsZero(); d != nil {
		s.from = slices.Concat(d.Default, d.Named)
	}
}

// useOfGraphs is in which graphs a query has patterns.
type useOfGraphs struct {
	unnamed bool       // in the default graph
	any     bool       // in graphs that a variable names
	names   []rdf.Term // of the graphs that it names
}

func usesOf(root algebra.Op) *useOfGraphs {
	u := new(useOfGraphs)
	u.add(root)
	return u
}

func (u *useOfGraphs) add(o algebra.Op) {
	switch o := o.(type) {
	case *algebra.BGP:
		u.unnamed = u.unnamed || len(o.Patterns) > 0
	case *algebra.Path, *algebra.Search:
		u.unnamed = true
	case *algebra.Service:
		return
	case *algebra.Graph:
		if o.Name.IsVar() {
			u.any = true
		} else if o.Name.Term != UnionGraph && o.Name.Term != DefaultGraph {
			u.names = append(u.names, o.Name.Term)
		}
		return
	}
	for _, in := range algebra.Inputs(o) {
		u.add(in)
	}
}

// rowsOf counts the rows of a pattern. Of a distant dataset the number is not 0 unless that is
// known without reading.
func (s *session) rowsOf(ctx context.Context, p dataset.Pattern) (uint64, error) {
	ds := s.terms.Dataset()
	if !isDistant(ds) {
		return ds.Count(ctx, p)
	}
	card, err := ds.Estimate(ctx, p)
	return card.High, err
}

// noteGraphs tells of graphs that are empty, and reports whether the default graph is.
func (s *session) noteGraphs(ctx context.Context, u *useOfGraphs) (empty bool, err error) {
	ds := s.terms.Dataset()
	for _, name := range append(slices.Clone(s.from), u.names...) {
		if name == UnionGraph || name == DefaultGraph {
			continue
		}
		id := make([]dataset.ID, 1)
		if err := ds.Lookup(ctx, []rdf.Term{name}, id); err != nil {
			return false, err
		}
		n := uint64(0)
		if id[0] != 0 {
			if n, err = s.rowsOf(ctx, dataset.Pattern{G: dataset.Graphs{Mode: dataset.Each, Set: id}}); err != nil {
				return false, err
			}
		}
		if n == 0 {
			s.notes.add("there is no graph %s", noted(name))
		}
	}
	if !s.plain || !u.unnamed && !u.any {
		return false, nil
	}
	unnamed, err := s.rowsOf(ctx, dataset.Pattern{})
	if err != nil {
		return false, err
	}
	named, err := s.rowsOf(ctx, dataset.Pattern{G: dataset.Graphs{Mode: dataset.Each}})
	switch {
	case err != nil:
		return false, err
	case unnamed == 0 && named == 0:
		s.notes.add("there is no data")
	case unnamed == 0 && u.unnamed:
		s.notes.add("the default graph is empty, the named graphs are not; use GRAPH ?g { … } or --union-default-graph")
		return true, nil
	case named == 0 && u.any:
		s.notes.add("there are no named graphs, all triples are in the default graph: leave GRAPH out")
	}
	return unnamed == 0, nil
}

// notePredicate tells of a predicate that occurs in named graphs only.
func (s *session) notePredicate(ctx context.Context, t rdf.Term, id dataset.ID) error {
	ds := s.terms.Dataset()
	unnamed, err := ds.Count(ctx, dataset.Pattern{P: id})
	if err != nil || unnamed > 0 {
		return err
	}
	named, err := ds.Count(ctx, dataset.Pattern{P: id, G: dataset.Graphs{Mode: dataset.Each}})
	if err == nil && named > 0 {
		s.notes.add("the predicate %s occurs in named graphs only; use GRAPH ?g { … } or --union-default-graph", noted(t))
	}
	return err
}
