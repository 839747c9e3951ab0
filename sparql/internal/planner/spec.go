package planner

import (
	"context"
	"slices"

	"github.com/rete-go/rete/dataset"
	"github.com/rete-go/rete/sparql/internal/algebra"
	"github.com/rete-go/rete/sparql/internal/plan"
)

// spec is a triple pattern in ids: a scan that has not been given its order.
type spec struct {
	facts
	pattern dataset.Pattern
	cols    [4]plan.Var
	graph   plan.Graph
	same    [][2]dataset.Col
	not     []plan.ID
	none    bool // a constant is not in the data: no rows
	unfold  []unfold
	terms   [3]*plan.TermSet // if not nil, the terms that S, P and O may have
	share   [3]float64       // the part of the rows that have them
	walked  bool             // column O is to be walked in the order of values
	text    dataset.Cols     // columns whose text is read row by row, of which few will do
}

// only returns the spec with more said of the terms of a column by set, which a share of its
// rows have.
func (s *spec) only(c dataset.Col, share float64, set func(t *plan.TermSet)) *spec {
	w := s.fewer(min(s.rows, s.rows*share+1))
	w.terms[c] = new(plan.TermSet)
	if have := s.terms[c]; have != nil {
		*w.terms[c] = *have
	}
	set(w.terms[c])
	w.share[c] = share
	if d, ok := s.distinct[s.cols[c]]; ok {
		w.distinct[s.cols[c]] = min(d*share+1, w.rows)
	}
	return w
}

// fewer returns the spec with the given part of its rows.
func (s *spec) fewer(rows float64) *spec {
	w := *s
	w.rows = rows
	w.distinct = make(map[plan.Var]float64, len(s.distinct))
	for v, d := range s.distinct {
		w.distinct[v] = min(d, rows)
	}
	return &w
}

// tested reports whether terms of a column are tested before the scan.
func (s *spec) tested() bool { return slices.ContainsFunc(s.terms[:], (*plan.TermSet).Tested) }

// unfold is a triple term with variables: the column that holds it and what its
// parts must be.
type unfold struct {
	v    plan.Var
	args [3]plan.Arg
}

// specOf returns the spec of a pattern of a query, made once.
func (p *Planner) specOf(ctx context.Context, t *algebra.TriplePattern, g plan.Graph) (*spec, error) {
	if s, ok := p.specs[t]; ok {
		return s, nil
	}
	s, err := p.newSpec(ctx, [3]algebra.Arg{t.S, t.P, t.O}, g, nil)
	if err == nil {
		p.specs[t] = s
	}
	return s, err
}

// newSpec makes a spec of three positions; not excludes predicates.
func (p *Planner) newSpec(ctx context.Context, args [3]algebra.Arg, g plan.Graph, not []plan.ID) (*spec, error) {
	s := &spec{cols: [4]plan.Var{plan.NoVar, plan.NoVar, plan.NoVar, g.Var}, graph: g, not: not}
	s.pattern.G = g.Graphs
	ends := [3]*plan.ID{&s.pattern.S, &s.pattern.P, &s.pattern.O}
	for c, arg := range args {
		switch {
		case arg.IsVar():
			s.cols[c] = arg.Variable()
		case arg.Triple != nil:
			v := p.newVar("triple")
			s.cols[c] = v
			if err := p.addUnfold(ctx, s, v, arg.Triple); err != nil {
				return nil, err
			}
		default:
			id, err := p.id(ctx, arg.Term)
			if err != nil {
				return nil, err
			}
			*ends[c] = id
			s.none = s.none || id.IsLocal()
		}
	}
	s.findSame()
	return s, p.measure(ctx, s)
}

// findSame turns repeated variables into comparisons of columns.
func (s *spec) findSame() {
	for c := range s.cols {
		for d := range c {
			if s.cols[c] != plan.NoVar && s.cols[c] == s.cols[d] {
				s.same = append(s.same, [2]dataset.Col{dataset.Col(d), dataset.Col(c)})
				break
			}
		}
	}
}

