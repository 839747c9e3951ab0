package series

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/rete-go/rete/bench/internal/probe"
	"github.com/rete-go/rete/bench/internal/record"
	"github.com/rete-go/rete/bench/internal/steady"
)

// Readings become medians, and the ratio is the median of the ratios of the rounds.
func TestRatios(t *testing.T) {
	c := collected{
		"fold": {{Name: "fold", Unit: "rows", N: 7, Work: 10, Limit: 5}, {Name: "fold", Unit: "rows", N: 7, Work: 40, Limit: 10}, {Name: "fold", Unit: "rows", N: 7, Work: 30, Limit: 30}},
		"size": {{Name: "size", Unit: "bytes", N: 1, Value: 4, Of: 1}},
	}
	want := map[string]record.Ratio{
		"fold": {Interval: steady.Interval{Low: 0.25, At: 0.5, High: 1}, Unit: "rows", N: 7, Work: 30, Limit: 10},
		"size": {Interval: steady.Interval{Low: 0.25, At: 0.25, High: 0.25}, Unit: "bytes", N: 1, Value: 4, Of: 1},
	}
	if d := cmp.Diff(want, c.ratios()); d != "" {
		t.Error(d)
	}
}

// The short form has what folds and joins, and of what it leaves out nothing needs a large store.
func TestShort(t *testing.T) {
	names := short()
	if len(names) == 0 || len(names) == len(probe.Measures) {
		t.Errorf("%d of %d measures", len(names), len(probe.Measures))
	}
	if got := rounded(steady.Interval{Low: 0.123456, At: 1234.56, High: 2}); got != (steady.Interval{Low: 0.1235, At: 1235, High: 2}) {
		t.Errorf("%v", got)
	}
}
