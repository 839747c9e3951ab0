package planner

import (
	"context"

	"github.com/rete-go/rete/rdf"
	"github.com/rete-go/rete/sparql/internal/algebra"
	"github.com/rete-go/rete/sparql/internal/plan"
)

// flattenPath adds a path to a group. A negated property set is scans; what
// else comes here is a closure.
func (p *Planner) flattenPath(ctx context.Context, op *algebra.Path, gr plan.Graph, g *group) error {
	if neg, ok := op.Path.(*algebra.Negated); ok && neg.HasForward != neg.HasBackward {
		s, err := p.negated(ctx, op, neg, neg.HasBackward, gr)
		if err != nil {
			return err
		}
		g.parts = append(g.parts, part{facts: s.facts, spec: s, graph: gr})
		return nil
	}
	f, err := p.learn(ctx, op, gr)
	if err != nil {
		return err
	}
	g.parts = append(g.parts, part{facts: *f, op: op, graph: gr})
	return nil
}

// negated makes the scan of one direction of a negated property set.
func (p *Planner) negated(ctx context.Context, op *algebra.Path, neg *algebra.Negated, backward bool, gr plan.Graph) (*spec, error) {
	list := neg.Forward
	args := [3]algebra.Arg{op.S, algebra.VarArg(p.newVar("predicate")), op.O}
	if backward {
		list = neg.Backward
		args[0], args[2] = args[2], args[0]
	}
	not, err := p.stored(ctx, list)
	if err != nil {
		return nil, err
	}
	return p.newSpec(ctx, args, gr, not)
}

// stored returns the ids of those terms that the data has.
func (p *Planner) stored(ctx context.Context, list []rdf.Term) ([]plan.ID, error) {
	var out []plan.ID
	for _, t := range list {
		id, err := p.id(ctx, t)
		if err != nil {
			return nil, err
		}
		if !id.IsLocal() {
			out = append(out, id)
		}
	}
	return out, nil
}

// learnPath guesses the size of a closure: that of its steps, some times over.
func (p *Planner) learnPath(ctx context.Context, op *algebra.Path, gr plan.Graph) (*facts, error) {
	f := &facts{vars: ownVars(op).Union(plan.SetOf(gr.Var)), distinct: make(map[plan.Var]float64)}
	f.narrow = plan.SetOf(op.S.Variable(), op.O.Variable(), gr.Var)
	f.sure = f.vars
	any, err := p.newSpec(ctx, [3]algebra.Arg{algebra.VarArg(p.newVar("s")), algebra.VarArg(p.newVar("p")), algebra.VarArg(p.newVar("o"))}, gr, nil)
	if err != nil {
		return nil, err
	}
	f.rows = max(4, any.rows)
	if d, ok := any.distinct[gr.Var]; ok {
		f.distinct[gr.Var] = d
	}
	nodes := max(1, any.rows/4)
	for _, a := range []algebra.Arg{op.S, op.O} {
		if a.IsVar() {
			f.distinct[a.Variable()] = nodes
		} else {
			f.rows = max(1, f.rows/nodes)
		}
	}
	return f, nil
}

// planPath plans a closure, or a negated property set of both directions.
func (p *Planner) planPath(ctx context.Context, op *algebra.Path, pt part, sc scope) (plan.Node, error) {
	if neg, ok := op.Path.(*algebra.Negated); ok {
		n := &plan.Union{}
		for _, backward := range []bool{false, true} {
			s, err := p.negated(ctx, op, neg, backward, pt.graph)
			if err != nil {
				return nil, err
			}
			arm := p.scan(s, sc)
			n.Args = append(n.Args, arm)
			n.Info = *arm.Base()
		}
		n.Rows *= 2
		return n, nil
	}
	n := &plan.Path{Path: op.Path, Graph: pt.graph}
	n.Rows = narrowed(&pt.facts, sc)
	apart := &spec{}
	for i, a := range []algebra.Arg{op.S, op.O} {
		end := &n.S
		if i == 1 {
			end = &n.O
		}
		if a.Triple != nil {
			v := p.newVar("triple")
			if err := p.addUnfold(ctx, apart, v, a.Triple); err != nil {
				return nil, err
			}
			a = algebra.VarArg(v)
		}
		if !a.IsVar() {
			id, err := p.id(ctx, a.Term)
			if err != nil {
				return nil, err
			}
			*end = plan.Arg{Var: plan.NoVar, ID: id}
			continue
		}
		v := a.Variable()
		*end = plan.Arg{Var: v}
		n.Within[i] = sc.ref(v)
		if !n.Sure.Has(v) {
			n.Vars = append(n.Vars, v)
			n.Sure.Add(v)
		}
	}
	g := pt.graph.Var
	if n.Within[2] = sc.ref(g); g != plan.NoVar && !n.Sure.Has(g) {
		n.Vars = append(n.Vars, g)
		n.Sure.Add(g)
	}
	return unfolded(n, apart.unfold), nil
}
