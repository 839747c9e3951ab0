package join

import (
	"cmp"
	"context"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/rete-go/rete/internal/cancel"
	"github.com/rete-go/rete/internal/canceltest"
)

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
	ctx := &canceltest.Counting{Context: t.Context()}
	if more, err := new(multiwayOp).advance(ctx, &level{lists: slices.Clone(lists)}); more || err != nil {
		t.Fatal(more, err)
	}
	if ctx.Checks != n/cancel.Every {
		t.Errorf("%d checks of the context, want %d", ctx.Checks, n/cancel.Every)
	}
	for k := 1; k <= ctx.Checks; k++ {
		if _, err := new(multiwayOp).advance(&canceltest.Counting{Context: t.Context(), End: k}, &level{lists: slices.Clone(lists)}); err != context.Canceled {
			t.Errorf("ended at check %d: %v", k, err)
		}
	}
}

// TestSortPairs compares the sorting of pairs in blocks with the plain way.
func TestSortPairs(t *testing.T) {
	type pair struct{ x, y id }
	r := rand.New(rand.NewPCG(8, 8))
	for _, n := range []int{0, 1, cancel.Block - 1, cancel.Block + 1, 3*cancel.Block + 5} {
		list, other := make([]id, n), make([]id, n)
		for i := range list {
			list[i], other[i] = id(r.IntN(n)), id(r.IntN(60))
		}
		pairs := make([]pair, n)
		for i := range pairs {
			pairs[i] = pair{list[i], other[i]}
		}
		slices.SortFunc(pairs, func(a, b pair) int { return cmp.Or(cmp.Compare(a.x, b.x), cmp.Compare(a.y, b.y)) })
		pairs = slices.Compact(pairs)
		x, y, err := sortPairs(t.Context(), list, other)
		if err != nil || len(x) != len(pairs) {
			t.Fatal(len(x), err)
		}
		for i := range x {
			if pairs[i] != (pair{x[i], y[i]}) {
				t.Fatalf("%d pairs: pair %d is another one", n, i)
			}
		}
	}
}
