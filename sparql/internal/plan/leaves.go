package plan

import (
	"context"
	"fmt"
	"slices"

	"github.com/rete-go/rete/sparql/algebra"
)

// planUnion plans a union; its arms may have different columns.
func (p *Planner) planUnion(ctx context.Context, op *algebra.Union, sc scope) (Node, error) {
	n := &Union{}
	var vars Set
	for _, a := range op.Args {
		arm, err := p.plan(ctx, a, sc)
		if err != nil {
			return nil, err
		}
		if isEmpty(arm) {
			continue
		}
		b := arm.Base()
		if len(n.Args) == 0 {
			n.Sure = b.Sure
		}
		n.Args = append(n.Args, arm)
		n.Sure = n.Sure.And(b.Sure)
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
		return empty(), nil
	case 1:
		return n.Args[0], nil
	}
	return n, nil
}

// planExtend plans BIND and the like. An expression that nobody needs is not
// evaluated.
func (p *Planner) planExtend(ctx context.Context, op *algebra.Extend, sc scope) (Node, error) {
	if !sc.need.Has(op.Var) {
		return p.plan(ctx, op.Input, sc)
	}
	inner := sc.needing(exprVars(op.Expr))
	side := make(sideways)
	for v, s := range sc.side {
		if v != op.Var {
			side[v] = s
		}
	}
	inner.side = side
	in, err := p.plan(ctx, op.Input, inner)
	if err != nil || isEmpty(in) {
		return in, err
	}
	e := op.Expr
	if hasExists(e) {
		if in, e, err = p.marks(ctx, in, e, inner); err != nil {
			return nil, err
		}
	}
	n, ok := in.(*Extend)
	if !ok {
		n = &Extend{Input: in}
		n.Info = *in.Base()
	}
	n.Added = append(n.Added, Added{Var: op.Var, Expr: e})
	n.Vars = append(append([]Var(nil), n.Vars...), op.Var)
	if _, ok := e.(*algebra.Const); ok {
		n.Sure = n.Sure.Union(SetOf(op.Var))
	}
	return n, nil
}

// planValues plans a table.
func (p *Planner) planValues(ctx context.Context, op *algebra.Values) (Node, error) {
	f := learnValues(op)
	n := &Values{}
	n.Rows, n.Sure = f.rows, f.sure
	// A variable may stand in the list once only; the columns are as written.
	n.Vars = op.Vars
	for _, row := range op.Rows {
		surfaces := make([]string, len(row))
		for i, t := range row {
			surfaces[i] = t.Surface()
		}
		ids := make([]ID, len(row))
		if err := p.terms.Intern(ctx, surfaces, ids); err != nil {
			return nil, err
		}
		n.Table = append(n.Table, ids)
	}
	return n, nil
}

// planService plans SERVICE. The endpoints of a variable come from the join
// around it.
func (p *Planner) planService(ctx context.Context, op *algebra.Service, sc scope) (Node, error) {
	n := &Service{Silent: op.Silent, Group: op.Pattern, Table: p.vars, Name: Arg{Var: op.Name.Variable()}}
	n.Rows = 1000
	n.Vars = slices.Clone(op.Vars)
	if op.Name.IsVar() {
		v := op.Name.Variable()
		if n.Endpoints = sc.ref(v); n.Endpoints == nil {
			return nil, fmt.Errorf("sparql: nothing binds ?%s, the endpoint of SERVICE", p.vars.Name(v))
		}
		if !slices.Contains(n.Vars, v) {
			n.Vars = append(n.Vars, v)
		}
		n.Sure = SetOf(v)
		return n, nil
	}
	var err error
	n.Name.ID, err = p.id(ctx, op.Name.Term)
	return n, err
}

// learnService learns SERVICE. With a variable it looks so large that it is
// joined when the variable is bound.
func learnService(op *algebra.Service) *facts {
	f := &facts{vars: SetOf(op.Vars...), rows: 1000}
	if op.Name.IsVar() {
		v := SetOf(op.Name.Variable())
		f.vars, f.sure, f.narrow, f.rows = f.vars.Union(v), v, v, 1e12
	}
	return f
}
