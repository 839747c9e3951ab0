package planner

import (
	"cmp"
	"container/heap"
	"context"
	"math"
	"slices"

	"github.com/rete-go/rete/sparql/internal/algebra"
	"github.com/rete-go/rete/sparql/internal/ast"
	"github.com/rete-go/rete/sparql/internal/plan"
)

// maxWeighing is how many steps a query may spend on weighing orders of joins: pairs of
// operands, operands with filters, pairs of sets of operands. Groups for which that is too
// little are planned as long ones.
const maxWeighing = 1 << 22

// maxGroup is how many steps of these one group may take.
const maxGroup = 1 << 15

// spend takes steps for a group from those that are left; false if there are too few.
func (p *Planner) spend(steps int) bool {
	if steps > maxGroup || steps > p.weighing || p.joins == LongJoins {
		return false
	}
	p.weighing -= steps
	return true
}

// long is a group of many operands, or of many filters, that is joined operand by operand
// without a look at other orders: what is done for each of them does not grow with the group,
// but for its columns and the sets of its variables.
type long struct {
	p       *Planner
	g       *group
	sc      scope
	order   []int
	first   map[plan.Var]int // the place in the order of the first operand that has the variable
	last    map[plan.Var]int // that of the last one that needs it; never: all above do
	dying   [][]plan.Var     // by place: the variables whose last it is
	filters [][]algebra.Expr
	equal   map[plan.Var][]algebra.Expr // filters that equate the variable with another one
	tree    facts                       // of what was joined so far
}

const never = math.MaxInt

// planLong plans a group whose orders are not weighed.
func (p *Planner) planLong(ctx context.Context, g *group, sc scope) (plan.Node, error) {
	for i := range g.parts {
		if s := g.parts[i].spec; s != nil && s.none {
			return plan.Empty(), nil
		}
	}
	if slices.ContainsFunc(g.filters, p.hasExists) {
		sc = sc.needing(plan.SetOf(g.graph.Var))
	}
	l := &long{p: p, g: g, sc: sc}
	l.equate()
	l.choose()
	l.place()
	return l.build(ctx)
}

// equate finds the filters that may join operands without a variable in common.
func (l *long) equate() {
	l.equal = make(map[plan.Var][]algebra.Expr)
	for _, e := range l.g.filters {
		if c, ok := e.(*algebra.Call); ok && c.Func == ast.Equal {
			for _, a := range c.Args {
				if v, ok := a.(*algebra.VarExpr); ok {
					l.equal[v.Var] = append(l.equal[v.Var], e)
				}
			}
		}
	}
}

// bySize is a heap of operands, the smallest first.
type bySize struct {
	parts []part
	list  []int
}

func (h *bySize) Len() int { return len(h.list) }
func (h *bySize) Less(i, k int) bool {
	return h.parts[h.list[i]].rows < h.parts[h.list[k]].rows
}
func (h *bySize) Swap(i, k int) { h.list[i], h.list[k] = h.list[k], h.list[i] }
func (h *bySize) Push(x any)    { h.list = append(h.list, x.(int)) }
func (h *bySize) Pop() any {
	x := h.list[len(h.list)-1]
	h.list = h.list[:len(h.list)-1]
	return x
}

// choose sets the order: the smallest operand of those that are linked to one before, or of
// all that are left if none is.
func (l *long) choose() {
	parts := slices.Clone(l.g.parts)
	having := make(map[plan.Var][]int)
	all := make([]int, len(parts))
	for i := range parts {
		parts[i].rows = narrowed(&parts[i].facts, l.sc)
		all[i] = i
		for _, v := range parts[i].sure.Vars() {
			having[v] = append(having[v], i)
		}
	}
	slices.SortStableFunc(all, func(a, b int) int { return cmp.Compare(parts[a].rows, parts[b].rows) })
	l.g.parts = parts
	taken, linked := make([]bool, len(parts)), &bySize{parts: parts}
	link := func(v plan.Var) {
		for _, i := range having[v] {
			if !taken[i] {
				heap.Push(linked, i)
			}
		}
		delete(having, v)
	}
	for len(l.order) < len(parts) && l.p.meter.Step(1) {
		next := all[0]
		if linked.Len() > 0 {
			next = heap.Pop(linked).(int)
		} else {
			all = all[1:]
		}
		if taken[next] {
			continue
		}
		taken[next] = true
		l.order = append(l.order, next)
		for _, v := range parts[next].sure.Vars() {
			link(v)
			for _, e := range l.equal[v] {
				for _, a := range e.(*algebra.Call).Args {
					if x, ok := a.(*algebra.VarExpr); ok {
						link(x.Var)
					}
				}
			}
		}
	}
}

