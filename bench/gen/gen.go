// Package gen holds what every benchmark data generator needs: random streams
// that depend on nothing but their coordinates, integer distributions, and
// made-up text.
//
// A stream is derived from (seed, class, instance, property) by SplitMix64
// mixing, so any instance can be made alone, in any order, and the first n
// instances are the same at every scale. No floating point takes part in any
// decision, so every processor makes the same bytes.
package gen

import "math/bits"

// Stream is a SplitMix64 generator (Steele, Lea, Flood 2014).
type Stream struct{ state uint64 }

// NewStream returns the stream of one property of one instance.
func NewStream(seed uint64, class, instance, property uint64) Stream {
	s := mix(seed + 0x9e3779b97f4a7c15)
	s = mix(s ^ class*0xbf58476d1ce4e5b9)
	s = mix(s ^ instance*0x94d049bb133111eb)
	s = mix(s ^ property*0xd6e8feb86659fd93)
	return Stream{s}
}

func mix(z uint64) uint64 {
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

// Next returns 64 random bits.
func (s *Stream) Next() uint64 {
	s.state += 0x9e3779b97f4a7c15
	return mix(s.state)
}

// Below returns a number in 0..n-1, uniform. n must be positive.
func (s *Stream) Below(n int) int {
	hi, _ := bits.Mul64(s.Next(), uint64(n))
	return int(hi)
}

// Chance reports true num times out of den.
func (s *Stream) Chance(num, den int) bool { return s.Below(den) < num }

// Normal returns a number in 0..n-1 with mean (n-1)/2 and a standard deviation
// of about n/6: the mean of three uniform draws.
func (s *Stream) Normal(n int) int {
	return (s.Below(n) + s.Below(n) + s.Below(n)) / 3
}

// Zipf returns a rank in 0..n-1, rank r with weight 1/(r+1). n is at most
// zipfMax.
func (s *Stream) Zipf(n int) int {
	n = min(n, zipfMax)
	hi, _ := bits.Mul64(s.Next(), zipfEnds[n-1])
	lo, up := 0, n-1
	for lo < up {
		mid := int(uint(lo+up) >> 1)
		if zipfEnds[mid] > hi {
			up = mid
		} else {
			lo = mid + 1
		}
	}
	return lo
}

// zipfMax is the largest number of ranks that [Stream.Zipf] tells apart.
const zipfMax = 1 << 16

// zipfEnds[r] is the sum of the weights of ranks 0..r, a weight being
// 2^40/(r+1) rounded down.
var zipfEnds = func() *[zipfMax]uint64 {
	var t [zipfMax]uint64
	sum := uint64(0)
	for r := range t {
		sum += 1 << 40 / uint64(r+1)
		t[r] = sum
	}
	return &t
}()
