package path

import (
	"context"
	"math"

	"github.com/rete-go/rete/dataset"
	"github.com/rete-go/rete/internal/cancel"
	"github.com/rete-go/rete/internal/ids"
	"github.com/rete-go/rete/sparql/internal/exec/mem"
	"github.com/rete-go/rete/sparql/internal/exec/rowset"
	"github.com/rete-go/rete/sparql/internal/exec/run"
	"github.com/rete-go/rete/sparql/internal/plan"
)

type id = dataset.ID

// pathOp delivers the pairs of a closure. It starts from the end that is a
// constant or narrowed by an input, in groups of starts that are followed
// together; with both ends free, from every node of the graph.
type pathOp struct {
	since  cancel.Count // of edges that were followed
	run    *run.Run
	node   *plan.Path
	hold   mem.Holding
	auto   *automaton
	back   bool              // starts are the objects
	within [3]*rowset.IDSets // that the ends and the graph must be in; nil: any
	graph  dataset.Graphs

	graphs []id  // of GRAPH ?g: those to come
	feed   *feed // has the edges of each; nil: they are read by themselves
	now    id    // its name; 0 outside
	starts []id
	stream *nodeStream // of more starts
	begun  bool
	group  *bfs // the first starts, if they are followed together

	alone bool       // from here on: there is no memory for groups
	walk  *dfs       // the last start, if it is followed by itself
	given []*ids.Set // of the first starts: the ends that were delivered

	pairs [2][]id // start, end
	at    int
	out   rowset.Batch
}

// graphEnd is the place of the graph among the ends.
const graphEnd = 2

// New makes the operator of a path.
func New(r *run.Run, n *plan.Path) (rowset.Op, error) {
	return &pathOp{run: r, node: n, hold: r.Holding("path")}, nil
}

func (o *pathOp) Next(ctx context.Context) (*rowset.Batch, error) {
	if !o.begun {
		if err := o.begin(ctx); err != nil {
			return nil, err
		}
		o.begun = true
	}
	for {
		if o.at < len(o.pairs[0]) {
			if b := o.emit(); b != nil {
				return b, nil
			}
			continue
		}
		o.pairs[0], o.pairs[1], o.at = o.pairs[0][:0], o.pairs[1][:0], 0
		if o.group != nil {
			if err := o.advance(ctx); err != nil {
				return nil, err
			}
			continue
		}
		if o.walk != nil && o.walk.pairs(&o.pairs) {
			continue
		}
		o.walk = nil
		if len(o.starts) == 0 && o.stream != nil {
			var err error
			if o.starts, err = o.stream.next(ctx, bfsStarts); err != nil {
				return nil, err
			}
			if len(o.starts) == 0 {
				o.stream.close()
				o.stream = nil
			}
			continue
		}
		if len(o.starts) == 0 {
			more, err := o.nextGraph(ctx)
			if err != nil || !more {
				return nil, err
			}
			continue
		}
		if !o.alone {
			o.group = newBFS(ctx, o, o.starts[:min(len(o.starts), bfsStarts)])
		} else if err := o.dfsNext(ctx); err != nil {
			return nil, err
		}
	}
}

// advance goes on with a group of starts. If there is no memory for that, its starts
// are followed again, one by one, for the ends that they have not come to yet.
func (o *pathOp) advance(ctx context.Context) error {
	more, err := o.group.advance(ctx)
	if mem.Refused(err) {
		o.alone = true
		if o.given, err = o.group.given(ctx); err != nil {
			return err
		}
		o.group = nil
		o.hold.Free()
		return nil
	}
	if !more {
		o.starts = o.starts[len(o.group.starts):]
		o.group = nil
	}
	return err
}

// dfsNext follows the next start by itself.
func (o *pathOp) dfsNext(ctx context.Context) error {
	start, given := o.starts[0], (*ids.Set)(nil)
	o.starts = o.starts[1:]
	if len(o.given) > 0 {
		given, o.given = o.given[0], o.given[1:]
	}
	return o.dfsFrom(ctx, start, given)
}

// begin chooses the direction and, under GRAPH ?g, lists the graphs.
func (o *pathOp) begin(ctx context.Context) error {
	n := o.node
	for i, ref := range n.Within {
		if ref == nil {
			continue
		}
		set, err := o.run.Input(ref.Input).IDs(ctx, ref.Var)
		if err != nil {
			return err
		}
		o.within[i] = set
	}
	known := func(a plan.Arg, set *rowset.IDSets) int {
		switch {
		case a.Var == plan.NoVar:
			return 1
		case set != nil:
			return 1 + int(set.Stored.Len())
		}
		return math.MaxInt
	}
	o.back = known(n.O, o.within[1]) < known(n.S, o.within[0])
	var err error
	if o.auto, err = compilePath(ctx, o.run, n.Path, o.back, &o.hold); err != nil {
		return err
	}
	o.graph = o.run.GraphsOf(n.Graph)
	o.graphs = []id{0}
	if n.Graph.Var != plan.NoVar {
		return o.listGraphs(ctx)
	}
	return nil
}

// emit hands on pairs, as columns of the variables, and drops those that do not
// fit the other end.
func (o *pathOp) emit() *rowset.Batch {
	n := min(len(o.pairs[0])-o.at, dataset.MaxBatch)
	s, e := o.pairs[0][o.at:o.at+n], o.pairs[1][o.at:o.at+n]
	o.at += n
	ends := [2]plan.Arg{o.node.S, o.node.O}
	cols := [2][]id{s, e}
	if o.back {
		cols = [2][]id{e, s}
	}
	kept := 0
	for row := range n {
		ok := ends[0].Var == plan.NoVar || ends[0].Var != ends[1].Var || cols[0][row] == cols[1][row]
		for i, end := range ends {
			if end.Var == plan.NoVar {
				ok = ok && cols[i][row] == end.ID
			} else if end.Var == o.node.Graph.Var && o.now != 0 {
				ok = ok && cols[i][row] == o.now
			}
			if set := o.within[i]; ok && set != nil && (i == 1) != o.back {
				ok = set.Has(cols[i][row])
			}
		}
		if ok {
			cols[0][kept], cols[1][kept] = cols[0][row], cols[1][row]
			kept++
		}
	}
	if kept == 0 {
		return nil
	}
	o.out.N, o.out.Col = kept, o.out.Col[:0]
	for _, v := range o.node.Vars {
		switch v {
		case ends[0].Var:
			o.out.Col = append(o.out.Col, cols[0][:kept])
		case ends[1].Var:
			o.out.Col = append(o.out.Col, cols[1][:kept])
		default:
			col := make([]id, kept)
			for i := range col {
				col[i] = o.now
			}
			o.out.Col = append(o.out.Col, col)
		}
	}
	return &o.out
}

func (o *pathOp) Close() {
	if o.stream != nil {
		o.stream.close()
	}
	if o.feed != nil {
		o.feed.close()
	}
	o.hold.Free()
}

// far returns the end that is not the start.
func (o *pathOp) far() plan.Arg {
	if o.back {
		return o.node.S
	}
	return o.node.O
}
