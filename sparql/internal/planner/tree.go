package planner

import (
	"context"
	"math"
	"slices"

	"github.com/rete-go/rete/sparql/internal/plan"
)

// joinTree is an order of joins: an operand, or two trees.
type joinTree struct {
	part        int // -1 for a join
	left, right *joinTree
	facts       *facts
	cost        float64 // in nanoseconds
	merge       mergeOn // of a join by a merge; else notMerged
	perRow      float64 // of reading a row of an operand: its filters
}

// members adds the operands of a tree to a set of their numbers.
func (t *joinTree) members(s *plan.Set) {
	if t.part >= 0 {
		s.Add(plan.Var(t.part))
		return
	}
	t.left.members(s)
	t.right.members(s)
}

// Bounds of the search for an order: up to this number of operands all orders are weighed, unless
// the greedy order costs less, in nanoseconds, than minSearched or than the search may:
// about costWeighed for each of the pairs of sets, of which there are 3 to the number of
// operands.
const (
	maxSearched = 9
	minSearched = 30_000
	costWeighed = 10
)

// costRow is the cost of a row that a join makes, costFilter that of a condition
// on a row, the reading of its values included.
const (
	costRow    = 15
	costFilter = 200
)

// operands are the parts of a group in one scope.
type operands struct {
	p    *Planner
	g    *group
	sc   scope
	leaf []*joinTree
	sure []plan.Set // of each filter: what it reads of the group
	// share is the part of the rows that is needed.
	share float64
}

func (p *Planner) operandsOf(g *group, sc scope) *operands {
	o := &operands{p: p, g: g, sc: sc}
	vars := groupVars(g)
	for _, e := range g.filters {
		o.sure = append(o.sure, p.exprVars(e).And(vars))
	}
	p.meter.Step(len(g.parts) * (1 + len(g.filters)))
	for i := range g.parts {
		f := g.parts[i].facts
		f.rows = narrowed(&f, sc)
		cost := f.rows * costScan
		if g.parts[i].spec == nil {
			cost = f.rows * 10 * costScan
		}
		perRow := 0.0
		for k, read := range o.sure {
			if read.Within(f.sure) {
				perRow += costFilter
				f.rows *= selectivity(g.filters[k])
			}
		}
		cost += perRow * g.parts[i].rows
		o.leaf = append(o.leaf, &joinTree{part: i, facts: &f, cost: cost, perRow: perRow, merge: notMerged})
	}
	return o
}

// order returns the order of joins: the greedy one, unless it is dear and there
// are few enough operands to weigh all.
func (o *operands) order() *joinTree {
	t := o.greedy()
	n := len(o.leaf)
	o.share = share(o.sc, t.facts.rows)
	least := max(minSearched, costWeighed*math.Pow(3, float64(n)))
	if n < 3 || n > maxSearched || t.cost*o.share < least || o.remote() || !o.p.spend(int(math.Pow(3, float64(n)))) {
		return t
	}
	if best := o.search(t.cost); best != nil {
		return best
	}
	return t
}

// remote reports whether an operand must be joined when something else is bound.
func (o *operands) remote() bool {
	for _, pt := range o.g.parts {
		if pt.remote {
			return true
		}
	}
	return false
}

// linked reports whether two sets of operands share a variable, or a filter
// equates two.
func (o *operands) linked(a, b *facts) bool {
	if a.sure.Meets(b.sure) {
		return true
	}
	_, _, ok := equated(o.g.filters, a.sure, b.sure)
	return ok
}

// rows returns the rows of a join, with the filters that then can be placed.
func (o *operands) rows(a, b *facts) float64 {
	return o.filtered(joinedRows(a, b), a.sure, b.sure)
}

