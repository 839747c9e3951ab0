package planner

import (
	"context"
	"slices"

	"github.com/rete-go/rete/dataset"
	"github.com/rete-go/rete/rdf"
	"github.com/rete-go/rete/sparql/internal/algebra"
	"github.com/rete-go/rete/sparql/internal/plan"
)

// Names of graphs that every dataset has.
var (
	unionGraph   = rdf.IRI("urn:x-arq:UnionGraph")
	defaultGraph = rdf.IRI("urn:x-arq:DefaultGraph")
)

// enter returns the graph in which the input of GRAPH is planned, and whether
// planning it there gives the answer of GRAPH: for a variable, all leaves then
// bind it and join on it. If not, the graph of a variable is that of a loop.
func (p *Planner) enter(ctx context.Context, op *algebra.Graph) (plan.Graph, bool, error) {
	g := plan.Graph{Graphs: dataset.Graphs{Mode: dataset.Each}, Var: plan.NoVar, Param: -1}
	if !op.Name.IsVar() {
		switch op.Name.Term {
		case unionGraph:
			g.Graphs = dataset.Graphs{Mode: dataset.Merge, Set: p.named.Set, NamedOnly: true}
			return g, true, nil
		case defaultGraph:
			return p.graph, true, nil
		}
		id, err := p.id(ctx, op.Name.Term)
		if err != nil {
			return g, false, err
		}
		g.Set = []plan.ID{}
		if !id.IsLocal() && (p.named.Set == nil || slices.Contains(p.named.Set, id)) {
			g.Set = append(g.Set, id)
		}
		return g, p.bindsGraph(op.Input), nil
	}
	g.Graphs = p.named
	if v := op.Name.Variable(); p.bindsGraph(op.Input) && p.joinsGraph(op.Input, v, false) {
		g.Var = v
		return g, true, nil
	}
	param, ok := p.loops[op]
	if !ok {
		param = p.params
		p.params++
		p.loops[op] = param
	}
	g.Param = param
	return g, false, nil
}

// bindsGraph reports whether every row of op comes from a leaf of the active
// graph, so that a variable for the graph is bound in it.
func (p *Planner) bindsGraph(op algebra.Op) bool {
	switch op := op.(type) {
	case *algebra.BGP:
		return len(op.Patterns) > 0
	case *algebra.Path:
		return !nullable(op.Path)
	}
	return memo(&p.known.binding, op, func() bool {
		p.meter.Step(1)
		switch op := op.(type) {
		case *algebra.Join:
			return p.bindsGraph(op.Left) || p.bindsGraph(op.Right)
		case *algebra.LeftJoin:
			return p.bindsGraph(op.Left)
		case *algebra.Lateral:
			return p.bindsGraph(op.Left)
		case *algebra.Minus:
			return p.bindsGraph(op.Left)
		case *algebra.Union:
			return !slices.ContainsFunc(op.Args, func(a algebra.Op) bool { return !p.bindsGraph(a) })
		case *algebra.Filter:
			return p.bindsGraph(op.Input)
		case *algebra.Extend:
			return p.bindsGraph(op.Input)
		case *algebra.Group:
			return len(op.Keys) > 0 && p.bindsGraph(op.Input)
		case *algebra.Project:
			return p.bindsGraph(op.Input)
		case *algebra.Distinct:
			return p.bindsGraph(op.Input)
		case *algebra.Reduced:
			return p.bindsGraph(op.Input)
		}
		return false
	})
}

// joinsGraph reports whether op may be evaluated over all graphs at once with
// the graph as one more variable: nothing in it counts or cuts rows across
// graphs, and nothing but leaves sees the variable. absent says that op does not mention it.
func (p *Planner) joinsGraph(op algebra.Op, v plan.Var, absent bool) bool {
	var own plan.Set
	switch op := op.(type) {
	case *algebra.Slice, *algebra.OrderBy, *algebra.Search, *algebra.Service, *algebra.Graph, *algebra.Lateral:
		return false
	case *algebra.Values:
		own = plan.SetOf(op.Vars...)
	case *algebra.Filter:
		own = p.exprsVars(op.Exprs)
		if !p.existsJoinGraph(op.Exprs, op.Input, v) {
			return false
		}
	case *algebra.Extend:
		if !p.existsJoinGraph(algebra.Exprs(op), op.Input, v) {
			return false
		}
		own = p.exprVars(op.Expr).Union(plan.SetOf(op.Var))
	case *algebra.LeftJoin:
		// A left side that no graph binds is extended or not by each graph.
		if !p.bindsGraph(op.Left) || !p.bindsGraph(op.Right) || !absent && p.mentioned(op.Right).Has(v) {
			return false
		}
		if !p.existsJoinGraph(algebra.Exprs(op), op.Left, v) {
			return false
		}
		own = p.exprsVars(algebra.Exprs(op))
	case *algebra.Minus:
		// The graph alone must not make solutions overlap.
		if !absent && p.mentioned(op).Has(v) || !p.bindsGraph(op.Left) || !p.bindsGraph(op.Right) {
			return false
		}
		absent = true
	case *algebra.Group:
		// The graph is one more key. Without keys, a graph without rows has a group too.
		if len(op.Keys) == 0 || !p.existsJoinGraph(algebra.Exprs(op), op.Input, v) {
			return false
		}
		own = ownVars(op).Union(p.exprsVars(algebra.Exprs(op)))
	case *algebra.Project:
		own = plan.SetOf(op.Vars...)
	}
	if own.Has(v) {
		return false
	}
	for _, c := range children(op) {
		if !p.joinsGraph(c, v, absent) {
			return false
		}
	}
	return true
}

