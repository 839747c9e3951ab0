package value

import (
	"math"
	"math/big"
	"unsafe"
)

// exactSum adds float64 numbers without rounding, so that the sum does not
// depend on their order (Shewchuk 1997: a list of partial sums that do not
// overlap). The zero value is the sum of nothing.
type exactSum struct {
	partials []float64  // ascending in magnitude
	large    *big.Float // the exact sum, once a partial one has overflowed
	posInf   bool
	negInf   bool
	nan      bool
	positive bool // something other than -0 was added
	any      bool
}

// largePrec holds every sum of up to 2^60 doubles exactly.
const largePrec = 2300

// add adds one number.
func (s *exactSum) add(x float64) {
	s.any = true
	if x != 0 || !math.Signbit(x) {
		s.positive = true
	}
	switch {
	case math.IsNaN(x):
		s.nan = true
		return
	case math.IsInf(x, 1):
		s.posInf = true
		return
	case math.IsInf(x, -1):
		s.negInf = true
		return
	case s.large != nil:
		s.large.Add(s.large, new(big.Float).SetFloat64(x))
		return
	}
	kept := 0
	for i, y := range s.partials {
		if math.Abs(x) < math.Abs(y) {
			x, y = y, x
		}
		hi := x + y
		lo := y - (hi - x)
		if math.IsInf(hi, 0) {
			s.widen(s.partials[:kept], s.partials[i+1:], x, y)
			return
		}
		if lo != 0 {
			s.partials[kept] = lo
			kept++
		}
		x = hi
	}
	s.partials = append(s.partials[:kept], x)
}

// widen goes over to the slow exact sum.
func (s *exactSum) widen(a, b []float64, x, y float64) {
	s.large = new(big.Float).SetPrec(largePrec)
	for _, list := range [][]float64{a, b, {x, y}} {
		for _, p := range list {
			s.large.Add(s.large, new(big.Float).SetFloat64(p))
		}
	}
	s.partials = nil
}

// merge adds the sum of another list.
func (s *exactSum) merge(o *exactSum) {
	if !o.any {
		return
	}
	for _, p := range o.partials {
		if p != 0 {
			s.add(p)
		}
	}
	if o.large != nil {
		if s.large == nil {
			s.widen(s.partials, nil, 0, 0)
		}
		s.large.Add(s.large, o.large)
	}
	s.posInf = s.posInf || o.posInf
	s.negInf = s.negInf || o.negInf
	s.nan = s.nan || o.nan
	s.positive = s.positive || o.positive
	s.any = true
}

// special returns the sum when it is no finite number, or negative zero.
func (s *exactSum) special() (float64, bool) {
	switch {
	case s.nan || s.posInf && s.negInf:
		return math.NaN(), true
	case s.posInf:
		return math.Inf(1), true
	case s.negInf:
		return math.Inf(-1), true
	case s.any && !s.positive:
		return math.Copysign(0, -1), true
	}
	return 0, false
}

// rat returns the exact finite sum.
func (s *exactSum) rat() *big.Rat {
	sum := new(big.Rat)
	if s.large != nil {
		s.large.Rat(sum)
		return sum
	}
	for _, p := range s.partials {
		sum.Add(sum, new(big.Rat).SetFloat64(p))
	}
	return sum
}

// addN adds one number n times.
func (s *exactSum) addN(x float64, n int64) {
	if n == 1 || x == 0 || math.IsNaN(x) || math.IsInf(x, 0) {
		s.add(x)
		return
	}
	const limit = 1 << 53
	p := x * float64(n)
	if n < limit && math.Abs(x) > 1e-250 && math.Abs(p) < 1e300 {
		s.add(p)
		s.add(math.FMA(x, float64(n), -p)) // what the product lost
		return
	}
	if s.large == nil {
		s.widen(s.partials, nil, 0, 0)
	}
	s.any, s.positive = true, true
	product := new(big.Float).SetPrec(largePrec).SetInt64(n)
	s.large.Add(s.large, product.Mul(product, new(big.Float).SetFloat64(x)))
}

// bytes returns the memory of the sum.
func (s *exactSum) bytes() int {
	n := int(unsafe.Sizeof(*s)) + 8*cap(s.partials)
	if s.large != nil {
		n += largePrec/8 + 64
	}
	return n
}
