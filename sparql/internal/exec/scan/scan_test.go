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
	scan := &plan.Scan{Terms: [3]*plan.TermSet{dataset.O: {Reads: 1, Values: make([]dataset.Interval, 1)}}}
	set := new(dataset.IDSet)
	r := &run.Run{TermSets: map[*plan.TermSet]*dataset.IDSet{scan.Terms[dataset.O]: set}}
	other := *scan
	if found, err := idsOf(t.Context(), r, other.Terms[dataset.O]); err != nil || found != set {
		t.Error(found, err)
	}
}
