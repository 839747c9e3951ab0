package planner

import (
	"slices"

	"github.com/rete-go/rete/dataset"
	"github.com/rete-go/rete/sparql/internal/plan"
)

// Parallel says which plans are worth more than one goroutine.
type Parallel struct {
	// Least is the expected cost of a pipeline below which it stays on one goroutine,
	// in nanoseconds; 0 stands for a millisecond.
	Least float64
	// Functions says that there are functions of the caller, which need not bear
	// several goroutines.
	Functions bool
	// Orders are the orders in which a pattern can be read.
	Orders func(dataset.Pattern) []dataset.Order
}

// Costs of rows in nanoseconds by what takes them, as start values.
const (
	costGroup = 40
	costSort  = 300
	costSet   = 80
)

// Parts are made of about this number of rows of a scan and of nanoseconds, with a least
// and a greatest number of parts: the joins of a pipeline begin anew with each part.
const (
	partRows = 8 << 10
	partCost = 2e6
	minParts = 4
	maxParts = 256
)

// Exchange puts a [Exchange] over each pipeline of the plan that is dear enough: a scan
// and what is done with each of its rows.
func (x Parallel) Exchange(n plan.Node) plan.Node {
	if x.Least == 0 {
		x.Least = 1e6
	}
	return x.walk(n, 0, false)
}

// walk returns the node with pipelines gathered. sink is the cost of a row above;
// few says that maybe not all rows are wanted.
func (x Parallel) walk(n plan.Node, sink float64, few bool) plan.Node {
	if !few {
		if leaf, ok := x.pipeline(n); ok && x.cost(n)+sink*n.Base().Rows >= x.Least {
			x.inside(n)
			cost := x.cost(n) + sink*n.Base().Rows
			g := &plan.Exchange{Input: n, Leaf: leaf, Parts: x.parts(n, leaf, cost)}
			g.Info = *n.Base()
			return g
		}
	}
	switch n := n.(type) {
	case *plan.Merge, *plan.Multiway, *plan.GraphLoop, *plan.TopByValue, *plan.Count:
		return n // they begin what they read in ways of their own
	case *plan.Join:
		return plan.Rewrite(n, func(i int, in plan.Node) plan.Node {
			switch {
			case i == 0:
				return x.walk(in, costFind, few)
			case i == 1 && !n.Apply:
				return x.walk(in, costBuild, false)
			}
			return in
		})
	case *plan.Group:
		sink, few = costGroup*float64(1+len(n.Aggs)), false
	case *plan.Order:
		sink, few = costSort, false
	case *plan.Distinct:
		sink = costSet
	case *plan.Slice:
		sink, few = 0, few || n.Limit >= 0
	}
	n = plan.Rewrite(n, func(_ int, in plan.Node) plan.Node { return x.walk(in, sink, few) })
	if d, ok := n.(*plan.Distinct); ok {
		if g, ok := d.Input.(*plan.Exchange); ok {
			g.Distinct = true
		}
	}
	return n
}

// parts returns into how many parts a leaf is cut. The leaf is read in the order of
// the keys of the first join by probes, if that can be: then the probes of a part are
// near to each other, and the parts may be small. Else each part goes through the
// other side of the join. cost is that of the whole pipeline.
func (x Parallel) parts(n plan.Node, leaf *plan.Scan, cost float64) int {
	rows := leaf.Rows
	var first *plan.Join
	for in := n; in != plan.Node(leaf); {
		if m, ok := in.(*plan.Merge); ok {
			for _, a := range m.Args {
				rows = max(rows, a.Base().Rows)
			}
			first, in = nil, m.Args[0]
			continue
		}
		if j, ok := in.(*plan.Join); ok {
			if first, in = j, j.Left; !j.Apply {
				first = nil
			}
			rows = max(rows, j.Rows)
			continue
		}
		in = x.step(in)
	}
	if first != nil && !x.near(leaf, first.Keys) {
		rows = leaf.Rows / 8
	}
	return max(minParts, min(maxParts, int(min(rows/partRows, cost/partCost))))
}

// near gives a leaf an order that one of the keys leads, if it has none.
func (x Parallel) near(leaf *plan.Scan, keys []plan.Var) bool {
	fixed := plan.FixedIn(&leaf.Pattern)
	orders := append([]dataset.Order{leaf.Order}, x.Orders(leaf.Pattern)...)
	for _, o := range orders {
		if n := o.Leads(fixed); n == fixed.Len() && n < 3 && slices.Contains(keys, leaf.Cols[o.Columns()[n]]) {
			leaf.Order = o
			return true
		}
	}
	return false
}

