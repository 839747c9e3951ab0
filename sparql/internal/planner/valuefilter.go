package planner

import (
	"context"
	"slices"

	"github.com/rete-go/rete/dataset"
	"github.com/rete-go/rete/internal/valuekey"
	"github.com/rete-go/rete/sparql/internal/algebra"
	"github.com/rete-go/rete/sparql/internal/ast"
	"github.com/rete-go/rete/sparql/internal/plan"
)

// A filter that compares a variable with numbers or dates can be true for literals
// of some intervals of values alone. The scan that binds the variable is then given
// the ids of these. They are more than the filter lets pass (other values with the
// same key, and neighbours), so the filter stays where it is.

// ValueShare is how many rows a scan has at least for each id that it is given:
// to seek costs more than to read on. Tests lower it.
var ValueShare = 16.0

const (
	// minValueRows is the least number of rows of a scan that is given ids of values.
	minValueRows = 256
	// valueReads is how many literals may be read for each row of the scan to
	// make an index.
	valueReads = 8
)

// byValues gives the scans of a group the intervals of values that the filters
// let pass, where that is a small part of their rows.
func (p *Planner) byValues(ctx context.Context, g *group) error {
	index, ok := p.ds.(dataset.ValueIndex)
	if !ok || p.asWritten || len(g.filters) == 0 {
		return nil
	}
	var known map[plan.Var][]dataset.Interval
	for _, e := range g.filters {
		v, list, ok := valuesOf(e)
		if !ok {
			continue
		}
		if known == nil {
			known = make(map[plan.Var][]dataset.Interval)
		}
		if have, ok := known[v]; ok {
			list = both(have, list)
		}
		known[v] = list
	}
	for i := range g.parts {
		s := g.parts[i].spec
		if s == nil || s.none || s.rows < minValueRows {
			continue
		}
		list, ok := known[s.cols[dataset.O]]
		if !ok || s.cols[dataset.O] == plan.NoVar {
			continue
		}
		reads := uint64(valueReads * s.rows)
		n, err := countValues(ctx, index, list, reads)
		if err != nil {
			return err
		}
		if float64(n)*ValueShare > s.rows {
			continue
		}
		c := s.only(dataset.O, float64(n)/s.of(s.cols[dataset.O]), func(t *plan.TermSet) { t.Values, t.Reads = list, reads })
		g.parts[i].spec, g.parts[i].facts = c, c.facts
	}
	return nil
}

// countValues returns how many ids the intervals have.
func countValues(ctx context.Context, index dataset.ValueIndex, list []dataset.Interval, worth uint64) (n uint64, err error) {
	for _, i := range list {
		some, err := index.ValueCount(ctx, i, worth)
		if err != nil {
			return 0, err
		}
		n += some
	}
	return n, nil
}

// valuesOf returns the variable that an expression compares with constants, and
// the intervals of its values for which the expression can be true: none, if it
// never is. ok is false if the variable can also have other terms.
func valuesOf(e algebra.Expr) (v plan.Var, list []dataset.Interval, ok bool) {
	c, isCall := e.(*algebra.Call)
	if !isCall {
		return plan.NoVar, nil, false
	}
	switch c.Func {
	case ast.Equal, ast.Less, ast.LessOrEqual, ast.Greater, ast.GreaterOrEqual:
		f, x, y := c.Func, c.Args[0], c.Args[1]
		if _, ok := x.(*algebra.VarExpr); !ok {
			f, x, y = mirrored[f], y, x
		}
		return compared(f, x, y)
	case ast.IsNumeric:
		if x, ok := c.Args[0].(*algebra.VarExpr); ok {
			return x.Var, []dataset.Interval{{Class: valuekey.Number, Lo: valuekey.NaN, Hi: valuekey.Max}}, true
		}
	case ast.In:
		for _, a := range c.Args[1:] {
			var one []dataset.Interval
			if v, one, ok = compared(ast.Equal, c.Args[0], a); !ok {
				return plan.NoVar, nil, false
			}
			list = append(list, one...)
		}
		return v, merged(list), ok
	case ast.Or, ast.And:
		for k, a := range algebra.Flat(c) {
			of, some, ok := valuesOf(a)
			if !ok || k > 0 && of != v {
				return plan.NoVar, nil, false
			}
			switch {
			case k == 0:
				v, list = of, some
			case c.Func == ast.And:
				list = both(list, some)
			default:
				list = append(list, some...)
			}
		}
		return v, merged(list), true
	}
	return plan.NoVar, nil, false
}

// mirrored gives the comparison of the arguments the other way round.
var mirrored = map[ast.Func]ast.Func{
	ast.Equal: ast.Equal, ast.Less: ast.Greater, ast.Greater: ast.Less,
	ast.LessOrEqual: ast.GreaterOrEqual, ast.GreaterOrEqual: ast.LessOrEqual,
}

// compared returns the interval of a comparison of a variable with a constant.
func compared(f ast.Func, x, y algebra.Expr) (plan.Var, []dataset.Interval, bool) {
	v, ok1 := x.(*algebra.VarExpr)
	k, ok2 := y.(*algebra.Const)
	if !ok1 || !ok2 || k.Term.IsZero() {
		return plan.NoVar, nil, false
	}
	i, ok := valuekey.Near([]byte(k.Term.Surface()))
	if !ok {
		return plan.NoVar, nil, false
	}
	if i.Empty() { // NaN
		return v.Var, nil, true
	}
	switch f {
	case ast.Less, ast.LessOrEqual:
		i.Lo = valuekey.Min
	case ast.Greater, ast.GreaterOrEqual:
		i.Hi = valuekey.Max
	}
	return v.Var, []dataset.Interval{i}, true
}

// both returns what is in one interval of each list, which [merged] has made.
func both(a, b []dataset.Interval) []dataset.Interval {
	a, b = merged(a), merged(b)
	var out []dataset.Interval
	for len(a) > 0 && len(b) > 0 {
		x, y := a[0], b[0]
		if x.Class == y.Class && !x.And(y).Empty() {
			out = append(out, x.And(y))
		}
		if x.Class < y.Class || x.Class == y.Class && x.Hi < y.Hi {
			a = a[1:]
		} else {
			b = b[1:]
		}
	}
	return out
}

// merged sorts intervals and joins those that overlap.
func merged(list []dataset.Interval) []dataset.Interval {
	slices.SortFunc(list, func(a, b dataset.Interval) int {
		if a.Class != b.Class {
			return int(a.Class) - int(b.Class)
		}
		if a.Lo < b.Lo {
			return -1
		}
		return 1
	})
	out := list[:0]
	for _, i := range list {
		if n := len(out); n > 0 && out[n-1].Class == i.Class && out[n-1].Hi >= i.Lo {
			out[n-1].Hi = max(out[n-1].Hi, i.Hi)
		} else {
			out = append(out, i)
		}
	}
	return out
}
