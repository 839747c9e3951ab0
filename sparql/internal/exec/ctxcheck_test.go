package exec

import (
	"context"
	"slices"
	"testing"
)

// counting is a context that counts the checks of it, and ends at the k-th.
type counting struct {
	context.Context
	checks, end int
}

func (c *counting) Err() error {
	if c.checks++; c.end > 0 && c.checks >= c.end {
		return context.Canceled
	}
	return nil
}

// TestLeapfrogChecks walks lists of three patterns that have no id in common: the context
// is checked inside the walk, and ends it at each check.
func TestLeapfrogChecks(t *testing.T) {
	const n = 300_000
	lists := make([][]id, 3)
	for i := range id(n) {
		for k := range lists {
			lists[k] = append(lists[k], 6*i+id(k))
		}
	}
	ctx := &counting{Context: t.Context()}
	if more, err := new(multiwayOp).advance(ctx, &level{lists: slices.Clone(lists)}); more || err != nil {
		t.Fatal(more, err)
	}
	if ctx.checks != n/checkEvery {
		t.Errorf("%d checks of the context, want %d", ctx.checks, n/checkEvery)
	}
	for k := 1; k <= ctx.checks; k++ {
		if _, err := new(multiwayOp).advance(&counting{Context: t.Context(), end: k}, &level{lists: slices.Clone(lists)}); err != context.Canceled {
			t.Errorf("ended at check %d: %v", k, err)
		}
	}
}