// place finds where each filter is tested, and from where on each variable is not needed.
func (l *long) place() {
	l.first, l.last = make(map[plan.Var]int), make(map[plan.Var]int)
	sure := make(map[plan.Var]int) // the place from which on the variable is bound
	for k, i := range l.order {
		for _, v := range l.g.parts[i].vars.Vars() {
			if _, ok := l.first[v]; !ok {
				l.first[v] = k
			}
			l.last[v] = k
		}
		for _, v := range l.g.parts[i].sure.Vars() {
			if _, ok := sure[v]; !ok {
				sure[v] = k
			}
		}
	}
	end := len(l.order) - 1
	l.filters = make([][]algebra.Expr, len(l.order))
	for _, e := range l.g.filters {
		at := 0
		f := l.p.factsOf(e)
		if f.chance || f.exists {
			at = end
		}
		for _, v := range f.vars.Vars() {
			k, ok := sure[v]
			if _, possible := l.first[v]; !ok && possible {
				k = end
			}
			at = max(at, k)
		}
		l.filters[at] = append(l.filters[at], e)
		for _, v := range f.vars.Vars() {
			if k, ok := l.last[v]; ok {
				l.last[v] = max(k, at+1) // a filter is tested over the join of its place
			}
		}
	}
	for _, v := range l.sc.need.Vars() {
		if _, ok := l.last[v]; ok {
			l.last[v] = never
		}
	}
	l.dying = make([][]plan.Var, len(l.order))
	for v, k := range l.last {
		if k < len(l.order) {
			l.dying[k] = append(l.dying[k], v)
		}
	}
}

// build plans the operands and joins them.
func (l *long) build(ctx context.Context) (n plan.Node, err error) {
	p := l.p
	needed := share(l.sc, l.rows())
	need := slices.Clone(l.sc.need)
	for v := range l.last {
		need.Add(v)
	}
	l.tree = facts{rows: 1, distinct: make(map[plan.Var]float64)}
	for k, i := range l.order {
		if !p.meter.Step(1+len(need)/64) || !p.meter.Hold(nodeBytes+24*len(need)) {
			return nil, p.meter.Err()
		}
		for _, v := range l.dying[k] {
			need.Remove(v)
		}
		sc := l.sc
		sc.need = slices.Clone(need)
		if k == 0 {
			n, err = p.planPart(ctx, l.g.parts[i], sc)
		} else {
			n, err = l.join(ctx, n, l.g.parts[i], sc, needed)
		}
		if err != nil || plan.IsEmpty(n) {
			return n, err
		}
		l.tree.include(&l.g.parts[i].facts)
		if n, err = p.filter(ctx, n, l.filters[k], sc); err != nil {
			return nil, err
		}
		for _, e := range l.filters[k] {
			l.tree.rows *= selectivity(e)
		}
		p.meter.Hold(4 * len(n.Base().Vars))
	}
	return n, nil
}

// rows returns how many rows are expected of the whole group.
func (l *long) rows() float64 {
	f := facts{rows: 1, distinct: make(map[plan.Var]float64)}
	for k, i := range l.order {
		f.include(&l.g.parts[i].facts)
		for _, e := range l.filters[k] {
			f.rows *= selectivity(e)
		}
	}
	return f.rows
}

// join plans the join of what was joined so far and one operand, whose columns sc names. needed
// is the share of the rows that is.
func (l *long) join(ctx context.Context, left plan.Node, pt part, sc scope, needed float64) (plan.Node, error) {
	p, rf, rows := l.p, &pt.facts, l.tree.rows
	j := &plan.Join{Kind: plan.Inner, Left: left, Mark: plan.NoVar, RowVar: plan.NoVar}
	p.keys(j, rf.sure, rf.vars)
	x, y, equal := plan.NoVar, plan.NoVar, false
	if len(j.Keys)+len(j.Loose) == 0 {
		x, y, equal = equated(l.equations(rf.sure), left.Base().Sure, rf.sure)
	}
	cost := rf.rows * costScan
	if pt.spec == nil {
		cost *= 10
	}
	j.Apply = (pt.op == nil || !p.once(pt.op)) && p.shouldApply(j, rows*needed, rf, cost)
	var err error
	if j.Right, err = p.planPart(ctx, pt, p.rightScope(j, rows, rf.vars, sc)); err != nil {
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
	p.finish(j, rows, sc)
	j.Rows = joinedRows(&l.tree, rf)
	return j, nil
}

// equations returns the filters that equate one of the variables with another.
func (l *long) equations(vars plan.Set) (list []algebra.Expr) {
	if len(l.equal) > 0 {
		for _, v := range vars.Vars() {
			list = append(list, l.equal[v]...)
		}
	}
	return list
}
