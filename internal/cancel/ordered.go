package cancel

import (
	"cmp"
	"context"
	"slices"
)

// sortAtOnce is how many elements are sorted without a check.
const sortAtOnce = 4 * Block

// Ordered is [slices.Sort] with checks of the context, and nearly as fast: long lists are
// split until their parts are short. A nil context is not checked. If the context ends,
// the order is none.
func Ordered[T cmp.Ordered](ctx context.Context, list []T) error {
	for len(list) > sortAtOnce {
		sorted, err := isOrdered(ctx, list)
		if err != nil || sorted {
			return err
		}
		at, err := split(ctx, list)
		if err != nil {
			return err
		}
		if at < len(list)/16 || at > len(list)-len(list)/16 { // very many equal ones, or bad luck
			return Sort(ctx, list, cmp.Compare)
		}
		if err := Ordered(ctx, list[:at]); err != nil {
			return err
		}
		list = list[at:]
	}
	slices.Sort(list)
	return nil
}

// isOrdered is [slices.IsSorted].
func isOrdered[T cmp.Ordered](ctx context.Context, list []T) (bool, error) {
	for from := 0; from < len(list); from += Block {
		if !slices.IsSorted(list[from:min(from+Block+1, len(list))]) {
			return false, nil
		}
		if ctx != nil && ctx.Err() != nil {
			return false, ctx.Err()
		}
	}
	return true, nil
}

// split moves elements that are no greater than some element before the place that it
// returns, and those that are no smaller after it.
func split[T cmp.Ordered](ctx context.Context, list []T) (int, error) {
	var some [127]T
	for i := range some {
		some[i] = list[(len(list)-1)/(len(some)-1)*i]
	}
	slices.Sort(some[:])
	middle := some[len(some)/2]
	i, k := 0, len(list)-1
	for next := 0; ; {
		for list[i] < middle {
			i++
		}
		for list[k] > middle {
			k--
		}
		if i >= k {
			return i, nil
		}
		list[i], list[k] = list[k], list[i]
		i, k = i+1, k-1
		if i+len(list)-k > next {
			if next += Block; ctx != nil && ctx.Err() != nil {
				return 0, ctx.Err()
			}
		}
	}
}
