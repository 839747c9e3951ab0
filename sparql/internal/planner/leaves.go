package planner

import (
	"context"
	"fmt"
	"slices"

	"github.com/rete-go/rete/sparql/internal/algebra"
	"github.com/rete-go/rete/sparql/internal/plan"
)

// planUnion plans a union; its arms may have different columns.
func (p *Planner) planUnion(ctx context.Context, op *algebra.Union, sc scope) (plan.Node, error) {
	n := &plan.Union{}
	var vars plan.Set
	defer func() { p.meter.Hold(4*len(n.Vars) + 16*len(op.Args)) }()
	for _, a := range op.Args {
		arm, err := p.plan(ctx, a, sc)
		if err != nil {
			return nil, err
		}
		if plan.IsEmpty(arm) {
			continue
		}
		b := arm.Base()
		if len(n.Args) == 0 {
			n.Sure = slices.Clone(b.Sure)
		}
		n.Args = append(n.Args, arm)
		n.Sure.Keep(b.Sure)
		n.Rows += b.Rows
		for _, v := range b.Vars {
			if !vars.Has(v) {
				n.Vars = append(n.Vars, v)
				vars.Add(v)
			}
		}
	}
	switch len(n.Args) {
	case 0:
		return plan.Empty(), nil
	case 1:
		return n.Args[0], nil
	}
	return n, nil
}

// planExtend plans BIND and the like. An expression that nobody needs is not
// evaluated.
func (p *Planner) planExtend(ctx context.Context, op *algebra.Extend, sc scope) (plan.Node, error) {
	if !sc.need.Has(op.Var) {
		return p.plan(ctx, op.Input, sc)
	}
	inner := sc.needing(p.readIn(algebra.Exprs(op), &sc.graph))
	side := make(sideways)
	for v, s := range sc.side {
		if v != op.Var {
			side[v] = s
		}
	}
	inner.side = side
	in, err := p.plan(ctx, op.Input, inner)
	if err != nil || plan.IsEmpty(in) {
		return in, err
	}
	e := op.Expr
	if p.hasExists(e) {
		if in, e, err = p.marks(ctx, in, e, inner); err != nil {
			return nil, err
		}
	}
	n, ok := in.(*plan.Extend)
	if !ok {
		n = &plan.Extend{Input: in}
		n.Info = *in.Base()
		n.Vars, n.Sure = slices.Clone(n.Vars), slices.Clone(n.Sure)
	}
	p.compiled(e)
	n.Added = append(n.Added, plan.Added{Var: op.Var, Expr: e})
	n.Vars = append(n.Vars, op.Var)
	if _, ok := e.(*algebra.Const); ok {
		n.Sure.Add(op.Var)
	}
	return n, nil
}

// internRows is how many terms of a table are looked up together.
const internRows = 4096

// planValues plans a table.
func (p *Planner) planValues(ctx context.Context, op *algebra.Values) (plan.Node, error) {
	f := learnValues(op)
	n := &plan.Values{}
	n.Rows, n.Sure = f.rows, f.sure
	// A variable may stand in the list once only; the columns are as written.
	n.Vars = op.Vars
	n.N = op.Rows.N
	if !p.meter.Hold(8 * len(op.Rows.Terms)) {
		return nil, p.meter.Err()
	}
	n.IDs = make([]plan.ID, len(op.Rows.Terms))
	var surfaces []string
	for from := 0; from < len(n.IDs); from += len(surfaces) {
		surfaces = surfaces[:0]
		for _, t := range op.Rows.Terms[from:min(from+internRows, len(n.IDs))] {
			surfaces = append(surfaces, t.Surface())
		}
		if err := p.terms.Intern(ctx, surfaces, n.IDs[from:from+len(surfaces)]); err != nil {
			return nil, err
		}
	}
	return n, nil
}

// searchRows is how many hits a search without a limit is expected to have.
const searchRows = 1000

