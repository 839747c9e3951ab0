package planner

import (
	"context"
	"slices"

	"github.com/rete-go/rete/dataset"
	"github.com/rete-go/rete/sparql/internal/algebra"
	"github.com/rete-go/rete/sparql/internal/plan"
)

// costCountJoin is the cost of a row of a join count, and costJoined that of a row that a
// join makes and a count drops, in nanoseconds.
const (
	costCountJoin = 8
	costJoined    = 8
)

// countJoin plans COUNT over an acyclic join of patterns, without keys or by one
// variable of the join; nil if the grouping is something else, or few rows are
// joined.
func (p *Planner) countJoin(ctx context.Context, op *algebra.Group, aggs []algebra.Aggregation, sc scope) (plan.Node, error) {
	if len(op.Keys) > 1 || len(sc.side) > 0 || sc.graph.Var != plan.NoVar {
		return nil, nil
	}
	for _, a := range aggs {
		if !a.Star || a.Distinct {
			return nil, nil
		}
	}
	g := group{graph: sc.graph}
	switch op.Input.(type) {
	case *algebra.BGP, *algebra.Join:
		if err := p.flatten(ctx, op.Input, sc.graph, &g); err != nil {
			return nil, err
		}
	}
	if n := len(g.parts); n > 2 && !p.spend(n*n) {
		return nil, nil
	}
	t := tree{p: p, sc: sc, seen: make(map[*spec]bool)}
	result, all := &facts{rows: 1}, 0.0
	for _, pt := range g.parts {
		if pt.spec == nil || pt.spec.none || len(pt.spec.same)+len(pt.spec.unfold)+len(pt.spec.not) > 0 || pt.graph.Var != plan.NoVar {
			return nil, nil
		}
		t.specs = append(t.specs, pt.spec)
		all += pt.rows
		result = joined(result, &pt.facts)
	}
	if len(t.specs) < 2 || len(g.filters) > 0 || all*costCountJoin > result.rows*costJoined {
		return nil, nil
	}
	root := t.root()
	if len(op.Keys) == 1 {
		root = op.Keys[0]
	}
	n := &plan.CountJoin{Key: len(op.Keys) == 1}
	if n.Root = t.hang(root, nil); n.Root == nil || len(t.seen) < len(t.specs) {
		return nil, nil
	}
	n.Rows = 1
	if n.Key {
		n.Vars, n.Rows = append(n.Vars, root), result.of(root)
	}
	for _, a := range aggs {
		n.Outs = append(n.Outs, a.Var)
	}
	n.Vars = append(n.Vars, n.Outs...)
	n.Sure = plan.SetOf(n.Vars...)
	return n, nil
}

// tree hangs patterns on variables.
type tree struct {
	p     *Planner
	sc    scope
	specs []*spec
	seen  map[*spec]bool
	vars  plan.Set
}

// root returns the variable that stands in most patterns.
func (t *tree) root() plan.Var {
	best, most := plan.NoVar, 1
	for _, v := range t.all().Vars() {
		n := 0
		for _, s := range t.specs {
			if s.vars.Has(v) {
				n++
			}
		}
		if n > most {
			best, most = v, n
		}
	}
	return best
}

func (t *tree) all() plan.Set {
	var s plan.Set
	for _, x := range t.specs {
		s = s.Union(x.vars)
	}
	return s
}

// hang returns what hangs on a variable, apart from the pattern above; nil if
// the patterns have a cycle.
func (t *tree) hang(v plan.Var, above *spec) *plan.Branches {
	if v == plan.NoVar || t.vars.Has(v) {
		return nil
	}
	t.vars = t.vars.Union(plan.SetOf(v))
	b := &plan.Branches{Var: v}
	for _, s := range t.specs {
		if s == above || !s.vars.Has(v) {
			continue
		}
		if t.seen[s] {
			return nil
		}
		t.seen[s] = true
		branch := &plan.Branch{}
		need := plan.SetOf(v)
		for _, w := range s.vars.Vars() {
			if w == v || !t.shared(w, s) {
				continue
			}
			below := t.hang(w, s)
			if below == nil {
				return nil
			}
			branch.Below = append(branch.Below, below)
			need.Add(w)
		}
		scan := t.sc
		scan.need = need
		branch.Scan = t.p.scan(s, scan).(*plan.Scan)
		t.p.leadWith(branch.Scan, v)
		b.List = append(b.List, branch)
	}
	slices.SortStableFunc(b.List, func(x, y *plan.Branch) int {
		switch {
		case x.Scan.Rows < y.Scan.Rows:
			return -1
		case x.Scan.Rows > y.Scan.Rows:
			return 1
		}
		return 0
	})
	return b
}

// shared reports whether another pattern has the variable.
func (t *tree) shared(v plan.Var, than *spec) bool {
	for _, s := range t.specs {
		if s != than && s.vars.Has(v) {
			return true
		}
	}
	return false
}

// leadWith gives a scan an order in which a variable stands behind the
// constants, if there is one.
func (p *Planner) leadWith(s *plan.Scan, v plan.Var) bool {
	o, ok := p.orderBy(s.Pattern, s.Cols, v)
	if ok {
		s.Order = o
	}
	return ok
}

// orderBy returns an order in which a variable stands behind the constants of a
// pattern with these variables.
func (p *Planner) orderBy(pat dataset.Pattern, cols [4]plan.Var, v plan.Var) (dataset.Order, bool) {
	fixed := plan.FixedIn(&pat)
	col := dataset.Col(slices.Index(cols[:], v))
	for _, o := range p.ds.Orders(pat) {
		if n := o.Leads(fixed); n == fixed.Len() && n < 3 && o.Columns()[n] == col {
			return o, true
		}
	}
	return 0, false
}
