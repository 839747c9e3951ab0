package value

import (
	"math"
	"math/big"
	"math/bits"

	"github.com/cockroachdb/apd/v3"
)

// exact is the context of exact arithmetic: precision 0 never rounds.
var exact = apd.BaseContext

// exactKind returns the kind of the sum, difference or product of two exact
// numbers.
func exactKind(a, b Value) Kind { return max(a.kind, b.kind) }

// ofExact returns an exact number that fits; trailing zeros after the point
// are cut, so that equal numbers are equal in num and aux.
func ofExact(kind Kind, mantissa int64, scale uint32) Value {
	for scale > 0 && mantissa%10 == 0 {
		mantissa /= 10
		scale--
	}
	v := Value{kind: kind, dt: dtInteger, num: mantissa, aux: scale}
	if kind == Decimal {
		v.dt = dtDecimal
	}
	return v
}

// ofBig returns d as a number of this kind in its smallest form; false when it
// has more than [MaxDigits] digits. It takes d over.
func ofBig(d *apd.Decimal, kind Kind) (Value, bool) {
	d.Reduce(d)
	digits := d.NumDigits()
	if d.Exponent > 0 {
		digits += int64(d.Exponent)
	} else if s := -int64(d.Exponent); s > digits {
		digits = s
	}
	if digits > MaxDigits || d.Form != apd.Finite {
		return Value{}, false
	}
	if digits <= 19 && -d.Exponent <= maxScale {
		scale := uint32(0)
		whole := new(apd.Decimal).Set(d)
		if d.Exponent < 0 {
			scale, whole.Exponent = uint32(-d.Exponent), 0
		}
		if n, err := whole.Int64(); err == nil {
			return ofExact(kind, n, scale), true
		}
	}
	v := Value{kind: kind, dt: dtInteger, ext: &extra{dec: d}}
	if kind == Decimal {
		v.dt = dtDecimal
	}
	return v, true
}

// big returns an exact number as an apd.Decimal, in tmp unless v has one. The
// result must not be changed.
func (v Value) big(tmp *apd.Decimal) *apd.Decimal {
	if v.ext != nil {
		return v.ext.dec
	}
	return tmp.SetFinite(v.num, -int32(v.aux))
}

// align brings two small numbers to one scale; false when they do not fit.
func align(a, b Value) (x, y int64, scale uint32, ok bool) {
	if a.ext != nil || b.ext != nil {
		return 0, 0, 0, false
	}
	if a.aux == b.aux {
		return a.num, b.num, a.aux, true
	}
	if a.aux < b.aux {
		x, ok = mul64(a.num, pow10[b.aux-a.aux])
		return x, b.num, b.aux, ok
	}
	y, ok = mul64(b.num, pow10[a.aux-b.aux])
	return a.num, y, a.aux, ok
}

// mul64 multiplies; false on overflow.
func mul64(a, b int64) (int64, bool) {
	hi, lo := bits.Mul64(abs64(a), abs64(b))
	if hi != 0 || lo > math.MaxInt64 {
		return 0, false
	}
	if (a < 0) != (b < 0) {
		return -int64(lo), true
	}
	return int64(lo), true
}

// abs64 returns the magnitude, also of the smallest int64.
func abs64(a int64) uint64 {
	if a < 0 {
		return -uint64(a)
	}
	return uint64(a)
}

// add64 adds; false on overflow.
func add64(a, b int64) (int64, bool) {
	c := a + b
	return c, (c > a) == (b > 0)
}

// addExact adds two exact numbers, or subtracts the second.
func addExact(a, b Value, negate bool) (Value, bool) {
	kind := exactKind(a, b)
	if x, y, scale, ok := align(a, b); ok && y != math.MinInt64 {
		if negate {
			y = -y
		}
		if sum, ok := add64(x, y); ok {
			return ofExact(kind, sum, scale), true
		}
	}
	var ta, tb apd.Decimal
	sum := new(apd.Decimal)
	op := exact.Add
	if negate {
		op = exact.Sub
	}
	if _, err := op(sum, a.big(&ta), b.big(&tb)); err != nil {
		return Value{}, false
	}
	return ofBig(sum, kind)
}

