package exec

import (
	"context"

	"github.com/rete-go/rete/sparql/dataset"
	"github.com/rete-go/rete/sparql/internal/plan"
)

// valuesOf returns the ids of the literals in the intervals of values of a scan,
// found once a run.
func (r *Run) valuesOf(ctx context.Context, n *plan.Scan) (*dataset.IDSet, error) {
	if set, ok := r.values[n]; ok {
		return set, nil
	}
	index := r.Terms.Dataset().(dataset.ValueIndex)
	set := new(dataset.IDSet)
	for _, i := range n.Values {
		some, err := index.ValueIDs(ctx, i, plan.ValueReads(n))
		if err != nil {
			return nil, err
		}
		set.Union(some)
	}
	if r.values == nil {
		r.values = make(map[*plan.Scan]*dataset.IDSet)
	}
	r.values[n] = set
	return set, nil
}
