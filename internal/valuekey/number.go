package valuekey

import (
	"strconv"
	"unsafe"
)

// maxDigits bounds the digits of a number, as the query engine does: a literal
// with more has no value.
const maxDigits = 100_000

// bounds are the least and the greatest integer of a derived type; empty is none.
type bounds struct{ lo, hi string }

// integerTypes are the datatypes of integers.
var integerTypes = map[string]bounds{
	"integer":            {},
	"nonPositiveInteger": {"", "0"},
	"negativeInteger":    {"", "-1"},
	"nonNegativeInteger": {"0", ""},
	"positiveInteger":    {"1", ""},
	"long":               {"-9223372036854775808", "9223372036854775807"},
	"int":                {"-2147483648", "2147483647"},
	"short":              {"-32768", "32767"},
	"byte":               {"-128", "127"},
	"unsignedLong":       {"0", "18446744073709551615"},
	"unsignedInt":        {"0", "4294967295"},
	"unsignedShort":      {"0", "65535"},
	"unsignedByte":       {"0", "255"},
}

// number returns the key of a lexical form of a numeric datatype.
func number(text []byte, datatype string) (Key, bool) {
	s := unsafe.String(unsafe.SliceData(text), len(text)) // lives no longer than this call
	switch datatype {
	case "decimal":
		if !isDecimal(s) {
			return 0, false
		}
		return parsed(s, 64)
	case "double":
		return floating(s, 64)
	case "float":
		return floating(s, 32)
	}
	b, ok := integerTypes[datatype]
	if !ok {
		return 0, false
	}
	negative, digits, ok := integer(s)
	if !ok || len(digits) > maxDigits || !b.hold(negative, digits) {
		return 0, false
	}
	if len(digits) <= 15 { // exact in a float64
		n := int64(0)
		for i := range len(digits) {
			n = n*10 + int64(digits[i]-'0')
		}
		if negative {
			n = -n
		}
		return floatKey(float64(n)), true
	}
	return parsed(s, 64)
}

// integer splits the lexical form of an integer into its sign and its digits
// without leading zeros; zero is one digit and not negative.
func integer(s string) (negative bool, digits string, ok bool) {
	if s != "" && (s[0] == '-' || s[0] == '+') {
		negative, s = s[0] == '-', s[1:]
	}
	if s == "" {
		return false, "", false
	}
	for i := range len(s) {
		if s[i]-'0' > 9 {
			return false, "", false
		}
	}
	for len(s) > 1 && s[0] == '0' {
		s = s[1:]
	}
	return negative && s != "0", s, true
}

// hold reports whether an integer is inside the bounds.
func (b bounds) hold(negative bool, digits string) bool {
	return (b.lo == "" || compare(negative, digits, b.lo) >= 0) &&
		(b.hi == "" || compare(negative, digits, b.hi) <= 0)
}

// compare orders an integer and a bound.
func compare(negative bool, digits, bound string) int {
	other := bound[0] == '-'
	if negative != other {
		if negative {
			return -1
		}
		return 1
	}
	if other {
		bound = bound[1:]
	}
	c := 0
	switch {
	case len(digits) != len(bound):
		c = len(digits) - len(bound)
	case digits < bound:
		c = -1
	case digits > bound:
		c = 1
	}
	if negative {
		return -c
	}
	return c
}

// isDecimal reports whether s is a lexical form of xsd:decimal.
func isDecimal(s string) bool {
	if s != "" && (s[0] == '-' || s[0] == '+') {
		s = s[1:]
	}
	point, digits, leading := false, 0, true
	significant := 0
	for i := range len(s) {
		switch c := s[i]; {
		case c == '.' && !point:
			point, leading = true, false
		case c-'0' > 9:
			return false
		default:
			digits++
			if leading && c == '0' {
				continue
			}
			leading = false
			significant++
		}
	}
	return digits > 0 && significant+1 <= maxDigits
}

// floating returns the key of a lexical form of xsd:double or xsd:float.
func floating(s string, bits int) (Key, bool) {
	switch s {
	case "NaN":
		return NaN, true
	case "INF", "+INF":
		return infinity, true
	case "-INF":
		return -infinity - 1, true
	}
	for i := range len(s) {
		switch c := s[i]; {
		case '0' <= c && c <= '9', c == '.', c == '+', c == '-', c == 'e', c == 'E':
		default:
			return 0, false
		}
	}
	return parsed(s, bits)
}

// infinity is the key of INF.
const infinity Key = 0x7FF0000000000000

// parsed returns the key of a number in a syntax that Go has too; what is out of
// range is infinite, as XML Schema rounds it.
func parsed(s string, bits int) (Key, bool) {
	f, err := strconv.ParseFloat(s, bits)
	if ne, ok := err.(*strconv.NumError); ok && ne.Err != strconv.ErrRange {
		return 0, false
	}
	return floatKey(f), true
}
