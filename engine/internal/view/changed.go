package view

import (
	"context"
	"io"

	"github.com/rete-go/rete/dataset"
	"github.com/rete-go/rete/engine/internal/layers"
	"github.com/rete-go/rete/internal/ids"
	"github.com/rete-go/rete/rdf"
	"github.com/rete-go/rete/tombstone"
)

// Changed reads the net changes of the top that add, or that take away.
func (v *view) Changed(ctx context.Context, add bool) rdf.Reader {
	return &topReader{ctx: ctx, v: v, add: add, graphs: v.top.all().graphs}
}

// topReader decodes rows of a run, some thousand at a time.
type topReader struct {
	ctx    context.Context
	v      *view
	add    bool
	graphs []topGraph
	rows   []tombstone.Row // of graphs[0], that are left
	begun  bool

	list  []dataset.ID
	terms ids.Terms
	quads [][4]dataset.ID
}

const topReadRows = 4096

// Read implements [rdf.Reader].
func (r *topReader) Read(q *rdf.RawQuad) error {
	for len(r.quads) == 0 {
		if err := r.fill(); err != nil {
			return err
		}
	}
	at := r.quads[0]
	r.quads = r.quads[1:]
	term := func(id dataset.ID) []byte {
		if id == 0 {
			return nil
		}
		return r.terms.At(Place(r.list, id))
	}
	*q = rdf.RawQuad{S: term(at[colS]), P: term(at[colP]), O: term(at[colO]), G: term(at[colG])}
	return nil
}

func (r *topReader) fill() error {
	if len(r.rows) == 0 {
		if r.begun {
			r.graphs = r.graphs[1:]
		}
		if r.begun = true; len(r.graphs) == 0 {
			r.begun = false
			return io.EOF
		}
		r.rows = r.graphs[0].SPO()
	}
	n, err := r.v.table(r.ctx)
	if err != nil {
		return err
	}
	r.list = r.list[:0]
	part := r.rows[:min(len(r.rows), topReadRows)]
	r.rows = r.rows[len(part):]
	for i := range part {
		if part[i].Adds() != r.add {
			continue
		}
		p, err := r.v.PredicateID(r.ctx, &n.Names, uint32(part[i].Key[colP]))
		if err != nil {
			return err
		}
		at := [4]dataset.ID{dataset.ID(part[i].Key[colS]), p, dataset.ID(part[i].Key[colO]), r.graphs[0].id}
		r.quads = append(r.quads, at)
		r.list = append(r.list, at[:]...)
	}
	r.list = sortedIDs(r.list)
	r.terms.Reset()
	return r.v.Decode(r.ctx, r.list, &r.terms)
}

// ChangedLayer returns the quads that the journal changes as a layer.
func (v *view) ChangedLayer(ctx context.Context) (layers.Layer, error) {
	var list [][4]string
	for _, add := range []bool{true, false} {
		var q rdf.RawQuad
		for r := v.Changed(ctx, add); ; {
			err := r.Read(&q)
			if err == io.EOF {
				break
			}
			if err != nil {
				return nil, err
			}
			list = append(list, [4]string{string(q.S), string(q.P), string(q.O), string(q.G)})
		}
	}
	return layers.NewMemory("changes of the journal", list), nil
}
