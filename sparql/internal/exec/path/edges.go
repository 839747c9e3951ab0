package path

import (
	"context"
	"slices"

	"github.com/rete-go/rete/dataset"
	"github.com/rete-go/rete/sparql/internal/exec/mem"
	"github.com/rete-go/rete/sparql/internal/exec/rowset"
)

// edges are all edges of a step in memory, by the node that they leave.
type edges struct {
	nodes  []id         // ascending
	at     rowset.Table // of a node in ends, where they are many
	ends   []int32
	to     []id
	jumped bool // nodes do not ascend: they cannot be found
}

// fewNodes is up to how many nodes are found by halving.
const fewNodes = 64

func (e *edges) clear() { e.nodes, e.ends, e.to, e.jumped = e.nodes[:0], e.ends[:0], e.to[:0], false }

// add adds an edge after those of its node.
func (e *edges) add(from, to id) {
	if n := len(e.nodes); n == 0 || e.nodes[n-1] != from {
		e.jumped = e.jumped || n > 0 && e.nodes[n-1] > from
		if n == 0 {
			e.ends = append(e.ends, 0)
		}
		e.nodes, e.ends = append(e.nodes, from), append(e.ends, 0)
	}
	e.to = append(e.to, to)
	e.ends[len(e.ends)-1] = int32(len(e.to))
}

// finish makes the edges ready to be found.
func (e *edges) finish(ctx context.Context) (err error) {
	if len(e.nodes) > fewNodes {
		e.at, err = rowset.TableOf(ctx, e.nodes)
	}
	return err
}

// find returns the place of a node, counted from 1; 0 if it has no edges.
func (e *edges) find(n id) int {
	if len(e.nodes) > fewNodes {
		return int(e.at.Find(n))
	}
	if i, ok := slices.BinarySearch(e.nodes, n); ok {
		return i + 1
	}
	return 0
}

// from returns the nodes that a step from a node leads to.
func (e *edges) from(n id) []id {
	i := e.find(n)
	if i == 0 {
		return nil
	}
	return e.to[e.ends[i-1]:e.ends[i]]
}

func (e *edges) bytes() int64 {
	return int64(cap(e.to)+cap(e.nodes))*8 + int64(cap(e.ends))*4 + e.at.Bytes()
}

// notRefused returns an error that is no refusal of memory.
func (o *pathOp) notRefused(err error) error {
	if mem.Refused(err) {
		return nil
	}
	return err
}

const (
	// scansBeforeEdges is the number of scans after which a step is copied.
	scansBeforeEdges = 32
	// maxEdges is the largest number of edges that are copied.
	maxEdges = 8 << 20
)

// walked is what is known of a step: how often it was scanned, and its edges.
type walked struct {
	scans int
	never bool
	graph id
	edges *edges
}

// edgesOf returns the edges of a step once it was scanned often; nil before, and
// if they are too many for the memory.
func (o *pathOp) edgesOf(ctx context.Context, st *step) (*edges, error) {
	w := &st.walked
	if w.graph != o.now {
		*w = walked{graph: o.now}
	}
	if w.edges != nil || w.never {
		return w.edges, nil
	}
	if w.scans++; w.scans <= scansBeforeEdges {
		return nil, nil
	}
	card, err := o.run.Terms.Dataset().Estimate(ctx, dataset.Pattern{P: st.predicate, G: o.graph})
	if err != nil {
		return nil, err
	}
	bytes, most := int64(card.Guess)*40, o.run.Budget.Bound()
	if card.Guess > maxEdges || most > 0 && bytes > most/4 {
		w.never = true
		return nil, nil
	}
	before := o.hold.Bytes
	if err := o.hold.To(ctx, before+bytes); err != nil {
		w.never = true
		return nil, o.notRefused(err)
	}
	e := new(edges)
	if err := o.scanStep(ctx, st, nil, e.add); err != nil {
		return nil, err
	}
	if err := e.finish(ctx); err != nil {
		return nil, err
	}
	if err := o.hold.To(ctx, before+e.bytes()); err != nil {
		w.never = true
		return nil, o.notRefused(err)
	}
	if e.jumped { // several graphs after each other, without a merge
		w.never = true
		return nil, nil
	}
	e.to = slices.Clip(e.to)
	w.edges = e
	return e, nil
}

// kept returns the memory of the starts to come, of what they came to before, and of
// the edges.
func (o *pathOp) kept() int64 {
	n := int64(cap(o.starts))*8 + o.edgeBytes() + o.auto.bytes
	for _, g := range o.given {
		n += g.Bytes()
	}
	return n
}

// edgeBytes returns the memory of the edges.
func (o *pathOp) edgeBytes() int64 {
	var n int64
	for _, steps := range o.auto.steps {
		for _, st := range steps {
			if e := st.walked.edges; e != nil {
				n += e.bytes()
			}
		}
	}
	return n
}
