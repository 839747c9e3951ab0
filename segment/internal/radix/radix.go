// Package radix sorts triples of ids.
package radix

import (
	"math/bits"
	"slices"
)

// Triple is subject, predicate and object id, whatever the order it is sorted
// in.
type Triple [3]uint32

const (
	DigitBits = 11
	Digits    = 1 << DigitBits
)

// SmallSort is the number of triples below which comparing beats counting.
const SmallSort = 512

// SortBy sorts src stably by the columns, the last of which counts least. It
// uses tmp, of the same length, and returns the one of the two that holds the
// result. limits are the largest ids of the three columns. src must not be used
// afterwards unless it is the result.
func SortBy(src, tmp []Triple, limits [3]uint32, columns ...int) (sorted, other []Triple) {
	if len(src) < SmallSort {
		slices.SortStableFunc(src, func(x, y Triple) int {
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
		for shift := 0; shift < Width(limits[c]); shift += DigitBits {
			if radixPass(src, tmp, c, shift) {
				src, tmp = tmp, src
			}
		}
	}
	return src, tmp
}

// radixPass distributes src to dst by one digit of one column. It does nothing
// and returns false if all have the same digit.
func radixPass(src, dst []Triple, column, shift int) bool {
	var counts [Digits]int
	for i := range src {
		counts[src[i][column]>>shift&(Digits-1)]++
	}
	if counts[src[0][column]>>shift&(Digits-1)] == len(src) {
		return false
	}
	at := 0
	for i, n := range counts {
		counts[i] = at
		at += n
	}
	dst = dst[:len(src)]
	for i := range src {
		d := src[i][column] >> shift & (Digits - 1)
		dst[counts[d]] = src[i]
		counts[d]++
	}
	return true
}

// Distinct drops repeats of sorted triples.
func Distinct(rows []Triple) []Triple { return slices.Compact(rows) }

// Width is the number of bits of v.
func Width(v uint32) int { return bits.Len32(v) }
