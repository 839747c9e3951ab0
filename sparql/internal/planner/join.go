package planner

import (
	"context"

	"github.com/rete-go/rete/sparql/internal/algebra"
	"github.com/rete-go/rete/sparql/internal/ast"
	"github.com/rete-go/rete/sparql/internal/plan"
)

// Costs of operators in nanoseconds a row, as start values.
const (
	costScan  = 5
	costProbe = 72
	costBuild = 80
	costFind  = 45
)

// equated finds an expression that is true only if a variable of one set is
// equal to one of the other, neither of which is in both.
func equated(es []algebra.Expr, left, right plan.Set) (x, y plan.Var, ok bool) {
	for _, e := range es {
		c, ok := e.(*algebra.Call)
		if !ok || c.Func != ast.Equal {
			continue
		}
		a, ok1 := c.Args[0].(*algebra.VarExpr)
		b, ok2 := c.Args[1].(*algebra.VarExpr)
		if !ok1 || !ok2 {
			continue
		}
		for _, pair := range [][2]plan.Var{{a.Var, b.Var}, {b.Var, a.Var}} {
			if left.Has(pair[0]) && !right.Has(pair[0]) && right.Has(pair[1]) && !left.Has(pair[1]) {
				return pair[0], pair[1], true
			}
		}
	}
	return plan.NoVar, plan.NoVar, false
}

// byValue makes a join without keys one on the values of two variables; the
// comparison itself stays where it is.
func (p *Planner) byValue(j *plan.Join, x, y plan.Var) {
	key := p.newVar("value")
	add := func(n plan.Node, of plan.Var, drop bool) plan.Node {
		k := &plan.ValueKey{Input: n, Of: of, Var: key, Drop: drop}
		k.Info = *n.Base()
		k.Vars = append(append([]plan.Var(nil), k.Vars...), key)
		k.Sure = k.Sure.Union(plan.SetOf(key))
		return k
	}
	j.Left = add(j.Left, x, j.Kind == plan.Inner || j.Kind == plan.Semi)
	j.Right = add(j.Right, y, true)
}

// keys sets the variables on which the join compares.
func (p *Planner) keys(j *plan.Join, sure, vars plan.Set) {
	l := j.Left.Base()
	j.Keys = l.Sure.And(sure).And(plan.SetOf(l.Vars...)).Vars()
	j.Loose = plan.SetOf(l.Vars...).And(vars).Minus(plan.SetOf(j.Keys...)).Vars()
}

// share returns the part of the rows of a node that is needed where few are
// wanted.
func share(sc scope, rows float64) float64 {
	if sc.few == 0 || rows <= sc.few {
		return 1
	}
	return max(sc.few, 64) / max(rows, 64)
}

// shouldApply decides whether the right side, which costs so much by itself, is
// run for stretches of the left, narrowed by their ids, or once.
func (p *Planner) shouldApply(j *plan.Join, leftRows float64, right *facts, cost float64) bool {
	keys := plan.SetOf(j.Keys...)
	if !right.narrow.Meets(keys) {
		return false
	}
	if right.remote && leftRows <= serviceKeys {
		return true
	}
	return probeCost(leftRows, right, keys) < onceCost(leftRows, right.rows, cost)
}

// rightScope returns the scope of the right side of a join, with the ids of
// the left side added if it is applied.
func (p *Planner) rightScope(j *plan.Join, leftRows float64, vars plan.Set, sc scope) scope {
	sc.need = sc.need.And(vars).Union(plan.SetOf(j.Keys...)).Union(plan.SetOf(j.Loose...))
	sc.few = 0
	if j.Kind != plan.Inner {
		// Whether a left row has a match must not depend on what is around.
		sc.side = nil
	}
	j.Input = p.newInput() // also for the case that it comes to be applied
	if !j.Apply {
		return sc
	}
	sides := make(sideways, len(sc.side)+len(j.Keys))
	for v, s := range sc.side {
		sides[v] = s
	}
	l := j.Left.Base()
	for _, v := range l.Sure.And(plan.SetOf(l.Vars...)).And(vars).Vars() {
		sides[v] = side{input: j.Input, rows: leftRows}
	}
	sc.side = sides
	return sc
}

func (p *Planner) newInput() int {
	p.inputs++
	return p.inputs - 1
}

// finish sets the columns of a join from those of its sides.
func (p *Planner) finish(j *plan.Join, leftRows float64, sc scope) {
	l, r := j.Left.Base(), j.Right.Base()
	if s, ok := j.Right.(*plan.Scan); ok && j.Apply {
		s.Direct = j.Input + 1
	}
	// What the right side really binds may be less than was learned.
	p.keys(j, r.Sure, plan.SetOf(r.Vars...))
	j.Vars, j.Sure, j.Rows = nil, l.Sure, leftRows
	seen := plan.SetOf(l.Vars...)
	for _, v := range l.Vars {
		if sc.need.Has(v) {
			j.Vars = append(j.Vars, v)
		}
	}
	switch j.Kind {
	case plan.Inner, plan.Left:
		for _, v := range r.Vars {
			if !seen.Has(v) && sc.need.Has(v) {
				j.Vars = append(j.Vars, v)
			}
		}
		if j.Kind == plan.Inner {
			j.Sure = l.Sure.Union(r.Sure)
		}
	case plan.Mark:
		j.Vars = append(j.Vars, j.Mark)
		j.Sure = j.Sure.Union(plan.SetOf(j.Mark))
	}
	j.Sure = j.Sure.And(plan.SetOf(j.Vars...))
}

