package planner

import (
	"context"

	"github.com/rete-go/rete/rdf"
	"github.com/rete-go/rete/sparql/internal/algebra"
	"github.com/rete-go/rete/sparql/internal/ast"
	"github.com/rete-go/rete/sparql/internal/plan"
)

// existsOf takes EXISTS, NOT EXISTS and ! of either apart.
func existsOf(e algebra.Expr) (not bool, x *algebra.Exists, ok bool) {
	switch e := e.(type) {
	case *algebra.Exists:
		return e.Not, e, true
	case *algebra.Call:
		if e.Func == ast.Not {
			not, x, ok = existsOf(e.Args[0])
			return !not, x, ok
		}
	}
	return false, nil, false
}

// exists puts EXISTS over a node, as a join where that has the same meaning.
func (p *Planner) exists(ctx context.Context, n plan.Node, x *algebra.Exists, kind plan.JoinKind, mark plan.Var, sc scope) (plan.Node, error) {
	outer := columnsOf(n).And(p.mentioned(x.Pattern).Union(plan.SetOf(sc.graph.Var)))
	yes, err := p.id(ctx, rdf.Boolean(true))
	if err != nil {
		return nil, err
	}
	no, err := p.id(ctx, rdf.Boolean(false))
	if err != nil {
		return nil, err
	}
	if kind == plan.Mark && x.Not {
		yes, no = no, yes
	}
	if p.chancy(x.Pattern) {
		return p.substituted(n, x, kind, mark, outer, yes, no, sc), nil
	}
	// The filters over the whole pattern may see the outer variables: they
	// become the condition of the join.
	pattern, conds := x.Pattern, []algebra.Expr(nil)
	for {
		f, ok := pattern.(*algebra.Filter)
		if !ok {
			break
		}
		pattern, conds = f.Input, append(conds, p.conditions(f.Exprs)...)
	}
	joinable, err := p.joinable(ctx, pattern, outer.Minus(plan.SetOf(sc.graph.Var)), sc.graph)
	if err != nil {
		return nil, err
	}
	if !joinable {
		return p.substituted(n, x, kind, mark, outer, yes, no, sc), nil
	}
	rf, err := p.learn(ctx, pattern, sc.graph)
	if err != nil {
		return nil, err
	}
	var inside []algebra.Expr
	conds, inside = split(conds, func(e algebra.Expr) bool {
		vars := p.exprVars(e)
		return !p.hasExists(e) && vars.And(outer.Union(rf.vars)).Within(rf.sure)
	})
	if len(inside) > 0 {
		pattern = &algebra.Filter{Input: pattern, Exprs: inside}
		if rf, err = p.learn(ctx, pattern, sc.graph); err != nil {
			return nil, err
		}
	}
	j := &plan.Join{Kind: kind, Left: n, Mark: mark, RowVar: plan.NoVar, True: yes, False: no}
	if kind == plan.Mark {
		sc.need = sc.need.Union(plan.SetOf(mark))
	}
	inner := sc
	inner.need = outer.Union(p.exprsVars(conds))
	return p.outer(ctx, j, n.Base().Rows, pattern, rf, conds, inner, sc.needing(columnsOf(n)))
}

// substituted makes the node that evaluates EXISTS once for each key.
func (p *Planner) substituted(n plan.Node, x *algebra.Exists, kind plan.JoinKind, mark plan.Var, outer plan.Set, yes, no plan.ID, sc scope) plan.Node {
	s := &plan.Substitute{Input: n, Kind: kind, Keys: outer.Vars(), Mark: mark, True: yes, False: no, Each: p.chancy(x.Pattern)}
	s.Info = *n.Base()
	if kind == plan.Mark {
		s.Vars = append(append([]plan.Var(nil), s.Vars...), mark)
		s.Sure = s.Sure.Union(plan.SetOf(mark))
	}
	s.Plan = p.later(x.Pattern, s.Keys, scope{graph: sc.graph})
	return s
}

// later returns what plans a pattern while the query runs, with ids put in for the keys.
func (p *Planner) later(pattern algebra.Op, keys []plan.Var, sc scope) func(ctx context.Context, key []plan.ID) (plan.Node, error) {
	return func(ctx context.Context, key []plan.ID) (plan.Node, error) {
		bound := make(map[plan.Var]plan.ID, len(key))
		inner := sc
		for i, v := range keys {
			if key[i] != 0 {
				bound[v] = key[i]
			}
			if v == sc.graph.Var {
				inner.graph.Set, inner.graph.Var = []plan.ID{key[i]}, plan.NoVar
			}
		}
		q := p.again(ctx)
		op, err := q.substitute(ctx, pattern, bound)
		if err != nil {
			return nil, err
		}
		return q.plan(ctx, op, inner)
	}
}

