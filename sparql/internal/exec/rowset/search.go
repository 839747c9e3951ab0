package rowset

import (
	"slices"

	"github.com/rete-go/rete/dataset"
)

// Gallop returns the first place of an ascending list that is at or after v.
func Gallop(list []id, v id) int {
	if len(list) == 0 || list[0] >= v {
		return 0
	}
	step, lo := 1, 0
	for lo+step < len(list) && list[lo+step] < v {
		lo += step
		step *= 2
	}
	hi := min(lo+step, len(list))
	for lo+1 < hi {
		if mid := int(uint(lo+hi) >> 1); list[mid] < v {
			lo = mid
		} else {
			hi = mid
		}
	}
	return hi
}

// InRanges reports whether an id is in one of some ascending ranges.
func InRanges(list []dataset.IDRange, i id) bool {
	if len(list) > 8 {
		at, found := slices.BinarySearchFunc(list, i, func(r dataset.IDRange, i id) int {
			switch {
			case r.Hi < i:
				return -1
			case r.Lo > i:
				return 1
			}
			return 0
		})
		return found && at < len(list)
	}
	for _, r := range list {
		if i <= r.Hi {
			return r.Lo <= i
		}
	}
	return false
}
