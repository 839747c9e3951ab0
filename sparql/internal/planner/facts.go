package planner

import (
	"context"
	"math"
	"math/bits"
	"slices"

	"github.com/rete-go/rete/dataset"
	"github.com/rete-go/rete/sparql/internal/algebra"
	"github.com/rete-go/rete/sparql/internal/plan"
)

// facts are what is known of an operator before it is planned.
type facts struct {
	vars, sure plan.Set
	rows       float64
	distinct   map[plan.Var]float64 // expected distinct ids; a missing one is rows
	narrow     plan.Set             // variables by which leaves can be narrowed
	graphs     plan.Set             // variables that the graphs of patterns bind
	remote     bool                 // an endpoint has the rows
}

func (f *facts) of(v plan.Var) float64 {
	if d, ok := f.distinct[v]; ok {
		return max(1, min(d, f.rows))
	}
	return max(1, f.rows)
}

// learn returns the facts of an operator in a graph.
func (p *Planner) learn(ctx context.Context, op algebra.Op, g plan.Graph) (*facts, error) {
	if f, ok := p.facts[op]; ok {
		return f, nil
	}
	if !p.meter.Step(1) {
		return nil, p.meter.Err()
	}
	f, err := p.learnNew(ctx, op, g)
	if err != nil {
		return nil, err
	}
	if !p.meter.Hold(factsBytes + 24*len(f.vars)) {
		return nil, p.meter.Err()
	}
	if g.Var != plan.NoVar && p.bindsGraph(op) {
		graph := plan.SetOf(g.Var)
		f.vars, f.sure, f.graphs = f.vars.Union(graph), f.sure.Union(graph), f.graphs.Union(graph)
	}
	p.facts[op] = f
	return f, nil
}

func (p *Planner) learnNew(ctx context.Context, op algebra.Op, g plan.Graph) (*facts, error) {
	switch op := op.(type) {
	case *algebra.BGP:
		all := &facts{rows: 1, distinct: map[plan.Var]float64{}}
		for i := range op.Patterns {
			s, err := p.specOf(ctx, &op.Patterns[i], g)
			if err != nil {
				return nil, err
			}
			all.include(&s.facts)
		}
		return all, nil
	case *algebra.Path:
		return p.learnPath(ctx, op, g)
	case *algebra.Join:
		return p.learnTwo(ctx, op.Left, op.Right, g, joined)
	case *algebra.LeftJoin:
		return p.learnTwo(ctx, op.Left, op.Right, g, func(l, r *facts) *facts {
			f := joined(l, r)
			f.sure, f.rows, f.narrow = l.sure, max(f.rows, l.rows), l.narrow
			return f
		})
	case *algebra.Lateral:
		return p.learnTwo(ctx, op.Left, op.Right, g, func(l, r *facts) *facts {
			f := joined(l, r)
			f.rows, f.narrow = max(f.rows, l.rows), l.narrow
			return f
		})
	case *algebra.Minus:
		return p.learnTwo(ctx, op.Left, op.Right, g, func(l, _ *facts) *facts { c := *l; return &c })
	case *algebra.Filter:
		f, err := p.learn(ctx, op.Input, g)
		if err != nil {
			return nil, err
		}
		c := *f
		for _, e := range op.Exprs {
			c.rows *= selectivity(e)
		}
		return &c, nil
	case *algebra.Union:
		return p.learnUnion(ctx, op, g)
	case *algebra.Graph:
		return p.learnGraph(ctx, op, g)
	case *algebra.Extend:
		f, err := p.learn(ctx, op.Input, g)
		if err != nil {
			return nil, err
		}
		c := *f
		c.vars = c.vars.Union(plan.SetOf(op.Var))
		if k, ok := op.Expr.(*algebra.Const); ok && !k.Term.IsZero() {
			c.sure = c.sure.Union(plan.SetOf(op.Var))
		}
		return &c, nil
	case *algebra.Values:
		return learnValues(op), nil
	case *algebra.Search:
		return learnSearch(op), nil
	case *algebra.Group:
		return p.learnGroup(ctx, op, g)
	case *algebra.Project:
		f, err := p.learn(ctx, op.Input, g)
		if err != nil {
			return nil, err
		}
		c, keep := *f, plan.SetOf(op.Vars...).Union(plan.SetOf(g.Var)) // which stays
		c.vars, c.sure, c.narrow = c.vars.And(keep), c.sure.And(keep), c.narrow.And(keep)
		return &c, nil
	case *algebra.Distinct:
		f, err := p.learn(ctx, op.Input, g)
		if err != nil {
			return nil, err
		}
		c, bound := *f, 1.0
		for _, v := range f.vars.Vars() {
			bound = min(bound*f.of(v), 1e18)
		}
		c.rows = min(c.rows, bound)
		return &c, nil
	case *algebra.Reduced:
		return p.copied(ctx, op.Input, g)
	case *algebra.OrderBy:
		return p.copied(ctx, op.Input, g)
	case *algebra.Slice:
		c, err := p.copied(ctx, op.Input, g)
		if err != nil {
			return nil, err
		}
		c.narrow = nil
		if op.HasLimit {
			c.rows = min(c.rows, float64(op.Limit))
		}
		return c, nil
	case *algebra.Service:
		return learnService(op), nil
	}
	return &facts{rows: 1}, nil
}

