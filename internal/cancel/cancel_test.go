package cancel

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
)

// ending is a context that ends at the k-th check; 0: never.
type ending struct {
	context.Context
	checks, end int
}

func (c *ending) Err() error {
	if c.checks++; c.end > 0 && c.checks >= c.end {
		return context.Canceled
	}
	return nil
}

// TestBlocks covers all numbers once, with a check after each whole block, and ends at
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
					t.Errorf("%s of %d: %d to %d after %d", name, n, from, to, at)
				}
				at = to
			})
			if err != nil || at != n || ctx.checks != n/Block {
				t.Errorf("%s of %d ended at %d after %d checks: %v", name, n, at, ctx.checks, err)
			}
			for k := 1; k <= n/Block; k++ {
				done := 0
				if err := loop(&ending{Context: t.Context(), end: k}, n, func(_, to int) { done = to }); err != context.Canceled || done != k*Block {
					t.Errorf("%s of %d, check %d: ended at %d: %v", name, n, k, done, err)
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
	if err := Sort(ctx, sorted, cmp.Compare); err != nil || !slices.IsSorted(sorted) || ctx.checks < 2 {
		t.Errorf("%v after %d checks", err, ctx.checks)
	}
	for k := 1; k <= ctx.checks; k++ {
		c := &ending{Context: t.Context(), end: k}
		if err := Sort(c, slices.Clone(list), cmp.Compare); err != context.Canceled || c.checks != k {
			t.Errorf("check %d: %v after %d", k, err, c.checks)
		}
	}
}

// TestOrdered sorts lists of many kinds, with a check of the context at least for every
// 64 Ki elements, and ends with the context.
func TestOrdered(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 2))
	for _, n := range []int{0, 1, 1000, sortAtOnce, sortAtOnce + 1, 300_000} {
		for kind, of := range map[string]func(i int) uint64{
			"random":     func(int) uint64 { return r.Uint64() },
			"few":        func(int) uint64 { return uint64(r.IntN(7)) },
			"one":        func(int) uint64 { return 9 },
			"ascending":  func(i int) uint64 { return uint64(i) },
			"descending": func(i int) uint64 { return uint64(n - i) },
			"sawtooth":   func(i int) uint64 { return uint64(i % 1000) },
			"organ":      func(i int) uint64 { return uint64(min(i, n-i)) },
		} {
			list := make([]uint64, n)
			for i := range list {
				list[i] = of(i)
			}
			want := slices.Clone(list)
			slices.Sort(want)
			ctx := &ending{Context: t.Context()}
			if err := Ordered(ctx, slices.Clone(list)); err != nil {
				t.Fatal(err)
			}
			if ctx.checks < (n-1)/sortAtOnce {
				t.Errorf("%s, %d elements: %d checks", kind, n, ctx.checks)
			}
			for k := 1; k <= ctx.checks; k += 1 + ctx.checks/8 {
				if err := Ordered(&ending{Context: t.Context(), end: k}, slices.Clone(list)); err != context.Canceled {
					t.Errorf("%s, %d elements: ended at check %d: %v", kind, n, k, err)
				}
			}
			if err := Ordered(t.Context(), list); err != nil || !slices.Equal(list, want) {
				t.Errorf("%s, %d elements: not sorted, %v", kind, n, err)
			}
		}
	}
}

// TestWhy: an error of a context that has ended matches both what the context says and its cause, with
// the text that it had; others are the same as before.
func TestWhy(t *testing.T) {
	cause, other := errors.New("hung up"), errors.New("disk")
	ctx, end := context.WithCancelCause(t.Context())
	if err := Why(ctx, cause); err != cause {
		t.Errorf("before the end: %v", err)
	}
	end(cause)
	for _, c := range []struct {
		err  error
		text string
	}{
		{ctx.Err(), "context canceled: hung up"},
		{fmt.Errorf("g.rete: %w", ctx.Err()), "g.rete: context canceled: hung up"},
		{fmt.Errorf("g.rete: %w", cause), "g.rete: hung up"},
		{fmt.Errorf("%w: %w", ctx.Err(), cause), "context canceled: hung up"},
	} {
		err := Why(ctx, c.err)
		if !errors.Is(err, cause) || !errors.Is(err, context.Canceled) || err.Error() != c.text || Why(ctx, err) != err {
			t.Errorf("%v: %v", c.err, err)
		}
	}
	plain, cancel := context.WithCancel(t.Context())
	cancel()
	for _, err := range []error{nil, other} {
		if Why(ctx, err) != err || Why(None, err) != err {
			t.Errorf("%v is another error", err)
		}
	}
	if err := Why(plain, plain.Err()); err != context.Canceled {
		t.Errorf("without a cause: %v", err)
	}
}