// planSearch plans a search.
func (p *Planner) planSearch(op *algebra.Search, sc scope) plan.Node {
	f := learnSearch(op)
	n := &plan.Search{Words: op.Words, Limit: op.Limit, Graph: sc.graph}
	n.Vars, n.Sure, n.Rows = op.Vars, f.sure, f.rows
	return n
}

func learnSearch(op *algebra.Search) *facts {
	vars := plan.SetOf(op.Vars...)
	f := &facts{vars: vars, sure: vars, rows: searchRows}
	if op.Limit > 0 {
		f.rows = min(f.rows, float64(op.Limit))
	}
	return f
}

// planService plans SERVICE. The endpoints of a variable come from the join
// around it, and so do keys that are sent along where there are any.
func (p *Planner) planService(ctx context.Context, op *algebra.Service, sc scope) (plan.Node, error) {
	n := &plan.Service{Silent: op.Silent, Group: op.Pattern, Table: p.vars, Name: plan.Arg{Var: op.Name.Variable()}}
	n.Rows = serviceRows
	n.Vars = slices.Clone(op.Vars)
	var err error
	if op.Name.IsVar() {
		v := op.Name.Variable()
		switch n.Endpoints = sc.ref(v); {
		case n.Endpoints == nil && op.Silent:
			return plan.Unit(), nil // the one solution by which SILENT forgives a failure
		case n.Endpoints == nil:
			return nil, fmt.Errorf("%w: nothing binds ?%s", plan.ErrEndpoint, p.vars.Name(v))
		}
		if !slices.Contains(n.Vars, v) {
			n.Vars = append(n.Vars, v)
		}
	} else if n.Name.ID, err = p.id(ctx, op.Name.Term); err != nil {
		return nil, err
	}
	n.Must = certain(op)
	n.Keys = keysOf(n, sc)
	// The one solution by which SILENT forgives a failure binds only the keys.
	if !n.Silent {
		n.Sure = n.Must
	}
	for _, k := range n.Keys {
		n.Sure = n.Sure.Union(plan.SetOf(k.Var))
	}
	n.Sure = n.Sure.Union(plan.SetOf(op.Name.Variable()))
	return n, nil
}

// keysOf returns the variables that every answer binds and that one input has, that
// of the innermost join.
func keysOf(n *plan.Service, sc scope) []*plan.Ref {
	var out []*plan.Ref
	for _, v := range n.Must.Vars() {
		r := sc.ref(v)
		if r == nil || v == n.Name.Var || n.Endpoints != nil && r.Input != n.Endpoints.Input {
			continue
		}
		if len(out) > 0 && r.Input > out[0].Input {
			out = out[:0]
		}
		if len(out) == 0 || r.Input == out[0].Input {
			out = append(out, r)
		}
	}
	return out
}

// serviceRows is how many solutions an endpoint is expected to have, so that what
// is small here is looked at first.
const serviceRows = 1e5

// serviceKeys is up to how many rows an endpoint is asked for their keys alone,
// and not for all that it has.
const serviceKeys = 1e4

// certain returns the variables that every answer of an endpoint binds.
func certain(op *algebra.Service) plan.Set {
	sure := algebra.Certain(op.Input)
	var out plan.Set
	for _, v := range op.Vars {
		if sure.Has(v) {
			out = out.Union(plan.SetOf(v))
		}
	}
	return out
}

// learnService learns SERVICE. With a variable it looks so large that it is
// joined when the variable is bound.
func learnService(op *algebra.Service) *facts {
	f := &facts{vars: plan.SetOf(op.Vars...), sure: certain(op), rows: serviceRows, remote: true}
	f.narrow = f.sure
	if op.Name.IsVar() {
		v := plan.SetOf(op.Name.Variable())
		f.vars, f.sure, f.narrow, f.rows = f.vars.Union(v), f.sure.Union(v), f.narrow.Union(v), 1e12
	}
	return f
}