// filtered returns the rows of a join that are left by the filters that can be
// placed over it, and not below. a and b are the sure variables of its sides.
func (o *operands) filtered(rows float64, a, b plan.Set) float64 {
	if len(o.sure) == 0 {
		return rows
	}
	if _, _, ok := equated(o.g.filters, a, b); ok && !a.Meets(b) {
		rows *= 0.05
	}
	both := a.Union(b)
	for i, vars := range o.sure {
		if vars.Within(both) && !vars.Within(a) && !vars.Within(b) {
			rows *= selectivity(o.g.filters[i])
		}
	}
	return rows
}

// joined returns the facts of a join.
func (o *operands) joined(a, b *facts) *facts {
	f := joined(a, b)
	f.rows = o.rows(a, b)
	return f
}

// join returns the tree of two trees.
func (o *operands) join(l, r *joinTree, f *facts) *joinTree {
	t := &joinTree{part: -1, left: l, right: r, facts: f, merge: notMerged}
	cost := onceCost(l.facts.rows, r.facts.rows, r.cost)
	if r.part >= 0 {
		keys := l.facts.sure.And(r.facts.sure)
		cost = min(cost, probeCost(l.facts.rows, r.facts, keys)+l.facts.rows*r.perRow)
	}
	if on, merge := o.merges(l, r); on != notMerged && merge < cost {
		cost, t.merge = merge, on
	}
	t.cost = l.cost + cost + f.rows*costRow
	return t
}

// onceCost is the cost of running the right side once and looking all left rows
// up in it.
func onceCost(left, right, rightCost float64) float64 {
	return rightCost + right*costBuild + left*costFind
}

// probeCost is the cost of narrowing an operand by the keys of left rows.
func probeCost(left float64, right *facts, keys plan.Set) float64 {
	most := 0.0
	for _, k := range keys.Vars() {
		if right.narrow.Has(k) {
			most = max(most, right.of(k))
		}
	}
	return probesCost(left, right.rows, most)
}

// probesCost is probeCost by the rows of the operand and the most distinct ids of a
// key that narrows it; 0: there is none.
func probesCost(left, right, most float64) float64 {
	if most == 0 {
		return math.Inf(1)
	}
	return left * (costProbe + costScan*right/most)
}

// greedy takes the operand next that keeps the result smallest.
func (o *operands) greedy() *joinTree {
	rest := slices.Clone(o.leaf)
	at := 0
	for i, t := range rest {
		if t.facts.rows < rest[at].facts.rows {
			at = i
		}
	}
	tree := rest[at]
	for rest = slices.Delete(rest, at, at+1); len(rest) > 0; rest = slices.Delete(rest, at, at+1) {
		least, linked := math.Inf(1), false
		for i, t := range rest {
			link := o.linked(tree.facts, t.facts)
			if linked && !link {
				continue
			}
			rows := o.rows(tree.facts, t.facts)
			if link && !linked || rows < least || math.IsInf(least, 1) {
				least, at, linked = rows, i, link
			}
		}
		tree = o.join(tree, rest[at], o.joined(tree.facts, rest[at].facts))
	}
	return tree
}

// planParts plans a join of many.
func (p *Planner) planParts(ctx context.Context, g *group, sc scope) (plan.Node, error) {
	if len(g.parts) == 0 {
		return p.place(ctx, plan.Unit(), &facts{rows: 1}, g, sc, true)
	}
	if n := len(g.parts); n > 2 && !p.spend(n*(n+len(g.filters))) {
		return p.planLong(ctx, g, sc)
	}
	if err := p.byTerms(ctx, g); err != nil {
		return nil, err
	}
	for _, pt := range g.parts {
		if pt.spec != nil && pt.spec.none {
			return plan.Empty(), nil
		}
	}
	if err := p.byDictFilter(ctx, g, sc); err != nil {
		return nil, err
	}
	if err := p.byValues(ctx, g); err != nil {
		return nil, err
	}
	g = p.walked(g, sc)
	g, err := p.multiway(ctx, g, sc)
	if err != nil {
		return nil, err
	}
	o := p.operandsOf(g, sc)
	return o.build(ctx, o.order(), sc, true)
}