// mulExact multiplies two exact numbers.
func mulExact(a, b Value) (Value, bool) {
	kind := exactKind(a, b)
	if a.ext == nil && b.ext == nil && a.aux+b.aux <= maxScale {
		if p, ok := mul64(a.num, b.num); ok {
			return ofExact(kind, p, a.aux+b.aux), true
		}
	}
	var ta, tb apd.Decimal
	x, y := a.big(&ta), b.big(&tb)
	if x.NumDigits()+y.NumDigits() > MaxDigits+1 {
		return Value{}, false
	}
	p := new(apd.Decimal)
	if _, err := exact.Mul(p, x, y); err != nil {
		return Value{}, false
	}
	return ofBig(p, kind)
}

// quoExact divides two exact numbers; the quotient is a decimal. It is exact
// when it has at most 18 digits after the point, or, below one, at most 18
// after its leading zeros; else it is rounded there, half to even.
// Division by zero is a value error (XPath F&O 4.2.4).
func quoExact(a, b Value) (Value, bool) {
	if b.ext == nil && b.num == 0 {
		return Value{}, false
	}
	if a.ext == nil && b.ext == nil && a.aux >= b.aux && b.num != -1 && a.num%b.num == 0 {
		return ofExact(Decimal, a.num/b.num, a.aux-b.aux), true
	}
	if q, ok := quoSmall(a, b); ok {
		return q, true
	}
	var ta, tb apd.Decimal
	x, y := a.big(&ta), b.big(&tb)
	ctx := exact.WithPrecision(uint32(max(wholeDigits(x, y), 0)) + 18)
	ctx.Rounding = apd.RoundHalfEven
	ctx.Traps &^= apd.Inexact | apd.Rounded
	q := new(apd.Decimal)
	if _, err := ctx.Quo(q, x, y); err != nil {
		return Value{}, false
	}
	return ofBig(q, Decimal)
}

// quoSmall divides where the quotient ends within the digits of an int64.
func quoSmall(a, b Value) (Value, bool) {
	if a.ext != nil || b.ext != nil || a.aux > maxScale/2 || b.aux > maxScale/2 {
		return Value{}, false
	}
	divisor := abs64(b.num)
	for _, shift := range [...]uint32{3, 9} {
		// a/b = a*10^shift*10^b.aux / (b*10^a.aux*10^shift)
		hi, lo := bits.Mul64(abs64(a.num), uint64(pow10[shift]))
		if hi >= divisor {
			return Value{}, false
		}
		q, rest := bits.Div64(hi, lo, divisor)
		if rest != 0 {
			continue
		}
		if scale := int32(shift+a.aux) - int32(b.aux); scale >= 0 && q <= math.MaxInt64 {
			n := int64(q)
			if (a.num < 0) != (b.num < 0) {
				n = -n
			}
			return ofExact(Decimal, n, uint32(scale)), true
		}
		return Value{}, false
	}
	return Value{}, false
}

// wholeDigits returns the number of digits that x/y has before the point, less
// the zeros after it when there are none.
func wholeDigits(x, y *apd.Decimal) int64 {
	nx, ny := x.NumDigits(), y.NumDigits()
	var a, b apd.Decimal
	a.Abs(x)
	b.Abs(y)
	a.Exponent, b.Exponent = -int32(nx), -int32(ny) // both in [0.1, 1)
	n := nx + int64(x.Exponent) - ny - int64(y.Exponent)
	if a.Cmp(&b) >= 0 {
		n++
	}
	return n
}

// cmpExact compares two exact numbers.
func cmpExact(a, b Value) int {
	if x, y, _, ok := align(a, b); ok {
		switch {
		case x < y:
			return -1
		case x > y:
			return 1
		}
		return 0
	}
	var ta, tb apd.Decimal
	return a.big(&ta).Cmp(b.big(&tb))
}

// negExact negates an exact number.
func negExact(a Value) Value {
	if a.ext == nil && a.num != math.MinInt64 {
		return ofExact(a.kind, -a.num, a.aux)
	}
	var t apd.Decimal
	v, _ := ofBig(new(apd.Decimal).Neg(a.big(&t)), a.kind)
	return v
}

