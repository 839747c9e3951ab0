package compaction

import (
	"testing"

	"github.com/rete-go/rete/segment"
)

// TestDivide: terms and what the process takes are reserved; too little for the terms is refused.
func TestDivide(t *testing.T) {
	layers := []*layer{{counts: segment.Counts{Shared: 1 << 20, Subjects: 1 << 20, Objects: 4 << 20, Predicates: 10}}}
	const fixed = fixedMemory + 2*workerMemory
	const terms = 4*(7<<20+10) + 5*(6<<20+10)
	for _, c := range []struct {
		max, want int64 // want 0: refused
	}{
		{1, 1},
		{fixed, 0},
		{fixed + terms, 0},
		{fixed + terms + leastRows, leastRows * 3 / 8},
		{1 << 30, (1<<30 - fixed - terms) * 3 / 8},
	} {
		o := Options{Workers: 2, MaxMemory: c.max}
		if err := o.divide(layers); (err != nil) != (c.want == 0) || o.Memory != c.want {
			t.Errorf("%d: %d, %v, want %d", c.max, o.Memory, err, c.want)
		}
	}
	o := Options{Workers: 2}
	if err := o.divide(layers); err != nil || o.Memory != 0 {
		t.Errorf("without a bound: %d, %v", o.Memory, err)
	}
}
