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
	at   rowset.Table // of a node in ends
	ends []int32
	to   []id
}

// from returns the nodes that a step from a node leads to.
func (e *edges) from(n id) []id {
	i := e.at.Find(n)
	if i == 0 {
		return nil
	}
	return e.to[e.ends[i-1]:e.ends[i]]
}

func (e *edges) bytes() int64 { return int64(cap(e.to))*8 + int64(cap(e.ends))*4 + e.at.Bytes() }

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
	e := &edges{ends: []int32{0}}
	var nodes []id
	var last id
	sorted := true
	err = o.scanStep(ctx, st, nil, func(from, to id) {
		if from != last {
			sorted = sorted && from > last
			nodes, last = append(nodes, from), from
			e.ends = append(e.ends, int32(len(e.to)))
		}
		e.to = append(e.to, to)
		e.ends[len(e.ends)-1] = int32(len(e.to))
	})
	if err != nil {
		return nil, err
	}
	if e.at, err = rowset.TableOf(ctx, nodes); err != nil {
		return nil, err
	}
	if err := o.hold.To(ctx, before+e.bytes()); err != nil {
		w.never = true
		return nil, o.notRefused(err)
	}
	if !sorted { // several graphs after each other, without a merge
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
