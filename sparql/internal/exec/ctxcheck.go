package exec

import (
	"context"

	"github.com/rete-go/rete/dataset"
	"github.com/rete-go/rete/internal/cancel"
)

// Between two checks of the context an operator handles at most so many rows, or as many
// comparisons.
const checkEvery = 64 << 10

// ctxCheck counts what was done since the last check of the context.
type ctxCheck struct{ done int }

// pass notes that so much was done. It checks the context when it is time to.
func (l *ctxCheck) pass(ctx context.Context, n int) error {
	if l.done += n; l.done < checkEvery {
		return nil
	}
	l.done = 0
	return ctx.Err()
}

// blockRows is how many rows a loop inside an operator handles between two checks of the
// context: so few that several loops behind each other stay below checkEvery.
const blockRows = cancel.Block

// noContext stands for a context where there is none to check.
var noContext = cancel.None

// inBlocks is [cancel.Blocks].
func inBlocks(ctx context.Context, n int, f func(from, to int)) error {
	return cancel.Blocks(ctx, n, f)
}

// eachBlock is [cancel.Each].
func eachBlock(ctx context.Context, n int, f func(from, to int) error) error {
	return cancel.Each(ctx, n, f)
}

// copyIn is copy that checks the context.
func copyIn[T any](ctx context.Context, dst, src []T) error {
	return cancel.Copy(ctx, dst, src)
}

// extendIn returns the slice with room for n elements more, as [extend] does, and checks the
// context.
func extendIn[T any](ctx context.Context, s []T, n int) ([]T, error) {
	if cap(s)-len(s) >= n {
		return s, nil
	}
	to := make([]T, len(s), grown(cap(s), len(s)+n))
	return to, copyIn(ctx, to, s)
}

// sortIDs is [cancel.Ordered].
func sortIDs(ctx context.Context, list []id) error { return cancel.Ordered(ctx, list) }

// sortedIDs sorts ids in place and drops repeats.
func sortedIDs(ctx context.Context, list []id) ([]id, error) {
	if err := sortIDs(ctx, list); err != nil {
		return nil, err
	}
	return compact(ctx, list)
}

// compact drops repeats that stand beside each other, in place.
func compact[T comparable](ctx context.Context, list []T) ([]T, error) {
	kept := 0
	err := inBlocks(ctx, len(list), func(from, to int) {
		for _, v := range list[from:to] {
			if kept == 0 || list[kept-1] != v {
				list[kept] = v
				kept++
			}
		}
	})
	return list[:kept], err
}

// addSorted adds ids that ascend to a set.
func addSorted(ctx context.Context, set *dataset.IDSet, list []id) error {
	return inBlocks(ctx, len(list), func(from, to int) { set.AddSorted(list[from:to]) })
}

// sortChecking is [cancel.Sort].
func sortChecking[T any](ctx context.Context, list []T, compare func(a, b T) int) error {
	return cancel.Sort(ctx, list, compare)
}
