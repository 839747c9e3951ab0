package scan

import (
	"context"

	"github.com/rete-go/rete/dataset"
	"github.com/rete-go/rete/sparql/internal/exec/run"
	"github.com/rete-go/rete/sparql/internal/plan"
)

// valuesOf returns the ids of the literals in the intervals of values of a scan,
// found once a run, also for copies of the scan.
func valuesOf(ctx context.Context, r *run.Run, n *plan.Scan) (*dataset.IDSet, error) {
	if len(n.Values) == 0 {
		return new(dataset.IDSet), nil
	}
	of := &n.Values[0]
	if set, ok := r.ValueSets[of]; ok {
		return set, nil
	}
	index := r.Terms.Dataset().(dataset.ValueIndex)
	set := new(dataset.IDSet)
	for _, i := range n.Values {
		some, err := index.ValueIDs(ctx, i, n.Reads)
		if err != nil {
			return nil, err
		}
		set.Union(some)
	}
	if r.ValueSets == nil {
		r.ValueSets = make(map[*dataset.Interval]*dataset.IDSet)
	}
	r.ValueSets[of] = set
	return set, nil
}
