package segment

import "slices"

// triple is subject, predicate and object id, whatever the order it is sorted
// in.
type triple [3]uint32

const (
	digitBits = 11
	digits    = 1 << digitBits
)

// smallSort is the number of triples below which comparing beats counting.
const smallSort = 512

// sortBy sorts src stably by the columns, the last of which counts least. It
// uses tmp, of the same length, and returns the one of the two that holds the
// result. limits are the largest ids of the three columns. src must not be used
// afterwards unless it is the result.
func sortBy(src, tmp []triple, limits [3]uint32, columns ...int) (sorted, other []triple) {
	if len(src) < smallSort {
		slices.SortStableFunc(src, func(x, y triple) int {
			for _, c := range columns {
				if x[c] != y[c] {
					if x[c] < y[c] {
						return -1
					}
					return 1
				}
			}
			return 0
		})
		return src, tmp
	}
	for i := len(columns) - 1; i >= 0; i-- {
		c := columns[i]
		for shift := 0; shift < width(limits[c]); shift += digitBits {
			if radixPass(src, tmp, c, shift) {
				src, tmp = tmp, src
			}
		}
	}
	return src, tmp
}

// radixPass distributes src to dst by one digit of one column. It does nothing
// and returns false if all have the same digit.
func radixPass(src, dst []triple, column, shift int) bool {
	var counts [digits]int
	for i := range src {
		counts[src[i][column]>>shift&(digits-1)]++
	}
	if counts[src[0][column]>>shift&(digits-1)] == len(src) {
		return false
	}
	at := 0
	for i, n := range counts {
		counts[i] = at
		at += n
	}
	dst = dst[:len(src)]
	for i := range src {
		d := src[i][column] >> shift & (digits - 1)
		dst[counts[d]] = src[i]
		counts[d]++
	}
	return true
}

// distinct drops repeats of sorted triples.
func distinct(rows []triple) []triple { return slices.Compact(rows) }
