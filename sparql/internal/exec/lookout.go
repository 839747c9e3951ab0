package exec

import (
	"context"
	"slices"
)

// Between two looks at the context an operator handles at most so many rows, or as many
// comparisons.
const looks = 64 << 10

// lookout counts what was done since the last look at the context.
type lookout struct{ done int }

// pass notes that so much was done. It looks at the context when it is time to.
func (l *lookout) pass(ctx context.Context, n int) error {
	if l.done += n; l.done < looks {
		return nil
	}
	l.done = 0
	return ctx.Err()
}

// sortIDs sorts ids in place. Long lists are split until their parts are short, so that
// there are looks at the context; a nil context is not looked at.
func sortIDs(ctx context.Context, list []id) error {
	for len(list) > looks {
		if ctx != nil && ctx.Err() != nil {
			return ctx.Err()
		}
		if slices.IsSorted(list) {
			return nil
		}
		at := splitIDs(list)
		if at < len(list)/16 || at > len(list)-len(list)/16 { // very many equal ids, or bad luck
			return sortLooking(ctx, list, func(a, b id) int {
				if a < b {
					return -1
				}
				return int(min(a-b, 1))
			})
		}
		if err := sortIDs(ctx, list[:at]); err != nil {
			return err
		}
		list = list[at:]
	}
	slices.Sort(list)
	return nil
}

// splitIDs moves ids that are no greater than some id before the place that it returns,
// and those that are no smaller behind it.
func splitIDs(list []id) int {
	var some [127]id
	for i := range some {
		some[i] = list[(len(list)-1)/(len(some)-1)*i]
	}
	slices.Sort(some[:])
	middle := some[len(some)/2]
	i, k := 0, len(list)-1
	for {
		for list[i] < middle {
			i++
		}
		for list[k] > middle {
			k--
		}
		if i >= k {
			return i
		}
		list[i], list[k] = list[k], list[i]
		i, k = i+1, k-1
	}
}

// sortLooking is [slices.SortFunc] that looks at the context. Once that has ended, all
// are equal, so that the sorting ends soon.
func sortLooking[T any](ctx context.Context, list []T, compare func(a, b T) int) error {
	var err error
	compared := 0
	slices.SortFunc(list, func(a, b T) int {
		if compared++; compared%looks == 0 && err == nil && ctx != nil {
			err = ctx.Err()
		}
		if err != nil {
			return 0
		}
		return compare(a, b)
	})
	return err
}
