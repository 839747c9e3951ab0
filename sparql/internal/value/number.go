package value

import (
	"math"
	"strconv"

	"github.com/cockroachdb/apd/v3"
)

// MaxDigits bounds the digits of an integer or decimal, before and after the
// point together. A literal with more is ill-typed, an operation that would
// make more is a value error (XPath F&O 4.2 leaves the bound to us).
const MaxDigits = 100_000

// maxScale is the largest scale of a decimal whose mantissa is an int64.
const maxScale = 18

// pow10 holds the powers of ten that fit an int64.
var pow10 = func() (p [19]int64) {
	p[0] = 1
	for i := 1; i < len(p); i++ {
		p[i] = p[i-1] * 10
	}
	return p
}()

// smallInteger parses an integer of at most 18 digits.
func smallInteger(s string) (n int64, ok bool) {
	i := 0
	if s[0] == '-' || s[0] == '+' {
		i = 1
	}
	if len(s)-i > 18 || len(s) == i {
		return 0, false
	}
	for ; i < len(s); i++ {
		d := s[i] - '0'
		if d > 9 {
			return 0, false
		}
		n = n*10 + int64(d)
	}
	if s[0] == '-' {
		n = -n
	}
	return n, true
}

// parseInteger parses the lexical form of xsd:integer or a derived type.
func parseInteger(v *Value) {
	s := v.text
	if s == "" {
		return
	}
	n, ok := smallInteger(s)
	if ok {
		v.num = n
	} else if !parseBigInteger(v, s) {
		return
	}
	if v.dt == dtInteger || inBounds(v) {
		v.kind = Integer
	}
}

// parseBigInteger parses an integer of any length.
func parseBigInteger(v *Value, s string) bool {
	i := 0
	if s[0] == '-' || s[0] == '+' {
		i = 1
	}
	if i == len(s) {
		return false
	}
	for j := i; j < len(s); j++ {
		if s[j]-'0' > 9 {
			return false
		}
	}
	for i < len(s)-1 && s[i] == '0' {
		i++
	}
	if len(s)-i > MaxDigits {
		return false
	}
	text := s[i:]
	if s[0] == '-' {
		text = "-" + text
	}
	if n, err := strconv.ParseInt(text, 10, 64); err == nil {
		v.num = n
		return true
	}
	d, _, err := apd.NewFromString(text)
	if err != nil {
		return false
	}
	v.ext = &extra{dec: d}
	return true
}

// inBounds checks an integer against its derived type.
func inBounds(v *Value) bool {
	lo, hi, hasLo, hasHi := v.dt.integerBounds()
	if v.ext == nil {
		return (!hasLo || v.num >= lo) && (!hasHi || v.num <= hi)
	}
	negative := v.ext.dec.Negative
	if v.dt == dtUnsignedLong {
		return !negative && v.ext.dec.Coeff.IsUint64()
	}
	return (!negative && !hasHi) || (negative && !hasLo)
}

// parseDecimal parses the lexical form of xsd:decimal.
func parseDecimal(v *Value) {
	s := v.text
	i := 0
	if s != "" && (s[0] == '-' || s[0] == '+') {
		i = 1
	}
	// One pass: the mantissa up to the last digit that is not a trailing zero
	// after the point.
	var n uint64
	point, digits, significant, last := -1, 0, 0, 0
	for j := i; j < len(s); j++ {
		c := s[j]
		if c == '.' && point < 0 {
			point = j
			continue
		}
		if c-'0' > 9 {
			return
		}
		digits++
		if significant > 0 || c != '0' {
			significant++
			if significant <= 19 {
				n = n*10 + uint64(c-'0')
			}
		}
		last = j
	}
	if digits == 0 {
		return
	}
	v.kind = Decimal
	scale := 0
	if point >= 0 {
		scale = max(last-point, 0)
	}
	if significant > 18 || scale > maxScale {
		v.kind = IllTyped
		parseBigDecimal(v, s[i:], s[0] == '-')
		return
	}
	for scale > 0 && n%10 == 0 {
		n /= 10
		scale--
	}
	v.num, v.aux = int64(n), uint32(scale)
	if s[0] == '-' {
		v.num = -v.num
	}
}

// parseBigDecimal parses a decimal whose syntax is right but for its length.
func parseBigDecimal(v *Value, s string, negative bool) {
	for len(s) > 1 && s[0] == '0' && s[1] != '.' {
		s = s[1:]
	}
	if len(s) > MaxDigits {
		return
	}
	if s[len(s)-1] == '.' {
		s = s[:len(s)-1]
	}
	d, _, err := apd.NewFromString(s)
	if err != nil {
		return
	}
	d.Negative = negative
	r, ok := ofBig(d, Decimal)
	if !ok {
		return
	}
	v.kind, v.num, v.aux, v.ext = Decimal, r.num, r.aux, r.ext
}

// parseFloat parses the lexical form of xsd:float or xsd:double. Numbers out
// of range are infinite or zero, as XML Schema rounds them.
func parseFloat(v *Value) {
	f, ok := floatLexical(v.text, v.dt == dtFloat)
	if !ok {
		return
	}
	v.kind = Double
	if v.dt == dtFloat {
		v.kind = Float
	}
	v.num = int64(math.Float64bits(f))
}

// floatLexical parses a floating-point number in the syntax of XML Schema,
// which has no hexadecimal forms and no underscores.
func floatLexical(s string, single bool) (float64, bool) {
	switch s {
	case "NaN":
		return math.NaN(), true
	case "INF", "+INF":
		return math.Inf(1), true
	case "-INF":
		return math.Inf(-1), true
	}
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case '0' <= c && c <= '9', c == '.', c == '+', c == '-', c == 'e', c == 'E':
		default:
			return 0, false
		}
	}
	bits := 64
	if single {
		bits = 32
	}
	f, err := strconv.ParseFloat(s, bits)
	if err != nil && (!math.IsInf(f, 0)) {
		return 0, false
	}
	return f, true
}

// Float64 returns the value of a number as the nearest float64.
func (v Value) Float64() (float64, bool) {
	if !v.IsNumeric() {
		return 0, false
	}
	return nearest(v), true
}
