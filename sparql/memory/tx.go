package memory

import (
	"context"

	"github.com/rete-go/rete/dataset"
	"github.com/rete-go/rete/rdf"
)

// Tx is a [dataset.Tx] over a Dataset, which stays as it is. Each state that is
// looked at after a change is built anew from all quads.
type Tx struct {
	id    string
	quads map[rdf.Quad]struct{}
	state *Dataset // nil after a change
}

var _ dataset.Tx = (*Tx)(nil)
var _ dataset.Clearer = (*Tx)(nil)

// Begin returns a transaction over the quads of d, with a name that no other
// transaction should have.
func (d *Dataset) Begin(id string) *Tx {
	t := &Tx{id: id, quads: make(map[rdf.Quad]struct{}), state: d}
	for _, q := range d.Quads() {
		t.quads[q] = struct{}{}
	}
	return t
}

// Quads returns all quads, graph by graph.
func (d *Dataset) Quads() []rdf.Quad {
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
func (t *Tx) ID() string { return t.id }

// Dataset implements [dataset.Tx].
func (t *Tx) Dataset(context.Context) (dataset.Dataset, error) { return t.Commit(), nil }

// Commit returns the dataset of all quads as they are now.
func (t *Tx) Commit() *Dataset {
	if t.state == nil {
		var b Builder
		for q := range t.quads {
			b.Add(q)
		}
		t.state = b.Build()
	}
	return t.state
}

// Insert implements [dataset.Tx]. An invalid quad is an [*rdf.InvalidError], and nothing
// is inserted.
func (t *Tx) Insert(ctx context.Context, quads ...rdf.Quad) error {
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
func (t *Tx) Delete(ctx context.Context, quads ...rdf.Quad) error {
	for _, q := range quads {
		if _, ok := t.quads[q]; ok {
			delete(t.quads, q)
			t.state = nil
		}
	}
	return ctx.Err()
}

// Clear implements [dataset.Clearer].
func (t *Tx) Clear(ctx context.Context) error {
	t.quads, t.state = make(map[rdf.Quad]struct{}), nil
	return ctx.Err()
}
