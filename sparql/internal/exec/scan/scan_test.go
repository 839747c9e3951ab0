package scan

import (
	"testing"

	"github.com/rete-go/rete/dataset"
	"github.com/rete-go/rete/sparql/internal/exec/run"
	"github.com/rete-go/rete/sparql/internal/plan"
)

// TestCopiedScans asks for the ids of copies of a scan, as joins make them again and
// again: they are not found anew, which would need a dataset.
func TestCopiedScans(t *testing.T) {
	scan := &plan.Scan{DictFilter: &plan.DictFilter{}, Values: make([]dataset.Interval, 1)}
	set := new(dataset.IDSet)
	r := &run.Run{
		Swept:     map[*plan.DictFilter]*dataset.IDSet{scan.DictFilter: set},
		ValueSets: map[*dataset.Interval]*dataset.IDSet{&scan.Values[0]: set},
	}
	other := *scan
	if found, err := sweptTerms(t.Context(), r, &other); err != nil || found != set {
		t.Error(found, err)
	}
	if found, err := valuesOf(t.Context(), r, &other); err != nil || found != set {
		t.Error(found, err)
	}
}