// existsJoinGraph reports whether the patterns of EXISTS in expressions over input may be evaluated over
// all graphs at once too: rows of input have the graph that they are looked for in. That no
// pattern mentions v, callers check.
func (p *Planner) existsJoinGraph(es []algebra.Expr, input algebra.Op, v plan.Var) bool {
	for _, e := range es {
		if !p.hasExists(e) {
			continue
		}
		var ok bool
		switch e := e.(type) {
		case *algebra.Exists:
			ok = p.bindsGraph(input) && p.bindsGraph(e.Pattern) && p.joinsGraph(e.Pattern, v, true)
		case *algebra.Call:
			ok = p.existsJoinGraph(e.Args, input, v)
		case *algebra.FunctionCall:
			ok = p.existsJoinGraph(e.Args, input, v)
		}
		if !ok {
			return false
		}
	}
	return true
}

// learnGraph learns GRAPH.
func (p *Planner) learnGraph(ctx context.Context, op *algebra.Graph, _ plan.Graph) (*facts, error) {
	inner, native, err := p.enter(ctx, op)
	if err != nil {
		return nil, err
	}
	f, err := p.copied(ctx, op.Input, inner)
	if err != nil {
		return nil, err
	}
	if v := op.Name.Variable(); v != plan.NoVar {
		f.vars, f.sure = f.vars.Union(plan.SetOf(v)), f.sure.Union(plan.SetOf(v))
		if !native {
			f.narrow = f.narrow.Union(plan.SetOf(v))
		}
	}
	return f, nil
}

// planGraph plans GRAPH.
func (p *Planner) planGraph(ctx context.Context, op *algebra.Graph, sc scope) (plan.Node, error) {
	inner, native, err := p.enter(ctx, op)
	if err != nil {
		return nil, err
	}
	name := op.Name.Variable()
	if native || name == plan.NoVar {
		sc.graph = inner
		if !native {
			if ok, err := p.graphExists(ctx, op.Name.Term, inner); err != nil || !ok {
				return plan.Empty(), err
			}
		}
		return p.plan(ctx, op.Input, sc)
	}
	list := &plan.Graphs{Var: name, Graph: p.named, Empty: p.empty, Within: sc.ref(name)}
	list.Vars, list.Sure, list.Rows = []plan.Var{name}, plan.SetOf(name), 10
	if algebra.IsUnit(op.Input) {
		return list, nil
	}
	loop := &plan.GraphLoop{Var: name, Graphs: list, Param: inner.Param}
	sc.graph = inner
	sc.need = sc.need.Union(plan.SetOf(name))
	if loop.Body, err = p.plan(ctx, op.Input, sc); err != nil {
		return nil, err
	}
	loop.Info = *loop.Body.Base()
	if !columnsOf(loop.Body).Has(name) {
		loop.Vars = append(append([]plan.Var(nil), loop.Vars...), name)
	}
	loop.Sure = loop.Sure.Union(plan.SetOf(name))
	return loop, nil
}

// graphExists reports whether the graph called name, g, is one of the dataset: the
// query names it, or where it names none, it has a quad.
func (p *Planner) graphExists(ctx context.Context, name rdf.Term, g plan.Graph) (bool, error) {
	switch {
	case len(g.Set) == 0:
		id, err := p.id(ctx, name)
		return err == nil && slices.Contains(p.empty, id), err
	case p.named.Set != nil && g.Mode == dataset.Each:
		return true, nil
	}
	n, err := p.ds.Count(ctx, dataset.Pattern{G: g.Graphs})
	return n > 0, err
}
