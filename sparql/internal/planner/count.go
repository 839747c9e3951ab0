package planner

import (
	"context"
	"slices"

	"github.com/rete-go/rete/dataset"
	"github.com/rete-go/rete/sparql/internal/algebra"
	"github.com/rete-go/rete/sparql/internal/ast"
	"github.com/rete-go/rete/sparql/internal/plan"
)

// costCountJoin is the cost of a row of a join count, and costJoined that of a row that a
// join makes and a count drops, in nanoseconds.
const (
	costCountJoin = 8
	costJoined    = 8
)

// count plans COUNT over one pattern, of the graphs of a variable too, or an acyclic join of
// patterns of one graph, without keys or by one variable; nil if the grouping is something else, or
// few rows are joined.
func (p *Planner) count(ctx context.Context, op *algebra.Group, aggs []algebra.Aggregation, sc scope) (plan.Node, error) {
	_, graph := op.Input.(*algebra.Graph)
	if len(op.Keys) > 1 || len(aggs) == 0 && (len(op.Keys) == 0 || !graph) || len(sc.side) > 0 || sc.graph.Var != plan.NoVar {
		return nil, nil
	}
	n := &plan.Count{Key: len(op.Keys) == 1, Distinct: plan.NoVar}
	for _, a := range aggs {
		out := plan.Output{Var: a.Var}
		if !a.Star || a.Distinct {
			v, ok := a.Arg.(*algebra.VarExpr)
			out.Distinct = a.Kind == ast.Count && a.Distinct
			if !ok || !out.Distinct || !n.Key || v.Var == op.Keys[0] || n.Distinct != plan.NoVar && n.Distinct != v.Var {
				return nil, nil
			}
			n.Distinct = v.Var
		}
		n.Outs = append(n.Outs, out)
	}
	g := group{graph: sc.graph}
	switch op.Input.(type) {
	case *algebra.BGP, *algebra.Join, *algebra.Graph:
		if err := p.flatten(ctx, op.Input, sc.graph, &g); err != nil {
			return nil, err
		}
	}
	if parts := len(g.parts); len(g.filters) > 0 || parts > 2 && !p.spend(parts*parts) {
		return nil, nil
	}
	t := tree{p: p, sc: sc, seen: make(map[*spec]bool)}
	for _, pt := range g.parts {
		if s := pt.spec; s == nil || s.none || len(s.same)+len(s.unfold)+len(s.not) > 0 || pt.graph.Var != plan.NoVar && len(g.parts) > 1 {
			return nil, nil
		}
		t.specs = append(t.specs, pt.spec)
	}
	root, rows := plan.NoVar, 1.0
	if n.Key {
		root = op.Keys[0]
		n.Vars = append(n.Vars, root)
	}
	switch {
	case len(aggs) == 0 && (len(t.specs) != 1 || t.specs[0].graph.Var != root):
	case len(t.specs) == 1:
		if n.Root = p.countOne(t.specs[0], root, n.Distinct, sc); n.Key {
			rows = t.specs[0].of(root)
		}
	case len(t.specs) > 1 && n.Distinct == plan.NoVar:
		n.Root, rows = p.countJoin(&g, &t, root)
	}
	if n.Root == nil {
		return nil, nil
	}
	n.Rows = rows
	for _, out := range n.Outs {
		n.Vars = append(n.Vars, out.Var)
	}
	n.Sure = plan.SetOf(n.Vars...)
	return n, nil
}

// graphs plans the distinct graphs in which one pattern has rows, as the keys of their counts; nil if
// the rows are of something else, or the first ones are wanted.
func (p *Planner) graphs(ctx context.Context, op *algebra.Distinct, sc scope) (plan.Node, error) {
	pr, ok := op.Input.(*algebra.Project)
	if !ok || len(pr.Vars) != 1 || sc.few > 0 {
		return nil, nil
	}
	return p.count(ctx, &algebra.Group{Input: pr.Input, Keys: pr.Vars}, nil, sc)
}

// countOne returns what counts the rows of one pattern, by the ids of a variable unless that is
// NoVar; nil if no order has them one after the other.
func (p *Planner) countOne(s *spec, key, distinct plan.Var, sc scope) *plan.Branches {
	sc.need = plan.SetOf(key, distinct)
	scan := p.scan(s, sc).(*plan.Scan)
	switch g := s.graph; {
	case key == plan.NoVar:
	case key == g.Var && distinct == plan.NoVar:
	default:
		first, second := key, distinct
		if key == g.Var { // graph follows graph
			first, second = distinct, plan.NoVar
		} else if g.Param >= 0 || g.Mode == dataset.Each && len(g.Set) != 1 {
			return nil
		}
		o, ok := p.sortedBy(s, first, second)
		if !ok {
			return nil
		}
		scan.Order = o
	}
	return &plan.Branches{Var: key, List: []*plan.Branch{{Scan: scan}}}
}

// countJoin returns what counts the rows of a join of patterns, and how many rows that are, by
// the ids of a variable or, for NoVar, in all; nil if the patterns have a cycle or few rows are
// joined.
func (p *Planner) countJoin(g *group, t *tree, key plan.Var) (*plan.Branches, float64) {
	result, all := &facts{rows: 1}, 0.0
	for _, pt := range g.parts {
		all += pt.rows
		result = joined(result, &pt.facts)
	}
	if all*costCountJoin > result.rows*costJoined {
		return nil, 0
	}
	root, rows := key, result.of(key)
	if key == plan.NoVar {
		root, rows = t.root(), 1
	}
	b := t.hang(root, nil)
	if len(t.seen) < len(t.specs) {
		return nil, 0
	}
	return b, rows
}

// sortedBy returns an order in which one variable stands after the constants of a
// pattern, and another one, unless it is NoVar, after that.
func (p *Planner) sortedBy(s *spec, first, second plan.Var) (dataset.Order, bool) {
	fixed := plan.FixedIn(&s.pattern)
	for _, o := range p.ds.Orders(s.pattern) {
		cols, n := o.Columns(), o.Leads(fixed)
		if n != fixed.Len() || n == len(cols) || s.cols[cols[n]] != first {
			continue
		}
		if second == plan.NoVar || n+1 < len(cols) && s.cols[cols[n+1]] == second {
			return o, true
		}
	}
	return 0, false
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

// leadWith gives a scan an order in which a variable stands after the
// constants, if there is one.
func (p *Planner) leadWith(s *plan.Scan, v plan.Var) bool {
	o, ok := p.orderBy(s.Pattern, s.Cols, v)
	if ok {
		s.Order = o
	}
	return ok
}

// orderBy returns an order in which a variable stands after the constants of a
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