func (p *Planner) copied(ctx context.Context, op algebra.Op, g plan.Graph) (*facts, error) {
	f, err := p.learn(ctx, op, g)
	if err != nil {
		return nil, err
	}
	c := *f
	return &c, nil
}

func (p *Planner) learnTwo(ctx context.Context, l, r algebra.Op, g plan.Graph, mix func(l, r *facts) *facts) (*facts, error) {
	lf, err := p.learn(ctx, l, g)
	if err != nil {
		return nil, err
	}
	rf, err := p.learn(ctx, r, g)
	if err != nil {
		return nil, err
	}
	return mix(lf, rf), nil
}

// joinedRows returns the rows of a join alone.
func joinedRows(l, r *facts) float64 {
	var d divisor
	for i := range min(len(l.sure), len(r.sure)) {
		for w := l.sure[i] & r.sure[i]; w != 0; w &= w - 1 {
			v := plan.Var(i*64 + bits.TrailingZeros64(w))
			d.key(max(l.of(v), r.of(v)), l.graphs.Has(v) || r.graphs.Has(v))
		}
	}
	return d.rows(l.rows, r.rows)
}

// divisor is what the keys of a join divide the pairs of rows by.
type divisor struct {
	keys      int     // that are no graphs
	by, graph float64 // 0: by nothing
}

// key adds a key by its number of distinct ids: the first one fully, each further one by a root of that.
func (d *divisor) key(distinct float64, graph bool) {
	if graph {
		d.graph = max(d.graph, distinct)
		return
	}
	for range d.keys {
		distinct = math.Sqrt(distinct)
	}
	d.by = max(1, d.by) * distinct
	d.keys++
}

// rows returns the rows of the join. What is in one graph with something is mostly in no other: the graph
// divides by no more than as many pairs of keys as a side can have.
func (d *divisor) rows(left, right float64) float64 {
	by := max(1, d.by)
	if d.keys == 0 {
		by = max(1, d.graph)
	} else if d.graph > 0 {
		by = max(by, min(by*d.graph, max(left, right)))
	}
	return min(left*right/by, maxRows)
}

// maxRows is the largest estimate, so that estimates can be multiplied.
const maxRows = 1e18

// joined returns the facts of a join, by containment of distinct values.
func joined(l, r *facts) *facts {
	f := &facts{vars: l.vars.Union(r.vars), sure: l.sure.Union(r.sure), narrow: l.narrow.Union(r.narrow), graphs: l.graphs.Union(r.graphs)}
	f.rows = joinedRows(l, r)
	switch {
	case len(l.distinct) >= maxDistinct: // it is shared from here on
		f.distinct = l.distinct
		return f
	case len(r.distinct) >= maxDistinct:
		f.distinct = r.distinct
		return f
	}
	f.distinct = make(map[plan.Var]float64, len(l.distinct)+len(r.distinct))
	for v, d := range l.distinct {
		f.distinct[v] = d
	}
	for v, d := range r.distinct {
		if have, ok := f.distinct[v]; ok {
			d = min(d, have)
		}
		f.distinct[v] = d
	}
	return f
}

