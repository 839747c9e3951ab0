package count

import (
	"context"
	"strconv"

	"github.com/rete-go/rete/sparql/internal/exec/eval"
	"github.com/rete-go/rete/sparql/internal/exec/rowset"
	"github.com/rete-go/rete/sparql/internal/exec/run"
	"github.com/rete-go/rete/sparql/internal/plan"
)

// countOp counts the rows of a pattern.
type countOp struct {
	run  *run.Run
	node *plan.Count
	done bool
}

func NewCount(r *run.Run, n *plan.Count) rowset.Op { return &countOp{run: r, node: n} }

func (o *countOp) Next(ctx context.Context) (*rowset.Batch, error) {
	if o.done {
		return nil, nil
	}
	o.done = true
	p := o.node.Scan.Pattern
	p.G = o.run.GraphsOf(o.node.Scan.Graph)
	n, err := o.run.Terms.Dataset().Count(ctx, p)
	if err != nil {
		return nil, err
	}
	i, err := o.run.Terms.InternOne(ctx, eval.Integer(strconv.FormatUint(n, 10)))
	return &rowset.Batch{N: 1, Col: [][]id{{i}}}, err
}

func (o *countOp) Close() {}
