package planner

import (
	"context"
	"slices"

	"github.com/rete-go/rete/sparql/internal/algebra"
	"github.com/rete-go/rete/sparql/internal/plan"
)

// part is an operand of a join of many.
type part struct {
	facts
	spec  *spec      // a scan, or
	multi []part     // the scans of a cycle, or
	op    algebra.Op // another operator, in
	graph plan.Graph // this graph
}

// group is a join of many operands with filters over it.
type group struct {
	parts   []part
	filters []algebra.Expr
	graph   plan.Graph // in which the filters are tested
}

// planGroup plans joins, basic graph patterns and the filters over them.
func (p *Planner) planGroup(ctx context.Context, op algebra.Op, sc scope) (plan.Node, error) {
	g := group{graph: sc.graph}
	if err := p.flatten(ctx, op, sc.graph, &g); err != nil {
		return nil, err
	}
	return p.planParts(ctx, &g, sc)
}

// flatten collects the operands below joins.
func (p *Planner) flatten(ctx context.Context, op algebra.Op, gr plan.Graph, g *group) error {
	switch op := op.(type) {
	case *algebra.BGP:
		for i := range op.Patterns {
			s, err := p.specOf(ctx, &op.Patterns[i], gr)
			if err != nil {
				return err
			}
			g.parts = append(g.parts, part{facts: s.facts, spec: s, graph: gr})
		}
		return nil
	case *algebra.Path:
		return p.flattenPath(ctx, op, gr, g)
	case *algebra.Join:
		if err := p.flatten(ctx, op.Left, gr, g); err != nil {
			return err
		}
		return p.flatten(ctx, op.Right, gr, g)
	case *algebra.Filter:
		if p.asWritten || slices.ContainsFunc(op.Exprs, p.volatile) {
			break
		}
		// The filters see the variables of this operand alone: they may be
		// shared with the whole group only where that makes no difference. An EXISTS
		// sees the graph as well.
		if !gr.Same(g.graph) && slices.ContainsFunc(op.Exprs, p.hasExists) {
			break
		}
		if alone, err := p.closed(ctx, op, gr); err != nil {
			return err
		} else if alone {
			g.filters = append(g.filters, conjuncts(op.Exprs)...)
			return p.flatten(ctx, op.Input, gr, g)
		}
	case *algebra.Graph:
		if inner, ok, err := p.enter(ctx, op); err != nil {
			return err
		} else if ok {
			return p.flatten(ctx, op.Input, inner, g)
		}
	}
	f, err := p.learn(ctx, op, gr)
	if err != nil {
		return err
	}
	g.parts = append(g.parts, part{facts: *f, op: op, graph: gr})
	return nil
}

// closed reports whether every variable that the filters read is bound in all
// rows of their input, so that more operands next to it change nothing.
func (p *Planner) closed(ctx context.Context, op *algebra.Filter, gr plan.Graph) (bool, error) {
	f, err := p.learn(ctx, op.Input, gr)
	if err != nil {
		return false, err
	}
	return p.exprsVars(op.Exprs).Within(f.sure), nil
}

// planPart plans one operand.
func (p *Planner) planPart(ctx context.Context, pt part, sc scope) (plan.Node, error) {
	if pt.spec != nil {
		return p.scan(pt.spec, sc), nil
	}
	if pt.multi != nil {
		return p.planMultiway(pt, sc), nil
	}
	sc.graph = pt.graph
	switch op := pt.op.(type) {
	case *algebra.Path:
		return p.planPath(ctx, op, pt, sc)
	case *algebra.Filter:
		return p.planFilter(ctx, op, sc)
	}
	return p.plan(ctx, pt.op, sc)
}

// planFilter plans a filter whose input is not a join of which the filter can
// be a part.
func (p *Planner) planFilter(ctx context.Context, op *algebra.Filter, sc scope) (plan.Node, error) {
	if p.asWritten {
		sc.side = nil
		n, err := p.plan(ctx, op.Input, sc.needing(p.readIn(op.Exprs, &sc.graph)))
		if err != nil || plan.IsEmpty(n) {
			return n, err
		}
		return p.filter(ctx, n, op.Exprs, sc)
	}
	g := group{graph: sc.graph}
	if err := p.flatten(ctx, op.Input, sc.graph, &g); err != nil {
		return nil, err
	}
	g.filters = append(g.filters, conjuncts(op.Exprs)...)
	return p.planParts(ctx, &g, sc)
}

// place puts those filters of g over n whose variables are bound; all that are
// left, if last.
func (p *Planner) place(ctx context.Context, n plan.Node, have *facts, g *group, sc scope, last bool) (plan.Node, error) {
	var now, later []algebra.Expr
	vars := groupVars(g)
	for _, e := range g.filters {
		if last || !p.volatile(e) && p.exprVars(e).And(vars).Within(have.sure) && !p.hasExists(e) {
			now = append(now, e)
		} else {
			later = append(later, e)
		}
	}
	g.filters = later
	n, err := p.filter(ctx, n, now, sc)
	if err != nil {
		return nil, err
	}
	for _, e := range now {
		have.rows *= selectivity(e)
	}
	return n, nil
}

// groupVars returns the variables that the operands of g may bind.
func groupVars(g *group) plan.Set {
	var s plan.Set
	for i := range g.parts {
		s.AddAll(g.parts[i].vars)
	}
	return s
}

// filter puts expressions over a node: EXISTS as joins, the rest as one filter.
func (p *Planner) filter(ctx context.Context, n plan.Node, es []algebra.Expr, sc scope) (plan.Node, error) {
	var plain []algebra.Expr
	var err error
	for _, e := range es {
		if not, x, ok := existsOf(e); ok {
			kind := plan.Semi
			if not {
				kind = plan.Anti
			}
			if n, err = p.exists(ctx, n, x, kind, plan.NoVar, sc); err != nil {
				return nil, err
			}
			continue
		}
		if p.hasExists(e) {
			if n, e, err = p.marks(ctx, n, e, sc); err != nil {
				return nil, err
			}
		}
		p.compiled(e)
		plain = append(plain, e)
	}
	if len(plain) == 0 {
		return n, nil
	}
	f := &plan.Filter{Input: n, Exprs: plain, Counted: p.asWritten}
	f.Info = *n.Base()
	for _, e := range plain {
		f.Rows *= selectivity(e)
	}
	return f, nil
}
