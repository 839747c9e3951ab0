package value

import (
	"cmp"
	"math"
	"slices"

	"github.com/cockroachdb/apd/v3"
)

// class is the first criterion of the order of ORDER BY (SPARQL 15.1).
type class uint8

const (
	classNone class = iota
	classBlank
	classIRI
	classNumber
	classBoolean
	classInstant
	classText
	classRest
	classTriple
)

// classOf returns the class of v. Instants are the kinds that are points of
// one time line.
func classOf(v Value) class {
	switch v.kind {
	case None:
		return classNone
	case Blank:
		return classBlank
	case IRI:
		return classIRI
	case Integer, Decimal, Float, Double:
		return classNumber
	case Boolean:
		return classBoolean
	case DateTime, Date, GYear, GYearMonth:
		return classInstant
	case String, Lang:
		return classText
	case Triple:
		return classTriple
	}
	return classRest
}

// datatypeRank orders the known datatypes by their IRIs.
var datatypeRank = func() (rank [len(datatypeNames)]uint8) {
	sorted := slices.Clone(datatypeNames[:])
	slices.Sort(sorted)
	for i, name := range datatypeNames {
		at, _ := slices.BinarySearch(sorted, name)
		rank[i] = uint8(at)
	}
	return rank
}()

// rank returns the place of the datatype of a number, boolean or instant.
func (v Value) rank() uint8 {
	if v.kind == Boolean {
		return datatypeRank[dtBoolean]
	}
	return datatypeRank[v.dt]
}

// Compare is the total order of ORDER BY: no value, blank nodes by label, IRIs
// by code points, then literals, then triple terms part by part. Literals are
// numbers by value with NaN first, booleans, the instants of the time line
// (without a zone as UTC; a date is its first instant), text and then its
// tag, and the rest by datatype, value where there is one, and text. Equal
// values stand by datatype, then by spelling, so that only the same term
// compares as 0. Where [Less] decides, Compare agrees with it.
func Compare(a, b Value) int {
	ca := classOf(a)
	if c := cmp.Compare(ca, classOf(b)); c != 0 {
		return c
	}
	switch ca {
	case classNone:
		return 0
	case classBlank, classIRI:
		return cmpString(a.text, b.text)
	case classNumber:
		if c := orderNumbers(a, b); c != 0 {
			return c
		}
	case classBoolean:
		if c := cmp.Compare(a.num, b.num); c != 0 {
			return c
		}
	case classInstant:
		if c := cmpInstant(a, b); c != 0 {
			return c
		}
	case classText:
		if c := cmpString(a.text, b.text); c != 0 {
			return c
		}
		at, ad := a.tag()
		bt, bd := b.tag()
		return cmp.Or(cmpString(at, bt), cmpString(ad, bd))
	case classRest:
		return orderRest(a, b)
	case classTriple:
		x, y := parts(a), parts(b)
		return cmp.Or(Compare(x[0], y[0]), Compare(x[1], y[1]), Compare(x[2], y[2]))
	}
	if c := cmp.Compare(a.rank(), b.rank()); c != 0 {
		return c
	}
	return cmpString(a.Text(), b.Text())
}

// orderNumbers orders numbers by exact value. Every number is compared as the
// nearest float64 first, which never contradicts the exact order, nor the one
// after promotion.
func orderNumbers(a, b Value) int {
	if a.kind <= Decimal && b.kind <= Decimal {
		return cmpExact(a, b)
	}
	x, y := nearest(a), nearest(b)
	if c := cmp.Compare(x, y); c != 0 { // NaN is least
		return c
	}
	return cmp.Compare(residual(a, x), residual(b, y))
}

// nearest returns a number as the nearest float64.
func nearest(v Value) float64 {
	if v.kind >= Float {
		return v.float()
	}
	return toFloat(v, false)
}

// residual returns the sign of what is left of a number beyond f, the nearest
// float64.
func residual(v Value, f float64) int {
	switch {
	case v.kind >= Float || v.ext == nil && v.aux == 0 && abs64(v.num) <= 1<<53:
		return 0
	case math.IsInf(f, 0):
		return -signExact(v)
	case v.ext == nil && abs64(v.num) <= 1<<53:
		// m/10^s against f: one rounding keeps the sign of f*10^s - m.
		d := math.FMA(f, float64(pow10[v.aux]), -float64(v.num))
		return cmp.Compare(0, d)
	}
	exactly, ok := decimalOfFloat(f)
	if !ok {
		return 0
	}
	return cmpExact(v, exactly)
}

// hasRestOrder reports whether a value of the last class is ordered by value
// inside its datatype.
func hasRestOrder(v Value) bool {
	return v.kind == Time || v.kind == GMonth || v.kind == GMonthDay || v.kind == GDay ||
		v.kind == DayTimeDuration || v.kind == YearMonthDuration
}

// orderRest orders literals of the last class.
func orderRest(a, b Value) int {
	if c := cmpString(a.datatypeIRI(), b.datatypeIRI()); c != 0 {
		return c
	}
	x, y := hasRestOrder(a), hasRestOrder(b)
	switch {
	case x && !y:
		return -1
	case y && !x:
		return 1
	case x:
		c := cmpDuration(a, b)
		if !a.isDuration() {
			c = cmpInstant(a, b)
		}
		if c != 0 {
			return c
		}
	}
	return cmpString(a.Text(), b.Text())
}

// decimalDigits returns the digits of a number without trailing zeros, and
// the power of ten of the first.
func decimalDigits(v Value) (digits []byte, exponent int32) {
	var t apd.Decimal
	d := v.big(&t)
	digits = d.Coeff.Append(nil, 10)
	exponent = d.Exponent + int32(len(digits)) - 1
	for len(digits) > 0 && digits[len(digits)-1] == '0' {
		digits = digits[:len(digits)-1]
	}
	return digits, exponent
}
