package value

import (
	"math"
	"strings"

	"github.com/rete-go/rete/rdf"
)

// cmpString orders two texts by bytes, which for UTF-8 is by code points.
func cmpString(a, b string) int { return strings.Compare(a, b) }

// SameTerm reports whether a and b are the same RDF term (SPARQL 17.4.1.8).
func SameTerm(a, b Value) bool {
	if a.kind == String && b.kind == String {
		return a.text == b.text
	}
	if a.src != "" && b.src != "" {
		return a.src == b.src
	}
	if a.kind != b.kind {
		return false
	}
	return a.Surface() == b.Surface()
}

// Equal is the operator "=" (SPARQL 17.3): values of one value space are
// compared as values, other terms as terms. Two literals are a value error
// when the value of one is not known and they are not the same term.
func Equal(a, b Value) (equal, ok bool) {
	switch {
	case a.kind == None || b.kind == None:
		return false, false
	case a.IsNumeric() && b.IsNumeric():
		c, ordered := compareNumbers(a, b)
		return ordered && c == 0, true
	case a.kind == Other || a.kind == IllTyped || b.kind == Other || b.kind == IllTyped:
		if !a.isLiteral() || !b.isLiteral() || a.kind == Lang || b.kind == Lang {
			return false, true
		}
		same := SameTerm(a, b)
		return same, same
	case a.isDuration() && b.isDuration():
		am, as, an := a.durationParts()
		bm, bs, bn := b.durationParts()
		return am == bm && as == bs && an == bn, true
	case a.kind != b.kind:
		return false, true
	}
	switch a.kind {
	case Boolean:
		return a.num == b.num, true
	case String:
		return a.text == b.text, true
	case Triple:
		return equalTriples(a, b)
	case DateTime, Date, Time, GYear, GYearMonth, GMonth, GMonthDay, GDay:
		c, ok := compareTemporal(a, b)
		return c == 0 && ok, ok
	}
	return a.src == b.src, true
}

// equalTriples compares triple terms part by part (SPARQL 1.2, 17.4.1.7): one
// pair that differs decides before one that is an error. The same spelling does not
// make two equal: NaN is not equal to itself, also as a part.
func equalTriples(a, b Value) (equal, ok bool) {
	x, y := parts(a), parts(b)
	equal, ok = true, true
	for i := range x {
		e, known := Equal(x[i], y[i])
		if known && !e {
			return false, true
		}
		ok = ok && known
	}
	return equal && ok, ok
}

// parts returns the three terms of a triple term.
func parts(v Value) [3]Value {
	s, p, o, _ := rdf.FromSurface(v.src).Triple()
	return [3]Value{FromTerm(s), FromTerm(p), FromTerm(o)}
}

// compareNumbers compares after promotion (SPARQL 17.3, XPath F&O 4.3). It is
// not ordered when one side is NaN.
func compareNumbers(a, b Value) (c int, ordered bool) {
	if a.kind <= Decimal && b.kind <= Decimal {
		return cmpExact(a, b), true
	}
	x, y, _ := promote(a, b)
	switch {
	case x < y:
		return -1, true
	case x > y:
		return 1, true
	}
	return 0, x == y
}

// promote brings two numbers, one of them at least a float, to the wider of
// the two floating-point types. An exact number becomes a float by way of the
// nearest double, so that one key serves equality with both (AppendJoinKey).
func promote(a, b Value) (x, y float64, kind Kind) {
	x, y, kind = nearest(a), nearest(b), max(a.kind, b.kind)
	if kind == Float {
		x, y = float64(float32(x)), float64(float32(y))
	}
	return x, y, kind
}

// compare orders two values for the operators < > <= >=. ordered is false
// when both sides are comparable but neither is less nor equal (NaN).
func compare(a, b Value) (c int, ordered, ok bool) {
	switch {
	case a.IsNumeric() && b.IsNumeric():
		c, ordered = compareNumbers(a, b)
		return c, ordered, true
	case a.kind != b.kind:
		return 0, false, false
	}
	switch a.kind {
	case Boolean:
		return int(a.num - b.num), true, true
	case String:
		return cmpString(a.text, b.text), true, true
	case Lang:
		// The texts leave this open; literals of one tag are compared as text.
		at, ad := a.tag()
		bt, bd := b.tag()
		if at != bt || ad != bd {
			return 0, false, false
		}
		return cmpString(a.text, b.text), true, true
	case DateTime, Date, Time, GYear, GYearMonth, GMonth, GMonthDay, GDay:
		c, ok = compareTemporal(a, b)
		return c, ok, ok
	case DayTimeDuration, YearMonthDuration:
		return cmpDuration(a, b), true, true
	}
	return 0, false, false
}

// cmpDuration orders two durations of one ordered kind.
func cmpDuration(a, b Value) int {
	switch {
	case a.num < b.num:
		return -1
	case a.num > b.num:
		return 1
	}
	return int(a.aux) - int(b.aux)
}

// Less is the operator "<".
func Less(a, b Value) (less, ok bool) {
	c, ordered, ok := compare(a, b)
	return ordered && c < 0, ok
}

// LessEqual is the operator "<=".
func LessEqual(a, b Value) (less, ok bool) {
	c, ordered, ok := compare(a, b)
	return ordered && c <= 0, ok
}

// Truth returns the effective boolean value (SPARQL 17.2.2). What has
// none is a value error; so are ill-typed booleans and numbers, as in SPARQL
// 1.2 (1.1 called them false, which only "!" can tell apart).
func Truth(v Value) (truth, ok bool) {
	switch v.kind {
	case Boolean:
		return v.num != 0, true
	case String:
		return v.text != "", true
	case Integer, Decimal:
		return v.ext != nil || v.num != 0, true
	case Float, Double:
		f := v.float()
		return f != 0 && !math.IsNaN(f), true
	}
	return false, false
}

// Tri is a truth value of SPARQL's three-valued logic (17.2).
type Tri uint8

// The three truth values.
const (
	TriError Tri = iota
	TriFalse
	TriTrue
)

// TriOf returns the truth of v, as [Truth].
func TriOf(v Value) Tri {
	truth, ok := Truth(v)
	switch {
	case !ok:
		return TriError
	case truth:
		return TriTrue
	}
	return TriFalse
}

// Value returns the boolean; false for an error.
func (t Tri) Value() (Value, bool) { return OfBool(t == TriTrue), t != TriError }

// And is "&&": false wins over an error.
func (t Tri) And(u Tri) Tri {
	switch {
	case t == TriFalse || u == TriFalse:
		return TriFalse
	case t == TriError || u == TriError:
		return TriError
	}
	return TriTrue
}

// Or is "||": true wins over an error.
func (t Tri) Or(u Tri) Tri {
	switch {
	case t == TriTrue || u == TriTrue:
		return TriTrue
	case t == TriError || u == TriError:
		return TriError
	}
	return TriFalse
}

// Not is "!".
func (t Tri) Not() Tri {
	switch t {
	case TriTrue:
		return TriFalse
	case TriFalse:
		return TriTrue
	}
	return TriError
}

// In is the operator IN (SPARQL 17.4.1.9): a match wins over an error. A
// [None] in the list is an error; so is one for x, also before the empty list
// (17.2: errors pass through all but what says otherwise).
func In(x Value, list []Value) Tri {
	if x.kind == None {
		return TriError
	}
	result := TriFalse
	for _, v := range list {
		equal, ok := Equal(x, v)
		if ok && equal {
			return TriTrue
		}
		if !ok {
			result = TriError
		}
	}
	return result
}
