package sparql

import (
	"context"
	"io"
	"slices"

	"github.com/rete-go/rete/dataset"
	"github.com/rete-go/rete/rdf"
	"github.com/rete-go/rete/sparql/internal/algebra"
)

// Describe runs a DESCRIBE query. A description is the concise bounded one:
// the triples of which a resource is the subject, and those of the blank nodes
// that they lead to, each followed once.
func Describe(ctx context.Context, ds dataset.Dataset, q *Query, opts ...Option) (*Triples, error) {
	if err := q.want(FormDescribe); err != nil {
		return nil, err
	}
	var need []algebra.Var
	for _, a := range q.q.Describe {
		need = appendVars(need, q.q.Vars, a)
	}
	s, err := begin(ctx, ds, q, need, opts)
	if err != nil {
		return nil, err
	}
	return &Triples{answer: once{ctx: ctx, session: s}, each: func(ctx context.Context, s *session, yield func(rdf.Quad) bool) error {
		return s.describe(ctx, need, yield)
	}}, nil
}

// describe finds the resources and describes them in stretches.
func (s *session) describe(ctx context.Context, vars []algebra.Var, yield func(rdf.Quad) bool) error {
	described := false
	d := describer{s: s, seen: make(map[dataset.ID]bool), yield: func(q rdf.Quad) bool {
		described = true
		return yield(q)
	}}
	for _, a := range s.query.q.Describe {
		if a.IsVar() {
			continue
		}
		id, err := s.terms.InternOne(ctx, a.Term.Surface())
		if err != nil {
			return err
		}
		d.add(id)
	}
	cols := s.columns(vars)
	for len(vars) > 0 {
		b, err := s.next(ctx)
		if err != nil {
			return err
		}
		if b == nil {
			break
		}
		for _, c := range cols {
			if c < 0 {
				continue
			}
			for _, id := range b.Col[c][:b.N] {
				d.add(id)
			}
		}
		if err := d.flush(ctx); err != nil || d.stopped {
			return err
		}
	}
	if err := d.flush(ctx); err != nil || described {
		return err
	}
	s.noteFirst(ctx, nil)
	return nil
}

// describer describes resources.
type describer struct {
	s       *session
	seen    map[dataset.ID]bool
	open    []dataset.ID // to be described
	charged int          // how many of seen are counted as memory of the query
	yield   func(rdf.Quad) bool
	stopped bool
}

// add puts a resource on the list, once.
func (d *describer) add(id dataset.ID) {
	if id == 0 || id.IsLocal() || d.seen[id] {
		return
	}
	d.seen[id] = true
	d.open = append(d.open, id)
}

// flush describes what is on the list, and the blank nodes after it.
func (d *describer) flush(ctx context.Context) error {
	for len(d.open) > 0 && !d.stopped {
		list := d.open
		d.open = nil
		slices.Sort(list)
		if err := d.charge(ctx); err != nil {
			return err
		}
		if err := d.scan(ctx, list); err != nil {
			return err
		}
	}
	return nil
}

// charge counts the resources that came since the last call.
func (d *describer) charge(ctx context.Context) error {
	more := len(d.seen) - d.charged
	d.charged = len(d.seen)
	return d.s.run.Budget.Take(ctx, "describe", int64(more)*32)
}

// scan delivers the triples of subjects.
func (d *describer) scan(ctx context.Context, subjects []dataset.ID) error {
	ds := d.s.terms.Dataset()
	p := dataset.Pattern{G: d.s.graph}
	order := ds.Orders(p)[0]
	for _, o := range ds.Orders(p) {
		if o.Leads(dataset.S.Bit()) > order.Leads(dataset.S.Bit()) {
			order = o
		}
	}
	opt := &dataset.ScanOptions{Cols: dataset.S.Bit() | dataset.P.Bit() | dataset.O.Bit()}
	opt.Within[dataset.S] = idSet(subjects)
	c, err := ds.Scan(ctx, p, order, opt)
	if err != nil {
		return err
	}
	defer c.Close()
	var b dataset.Batch
	for !d.stopped {
		if err := c.Next(ctx, &b); err == io.EOF {
			return nil
		} else if err != nil {
			return err
		}
		if err := d.batch(ctx, &b); err != nil {
			return err
		}
	}
	return nil
}

// batch delivers the triples of a batch and notes the blank nodes among the
// objects.
func (d *describer) batch(ctx context.Context, b *dataset.Batch) error {
	ids := slices.Concat(b.Col[dataset.S][:b.N], b.Col[dataset.P][:b.N], b.Col[dataset.O][:b.N])
	slices.Sort(ids)
	ids = slices.Compact(ids)
	var texts dataset.Terms
	if err := d.s.terms.Surfaces(ctx, ids, &texts); err != nil {
		return err
	}
	terms := make([]rdf.Term, len(ids)) // those that were asked for
	term := func(id dataset.ID) rdf.Term {
		at, _ := slices.BinarySearch(ids, id)
		if terms[at].IsZero() {
			terms[at] = rdf.FromSurface(string(texts.At(at)))
		}
		return terms[at]
	}
	for row := range b.N {
		o := b.Col[dataset.O][row]
		q := rdf.Quad{S: term(b.Col[dataset.S][row]), P: term(b.Col[dataset.P][row]), O: term(o)}
		if q.O.Kind() == rdf.KindBlank {
			d.add(o)
		}
		if !d.yield(q) {
			d.stopped = true
			return nil
		}
	}
	return d.charge(ctx)
}

// idSet returns the set of ascending ids.
func idSet(list []dataset.ID) *dataset.IDSet {
	s := new(dataset.IDSet)
	s.AddSorted(list)
	return s
}
