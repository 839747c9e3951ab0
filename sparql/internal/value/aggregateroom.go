package value

import (
	"math"
	"unsafe"

	"github.com/cockroachdb/apd/v3"
)

// How much an aggregate may grow is asked before it does. The bounds are simple rather
// than close, but 0 for what is common and never grows: small integers in a sum.

// Room implements [Aggregate].
func (c *count) Room(Value, int64) int { return 0 }

// SumRoom bounds what any number of values adds to a SUM or AVG, but for the memory that
// the values refer to: see [Value.Bytes].
const SumRoom = 2 << 10

const (
	// floatRoom is what a number takes in an exact sum: a partial sum, or two.
	floatRoom = 32
	largeRoom = largePrec/8 + 64
	// decRoom is a number that is too large for num, without its digits.
	decRoom = int(unsafe.Sizeof(extra{})+unsafe.Sizeof(apd.Decimal{})) + 128
)

// Room implements [Aggregate].
func (s *Sum) Room(v Value, n int64) int {
	switch {
	case !v.IsNumeric():
		return 0
	case v.kind >= Float:
		room := floatRoom
		if s.floats == nil {
			room += int(unsafe.Sizeof(exactSum{}))
		}
		if s.floats == nil || s.floats.large == nil {
			x := math.Abs(v.float())
			if n > 1 && (x < 1e-240 || n >= 1<<50) || x*float64(n) > 1e290 || s.floats.over(1e290) {
				room += largeRoom
			}
		}
		return room
	case v.ext == nil && s.exact.ext == nil:
		// The sum of a batch of these fits, also brought to one scale.
		small := abs64(v.num) < 1<<24 && n < 1<<12 || abs64(v.num) < 1<<36 && n == 1
		if small && v.aux <= 3 && s.exact.aux <= 3 && abs64(s.exact.num) < 1<<50 && abs64(s.small) < 1<<50 {
			return 0
		}
		return decRoom
	}
	room := decRoom
	for _, x := range []Value{v, s.exact} {
		if x.ext != nil && x.ext.dec != nil {
			room += int(x.ext.dec.Size())
		}
	}
	return room
}

// over reports whether a partial sum is larger in magnitude. They ascend.
func (s *exactSum) over(x float64) bool {
	return s != nil && len(s.partials) > 0 && math.Abs(s.partials[len(s.partials)-1]) > x
}

// Room implements [Aggregate].
func (a *avg) Room(v Value, n int64) int { return a.sum.Room(v, n) }

// Room implements [Aggregate].
func (e *extreme) Room(v Value, _ int64) int {
	if e.best.kind == None {
		return v.Bytes()
	}
	return max(v.Bytes()-e.best.Bytes(), 0) // it takes the place of the best
}

// Room implements [Aggregate].
func (s *sample) Room(v Value, _ int64) int {
	if s.v.kind != None {
		return 0
	}
	return v.Bytes()
}

// Room implements [Aggregate].
func (g *groupConcat) Room(v Value, n int64) int {
	s, ok := str(v)
	if !ok {
		return 0
	}
	one := len(s.text) + len(g.Separator)
	return int(n) * (one + one/2 + 1)
}