// inside gathers what is run once below a pipeline: the stored sides of its joins.
func (x Parallel) inside(n plan.Node) {
	for ; n != nil; n = plan.RowsOf(n) {
		if j, ok := n.(*plan.Join); ok && !j.Apply {
			j.Right = x.walk(j.Right, costBuild, false)
		}
	}
}

// pipeline returns the scan that a node takes its rows from, one after the other;
// false if the rows come from elsewhere, or must be made on one goroutine.
func (x Parallel) pipeline(n plan.Node) (*plan.Scan, bool) {
	for {
		switch p := n.(type) {
		case *plan.Scan:
			whole := p.Extreme == nil && !p.Skip && p.Graph.Param < 0 && p.Within == [4]*plan.Ref{} && !bound(p)
			return p, whole && (p.Graph.Mode != dataset.Each || len(p.Graph.Set) == 1)
		case *plan.Join:
			if p.Apply && !x.repeatable(p.Right, p.Input) || p.Cond != nil && !x.repeatable(p.Cond, p.CondInput) {
				return nil, false
			}
			n = p.Left
		case *plan.Merge:
			for _, a := range p.Args[1:] {
				if !x.repeatable(a, 0) {
					return nil, false
				}
			}
			n = p.Args[0]
		default:
			in := x.step(n)
			if in == nil {
				return nil, false
			}
			n = in
		}
	}
}

// bound reports whether a scan has one row at most.
func bound(s *plan.Scan) bool { return s.Pattern.S != 0 && s.Pattern.P != 0 && s.Pattern.O != 0 }

// step returns the input of a node that changes one row at a time, in any order;
// nil for other nodes.
func (x Parallel) step(n plan.Node) plan.Node {
	switch n := n.(type) {
	case *plan.Filter:
		for _, e := range n.Exprs {
			if !plan.Pure(e, x.Functions) {
				return nil
			}
		}
		return n.Input
	case *plan.Extend:
		for _, a := range n.Added {
			if !plan.Pure(a.Expr, x.Functions) {
				return nil
			}
		}
		return n.Input
	case *plan.Project:
		return n.Input
	case *plan.Unfold:
		return n.Input
	}
	return nil
}

// repeatable reports whether a plan that runs again and again inside a pipeline may
// do so on any goroutine. It may read the inputs of the joins around it that begin
// with the number own.
func (x Parallel) repeatable(n plan.Node, own int) bool {
	switch n := n.(type) {
	case *plan.Scan:
		for _, ref := range n.Within {
			if ref != nil && ref.Input < own {
				return false
			}
		}
		return n.Extreme == nil && n.Graph.Param < 0
	case *plan.Input:
		return n.Input >= own
	case *plan.Values:
		return true
	case *plan.Join, *plan.Merge, *plan.Union:
		return !slices.ContainsFunc(n.Inputs(), func(in plan.Node) bool { return !x.repeatable(in, own) })
	}
	in := x.step(n)
	return in != nil && x.repeatable(in, own)
}

// cost is the expected cost of a pipeline, in nanoseconds.
func (x Parallel) cost(n plan.Node) float64 {
	sum := 0.0
	for {
		switch p := n.(type) {
		case *plan.Scan:
			all := p.Rows
			if !p.Terms[dataset.O].ByValue() {
				all = max(all, p.All)
			}
			return sum + all*costScan
		case *plan.Join:
			left := p.Left.Base().Rows
			per := float64(costFind)
			if p.Apply {
				per = costProbe
			}
			sum += left*per + p.Rows*costRow
			n = p.Left
		case *plan.Merge:
			for _, a := range p.Args[1:] {
				sum += x.cost(a) + a.Base().Rows*costMerge
			}
			sum += p.Rows * costRow
			n = p.Args[0]
		case *plan.Filter:
			sum += p.Input.Base().Rows * costFilter * float64(len(p.Exprs))
			n = p.Input
		case *plan.Extend:
			sum += p.Rows * costFilter * float64(len(p.Added))
			n = p.Input
		case *plan.Project:
			n = p.Input
		case *plan.Unfold:
			sum += p.Rows * costRow
			n = p.Input
		default:
			return sum
		}
	}
}
