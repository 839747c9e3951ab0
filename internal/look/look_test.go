package look

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"testing"
)

// ending is a context that ends at the k-th look; 0: never.
type ending struct {
	context.Context
	looks, end int
}

func (c *ending) Err() error {
	if c.looks++; c.end > 0 && c.looks >= c.end {
		return context.Canceled
	}
	return nil
}

// TestBlocks covers all numbers once, with a look behind each whole block, and ends at
// each of them.
func TestBlocks(t *testing.T) {
	for _, n := range []int{0, 1, Block - 1, Block, Block + 1, 3*Block + 5} {
		for name, loop := range map[string]func(ctx context.Context, n int, f func(from, to int)) error{
			"Blocks": Blocks,
			"Each": func(ctx context.Context, n int, f func(from, to int)) error {
				return Each(ctx, n, func(from, to int) error { f(from, to); return nil })
			},
		} {
			at, ctx := 0, &ending{Context: t.Context()}
			err := loop(ctx, n, func(from, to int) {
				if from != at || to-from > Block {
					t.Errorf("%s of %d: %d to %d behind %d", name, n, from, to, at)
				}
				at = to
			})
			if err != nil || at != n || ctx.looks != n/Block {
				t.Errorf("%s of %d ended at %d after %d looks: %v", name, n, at, ctx.looks, err)
			}
			for k := 1; k <= n/Block; k++ {
				done := 0
				if err := loop(&ending{Context: t.Context(), end: k}, n, func(_, to int) { done = to }); err != context.Canceled || done != k*Block {
					t.Errorf("%s of %d, look %d: ended at %d: %v", name, n, k, done, err)
				}
			}
		}
		missed := Missed.Load()
		if err := Blocks(None, n, func(int, int) {}); err != nil || (Missed.Load() > missed) != (n >= Block) {
			t.Errorf("%d without a context: %v, %d", n, err, Missed.Load()-missed)
		}
	}
	failed := errors.New("failed")
	if err := Each(t.Context(), 2*Block, func(from, _ int) error {
		if from == 0 {
			return failed
		}
		t.Error("went on")
		return nil
	}); err != failed {
		t.Error(err)
	}
}

// TestSort sorts, and ends with the context.
func TestSort(t *testing.T) {
	list := make([]int, 8*Block)
	for i := range list {
		list[i] = i * 7919 % len(list)
	}
	ctx := &ending{Context: t.Context()}
	sorted := slices.Clone(list)
	if err := Sort(ctx, sorted, cmp.Compare); err != nil || !slices.IsSorted(sorted) || ctx.looks < 2 {
		t.Errorf("%v after %d looks", err, ctx.looks)
	}
	for k := 1; k <= ctx.looks; k++ {
		c := &ending{Context: t.Context(), end: k}
		if err := Sort(c, slices.Clone(list), cmp.Compare); err != context.Canceled || c.looks != k {
			t.Errorf("look %d: %v after %d", k, err, c.looks)
		}
	}
}