func (p *Planner) addUnfold(ctx context.Context, s *spec, v plan.Var, t *[3]algebra.Arg) error {
	u := unfold{v: v}
	inner := []unfold{}
	for i, arg := range t {
		switch {
		case arg.IsVar():
			u.args[i] = plan.Arg{Var: arg.Variable()}
		case arg.Triple != nil:
			u.args[i] = plan.Arg{Var: p.newVar("triple")}
			nested := &spec{}
			if err := p.addUnfold(ctx, nested, u.args[i].Var, arg.Triple); err != nil {
				return err
			}
			inner = append(inner, nested.unfold...)
		default:
			id, err := p.id(ctx, arg.Term)
			if err != nil {
				return err
			}
			u.args[i] = plan.Arg{Var: plan.NoVar, ID: id}
		}
	}
	s.unfold = append(append(s.unfold, u), inner...)
	return nil
}

// measure fills in the facts of a spec.
func (p *Planner) measure(ctx context.Context, s *spec) error {
	s.distinct = make(map[plan.Var]float64)
	s.vars = plan.SetOf(s.cols[:]...)
	s.narrow = s.vars
	for _, u := range s.unfold {
		for _, a := range u.args {
			s.vars = s.vars.Union(plan.SetOf(a.Var))
		}
	}
	s.sure, s.graphs = s.vars, plan.SetOf(s.graph.Var)
	if s.none {
		return nil
	}
	card, err := p.estimate(ctx, s.pattern)
	if err != nil {
		return err
	}
	s.rows = float64(card.Guess)
	for c, v := range s.cols {
		if v != plan.NoVar && card.Distinct[c] > 0 {
			s.distinct[v] = float64(card.Distinct[c])
		}
	}
	for range s.same {
		s.rows /= 10
	}
	return nil
}

// scan makes the scan of a spec, narrowed by sc and with the columns that are
// needed.
func (p *Planner) scan(s *spec, sc scope) plan.Node {
	if s.none {
		return plan.Empty()
	}
	need := sc.need
	for _, u := range s.unfold { // the parts are compared with the columns of the scan
		need = need.Union(plan.SetOf(u.v, u.args[0].Var, u.args[1].Var, u.args[2].Var))
	}
	n := &plan.Scan{Pattern: s.pattern, Graph: s.graph, Same: s.same, Not: s.not, Terms: s.terms, Walked: s.walked}
	n.Rows, n.All = narrowed(&s.facts, sc), s.rows
	fixed := dataset.Cols(0)
	for c, v := range s.cols {
		n.Cols[c] = v
		if v == plan.NoVar {
			continue
		}
		n.Within[c] = sc.ref(v)
		if need.Has(v) && !n.Sure.Has(v) {
			n.Vars = append(n.Vars, v)
			n.Sure.Add(v)
		}
	}
	for c := dataset.S; c <= dataset.O; c++ {
		if s.pattern.At(c) != 0 {
			fixed |= c.Bit()
		}
	}
	narrow := n.Within
	for c, t := range s.terms {
		if t.Listed() && narrow == [4]*plan.Ref{} {
			narrow[c] = &plan.Ref{Var: s.cols[c]}
		}
	}
	for c := dataset.S; c <= dataset.O; c++ {
		if s.text.Has(c) && narrow == [4]*plan.Ref{} {
			narrow[c] = &plan.Ref{Var: s.cols[c]}
		}
	}
	if s.walked && narrow == [4]*plan.Ref{} {
		narrow[dataset.O] = &plan.Ref{Var: s.cols[dataset.O]}
	}
	for c, t := range s.terms {
		if t != nil && s.share[c] < maxSought && narrow == [4]*plan.Ref{} {
			narrow[c] = &plan.Ref{Var: s.cols[c]}
		}
	}
	n.Order = p.order(s.pattern, fixed, narrow)
	return unfolded(n, s.unfold)
}

// unfolded takes the triple terms of a node apart.
func unfolded(n plan.Node, list []unfold) plan.Node {
	for _, u := range list {
		in := n.Base()
		x := &plan.Unfold{Input: n, Var: u.v, Args: u.args}
		x.Vars, x.Sure, x.Rows = slices.Clone(in.Vars), in.Sure, in.Rows
		for _, a := range u.args {
			if a.Var != plan.NoVar && !x.Sure.Has(a.Var) {
				x.Vars = append(x.Vars, a.Var)
				x.Sure = x.Sure.Union(plan.SetOf(a.Var))
			}
		}
		n = x
	}
	return n
}

// maxSought is the part of the rows up to which a scan seeks the ranges of a column.
const maxSought = 0.5

// order chooses the order of a scan.
func (p *Planner) order(pat dataset.Pattern, fixed dataset.Cols, within [4]*plan.Ref) dataset.Order {
	return plan.BestOrder(p.ds.Orders(pat), fixed, within)
}
