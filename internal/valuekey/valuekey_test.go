package valuekey_test

import (
	"fmt"
	"testing"

	"pgregory.net/rapid"

	"github.com/rete-go/rete/internal/valuekey"
	"github.com/rete-go/rete/rdf"
	"github.com/rete-go/rete/sparql/value"
)

// classes are the classes of kinds that have one.
var classes = map[value.Kind]valuekey.Class{
	value.Integer: valuekey.Number, value.Decimal: valuekey.Number, value.Float: valuekey.Number, value.Double: valuekey.Number,
	value.DateTime: valuekey.DateTime, value.Date: valuekey.Date, value.Time: valuekey.Time,
	value.GYearMonth: valuekey.YearMonth, value.GYear: valuekey.Year,
}

var datatypes = []string{
	"integer", "decimal", "double", "float", "byte", "unsignedByte", "short", "int", "long", "unsignedShort", "unsignedInt",
	"unsignedLong", "nonNegativeInteger", "positiveInteger", "nonPositiveInteger", "negativeInteger",
	"dateTime", "dateTimeStamp", "date", "time", "gYear", "gYearMonth", "gMonth", "gDay", "gMonthDay", "duration", "boolean", "string", "none",
}

var texts = []string{
	"", "0", "-0", "+0", "1", "01", "+1", "-1", "10", "127", "128", "-128", "-129", "255", "256", "32767", "32768", "65535", "65536",
	"2147483647", "2147483648", "4294967295", "4294967296", "9223372036854775807", "9223372036854775808", "-9223372036854775808",
	"-9223372036854775809", "18446744073709551615", "18446744073709551616", "9007199254740992", "9007199254740993", "-9007199254740993",
	"1.0", "1.", ".5", ".", "-.5", "1e0", "1E400", "-1E400", "1e-400", "NaN", "INF", "-INF", "+INF", "Inf", "0x1p3", "1_0", "1.5e3", "e3", " 1", "1 ",
	"0.1", "0.10000000149011612", "0.1000000000000000055511151231257827021181583404541015625", "16777216", "16777217", "16777218", "3.4028235E38", "1e39",
	"100000000000000000000000000000000000000000", "0.000000000000000000000000000000000000000000000000000001",
	"2020-01-01", "2020-02-29", "2021-02-29", "2020-01-01Z", "2020-01-01+14:00", "2020-01-01-14:00", "2020-01-01+14:01", "-0001-01-01", "0000-01-01", "12020-01-01", "02020-01-01",
	"2020-01-01T00:00:00", "2020-01-01T00:00:00Z", "2020-01-01T24:00:00Z", "2020-01-01T24:00:01Z", "2020-01-01T00:00:00.5Z", "2020-01-01T00:00:00.", "2019-12-31T23:30:00-05:00",
	"2020-01-01T14:00:00", "2020-01-01T13:59:59.999999999999", "00:00:00", "24:00:00", "23:59:59.9Z", "10:00:00+05:30", "2020", "2020Z", "-2020", "2020-12", "2020-13", "--12", "---31",
	"99999999999-01-01", "100000000000", "100000000001", "-100000000000-01-01T00:00:00", "true", "P1D", "x\"y", "\u00e9",
}

// literal draws a literal that may have a value.
func literal(t *rapid.T, name string) rdf.Term {
	text := rapid.OneOf(rapid.SampledFrom(texts), rapid.StringMatching(`[+-]?[0-9]{1,22}(\.[0-9]{0,20})?(e[+-]?[0-9]{1,3})?`),
		rapid.StringMatching(`-?[0-9]{4}-[01][0-9]-[0-3][0-9](T[0-2][0-9]:[0-5][0-9]:[0-5][0-9](\.[0-9]{1,12})?)?(Z|[+-][01][0-9]:[0-5][0-9])?`)).Draw(t, name)
	return rdf.Typed(text, rdf.XSD+rapid.SampledFrom(datatypes).Draw(t, name+" type"))
}

// check compares what is known of one literal with its value.
func check(a rdf.Term) error {
	v := value.FromTerm(a)
	class, key, ok := valuekey.Of([]byte(a.Surface()))
	want, has := classes[v.Kind()]
	if ok != has || ok && class != want {
		return fmt.Errorf("%v: class %v %v, its kind is %v", a, class, ok, v.Kind())
	}
	if near, ok := valuekey.Near([]byte(a.Surface())); ok && key != valuekey.NaN && (near.Lo > key || near.Hi < key) {
		return fmt.Errorf("%v: key %d is not near itself, %v", a, key, near)
	}
	return nil
}

// checkTwo compares the keys of two literals with what the operators say.
func checkTwo(a, b rdf.Term) error {
	ca, ka, oka := valuekey.Of([]byte(a.Surface()))
	cb, kb, okb := valuekey.Of([]byte(b.Surface()))
	va, vb := value.FromTerm(a), value.FromTerm(b)
	equal, eok := value.Equal(va, vb)
	less, lok := value.Less(va, vb)
	if !oka || !okb || ca != cb {
		if (oka || okb) && (eok && equal && a != b || lok && less) {
			return fmt.Errorf("%v and %v are of two classes, and are compared", a, b)
		}
		return nil
	}
	if c := value.Compare(va, vb); ka < kb && c >= 0 || ka > kb && c <= 0 {
		return fmt.Errorf("%v has key %d, %v has %d, ORDER BY says %d", a, ka, b, kb, c)
	}
	near, _ := valuekey.Near([]byte(b.Surface()))
	if equal && eok && (ka < near.Lo || ka > near.Hi) {
		return fmt.Errorf("%v = %v, but the key %d is not in %v", a, b, ka, near)
	}
	if less && lok && (ka > near.Hi || ka == valuekey.NaN) {
		return fmt.Errorf("%v < %v, but the key %d is above %v", a, b, ka, near)
	}
	if more, ok := value.Less(vb, va); more && ok && ka < near.Lo {
		return fmt.Errorf("%v > %v, but the key %d is below %v", a, b, ka, near)
	}
	return nil
}

// TestKeys compares each pair of many literals with the values that the query
// engine sees in them.
func TestKeys(t *testing.T) {
	var all []rdf.Term
	for _, text := range texts {
		for _, dt := range datatypes {
			a := rdf.Typed(text, rdf.XSD+dt)
			if err := check(a); err != nil {
				t.Error(err)
			}
			if _, _, ok := valuekey.Of([]byte(a.Surface())); ok || text == "1" {
				all = append(all, a)
			}
		}
	}
	for _, s := range []string{"", `"`, `"1"`, `"1"@en`, `<http://www.w3.org/2001/XMLSchema#integer>`, `"^^<http://www.w3.org/2001/XMLSchema#integer>`,
		`"1"^^<http://www.w3.org/2001/XMLSchema#>`, `<<_:a <b> "1"^^<http://www.w3.org/2001/XMLSchema#integer>>>`} {
		if _, _, ok := valuekey.Of([]byte(s)); ok {
			t.Errorf("%s has a value", s)
		}
	}
	for _, a := range all {
		for _, b := range all {
			if err := checkTwo(a, b); err != nil {
				t.Error(err)
			}
		}
	}
}

// TestRandomKeys does the same with random literals.
func TestRandomKeys(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := literal(t, "a"), literal(t, "b")
		for _, err := range []error{check(a), check(b), checkTwo(a, b), checkTwo(b, a)} {
			if err != nil {
				t.Fatal(err)
			}
		}
	})
}
