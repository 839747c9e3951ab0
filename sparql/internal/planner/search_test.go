package planner

import (
	"fmt"
	"math/bits"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/rete-go/rete/dataset"
	"github.com/rete-go/rete/sparql/internal/algebra"
	"github.com/rete-go/rete/sparql/internal/ast"
	"github.com/rete-go/rete/sparql/internal/plan"
)

// weighed is the best order of operands by the plain way: every join of two best
// trees is made.
func weighed(o *operands) *joinTree {
	n := len(o.leaf)
	best := make([]*joinTree, 1<<n)
	for i, t := range o.leaf {
		best[1<<i] = t
	}
	factsOf := func(set uint64) *facts {
		for rest := set; rest != 0; {
			last := uint64(1) << (63 - bits.LeadingZeros64(rest))
			rest &^= last
			if other := best[set^last]; other != nil && o.linked(other.facts, best[last].facts) {
				return o.joined(other.facts, best[last].facts)
			}
		}
		return nil
	}
	for set := uint64(3); set < 1<<n; set++ {
		if bits.OnesCount64(set) < 2 {
			continue
		}
		f := factsOf(set)
		if f == nil {
			continue
		}
		for a := (set - 1) & set; a > 0; a = (a - 1) & set {
			l, r := best[a], best[set^a]
			if l == nil || r == nil || !o.linked(l.facts, r.facts) {
				continue
			}
			if t := o.join(l, r, f); best[set] == nil || t.cost < best[set].cost {
				best[set] = t
			}
		}
	}
	return best[1<<n-1]
}

// allOrders is a dataset that has every order of a pattern.
type allOrders struct{ dataset.Dataset }

func (allOrders) Orders(dataset.Pattern) []dataset.Order {
	return []dataset.Order{dataset.SPO, dataset.POS, dataset.OSP, dataset.SOP, dataset.PSO, dataset.OPS}
}

// randomOperands are up to eight operands with filters between them.
func randomOperands(r *rand.Rand) *operands {
	o := &operands{g: &group{}, share: 1, p: &Planner{ds: allOrders{}}}
	n, vars := 3+r.IntN(6), 2+r.IntN(8)
	const spread = 23 // so that sets have several words
	for i := range n {
		f := &facts{rows: float64(1 + r.IntN(1<<r.IntN(20))), distinct: map[plan.Var]float64{}}
		for range 1 + r.IntN(3) {
			v := plan.Var(spread * r.IntN(vars))
			f.vars.Add(v)
			if r.IntN(5) > 0 {
				f.sure.Add(v)
			}
			if r.IntN(3) > 0 {
				f.narrow.Add(v)
			}
			if r.IntN(4) == 0 {
				f.graphs.Add(v)
			}
			if r.IntN(3) > 0 {
				f.distinct[v] = float64(1 + r.IntN(1<<r.IntN(20)))
			}
		}
		t := &joinTree{part: i, facts: f, cost: f.rows * costScan, merge: notMerged}
		if r.IntN(3) == 0 {
			t.perRow = costFilter
			t.cost += costFilter * f.rows
		}
		o.leaf = append(o.leaf, t)
		pt := part{facts: *f}
		if vars := f.vars.Vars(); len(vars) <= 2 {
			pt.spec = &spec{facts: *f, pattern: dataset.Pattern{P: 1},
				cols: [4]plan.Var{vars[0], plan.NoVar, vars[len(vars)-1], plan.NoVar}, graph: plan.Graph{Var: plan.NoVar, Param: -1}}
		}
		o.g.parts = append(o.g.parts, pt)
	}
	for range r.IntN(3) {
		a, b := plan.Var(spread*r.IntN(vars)), plan.Var(spread*r.IntN(vars))
		o.g.filters = append(o.g.filters, &algebra.Call{Func: ast.Equal,
			Args: []algebra.Expr{&algebra.VarExpr{Var: a}, &algebra.VarExpr{Var: b}}})
		o.sure = append(o.sure, plan.SetOf(a, b))
	}
	return o
}

// shape is a tree as text, with all that is known of its joins.
func shape(t *joinTree) string {
	if t.part >= 0 {
		return fmt.Sprint(t.part)
	}
	return fmt.Sprintf("(%s %s by %d: %v, %v of %v)", shape(t.left), shape(t.right), t.merge, t.cost, t.facts.rows, t.facts.distinct)
}

// TestSearch: the search finds the very order that weighing all of them finds, if it
// is below the bound.
func TestSearch(t *testing.T) {
	found, merges := 0, 0
	for seed := range uint64(3000) {
		o := randomOperands(rand.New(rand.NewPCG(seed, 1)))
		want := weighed(o)
		bound := o.greedy().cost
		got := o.search(bound)
		if want == nil || want.cost >= bound {
			if got != nil {
				t.Fatalf("seed %d: found %s, which is not below %v", seed, shape(got), bound)
			}
			continue
		}
		if got == nil || shape(got) != shape(want) {
			t.Fatalf("seed %d: got %+v, want %s", seed, got, shape(want))
		}
		found++
		if strings.Count(shape(got), " by ") > strings.Count(shape(got), " by -1:") {
			merges++
		}
	}
	if found < 300 {
		t.Errorf("only %d of 3000 had an order better than the greedy one", found)
	}
	if merges < 20 {
		t.Errorf("only %d of the orders had merges", merges)
	}
}

// BenchmarkSearch is a star of nine operands.
func BenchmarkSearch(b *testing.B) {
	o := &operands{g: &group{}, share: 1, p: &Planner{ds: allOrders{}}}
	for i := range 9 {
		f := &facts{rows: float64(100 * (i + 1)), distinct: map[plan.Var]float64{0: 90, plan.Var(i + 1): float64(7 * (i + 1))}, sure: plan.SetOf(0, plan.Var(i+1)), vars: plan.SetOf(0, plan.Var(i+1)), narrow: plan.SetOf(0, plan.Var(i+1))}
		o.leaf = append(o.leaf, &joinTree{part: i, facts: f, cost: f.rows * costScan, merge: notMerged})
	}
	bound := o.greedy().cost
	for name, search := range map[string]func(){
		"search": func() { o.search(bound) },
		"all":    func() { weighed(o) },
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				search()
			}
		})
	}
}
