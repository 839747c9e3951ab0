package scan

import (
	"context"
	"io"
	"slices"

	"github.com/rete-go/rete/dataset"
	"github.com/rete-go/rete/internal/cancel"
	"github.com/rete-go/rete/sparql/internal/exec/rowset"
	"github.com/rete-go/rete/sparql/internal/exec/run"
	"github.com/rete-go/rete/sparql/internal/plan"
)

// valuesOp delivers a table.
type valuesOp struct {
	node *plan.Values
	at   int
	out  rowset.Batch
	room rowset.Batches
}

// NewValues makes the operator of a table.
func NewValues(r *run.Run, n *plan.Values) rowset.Op {
	return &valuesOp{node: n, room: r.Batches("a batch of VALUES")}
}

func (o *valuesOp) Next(ctx context.Context) (*rowset.Batch, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	n := min(o.node.N-o.at, dataset.MaxBatch)
	if n == 0 {
		return nil, nil
	}
	if err := o.room.Fit(ctx, n, rowset.IDBytes*len(o.node.Vars)); err != nil {
		return nil, err
	}
	o.out.N, o.out.Col = n, slices.Grow(o.out.Col[:0], len(o.node.Vars))[:len(o.node.Vars)]
	for c := range o.out.Col {
		o.out.Col[c] = o.out.Col[c][:0]
		for row := o.at; row < o.at+n; row++ {
			o.out.Col[c] = append(o.out.Col[c], o.node.IDs[row*len(o.node.Vars)+c])
		}
	}
	o.at += n
	return &o.out, nil
}

func (o *valuesOp) Close() { o.room.Free() }

// inputOp delivers the rows of an input.
type inputOp struct {
	run  *run.Run
	node *plan.Input
	at   int
	out  rowset.Batch
	room rowset.Batches
}

// NewInput makes the operator that delivers the rows of an input.
func NewInput(r *run.Run, n *plan.Input) rowset.Op {
	return &inputOp{run: r, node: n, room: r.Batches("a batch of rows of a join")}
}

func (o *inputOp) Next(ctx context.Context) (*rowset.Batch, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	rel := o.run.Input(o.node.Input)
	n := min(rel.N-o.at, dataset.MaxBatch)
	if n == 0 {
		return nil, nil
	}
	if err := o.room.Fit(ctx, n, rowset.IDBytes*len(o.node.Vars)); err != nil {
		return nil, err
	}
	o.out.N, o.out.Col = n, slices.Grow(o.out.Col[:0], len(o.node.Vars))[:len(o.node.Vars)]
	for c, at := range rowset.Place(o.node.Vars, rel.Vars) {
		o.out.Col[c] = append(o.out.Col[c][:0], rel.Col[at][o.at:o.at+n]...)
	}
	o.at += n
	return &o.out, nil
}

func (o *inputOp) Close() { o.room.Free() }

// graphsOp lists named graphs.
type graphsOp struct {
	run   *run.Run
	node  *plan.Graphs
	names []id
	read  bool
	out   rowset.Batch
}

// NewGraphs makes the operator that lists named graphs.
func NewGraphs(r *run.Run, n *plan.Graphs) rowset.Op { return &graphsOp{run: r, node: n} }

func (o *graphsOp) Next(ctx context.Context) (*rowset.Batch, error) {
	if !o.read {
		var err error
		if o.names, err = NamedGraphs(ctx, o.run, o.node); err != nil {
			return nil, err
		}
		o.read = true
	}
	n := min(len(o.names), dataset.MaxBatch)
	if n == 0 {
		return nil, nil
	}
	o.out.N, o.out.Col = n, [][]id{o.names[:n:n]}
	o.names = o.names[n:]
	return &o.out, nil
}

func (o *graphsOp) Close() {}

// NamedGraphs returns the names of the graphs of a node.
func NamedGraphs(ctx context.Context, r *run.Run, n *plan.Graphs) (names []id, err error) {
	ds := r.Terms.Dataset()
	within, err := withinOf(ctx, r, n.Within)
	if err != nil {
		return nil, err
	}
	add := func(list []id) error {
		return cancel.Blocks(ctx, len(list), func(from, to int) {
			for _, g := range list[from:to] {
				if within == nil || within.Contains(g) {
					names = append(names, g)
				}
			}
		})
	}
	if n.Graph.Set != nil { // the query names them
		err := add(n.Graph.Set)
		return append(names, n.Empty...), err
	}
	if l, ok := ds.(dataset.GraphLister); ok {
		all, err := l.NamedGraphs(ctx)
		if err != nil {
			return nil, err
		}
		err = add(all)
		return names, err
	}
	p := dataset.Pattern{G: n.Graph}
	c, err := ds.Scan(ctx, p, ds.Orders(p)[0], &dataset.ScanOptions{Cols: dataset.G.Bit()})
	if err != nil {
		return nil, err
	}
	defer c.Close()
	var b dataset.Batch
	var last id
	for {
		if err := c.Next(ctx, &b); err == io.EOF {
			return names, nil
		} else if err != nil {
			return nil, err
		}
		fresh := b.Col[dataset.G][:0]
		for _, g := range b.Col[dataset.G][:b.N] {
			if g != last {
				fresh = append(fresh, g)
			}
			last = g
		}
		if err := add(fresh); err != nil {
			return nil, err
		}
	}
}

// withinOf returns the stored ids that a reference names; nil for no reference.
func withinOf(ctx context.Context, r *run.Run, ref *plan.Ref) (*dataset.IDSet, error) {
	if ref == nil {
		return nil, nil
	}
	s, err := r.Input(ref.Input).IDs(ctx, ref.Var)
	if err != nil {
		return nil, err
	}
	return s.Stored, nil
}