// planLeftJoin plans OPTIONAL.
func (p *Planner) planLeftJoin(ctx context.Context, op *algebra.LeftJoin, sc scope) (plan.Node, error) {
	lf, err := p.learn(ctx, op.Left, sc.graph)
	if err != nil {
		return nil, err
	}
	rf, err := p.learn(ctx, op.Right, sc.graph)
	if err != nil {
		return nil, err
	}
	right := op.Right
	var conds []algebra.Expr
	if op.Expr != nil {
		conds = p.conditions([]algebra.Expr{op.Expr})
	}
	// Conditions on the right side alone filter it before it is joined.
	var inside []algebra.Expr
	conds, inside = split(conds, func(e algebra.Expr) bool {
		vars := p.exprVars(e)
		return !p.volatile(e) && !p.hasExists(e) && vars.And(lf.vars.Union(rf.vars)).Within(rf.sure)
	})
	if len(inside) > 0 {
		right = &algebra.Filter{Input: right, Exprs: inside}
		if rf, err = p.learn(ctx, right, sc.graph); err != nil {
			return nil, err
		}
	}
	shared := lf.vars.And(rf.vars)
	inner := sc.needing(shared).needing(p.readIn(conds, &sc.graph))
	left, err := p.plan(ctx, op.Left, inner)
	if err != nil || plan.IsEmpty(left) {
		return left, err
	}
	j := &plan.Join{Kind: plan.Left, Left: left, Mark: plan.NoVar, RowVar: plan.NoVar}
	return p.outer(ctx, j, narrowed(lf, sc), right, rf, conds, inner, sc)
}

// outer plans the right side of a join of a kind other than Inner, and its
// condition. inner is the scope with what the condition needs.
func (p *Planner) outer(ctx context.Context, j *plan.Join, leftRows float64, right algebra.Op, rf *facts, conds []algebra.Expr, inner, sc scope) (plan.Node, error) {
	p.keys(j, rf.sure, rf.vars)
	switch m, err := p.outerMerge(ctx, j, leftRows, right, rf, conds, inner, sc); {
	case err != nil:
		return nil, err
	case m != nil:
		return m, nil
	}
	j.Apply = !p.once(right) && p.shouldApply(j, leftRows*share(sc, leftRows), rf, rf.rows*costScan)
	var err error
	if j.Right, err = p.plan(ctx, right, p.rightScope(j, leftRows, rf.vars, inner)); err != nil {
		return nil, err
	}
	if plan.IsEmpty(j.Right) {
		switch j.Kind {
		case plan.Left, plan.Anti:
			return j.Left, nil
		case plan.Semi:
			return plan.Empty(), nil
		}
	}
	if x, y, ok := equated(conds, columnsOf(j.Left), j.Right.Base().Sure); ok && len(j.Keys)+len(j.Loose) == 0 {
		p.byValue(j, x, y)
	}
	p.finish(j, leftRows, sc)
	if len(conds) > 0 {
		if err := p.condition(ctx, j, conds, inner); err != nil {
			return nil, err
		}
	}
	if j.Kind == plan.Left {
		j.Rows = max(leftRows, joined(&facts{rows: leftRows, sure: j.Left.Base().Sure}, rf).rows)
	}
	return j, nil
}

// condition plans the filter over the matches of a join.
func (p *Planner) condition(ctx context.Context, j *plan.Join, conds []algebra.Expr, sc scope) error {
	j.CondInput = p.newInput()
	j.RowVar = p.newVar("row")
	in := &plan.Input{Input: j.CondInput}
	in.Rows = j.Rows
	in.Vars = append(in.Vars, j.Left.Base().Vars...)
	seen := plan.SetOf(in.Vars...)
	for _, v := range j.Right.Base().Vars {
		if !seen.Has(v) {
			in.Vars = append(in.Vars, v)
		}
	}
	in.Vars = append(in.Vars, j.RowVar)
	in.Sure = j.Left.Base().Sure.Union(j.Right.Base().Sure)
	var err error
	j.Cond, err = p.filter(ctx, in, conds, sc.needing(plan.SetOf(in.Vars...)))
	return err
}

// planMinus plans MINUS.
func (p *Planner) planMinus(ctx context.Context, op *algebra.Minus, sc scope) (plan.Node, error) {
	lf, err := p.learn(ctx, op.Left, sc.graph)
	if err != nil {
		return nil, err
	}
	rf, err := p.learn(ctx, op.Right, sc.graph)
	if err != nil {
		return nil, err
	}
	shared := lf.vars.And(rf.vars)
	inner := sc.needing(shared)
	left, err := p.plan(ctx, op.Left, inner)
	if err != nil || plan.IsEmpty(left) {
		return left, err
	}
	// The variable of a graph that is not among those of the text does not
	// make solutions overlap.
	visible := shared
	if g := sc.graph.Var; g != plan.NoVar {
		visible = visible.Minus(plan.SetOf(g))
	}
	if visible.Empty() {
		return left, nil
	}
	j := &plan.Join{Kind: plan.Anti, Left: left, Mark: plan.NoVar, RowVar: plan.NoVar}
	only := inner
	only.need = shared
	n, err := p.outer(ctx, j, narrowed(lf, sc), op.Right, rf, nil, only, sc)
	if n == plan.Node(j) {
		j.Overlap = len(j.Keys) == 0
	}
	return n, err
}

// split divides expressions by a condition: those for which it is false, and
// those for which it is true.
func split(es []algebra.Expr, f func(algebra.Expr) bool) (no, yes []algebra.Expr) {
	for _, e := range es {
		if f(e) {
			yes = append(yes, e)
		} else {
			no = append(no, e)
		}
	}
	return no, yes
}
