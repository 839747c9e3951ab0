package rowset

import (
	"context"

	"github.com/rete-go/rete/dataset"
	"github.com/rete-go/rete/internal/cancel"
)

// ExtendChecking returns the slice with room for n elements more, as [Extend] does, and checks the
// context.
func ExtendChecking[T any](ctx context.Context, s []T, n int) ([]T, error) {
	if cap(s)-len(s) >= n {
		return s, nil
	}
	to := make([]T, len(s), grown(cap(s), len(s)+n))
	return to, cancel.Copy(ctx, to, s)
}

// SortedIDs sorts ids in place and drops repeats.
func SortedIDs(ctx context.Context, list []id) ([]id, error) {
	if err := cancel.Ordered(ctx, list); err != nil {
		return nil, err
	}
	return Compact(ctx, list)
}

// Compact drops repeats that stand next to each other, in place.
func Compact[T comparable](ctx context.Context, list []T) ([]T, error) {
	kept := 0
	err := cancel.Blocks(ctx, len(list), func(from, to int) {
		for _, v := range list[from:to] {
			if kept == 0 || list[kept-1] != v {
				list[kept] = v
				kept++
			}
		}
	})
	return list[:kept], err
}

// AddSorted adds ids that ascend to a set.
func AddSorted(ctx context.Context, set *dataset.IDSet, list []id) error {
	return cancel.Blocks(ctx, len(list), func(from, to int) { set.AddSorted(list[from:to]) })
}
