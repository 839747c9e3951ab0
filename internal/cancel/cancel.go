// Package cancel cuts long loops into blocks, between which they check a context, so that
// callers that asked for them need not wait for their end.
package cancel

import (
	"context"
	"slices"
	"sync/atomic"
)

// Block is how many elements a loop handles between two checks.
const Block = 1 << 14

// None stands for a context where there is none to check.
var None context.Context

// Missed counts the elements of long loops that had no context to check: for tests,
// which assert that a query has none.
var Missed atomic.Int64

// Blocks calls f for the numbers from 0 on, before n, in blocks, and checks the context
// after each whole one: its error ends the loop. Without a context it does not check.
func Blocks(ctx context.Context, n int, f func(from, to int)) error {
	if n < Block {
		f(0, n)
		return nil
	}
	if ctx == nil {
		f(0, n)
		Missed.Add(int64(n))
		return nil
	}
	for from := 0; from < n; from += Block {
		to := min(from+Block, n)
		f(from, to)
		if to-from == Block && ctx.Err() != nil {
			return ctx.Err()
		}
	}
	return nil
}

// Each is [Blocks] for what can fail; the first error ends the loop.
func Each(ctx context.Context, n int, f func(from, to int) error) error {
	for from := 0; from < n; from += Block {
		to := min(from+Block, n)
		if err := f(from, to); err != nil {
			return err
		}
		if to-from == Block && ctx != nil && ctx.Err() != nil {
			return ctx.Err()
		}
	}
	if ctx == nil && n >= Block {
		Missed.Add(int64(n))
	}
	return nil
}

// Check checks the context if i is the last number of a block: for loops that have no
// other shape.
func Check(ctx context.Context, i int) error {
	if i%Block == Block-1 {
		return ctx.Err()
	}
	return nil
}

// Copy is copy in blocks.
func Copy[T any](ctx context.Context, dst, src []T) error {
	return Blocks(ctx, len(src), func(from, to int) { copy(dst[from:to], src[from:to]) })
}

// Sort is [slices.SortFunc] with a check of the context after some comparisons. Once that
// has ended, all elements are equal, so that the sorting ends soon; the order is then none.
func Sort[T any](ctx context.Context, list []T, compare func(a, b T) int) error {
	var err error
	compared := 0
	slices.SortFunc(list, func(a, b T) int {
		if compared++; compared%(4*Block) == 0 && err == nil && ctx != nil {
			err = ctx.Err()
		}
		if err != nil {
			return 0
		}
		return compare(a, b)
	})
	return err
}

// Every is how much may be done between two checks of the context, in rows or comparisons, by
// all loops after each other.
const Every = 64 << 10

// Count counts what was done since the last check of the context.
type Count struct{ Done int }

// Pass notes that so much was done. It checks the context when it is time to.
func (c *Count) Pass(ctx context.Context, n int) error {
	if c.Done += n; c.Done < Every {
		return nil
	}
	c.Done = 0
	return ctx.Err()
}
