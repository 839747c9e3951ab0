package sparql

import (
	"slices"

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
