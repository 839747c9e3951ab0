package exec

import (
	"context"
	"slices"
	"testing"
)

// counting is a context that counts the looks at it, and ends at the k-th.
type counting struct {
	context.Context
	looks, end int
}

func (c *counting) Err() error {
	if c.looks++; c.end > 0 && c.looks >= c.end {
		return context.Canceled
	}
	return nil
}

// TestLeapfrogLooks walks lists of three patterns that have no id in common: the context
// is looked at inside the walk, and ends it at each look.
func TestLeapfrogLooks(t *testing.T) {
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
	if ctx.looks != n/checkEvery {
		t.Errorf("%d looks at the context, want %d", ctx.looks, n/checkEvery)
	}
	for k := 1; k <= ctx.looks; k++ {
		if _, err := new(multiwayOp).advance(&counting{Context: t.Context(), end: k}, &level{lists: slices.Clone(lists)}); err != context.Canceled {
			t.Errorf("ended at look %d: %v", k, err)
		}
	}
}
