package planner

import (
	"context"
	"slices"

	"github.com/rete-go/rete/dataset"
	"github.com/rete-go/rete/sparql/internal/algebra"
	"github.com/rete-go/rete/sparql/internal/ast"
	"github.com/rete-go/rete/sparql/internal/plan"
)

// maxExtreme is up to which part of the rows of a scan the value index is asked for
// the first ones.
const maxExtreme = 1.0 / 8

// extreme marks a scan whose rows n are, of which the first by a variable are wanted.
func (p *Planner) extreme(n plan.Node, v plan.Var, want plan.Extreme) {
	if _, ok := p.ds.(dataset.ValueIndex); !ok {
		return
	}
	s, ok := n.(*plan.Scan)
	if !ok || !slices.Contains(s.Vars, v) || s.Cols[dataset.O] != v || s.Cols[dataset.S] == v || s.Cols[dataset.P] == v || s.Cols[dataset.G] == v ||
		s.Within != [4]*plan.Ref{} || s.Terms[dataset.O].ByValue() || s.Rows < minValueRows || float64(want.Limit) > s.Rows*maxExtreme {
		return
	}
	want.Reads = uint64(valueReads * s.Rows)
	s.Extreme = &want
}

// topByValue is the wish for the first rows by the value of a variable, while the operator
// is planned that delivers them.
type topByValue struct {
	v    plan.Var
	want plan.Extreme
	rows float64 // of the operator
	of   float64 // of the scan that is walked; 0 without
}

const (
	// costWalked is the cost of walking a row, in nanoseconds: it is found by a seek.
	costWalked = 200
	// walkSpare is how many times the expected rows are walked, and walkLeast how many
	// at least.
	walkSpare = 2
	walkLeast = 512
)

// planFirst plans an operator of whose rows the first by a variable are wanted.
func (p *Planner) planFirst(ctx context.Context, op algebra.Op, sc scope, v plan.Var, want plan.Extreme) (plan.Node, error) {
	if _, ok := p.ds.(dataset.ValueIndex); !ok || p.asWritten || p.walking != nil || len(sc.side) > 0 {
		return p.plan(ctx, op, sc)
	}
	if bgp, ok := op.(*algebra.BGP); !ok || len(bgp.Patterns) > 1 {
		n, err := p.planTopByValue(ctx, op, sc, v, want)
		if n != nil || err != nil {
			return n, err
		}
	}
	n, err := p.plan(ctx, op, sc)
	if err == nil {
		p.extreme(n, v, want)
	}
	return n, err
}

// planTopByValue plans an operator so that it begins with a walk along the values of a
// variable; nil if that does not pay or cannot be.
func (p *Planner) planTopByValue(ctx context.Context, op algebra.Op, sc scope, v plan.Var, want plan.Extreme) (plan.Node, error) {
	f, err := p.learn(ctx, op, sc.graph)
	if err != nil || !f.sure.Has(v) {
		return nil, err
	}
	w := &topByValue{v: v, want: want, rows: max(f.rows, 1)}
	p.walking = w
	n, err := p.plan(ctx, op, sc)
	p.walking = nil
	if err != nil || w.of == 0 {
		if _, plain := n.(*plan.Scan); plain {
			return nil, err // it may be marked
		}
		return n, err
	}
	leaf := plan.LeafOf(n)
	if leaf == nil || !leaf.Walked || !slices.Contains(n.Base().Vars, v) || !slices.Contains(leaf.Vars, v) || leaf.Within != [4]*plan.Ref{} || leaf.Graph.Param >= 0 {
		return nil, nil
	}
	walk := &plan.TopByValue{Input: n, Leaf: leaf, Extreme: want, Of: w.of}
	walk.Reads = uint64(valueReads * w.of)
	walk.Info = *n.Base()
	return walk, nil
}

// walked marks the scan of a group that binds the variable of a walk, where it pays to
// begin with it.
func (p *Planner) walked(g *group, sc scope) *group {
	w := p.walking
	if w == nil || len(sc.side) > 0 {
		return g
	}
	for i := range g.parts {
		s := g.parts[i].spec
		if s == nil || s.cols[dataset.O] != w.v || s.cols[dataset.S] == w.v || s.cols[dataset.P] == w.v || s.cols[dataset.G] == w.v ||
			s.terms[dataset.O].ByValue() || s.rows < minValueRows || len(s.same)+len(s.unfold) > 0 {
			continue
		}
		rows := max(walkLeast, float64(w.want.Limit)*max(1, s.rows/w.rows)*walkSpare)
		if w.want.Up && w.want.Down {
			rows *= 2
		}
		if rows > s.rows*maxExtreme*WalkShare {
			return g
		}
		c := s.fewer(rows)
		c.walked = true
		other := &group{parts: slices.Clone(g.parts), filters: g.filters}
		other.parts[i].spec, other.parts[i].facts = c, c.facts
		if (p.costOf(other, sc)+rows*costWalked)*walkSpare > p.costOf(g, sc)*WalkShare {
			return g
		}
		w.of, p.walking = s.rows, nil
		return other
	}
	return g
}

// WalkShare scales what a walk may cost. Tests raise it.
var WalkShare = 1.0

// extremesOf returns the variable of a grouping without keys that has MIN and MAX of
// it alone.
func extremesOf(op *algebra.Group, aggs []algebra.Aggregation) (v plan.Var, want plan.Extreme, ok bool) {
	if len(op.Keys) > 0 || len(aggs) == 0 {
		return plan.NoVar, want, false
	}
	v, want.Limit = plan.NoVar, 1
	for _, a := range aggs {
		x, isVar := a.Arg.(*algebra.VarExpr)
		if !isVar || v != plan.NoVar && x.Var != v {
			return plan.NoVar, want, false
		}
		switch v = x.Var; a.Kind {
		case ast.Min:
			want.Up = true
		case ast.Max:
			want.Down = true
		default:
			return plan.NoVar, want, false
		}
	}
	return v, want, true
}