// build plans a tree and places the filters over it whose variables are bound;
// all that are left, at the root.
func (o *operands) build(ctx context.Context, t *joinTree, sc scope, root bool) (plan.Node, error) {
	p := o.p
	need := sc.need.Union(p.readIn(o.g.filters, &o.g.graph))
	var inside plan.Set
	t.members(&inside)
	for i := range o.g.parts {
		if !inside.Has(plan.Var(i)) {
			need = need.Union(o.g.parts[i].vars)
		}
	}
	inner := sc
	inner.need = need
	var n plan.Node
	var err error
	if t.part >= 0 {
		n, err = p.planPart(ctx, o.g.parts[t.part], inner)
	} else {
		n, err = o.buildJoin(ctx, t, inner)
	}
	if err != nil || plan.IsEmpty(n) {
		return n, err
	}
	have := *t.facts
	return p.place(ctx, n, &have, o.g, sc, root)
}

// buildJoin plans a join of two trees.
func (o *operands) buildJoin(ctx context.Context, t *joinTree, sc scope) (plan.Node, error) {
	if t.merge != notMerged {
		return o.buildMerge(ctx, t, sc)
	}
	left, err := o.build(ctx, t.left, sc, false)
	if err != nil || plan.IsEmpty(left) {
		return left, err
	}
	return o.buildPair(ctx, t, left, sc)
}

// alone reports whether a tree is one operand that may be run for stretches of others.
func (o *operands) alone(t *joinTree) bool {
	if t.part < 0 {
		return false
	}
	op := o.g.parts[t.part].op
	return op == nil || !o.p.once(op)
}

// buildMerge plans a join of two trees by a merge.
func (o *operands) buildMerge(ctx context.Context, t *joinTree, sc scope) (plan.Node, error) {
	left, err := o.build(ctx, t.left, sc, false)
	if err != nil || plan.IsEmpty(left) {
		return left, err
	}
	filters := slices.Clone(o.g.filters)
	var right plan.Node
	if part := o.g.parts[t.right.part]; o.tested(t.left, t.right) < part.rows {
		// What filters it stands above the merge.
		inner := sc
		inner.need = sc.need.Union(plan.SetOf(t.merge.key, t.merge.graph))
		right, err = o.p.planPart(ctx, part, inner)
	} else {
		right, err = o.build(ctx, t.right, sc, false)
	}
	if err != nil || plan.IsEmpty(right) {
		return right, err
	}
	if m := o.p.merged(left, right, t.merge, sc, t.facts.rows); m != nil {
		return m, nil
	}
	o.g.filters = filters
	return o.buildPair(ctx, t, left, sc)
}

// buildPair plans a join of a planned tree and another one.
func (o *operands) buildPair(ctx context.Context, t *joinTree, left plan.Node, sc scope) (plan.Node, error) {
	p := o.p
	lf, rf := t.left.facts, t.right.facts
	j := &plan.Join{Kind: plan.Inner, Left: left, Mark: plan.NoVar, RowVar: plan.NoVar}
	p.keys(j, rf.sure, rf.vars)
	x, y, equal := equated(o.g.filters, left.Base().Sure, rf.sure)
	equal = equal && len(j.Keys)+len(j.Loose) == 0
	// The order inside a joined right side was chosen without the keys of the
	// left one: narrowing it would not pay.
	var err error
	j.Apply = o.alone(t.right) && p.shouldApply(j, lf.rows*o.share, rf, t.right.cost)
	if j.Right, err = o.build(ctx, t.right, p.rightScope(j, lf.rows, rf.vars, sc), false); err != nil {
		return nil, err
	}
	switch {
	case plan.IsEmpty(j.Right):
		return plan.Empty(), nil
	case plan.IsUnit(j.Right):
		return left, nil
	case plan.IsUnit(left):
		return j.Right, nil
	}
	if equal {
		p.byValue(j, x, y)
	}
	p.finish(j, lf.rows, sc)
	j.Rows = t.facts.rows
	return j, nil
}
