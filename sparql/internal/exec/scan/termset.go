package scan

import (
	"context"

	"github.com/rete-go/rete/dataset"
	"github.com/rete-go/rete/sparql/internal/exec/run"
	"github.com/rete-go/rete/sparql/internal/plan"
)

// idsOf returns the ids of a set that is listed, found once a run, also for copies of the scan.
func idsOf(ctx context.Context, r *run.Run, t *plan.TermSet) (*dataset.IDSet, error) {
	set, ok := r.TermSets[t]
	if ok {
		return set, nil
	}
	if t.Tested() {
		var err error
		if set, err = tested(ctx, r, t); err != nil {
			return nil, err
		}
	}
	if t.ByValue() {
		values := new(dataset.IDSet)
		index := r.Terms.Dataset().(dataset.ValueIndex)
		for _, i := range t.Values {
			some, err := index.ValueIDs(ctx, i, t.Reads)
			if err != nil {
				return nil, err
			}
			values.Union(some)
		}
		if set != nil {
			values = values.And(set)
		}
		set = values
	}
	if r.TermSets == nil {
		r.TermSets = make(map[*plan.TermSet]*dataset.IDSet)
	}
	r.TermSets[t] = set
	return set, nil
}
