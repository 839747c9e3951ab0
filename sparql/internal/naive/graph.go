package naive

import (
	"fmt"

	"github.com/rete-go/rete/rdf"
	"github.com/rete-go/rete/sparql/internal/algebra"
)

// graphBuilder collects triples, each once.
type graphBuilder struct {
	seen map[rdf.Quad]bool
	list []rdf.Quad
}

func (g *graphBuilder) add(s, p, o rdf.Term) {
	q := rdf.Quad{S: s, P: p, O: o}
	if !g.seen[q] {
		g.seen[q] = true
		g.list = append(g.list, q)
	}
}

// construct instantiates the template for each row; what is no triple of RDF is
// left out.
func construct(q *algebra.Query, rows []Row) []rdf.Quad {
	g := &graphBuilder{seen: make(map[rdf.Quad]bool)}
	for i, r := range rows {
		for _, t := range q.Template {
			s, p, o := instance(q, t.S, r, i), instance(q, t.P, r, i), instance(q, t.O, r, i)
			if subject(s) && p.Kind() == rdf.KindIRI && !o.IsZero() {
				g.add(s, p, o)
			}
		}
	}
	return g.list
}

func subject(t rdf.Term) bool { return t.Kind() == rdf.KindIRI || t.Kind() == rdf.KindBlank }

// instance returns the term of a position of a template in solution number i.
func instance(q *algebra.Query, a algebra.Arg, r Row, i int) rdf.Term {
	switch {
	case a.Triple != nil:
		s, p, o := instance(q, a.Triple[0], r, i), instance(q, a.Triple[1], r, i), instance(q, a.Triple[2], r, i)
		if !subject(s) || p.Kind() != rdf.KindIRI || o.IsZero() {
			return rdf.Term{}
		}
		return rdf.TripleTerm(s, p, o)
	case !a.IsVar():
		return a.Term
	case q.Vars[a.Variable()].Kind == algebra.Blank:
		return rdf.Blank(fmt.Sprintf("c%dx%d", i, a.Variable()))
	}
	return r[a.Variable()]
}

// describe returns the concise bounded descriptions of the described terms.
func describe(q *algebra.Query, rows []Row, data *Dataset) []rdf.Quad {
	g := &graphBuilder{seen: make(map[rdf.Quad]bool)}
	done := make(map[rdf.Term]bool)
	var one func(t rdf.Term)
	one = func(t rdf.Term) {
		if t.IsZero() || done[t] {
			return
		}
		done[t] = true
		for _, x := range data.Default {
			if x[0] != t {
				continue
			}
			g.add(x[0], x[1], x[2])
			if x[2].Kind() == rdf.KindBlank {
				one(x[2])
			}
		}
	}
	for _, a := range q.Describe {
		if !a.IsVar() {
			one(a.Term)
			continue
		}
		for _, r := range rows {
			one(r[a.Variable()])
		}
	}
	return g.list
}
