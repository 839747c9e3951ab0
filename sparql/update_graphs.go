package sparql

import (
	"context"
	"fmt"
	"io"
	"slices"

	"github.com/rete-go/rete/dataset"
	"github.com/rete-go/rete/rdf"
	"github.com/rete-go/rete/sparql/internal/algebra"
	"github.com/rete-go/rete/sparql/internal/ast"
)

// create carries out CREATE. A graph exists while it has a quad, and from CREATE on
// until the end of the request.
func (e *executor) create(ctx context.Context, op *algebra.Create) error {
	ds, err := e.tx.Dataset(ctx)
	if err != nil {
		return err
	}
	exists, err := e.exists(ctx, ds, op.Graph)
	if err != nil {
		return err
	}
	if exists {
		return refusal{fmt.Errorf("CREATE GRAPH %s: %w", op.Graph, ErrGraphExists)}
	}
	if e.created == nil {
		e.created = make(map[rdf.Term]bool)
	}
	e.created[op.Graph] = true
	return nil
}

// clear carries out CLEAR and DROP. A graph without quads is no error: that it is
// gone is what was asked for.
func (e *executor) clear(ctx context.Context, op *algebra.Clear) error {
	ds, err := e.tx.Dataset(ctx)
	if err != nil {
		return err
	}
	g, err := storedGraph(op.Target.IRI)
	if err != nil {
		return err
	}
	if op.Drop {
		switch op.Target.Kind {
		case ast.TargetGraph:
			delete(e.created, g)
		case ast.TargetNamed, ast.TargetAll:
			e.created = nil
		}
	}
	unnamed, named := dataset.Graphs{}, dataset.Graphs{Mode: dataset.Each}
	switch op.Target.Kind {
	case ast.TargetGraph:
		return e.empty(ctx, ds, g)
	case ast.TargetDefault:
		return e.emptyAll(ctx, ds, unnamed)
	case ast.TargetNamed:
		return e.emptyAll(ctx, ds, named)
	}
	if c, ok := e.tx.(dataset.Clearer); ok {
		return c.Clear(ctx)
	}
	return e.emptyAll(ctx, ds, unnamed, named)
}

// empty deletes the quads of a graph.
func (e *executor) empty(ctx context.Context, ds dataset.Dataset, g rdf.Term) error {
	graphs, found, err := graphOf(ctx, ds, g)
	if err != nil || !found {
		return err
	}
	return e.emptyAll(ctx, ds, graphs)
}

func (e *executor) emptyAll(ctx context.Context, ds dataset.Dataset, list ...dataset.Graphs) error {
	for _, g := range list {
		err := eachOf(ctx, ds, g, func(quads []rdf.Quad) error { return e.delete(ctx, quads) })
		if err != nil {
			return err
		}
	}
	return nil
}

// transfer carries out ADD, MOVE and COPY. From a graph to itself nothing happens.
func (e *executor) transfer(ctx context.Context, op *algebra.Transfer) error {
	from, err := storedGraph(op.From)
	if err != nil {
		return err
	}
	to, err := storedGraph(op.To)
	if err != nil {
		return err
	}
	ds, err := e.tx.Dataset(ctx)
	if err != nil {
		return err
	}
	exists, err := e.exists(ctx, ds, from)
	if err != nil {
		return err
	}
	if !exists {
		return refusal{fmt.Errorf("%s: %w", from, ErrNoGraph)}
	}
	if from == to {
		return nil
	}
	if op.Kind != algebra.AddGraph {
		if err := e.empty(ctx, ds, to); err != nil {
			return err
		}
	}
	if op.Kind == algebra.MoveGraph {
		delete(e.created, from)
	}
	graphs, found, err := graphOf(ctx, ds, from)
	if err != nil || !found {
		return err
	}
	return eachOf(ctx, ds, graphs, func(quads []rdf.Quad) error {
		if op.Kind == algebra.MoveGraph {
			if err := e.delete(ctx, quads); err != nil {
				return err
			}
		}
		for i := range quads {
			quads[i].G = to
		}
		return e.insert(ctx, quads)
	})
}

// exists reports whether a graph has a quad, or was created in this request. The
// default graph always exists.
func (e *executor) exists(ctx context.Context, ds dataset.Dataset, g rdf.Term) (bool, error) {
	if g.IsZero() || g == DefaultGraph || g == UnionGraph || e.created[g] {
		return true, nil
	}
	graphs, found, err := graphOf(ctx, ds, g)
	if err != nil || !found {
		return false, err
	}
	n, err := ds.Count(ctx, dataset.Pattern{G: graphs})
	return n > 0, err
}

// graphOf returns the graph with a name, the zero term for the default graph. It
// is not found if no quad has the name in any place.
func graphOf(ctx context.Context, ds dataset.Dataset, g rdf.Term) (dataset.Graphs, bool, error) {
	if g.IsZero() {
		return dataset.Graphs{}, true, nil
	}
	var id [1]dataset.ID
	if err := ds.Lookup(ctx, []rdf.Term{g}, id[:]); err != nil || id[0] == 0 {
		return dataset.Graphs{}, false, err
	}
	return dataset.Graphs{Mode: dataset.Each, Set: id[:]}, true, nil
}

// eachOf hands on the quads of graphs (one that has no name, or Each) in batches,
// which use may change.
func eachOf(ctx context.Context, ds dataset.Dataset, g dataset.Graphs, use func([]rdf.Quad) error) error {
	p := dataset.Pattern{G: g}
	c, err := ds.Scan(ctx, p, ds.Orders(p)[0], nil)
	if err != nil {
		return err
	}
	defer c.Close()
	var b dataset.Batch
	var d decoder
	for {
		if err := c.Next(ctx, &b); err == io.EOF {
			return nil
		} else if err != nil {
			return err
		}
		quads, err := d.quads(ctx, ds, &b, g.Mode == dataset.Each)
		if err != nil {
			return err
		}
		if err := use(quads); err != nil {
			return err
		}
	}
}

// decoder turns batches of ids into quads.
type decoder struct {
	ids   []dataset.ID
	terms dataset.Terms
	list  []rdf.Term
	out   []rdf.Quad
}

func (d *decoder) quads(ctx context.Context, ds dataset.Dataset, b *dataset.Batch, named bool) ([]rdf.Quad, error) {
	cols := b.Col[:3]
	if named {
		cols = b.Col[:4]
	}
	d.ids = d.ids[:0]
	for _, col := range cols {
		d.ids = append(d.ids, col[:b.N]...)
	}
	slices.Sort(d.ids)
	d.ids = slices.Compact(d.ids)
	d.terms.Reset()
	if err := ds.Decode(ctx, d.ids, &d.terms); err != nil {
		return nil, err
	}
	if d.terms.Len() != len(d.ids) {
		return nil, fmt.Errorf("sparql: the dataset decoded %d of %d terms", d.terms.Len(), len(d.ids))
	}
	d.list = d.list[:0]
	for i := range d.ids {
		d.list = append(d.list, rdf.FromSurface(string(d.terms.At(i))))
	}
	term := func(i dataset.ID) rdf.Term {
		at, _ := slices.BinarySearch(d.ids, i)
		return d.list[at]
	}
	d.out = d.out[:0]
	for row := range b.N {
		q := rdf.Quad{S: term(b.Col[0][row]), P: term(b.Col[1][row]), O: term(b.Col[2][row])}
		if named {
			q.G = term(b.Col[3][row])
		}
		d.out = append(d.out, q)
	}
	return d.out, nil
}
