package planner

import (
	"context"
	"io"
	"math"
	"slices"

	"github.com/rete-go/rete/dataset"
	"github.com/rete-go/rete/sparql/internal/plan"
)

// costMultiway and costStep are the costs of a row of a pattern, and of a step
// for each row of the largest one, costPair that of a row that joins by two make
// on the way, in nanoseconds.
const (
	costMultiway = 60
	costStep     = 250
	costPair     = 40
)

// minMeasured is the number of rows of a cycle below which its joins are not
// measured.
const minMeasured = 1000

// multiway takes the patterns of cycles out of the operands of a group and puts
// one operand in their place, if joining them by two is dearer. Averages do not
// show how much dearer: a few ids that stand in very many rows make most of the
// rows of a join. So the first join is counted.
func (p *Planner) multiway(ctx context.Context, g *group, sc scope) (*group, error) {
	core := cycle(g)
	if len(core) < 3 || p.joins == PairJoins {
		return g, nil
	}
	sub := &group{}
	rest := &group{filters: g.filters}
	all, most := 0.0, 0.0
	for i, pt := range g.parts {
		if slices.Contains(core, i) {
			sub.parts = append(sub.parts, pt)
			all += narrowed(&pt.facts, sc)
			most = max(most, pt.rows)
		} else {
			rest.parts = append(rest.parts, pt)
		}
	}
	tree := p.operandsOf(sub, sc).greedy()
	f := *tree.facts
	f.narrow = nil
	rest.parts = append(rest.parts, part{facts: f, multi: sub.parts})
	if p.joins == ManyJoins {
		return rest, nil
	}
	if all < minMeasured || sc.few > 0 && sc.few < tree.facts.rows {
		return g, nil
	}
	// What narrows the cycle makes the joins cheap that begin there.
	whole := p.operandsOf(g, sc).greedy()
	if whole.cost < all*costScan {
		return g, nil
	}
	first := tree
	for first.left.part < 0 {
		first = first.left
	}
	a, b := sub.parts[first.left.part], sub.parts[first.right.part]
	rows, counted, err := p.countPairs(ctx, a.spec, b.spec)
	if err != nil {
		return nil, err
	}
	if !counted || rows*costPair < all*costMultiway+most*costStep {
		return g, nil
	}
	return rest, nil
}

// countPairs counts the rows of the join of two patterns by one variable; false if there is
// no memory for that.
func (p *Planner) countPairs(ctx context.Context, a, b *spec) (sum float64, ok bool, err error) {
	v := a.vars.And(b.vars).Vars()[0]
	x, ok, err := p.degrees(ctx, a, v)
	defer p.giveDegrees(x)
	if !ok || err != nil {
		return 0, false, err
	}
	y, ok, err := p.degrees(ctx, b, v)
	defer p.giveDegrees(y)
	if !ok || err != nil {
		return 0, false, err
	}
	for id, n := range x {
		sum += n * y[id]
	}
	return sum, true, nil
}

const (
	// degreeBytes is what an entry of a map of degrees takes, and degreeBlock how many of
	// them memory is taken for at once.
	degreeBytes = 48
	degreeBlock = 1 << 14
)

// giveDegrees gives back the memory of a map of degrees.
func (p *Planner) giveDegrees(m map[plan.ID]float64) {
	if p.give != nil {
		p.give(int64(len(m) / degreeBlock * degreeBlock * degreeBytes))
	}
}

// degrees counts the rows of a pattern by a variable; false if there is no memory for that.
func (p *Planner) degrees(ctx context.Context, s *spec, v plan.Var) (map[plan.ID]float64, bool, error) {
	n := p.scan(s, scope{need: plan.SetOf(v)}).(*plan.Scan)
	p.leadWith(n, v)
	col := n.Column(v)
	c, err := p.ds.Scan(ctx, n.Pattern, n.Order, &dataset.ScanOptions{Cols: col.Bit()})
	if err != nil {
		return nil, false, err
	}
	defer c.Close()
	out := make(map[plan.ID]float64)
	var b dataset.Batch
	for {
		if err := c.Next(ctx, &b); err == io.EOF {
			return out, true, nil
		} else if err != nil {
			return out, false, err
		}
		before := len(out)
		ids := b.Col[col][:b.N]
		for from := 0; from < len(ids); {
			to := from + 1
			for to < len(ids) && ids[to] == ids[from] {
				to++
			}
			out[ids[from]] += float64(to - from)
			from = to
		}
		if len(out)/degreeBlock > before/degreeBlock && p.try != nil && !p.try(degreeBlock*degreeBytes) {
			p.give(int64(before / degreeBlock * degreeBlock * degreeBytes))
			return nil, false, nil
		}
	}
}

// cycle returns the operands that are patterns of two variables and lie on a
// cycle of such patterns.
func cycle(g *group) []int {
	var edges []int
	for i, pt := range g.parts {
		if s := pt.spec; s != nil && !s.none && !s.tested() && len(s.same)+len(s.unfold)+len(s.not) == 0 && pt.graph.Var == plan.NoVar && len(s.vars.Vars()) == 2 {
			edges = append(edges, i)
		}
	}
	for {
		degree := make(map[plan.Var]int)
		for _, i := range edges {
			for _, v := range g.parts[i].vars.Vars() {
				degree[v]++
			}
		}
		n := len(edges)
		edges = slices.DeleteFunc(edges, func(i int) bool {
			return slices.ContainsFunc(g.parts[i].vars.Vars(), func(v plan.Var) bool { return degree[v] < 2 })
		})
		if len(edges) == n {
			return edges
		}
	}
}

// planMultiway plans the join of a cycle.
func (p *Planner) planMultiway(pt part, sc scope) plan.Node {
	n := &plan.Multiway{}
	var bound plan.Set
	for len(n.Order) < len(pt.vars.Vars()) {
		best, least, links := plan.NoVar, math.Inf(1), -1
		for _, v := range pt.vars.Vars() {
			if bound.Has(v) {
				continue
			}
			linked, few := 0, math.Inf(1)
			for _, m := range pt.multi {
				if !m.vars.Has(v) {
					continue
				}
				few = min(few, m.of(v))
				if m.vars.Meets(bound) {
					linked++
				}
			}
			if linked > links || linked == links && few < least {
				best, least, links = v, few, linked
			}
		}
		n.Order = append(n.Order, best)
		bound.Add(best)
	}
	for _, m := range pt.multi {
		vars := m.vars.Vars()
		if slices.Index(n.Order, vars[1]) < slices.Index(n.Order, vars[0]) {
			vars[0], vars[1] = vars[1], vars[0]
		}
		all := sc
		all.need, all.side = m.vars, nil
		s := p.scan(m.spec, all).(*plan.Scan)
		p.leadWith(s, vars[0])
		n.Edges = append(n.Edges, plan.Edge{Scan: s, From: vars[0], To: vars[1]})
	}
	for _, v := range n.Order {
		if sc.need.Has(v) {
			n.Vars = append(n.Vars, v)
			n.Sure.Add(v)
		}
	}
	n.Rows = pt.rows
	return n
}
