package exec

import (
	"context"
	"errors"
	"slices"

	"github.com/rete-go/rete/rdf"
	"github.com/rete-go/rete/sparql/internal/plan"
)

// Service asks an endpoint: it evaluates the text of a group graph pattern
// there. Rows has a term for each variable, the zero term where it is unbound.
type Service func(ctx context.Context, endpoint, group string, vars []string) (rows [][]rdf.Term, err error)

// errNoService says that a query may not ask endpoints.
var errNoService = errors.New("sparql: SERVICE is not enabled for this query")

// serviceOp delivers the answers of endpoints.
type serviceOp struct {
	run   *Run
	node  *plan.Service
	own   int // the column of the endpoint; -1 without
	todo  []id
	now   id
	rows  [][]rdf.Term
	begun bool
	out   Batch
}

func newService(r *Run, n *plan.Service) (Op, error) {
	return &serviceOp{
		run: r, node: n, out: Batch{Col: make([][]id, len(n.Vars))},
		own: place([]Var{n.Name.Var}, n.Vars)[0],
	}, nil
}

func (o *serviceOp) Next(ctx context.Context) (*Batch, error) {
	if !o.begun {
		o.begun = true
		o.todo = []id{o.node.Name.ID}
		if ref := o.node.Endpoints; ref != nil {
			o.todo = o.run.input(ref.Input).set(ref.Var).all()
		}
	}
	for {
		for len(o.rows) == 0 {
			if len(o.todo) == 0 {
				return nil, nil
			}
			o.now, o.todo = o.todo[0], o.todo[1:]
			if err := o.ask(ctx); err != nil {
				return nil, err
			}
		}
		if err := o.emit(ctx); err != nil {
			return nil, err
		}
		if o.out.N > 0 {
			return &o.out, nil
		}
	}
}

// emit turns the next rows of an answer into ids.
func (o *serviceOp) emit(ctx context.Context) error {
	n := min(len(o.rows), batchRows)
	surfaces := make([]string, n)
	for c := range o.out.Col {
		for i, row := range o.rows[:n] {
			surfaces[i] = row[c].Surface()
		}
		o.out.Col[c] = make([]id, n)
		if err := o.run.Terms.Intern(ctx, surfaces, o.out.Col[c]); err != nil {
			return err
		}
	}
	o.out.N, o.rows = n, o.rows[n:]
	if o.own >= 0 {
		o.bind()
	}
	return nil
}

// bind drops rows in which the endpoint's variable is bound to something else.
func (o *serviceOp) bind() {
	kept := 0
	for row, e := range o.out.Col[o.own] {
		if e != 0 && e != o.now {
			continue
		}
		for _, col := range o.out.Col {
			col[kept] = col[row]
		}
		o.out.Col[o.own][kept] = o.now
		kept++
	}
	o.out.N = kept
}

// ask asks the endpoint. SILENT turns a failure into one solution that binds
// nothing.
func (o *serviceOp) ask(ctx context.Context) error {
	name, err := o.run.Terms.SurfaceOf(ctx, o.now)
	if err != nil {
		return err
	}
	endpoint := rdf.FromSurface(name)
	err = errNoService
	switch {
	case endpoint.Kind() != rdf.KindIRI:
		err = errors.New("sparql: the endpoint of SERVICE is no IRI: " + endpoint.String())
	case o.run.Service != nil:
		names := make([]string, len(o.node.Vars))
		for i, v := range o.node.Vars {
			names[i] = o.node.Table.Name(v)
		}
		o.rows, err = o.run.Service(ctx, endpoint.Value(), o.node.Group.String(), names)
		o.rename()
	}
	if err != nil && o.node.Silent && ctx.Err() == nil {
		o.rows, err = [][]rdf.Term{make([]rdf.Term, len(o.node.Vars))}, nil
	}
	return err
}

// rename gives the blank nodes of an answer labels that nothing else has.
func (o *serviceOp) rename() {
	labels := make(map[rdf.Term]rdf.Term)
	for _, row := range o.rows {
		for i, t := range row {
			if t.Kind() != rdf.KindBlank {
				continue
			}
			if _, ok := labels[t]; !ok {
				labels[t] = rdf.Blank(o.run.FreshBlank())
			}
			row[i] = labels[t]
		}
	}
}

func (o *serviceOp) Close() {}

// all returns the ids, those that are stored first.
func (s *idSets) all() []id {
	out := s.stored.Append(nil)
	from := len(out)
	for i := range s.made {
		out = append(out, i)
	}
	slices.Sort(out[from:])
	return out
}
