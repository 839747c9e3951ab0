package sparql

import (
	"context"
	"slices"

	"golang.org/x/sync/errgroup"

	"github.com/rete-go/rete/dataset"
	"github.com/rete-go/rete/rdf"
	"github.com/rete-go/rete/sparql/internal/algebra"
)

// Constant is a term that stands in a triple pattern of a query, outside EXISTS.
type Constant struct {
	Term      rdf.Term
	Predicate bool // in the place of the predicate, in one of the patterns at least
}

// Constants returns the terms of the query's triple patterns, each once, in the
// order of the text: what must be in the data for the patterns to match. A query
// without rows may have one that is not.
func (q *Query) Constants() []Constant {
	var out []Constant
	add := func(a algebra.Arg, predicate bool) {
		if a.Term.IsZero() {
			return
		}
		i := slices.IndexFunc(out, func(c Constant) bool { return c.Term == a.Term })
		if i < 0 {
			out = append(out, Constant{a.Term, predicate})
		} else {
			out[i].Predicate = out[i].Predicate || predicate
		}
	}
	algebra.Walk(q.q.Root, func(o algebra.Op) {
		if bgp, ok := o.(*algebra.BGP); ok {
			for _, p := range bgp.Patterns {
				add(p.S, false)
				add(p.P, true)
				add(p.O, false)
			}
		}
	})
	return out
}

// isDistant reports whether a dataset is read over a network.
func isDistant(ds dataset.Dataset) bool {
	d, ok := ds.(dataset.Distant)
	return ok && d.Distant()
}

// distantEstimates is how many estimates are made side by side.
const distantEstimates = 32

// askAhead asks a distant dataset together for what planning asks for term by term and
// pattern by pattern: it then finds it in memory.
func (s *session) askAhead(ctx context.Context, root algebra.Op) error {
	ds := s.terms.Dataset()
	if !isDistant(ds) {
		return nil
	}
	var patterns []algebra.TriplePattern
	var surfaces []string
	algebra.Walk(root, func(o algebra.Op) {
		bgp, ok := o.(*algebra.BGP)
		if !ok {
			return
		}
		for _, p := range bgp.Patterns {
			patterns = append(patterns, p)
			for _, a := range [...]algebra.Arg{p.S, p.P, p.O} {
				if !a.Term.IsZero() {
					surfaces = append(surfaces, a.Term.Surface())
				}
			}
		}
	})
	if err := s.terms.Intern(ctx, surfaces, make([]dataset.ID, len(surfaces))); err != nil {
		return err
	}
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(distantEstimates)
	for _, p := range patterns {
		stored, ok, err := s.storedPattern(ctx, p)
		if err != nil {
			return err
		}
		if ok {
			g.Go(func() error {
				_, err := ds.Estimate(ctx, stored)
				return err
			})
		}
	}
	return g.Wait()
}

// storedPattern returns a pattern by ids; ok is false if the data lacks one of its terms.
func (s *session) storedPattern(ctx context.Context, p algebra.TriplePattern) (stored dataset.Pattern, ok bool, err error) {
	stored.G = s.graph
	for _, c := range []struct {
		term rdf.Term
		id   *dataset.ID
	}{{p.S.Term, &stored.S}, {p.P.Term, &stored.P}, {p.O.Term, &stored.O}} {
		if c.term.IsZero() {
			continue
		}
		if *c.id, err = s.terms.InternOne(ctx, c.term.Surface()); err != nil || c.id.IsLocal() {
			return stored, false, err
		}
	}
	return stored, true, nil
}

// firstRows is how many rows the first page of an answer has: few, so that it comes soon,
// but from a distant dataset all that are there, whose terms take one wait.
func (s *session) firstRows() int {
	if isDistant(s.terms.Dataset()) {
		return dataset.MaxBatch
	}
	return firstPage
}
