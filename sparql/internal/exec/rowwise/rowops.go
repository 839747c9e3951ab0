package rowwise

import (
	"context"

	"github.com/rete-go/rete/sparql/internal/exec/rowset"
	"github.com/rete-go/rete/sparql/internal/exec/run"
	"github.com/rete-go/rete/sparql/internal/plan"
)

// unionOp delivers the rows of its arms, one arm after the other.
type unionOp struct {
	run  *run.Run
	node *plan.Union
	at   int
	arm  rowset.Op
	from []int
	out  rowset.Batch
	none [][]id         // the columns that an arm does not bind, once there were such
	room rowset.Batches // of these
}

// NewUnion makes the operator of UNION.
func NewUnion(r *run.Run, n *plan.Union) (rowset.Op, error) {
	return &unionOp{run: r, node: n, room: r.Batches("a batch of UNION"), out: rowset.Batch{Col: make([][]id, len(n.Vars))}}, nil
}

func (o *unionOp) Next(ctx context.Context) (*rowset.Batch, error) {
	for {
		if o.arm == nil {
			if o.at == len(o.node.Args) {
				return nil, nil
			}
			n := o.node.Args[o.at]
			arm, err := o.run.Open(n)
			if err != nil {
				return nil, err
			}
			o.arm, o.from = arm, rowset.Place(o.node.Vars, n.Base().Vars)
		}
		b, err := o.arm.Next(ctx)
		if err != nil {
			return nil, err
		}
		if b == nil {
			o.arm.Close()
			o.arm = nil
			o.at++
			continue
		}
		if err := o.room.Fit(ctx, b.N, rowset.IDBytes*(len(o.from)-len(b.Col))); err != nil {
			return nil, err
		}
		o.out.N = b.N
		for c, at := range o.from {
			if at >= 0 {
				o.out.Col[c] = b.Col[at]
			} else {
				o.out.Col[c] = o.unbound(c, b.N)
			}
		}
		return &o.out, nil
	}
}

// unbound returns n rows of a column that is bound in none.
func (o *unionOp) unbound(c, n int) []id {
	if o.none == nil {
		o.none = make([][]id, len(o.out.Col))
	}
	o.none[c] = rowset.Sized(o.none[c], n)
	clear(o.none[c])
	return o.none[c]
}

func (o *unionOp) Close() {
	if o.arm != nil {
		o.arm.Close()
	}
	o.room.Free()
}

// projectOp keeps columns and orders them.
type projectOp struct {
	input rowset.Op
	from  []int
	out   rowset.Batch
}

// NewProject makes the operator that chooses columns.
func NewProject(r *run.Run, n *plan.Project) (rowset.Op, error) {
	input, err := r.Open(n.Input)
	if err != nil {
		return nil, err
	}
	return &projectOp{input: input, from: rowset.Place(n.Vars, n.Input.Base().Vars), out: rowset.Batch{Col: make([][]id, len(n.Vars))}}, nil
}

func (o *projectOp) Next(ctx context.Context) (*rowset.Batch, error) {
	b, err := o.input.Next(ctx)
	if err != nil || b == nil {
		return nil, err
	}
	o.out.N = b.N
	for c, at := range o.from {
		o.out.Col[c] = b.Col[at]
	}
	return &o.out, nil
}

// Input implements [run.Piped].
func (o *projectOp) Input() rowset.Op { return o.input }

func (o *projectOp) Close() { o.input.Close() }

// sliceOp skips rows and ends early.
type sliceOp struct {
	input       rowset.Op
	skip, limit int64
	out         rowset.Batch
}

// NewSlice makes the operator of OFFSET and LIMIT.
func NewSlice(r *run.Run, n *plan.Slice) (rowset.Op, error) {
	input, err := r.Open(n.Input)
	if err != nil {
		return nil, err
	}
	return &sliceOp{input: input, skip: n.Offset, limit: n.Limit}, nil
}

func (o *sliceOp) Next(ctx context.Context) (*rowset.Batch, error) {
	for o.limit != 0 {
		b, err := o.input.Next(ctx)
		if err != nil || b == nil {
			return nil, err
		}
		from := int(min(o.skip, int64(b.N)))
		o.skip -= int64(from)
		n := b.N - from
		if o.limit >= 0 {
			n = int(min(o.limit, int64(n)))
			o.limit -= int64(n)
		}
		if n == 0 {
			continue
		}
		o.out.N, o.out.Col = n, o.out.Col[:0]
		for _, c := range b.Col {
			o.out.Col = append(o.out.Col, c[from:from+n])
		}
		return &o.out, nil
	}
	return nil, nil
}

func (o *sliceOp) Close() { o.input.Close() }

// loopOp runs a plan for each named graph.
type loopOp struct {
	run    *run.Run
	node   *plan.GraphLoop
	graphs rowset.Op
	names  []id
	graph  id
	body   rowset.Op
	own    int // the body's column of the variable; -1 without
	out    rowset.Batch
}

// NewLoop makes the operator of GRAPH ?g.
func NewLoop(r *run.Run, n *plan.GraphLoop) (rowset.Op, error) {
	graphs, err := r.Open(n.Graphs)
	if err != nil {
		return nil, err
	}
	return &loopOp{run: r, node: n, graphs: graphs, own: rowset.Place([]plan.Var{n.Var}, n.Body.Base().Vars)[0]}, nil
}

func (o *loopOp) Next(ctx context.Context) (*rowset.Batch, error) {
	for {
		if o.body == nil {
			more, err := o.next(ctx)
			if err != nil || !more {
				return nil, err
			}
		}
		o.run.SetGraph(o.node.Param, o.graph)
		b, err := o.body.Next(ctx)
		if err != nil {
			return nil, err
		}
		if b == nil {
			o.body.Close()
			o.body = nil
			continue
		}
		if o.bind(b); o.out.N > 0 {
			return &o.out, nil
		}
	}
}

// next opens the body for the next graph.
func (o *loopOp) next(ctx context.Context) (bool, error) {
	for len(o.names) == 0 {
		b, err := o.graphs.Next(ctx)
		if err != nil || b == nil {
			return false, err
		}
		o.names = append(o.names[:0], b.Col[0][:b.N]...)
	}
	o.graph, o.names = o.names[0], o.names[1:]
	o.run.SetGraph(o.node.Param, o.graph)
	var err error
	o.body, err = o.run.Open(o.node.Body)
	return true, err
}

// bind joins the rows of the body with the name of the graph.
func (o *loopOp) bind(b *rowset.Batch) {
	o.out.N, o.out.Col = b.N, append(o.out.Col[:0], b.Col...)
	if o.own < 0 {
		col := make([]id, b.N)
		for i := range col {
			col[i] = o.graph
		}
		o.out.Col = append(o.out.Col, col)
		return
	}
	kept := 0
	for row := range b.N {
		if g := b.Col[o.own][row]; g != 0 && g != o.graph {
			continue
		}
		for _, c := range b.Col {
			c[kept] = c[row]
		}
		b.Col[o.own][kept] = o.graph
		kept++
	}
	o.out.N = kept
}

func (o *loopOp) Close() {
	o.graphs.Close()
	if o.body != nil {
		o.body.Close()
	}
}
