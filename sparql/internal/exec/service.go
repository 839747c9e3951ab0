package exec

import (
	"context"
	"errors"

	"github.com/rete-go/rete/rdf"
	"github.com/rete-go/rete/sparql/internal/plan"
)

// Service asks an endpoint: it evaluates the text of a group graph pattern
// there. Rows has a term for each variable, the zero term where it is unbound.
type Service func(ctx context.Context, endpoint, group string, vars []string) (rows [][]rdf.Term, err error)

// errNoService says that a query may not ask endpoints.
var errNoService = errors.New("sparql: SERVICE is not enabled for this query")

// serviceOp delivers the answer of an endpoint.
type serviceOp struct {
	run   *Run
	node  *plan.Service
	rows  [][]rdf.Term
	asked bool
	out   Batch
}

func newService(r *Run, n *plan.Service) (Op, error) {
	return &serviceOp{run: r, node: n, out: Batch{Col: make([][]id, len(n.Vars))}}, nil
}

func (o *serviceOp) Next(ctx context.Context) (*Batch, error) {
	if !o.asked {
		if err := o.ask(ctx); err != nil {
			return nil, err
		}
		o.asked = true
	}
	n := min(len(o.rows), batchRows)
	if n == 0 {
		return nil, nil
	}
	surfaces := make([]string, n)
	for c := range o.out.Col {
		for i, row := range o.rows[:n] {
			surfaces[i] = row[c].Surface()
		}
		o.out.Col[c] = make([]id, n)
		if err := o.run.Terms.Intern(ctx, surfaces, o.out.Col[c]); err != nil {
			return nil, err
		}
	}
	o.out.N, o.rows = n, o.rows[n:]
	return &o.out, nil
}

func (o *serviceOp) ask(ctx context.Context) error {
	name, err := o.run.Terms.SurfaceOf(ctx, o.node.Name.ID)
	if err != nil {
		return err
	}
	err = errNoService
	if o.run.Service != nil {
		names := make([]string, len(o.node.Vars))
		for i, v := range o.node.Vars {
			names[i] = o.node.Table.Name(v)
		}
		o.rows, err = o.run.Service(ctx, rdf.FromSurface(name).Value(), o.node.Group.String(), names)
	}
	if err != nil && o.node.Silent && ctx.Err() == nil {
		// One solution that binds nothing.
		o.rows, err = [][]rdf.Term{make([]rdf.Term, len(o.node.Vars))}, nil
	}
	return err
}

func (o *serviceOp) Close() {}