const (
	// maxDistinct is of how many variables the distinct ids are known in the rows of a join;
	// of others there are as many as there are rows.
	maxDistinct = 256
	// factsBytes is what facts are counted for in addition to their sets.
	factsBytes = 512
)

// include makes the facts those of a join with r, as joined does. They must be the caller's
// own.
func (f *facts) include(r *facts) {
	f.rows = joinedRows(f, r)
	f.vars.AddAll(r.vars)
	f.sure.AddAll(r.sure)
	f.narrow.AddAll(r.narrow)
	f.graphs.AddAll(r.graphs)
	for v, d := range r.distinct {
		if have, ok := f.distinct[v]; ok {
			d = min(d, have)
		}
		f.distinct[v] = d
	}
}

func (p *Planner) learnUnion(ctx context.Context, op *algebra.Union, g plan.Graph) (*facts, error) {
	out := &facts{}
	for i, arm := range op.Args {
		f, err := p.learn(ctx, arm, g)
		if err != nil {
			return nil, err
		}
		out.rows += f.rows
		out.vars.AddAll(f.vars)
		out.narrow.AddAll(f.narrow)
		out.graphs.AddAll(f.graphs)
		if i == 0 {
			out.sure = slices.Clone(f.sure)
		}
		out.sure.Keep(f.sure)
	}
	return out, nil
}

func learnValues(op *algebra.Values) *facts {
	f := &facts{vars: plan.SetOf(op.Vars...), rows: float64(op.Rows.N)}
	unsure := make([]bool, len(op.Vars))
	for row := range op.Rows.All() {
		for i, t := range row {
			unsure[i] = unsure[i] || t.IsZero()
		}
	}
	for i, v := range op.Vars {
		if !unsure[i] {
			f.sure.Add(v)
		}
	}
	return f
}

func (p *Planner) learnGroup(ctx context.Context, op *algebra.Group, g plan.Graph) (*facts, error) {
	f, err := p.learn(ctx, op.Input, g)
	if err != nil {
		return nil, err
	}
	keys := plan.SetOf(op.Keys...)
	keys.Add(g.Var)
	c := &facts{vars: keys, sure: f.sure.And(keys), narrow: f.narrow.And(keys), rows: 1, distinct: f.distinct}
	for _, k := range keys.Vars() {
		c.rows = min(c.rows*f.of(k), f.rows)
	}
	for _, a := range op.Aggs {
		c.vars.Add(a.Var)
		if a.Kind == 0 { // ast.Count never is an error
			c.sure.Add(a.Var)
		}
	}
	return c, nil
}

// selectivity guesses the share of rows that an expression keeps.
func selectivity(e algebra.Expr) float64 {
	switch e := e.(type) {
	case *algebra.Call:
		return callSelectivity(e)
	case *algebra.Exists:
		return 0.5
	}
	return 0.5
}

// narrowed returns the rows of f when its leaves are narrowed by sc.
func narrowed(f *facts, sc scope) float64 {
	rows := f.rows
	for v, s := range sc.side {
		if f.narrow.Has(v) {
			rows *= min(1, s.rows/f.of(v))
		}
	}
	return rows
}

// estimate asks the dataset about a pattern that has stored ids only.
func (p *Planner) estimate(ctx context.Context, pat dataset.Pattern) (dataset.Cardinality, error) {
	card, err := p.ds.Estimate(ctx, pat)
	if err == nil && (pat.S != 0 || pat.O != 0) {
		p.estimates = append(p.estimates, Estimated{pat, card.Guess})
	}
	return card, err
}
