package exec

import (
	"context"
	"math/rand/v2"
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

// TestSortIDs sorts lists of many kinds, with a look at the context at least for every
// 64 Ki ids, and ends with the context.
func TestSortIDs(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 2))
	for _, n := range []int{0, 1, 1000, looks, looks + 1, 300_000} {
		for kind, of := range map[string]func(i int) id{
			"random":     func(int) id { return id(r.Uint64()) },
			"few":        func(int) id { return id(r.IntN(7)) },
			"one":        func(int) id { return 9 },
			"ascending":  func(i int) id { return id(i) },
			"descending": func(i int) id { return id(n - i) },
			"sawtooth":   func(i int) id { return id(i % 1000) },
			"organ":      func(i int) id { return id(min(i, n-i)) },
		} {
			list := make([]id, n)
			for i := range list {
				list[i] = of(i)
			}
			want := slices.Clone(list)
			slices.Sort(want)
			ctx := &counting{Context: t.Context()}
			if err := sortIDs(ctx, slices.Clone(list)); err != nil {
				t.Fatal(err)
			}
			if !slices.IsSorted(list) && ctx.looks < (n-1)/looks {
				t.Errorf("%s, %d ids: %d looks", kind, n, ctx.looks)
			}
			for k := 1; k <= ctx.looks; k += 1 + ctx.looks/8 {
				if err := sortIDs(&counting{Context: t.Context(), end: k}, slices.Clone(list)); err != context.Canceled {
					t.Errorf("%s, %d ids: ended at look %d: %v", kind, n, k, err)
				}
			}
			if err := sortIDs(t.Context(), list); err != nil || !slices.Equal(list, want) {
				t.Errorf("%s, %d ids: not sorted, %v", kind, n, err)
			}
		}
	}
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
	if ctx.looks != n/looks {
		t.Errorf("%d looks at the context, want %d", ctx.looks, n/looks)
	}
	for k := 1; k <= ctx.looks; k++ {
		if _, err := new(multiwayOp).advance(&counting{Context: t.Context(), end: k}, &level{lists: slices.Clone(lists)}); err != context.Canceled {
			t.Errorf("ended at look %d: %v", k, err)
		}
	}
}