// joinable reports whether putting the variables into the pattern gives the
// same as joining with them: whether no expression in it, and no right side of
// OPTIONAL or MINUS, sees one that is not surely bound next to it.
func (p *Planner) joinable(ctx context.Context, op algebra.Op, vars plan.Set, g plan.Graph) (bool, error) {
	vars = vars.And(p.mentioned(op))
	if vars.Empty() {
		return true, nil
	}
	closed := func(read plan.Set, input algebra.Op) (bool, error) {
		f, err := p.learn(ctx, input, g)
		if err != nil {
			return false, err
		}
		return vars.And(read).Within(f.sure), nil
	}
	ok, err := true, error(nil)
	switch op := op.(type) {
	case *algebra.Path:
		// A term that is put in reaches itself even if no graph has it.
		ok = !nullable(op.Path)
	case *algebra.Filter:
		ok, err = closed(p.exprsVars(op.Exprs), op.Input)
	case *algebra.LeftJoin:
		read := p.mentioned(op.Right)
		if op.Expr != nil {
			read = read.Union(p.exprVars(op.Expr))
		}
		ok, err = closed(read, op.Left)
	case *algebra.Lateral:
		ok = false
	case *algebra.Minus:
		ok, err = closed(p.mentioned(op.Right), op.Left)
	case *algebra.Extend:
		ok, err = closed(p.exprVars(op.Expr).Union(plan.SetOf(op.Var)), op.Input)
	case *algebra.Group:
		if ok = vars.Within(plan.SetOf(op.Keys...)); ok {
			ok, err = closed(p.exprsVars(algebra.Exprs(op)), op.Input)
		}
	case *algebra.Slice:
		ok = false
	case *algebra.Search:
		// A graph has hits for each term that is put in, whatever it is.
	case *algebra.Graph:
		inner, native, err := p.enter(ctx, op)
		if err != nil {
			return false, err
		}
		if !native && op.Name.IsVar() && vars.Has(op.Name.Variable()) && p.mentioned(op.Input).Has(op.Name.Variable()) {
			return false, nil
		}
		return p.joinable(ctx, op.Input, vars, inner)
	}
	if !ok || err != nil {
		return false, err
	}
	for _, c := range children(op) {
		if ok, err := p.joinable(ctx, c, vars, g); !ok || err != nil {
			return false, err
		}
	}
	return true, nil
}

// nullable reports whether a path has matches of length zero.
func nullable(p algebra.PathExpr) bool {
	switch p := p.(type) {
	case *algebra.ZeroOrOne, *algebra.ZeroOrMore:
		return true
	case *algebra.OneOrMore:
		return nullable(p.Path)
	case *algebra.Seq:
		for _, a := range p.Args {
			if !nullable(a) {
				return false
			}
		}
		return true
	case *algebra.Alt:
		for _, a := range p.Args {
			if nullable(a) {
				return true
			}
		}
	}
	return false
}

// marks puts the value of each EXISTS in e into a column of its own, and
// returns e with those columns in their places.
func (p *Planner) marks(ctx context.Context, n plan.Node, e algebra.Expr, sc scope) (plan.Node, algebra.Expr, error) {
	args := func(list []algebra.Expr) ([]algebra.Expr, error) {
		out := make([]algebra.Expr, len(list))
		var err error
		for i, a := range list {
			if n, out[i], err = p.marks(ctx, n, a, sc); err != nil {
				return nil, err
			}
		}
		return out, nil
	}
	switch x := e.(type) {
	case *algebra.Exists:
		mark := p.newVar("exists")
		node, err := p.exists(ctx, n, x, plan.Mark, mark, sc)
		return node, &algebra.VarExpr{Span: x.Span, Var: mark}, err
	case *algebra.Call:
		list, err := args(x.Args)
		return n, &algebra.Call{Span: x.Span, Func: x.Func, Args: list}, err
	case *algebra.FunctionCall:
		list, err := args(x.Args)
		return n, &algebra.FunctionCall{Span: x.Span, IRI: x.IRI, Args: list}, err
	}
	return n, e, nil
}
