package planner

import (
	"github.com/rete-go/rete/rdf"
	"github.com/rete-go/rete/sparql/internal/algebra"
	"github.com/rete-go/rete/sparql/internal/plan"
)

// Construct puts the template of a CONSTRUCT over a plan, and drops what comes twice.
// Variables in bound stand for terms.
func (p *Planner) Construct(n plan.Node, triples []algebra.QuadTemplate, bound map[plan.Var]rdf.Term) plan.Node {
	t := &plan.Construct{Input: n, Triples: make([]algebra.QuadTemplate, len(triples))}
	for i, x := range triples {
		x.S, x.P, x.O = fixed(x.S, bound), fixed(x.P, bound), fixed(x.O, bound)
		t.Triples[i] = x
	}
	t.Vars = []plan.Var{p.newVar("subject"), p.newVar("predicate"), p.newVar("object")}
	t.Sure, t.Rows = plan.SetOf(t.Vars...), n.Base().Rows*float64(len(triples))
	d := &plan.Distinct{Input: t}
	d.Info = t.Info
	return d
}

// fixed returns a position with terms in the places of variables.
func fixed(a algebra.Arg, bound map[plan.Var]rdf.Term) algebra.Arg {
	switch {
	case a.Triple != nil:
		var t [3]algebra.Arg
		for i, x := range a.Triple {
			t[i] = fixed(x, bound)
		}
		return algebra.Arg{Triple: &t}
	case a.IsVar():
		if term, ok := bound[a.Variable()]; ok {
			return algebra.TermArg(term)
		}
	}
	return a
}
