package scan

import (
	"context"
	"iter"

	"github.com/rete-go/rete/dataset"
	"github.com/rete-go/rete/dataset/textsearch"
	"github.com/rete-go/rete/internal/xsdfloat"
	"github.com/rete-go/rete/rdf"
	"github.com/rete-go/rete/sparql/internal/exec/mem"
	"github.com/rete-go/rete/sparql/internal/exec/rowset"
	"github.com/rete-go/rete/sparql/internal/exec/run"
	"github.com/rete-go/rete/sparql/internal/plan"
)

// searchOp delivers the hits of a search.
type searchOp struct {
	run  *run.Run
	node *plan.Search
	hold mem.Holding
	next func() (textsearch.Hit, error, bool)
	stop func()
	out  rowset.Batch
}

// NewSearch makes the operator of a search.
func NewSearch(r *run.Run, n *plan.Search) rowset.Op {
	return &searchOp{run: r, node: n, hold: r.Holding("a search"), out: rowset.Batch{Col: make([][]id, len(n.Vars))}}
}

func (o *searchOp) Next(ctx context.Context) (*rowset.Batch, error) {
	if o.next == nil {
		hold := func(bytes int64) error { return o.hold.To(ctx, o.hold.Bytes+bytes) }
		o.next, o.stop = iter.Pull2(textsearch.Search(ctx, o.run.Terms.Dataset(), o.run.GraphsOf(o.node.Graph), o.node.Words, o.node.Limit, hold))
	}
	var hits []textsearch.Hit
	for len(hits) < dataset.MaxBatch {
		h, err, ok := o.next()
		if err != nil {
			return nil, err
		}
		if !ok {
			break
		}
		hits = append(hits, h)
	}
	if len(hits) == 0 {
		return nil, nil
	}
	return &o.out, o.emit(ctx, hits)
}

// emit makes the rows of hits: subjects, scores and literals, as far as they are wanted.
func (o *searchOp) emit(ctx context.Context, hits []textsearch.Hit) error {
	o.out.N = len(hits)
	for c := range o.out.Col {
		o.out.Col[c] = make([]id, len(hits))
	}
	scores := make([]string, len(hits))
	for i, h := range hits {
		o.out.Col[0][i] = h.IDs[0]
		if len(o.out.Col) > 2 {
			o.out.Col[2][i] = h.IDs[1]
		}
		scores[i] = rdf.Typed(string(xsdfloat.Append(nil, h.Score, 64)), rdf.XSDDouble).Surface()
	}
	if len(o.out.Col) < 2 {
		return nil
	}
	return o.run.Terms.Intern(ctx, scores, o.out.Col[1])
}

func (o *searchOp) Close() {
	if o.stop != nil {
		o.stop()
	}
	o.hold.Free()
}