// signExact returns -1, 0 or 1.
func signExact(a Value) int {
	switch {
	case a.ext != nil:
		return a.ext.dec.Sign()
	case a.num < 0:
		return -1
	case a.num > 0:
		return 1
	}
	return 0
}

// rounding is how a decimal becomes whole.
type rounding uint8

const (
	roundFloor   rounding = iota
	roundCeiling          // towards positive infinity
	roundHalfUp           // to the nearest, ties towards positive infinity (fn:round)
	roundTrunc            // towards zero (the cast to integer)
)

// roundExact returns the exact number without a fraction, of the same kind.
func roundExact(a Value, mode rounding) (Value, bool) {
	if a.ext == nil {
		if a.aux == 0 {
			return ofExact(a.kind, a.num, 0), true
		}
		unit := pow10[a.aux]
		q, r := a.num/unit, a.num%unit
		switch {
		case mode == roundFloor && r < 0:
			q--
		case mode == roundCeiling && r > 0:
			q++
		case mode == roundHalfUp && r > 0 && r >= unit-r:
			q++
		case mode == roundHalfUp && r < 0 && -r > unit+r:
			q--
		}
		return ofExact(a.kind, q, 0), true
	}
	d := a.ext.dec
	if d.Exponent >= 0 {
		return bare(a), true
	}
	var q, r, unit apd.BigInt
	unit.Exp(apd.NewBigInt(10), apd.NewBigInt(-int64(d.Exponent)), nil)
	q.QuoRem(&d.Coeff, &unit, &r)
	half := r.Lsh(&r, 1).Cmp(&unit)
	if r.Sign() != 0 && (mode == roundFloor && d.Negative || mode == roundCeiling && !d.Negative ||
		mode == roundHalfUp && (half > 0 || half == 0 && !d.Negative)) {
		q.Add(&q, apd.NewBigInt(1))
	}
	whole := apd.NewWithBigInt(&q, 0)
	whole.Negative = d.Negative && q.Sign() != 0
	return ofBig(whole, a.kind)
}

// toFloat returns an exact number rounded once to the nearest float64, or to
// the nearest float32.
func toFloat(a Value, single bool) float64 {
	if a.ext == nil {
		if single {
			if abs64(a.num) < 1<<24 && a.aux <= 10 {
				return float64(float32(a.num) / float32(pow10[a.aux]))
			}
		} else if a.aux == 0 {
			return float64(a.num)
		} else if abs64(a.num) < 1<<53 { // both exact, so the quotient is rounded once
			return float64(a.num) / float64(pow10[a.aux])
		}
	}
	f, _ := floatLexical(scientific(a), single)
	return f
}

// scientific returns an exact number as digits and exponent.
func scientific(a Value) string {
	var t apd.Decimal
	return a.big(&t).Text('E')
}

// decimalOfFloat returns a finite float as the decimal that has the very same
// value (XPath F&O 19.1.2.3), which always exists.
func decimalOfFloat(f float64) (Value, bool) {
	if f == math.Trunc(f) && math.Abs(f) < 1<<62 {
		return ofExact(Decimal, int64(f), 0), true
	}
	if math.IsNaN(f) || math.IsInf(f, 0) {
		return Value{}, false
	}
	frac, exp := math.Frexp(f)
	m := big.NewInt(int64(frac * (1 << 53)))
	exp -= 53
	scale := int32(0)
	if exp >= 0 {
		m.Lsh(m, uint(exp))
	} else { // m / 2^n = m * 5^n / 10^n
		for exp < 0 && m.Bit(0) == 0 {
			m.Rsh(m, 1)
			exp++
		}
		m.Mul(m, new(big.Int).Exp(big.NewInt(5), big.NewInt(int64(-exp)), nil))
		scale = int32(exp)
	}
	d := apd.NewWithBigInt(new(apd.BigInt).SetMathBigInt(m), scale)
	if d.Coeff.Sign() < 0 {
		d.Coeff.Neg(&d.Coeff)
		d.Negative = true
	}
	return ofBig(d, Decimal)
}
