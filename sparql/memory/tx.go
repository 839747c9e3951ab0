package memory

import (
	"context"

	"github.com/rete-go/rete/dataset"
	"github.com/rete-go/rete/rdf"
)

// transaction is a [dataset.Tx] over a store, which stays as it is. Each state that is
// looked at after a change is built anew from all quads.
type transaction struct {
	id    string
	quads map[rdf.Quad]struct{}
	state *store // nil after a change
}

var _ Tx = (*transaction)(nil)

// Begin implements [Dataset].
func (d *store) Begin(id string) Tx {
	t := &transaction{id: id, quads: make(map[rdf.Quad]struct{}), state: d}
	for _, q := range d.Quads() {
		t.quads[q] = struct{}{}
	}
	return t
}

// Quads implements [Dataset].
func (d *store) Quads() []rdf.Quad {
	term := func(i id) rdf.Term {
		if i == 0 {
			return rdf.Term{}
		}
		return rdf.FromSurface(d.surfaces[numberOf(i)])
	}
	var out []rdf.Quad
	for _, g := range d.graphs {
		for _, r := range g.rows[dataset.SPO] {
			out = append(out, rdf.Quad{S: term(r[0]), P: term(r[1]), O: term(r[2]), G: term(g.name)})
		}
	}
	return out
}

// ID implements [dataset.Tx].
func (t *transaction) ID() string { return t.id }

// Dataset implements [dataset.Tx].
func (t *transaction) Dataset(context.Context) (dataset.Dataset, error) { return t.commit(), nil }

// Commit implements [Tx].
func (t *transaction) Commit() Dataset { return t.commit() }

func (t *transaction) commit() *store {
	if t.state == nil {
		var b Builder
		for q := range t.quads {
			b.Add(q)
		}
		t.state = b.build()
	}
	return t.state
}

// Insert implements [dataset.Tx]. An invalid quad is an [*rdf.InvalidError], and nothing
// is inserted.
func (t *transaction) Insert(ctx context.Context, quads ...rdf.Quad) error {
	for i := range quads {
		raw := quads[i].Raw()
		if err := raw.Check(); err != nil {
			return err
		}
	}
	for _, q := range quads {
		if _, ok := t.quads[q]; !ok {
			t.quads[q], t.state = struct{}{}, nil
		}
	}
	return ctx.Err()
}

// Delete implements [dataset.Tx].
func (t *transaction) Delete(ctx context.Context, quads ...rdf.Quad) error {
	for _, q := range quads {
		if _, ok := t.quads[q]; ok {
			delete(t.quads, q)
			t.state = nil
		}
	}
	return ctx.Err()
}

// Clear implements [dataset.Clearer].
func (t *transaction) Clear(ctx context.Context) error {
	t.quads, t.state = make(map[rdf.Quad]struct{}), nil
	return ctx.Err()
}
