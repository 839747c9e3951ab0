package value_test

import (
	"bytes"
	"fmt"
	"math"
	"math/big"
	"testing"

	"pgregory.net/rapid"

	"github.com/rete-go/rete/sparql/internal/value"
)

// decimalText draws the lexical form of a decimal or integer, often near the
// bounds of int64 and of its scale.
func decimalText(t *rapid.T, label string) string {
	switch rapid.IntRange(0, 4).Draw(t, label+" shape") {
	case 0:
		return fmt.Sprint(rapid.Int64().Draw(t, label))
	case 1:
		return rapid.StringMatching(`-?[0-9]{1,3}(\.[0-9]{1,3})?`).Draw(t, label)
	case 2:
		return rapid.StringMatching(`-?[0-9]{17,21}(\.[0-9]{0,3})?`).Draw(t, label)
	case 3:
		return rapid.StringMatching(`-?0\.0{0,20}[0-9]{1,20}`).Draw(t, label)
	}
	return rapid.StringMatching(`[+-]?[0-9]{1,40}\.[0-9]{1,40}`).Draw(t, label)
}

func exactValue(text string) value.Value {
	return value.OfTyped(text, xsd+"decimal")
}

func ratOf(v value.Value) *big.Rat {
	r, ok := new(big.Rat).SetString(v.Text())
	if !ok {
		panic(v.Surface())
	}
	return r
}

// Arithmetic on decimals is that of fractions.
func TestDecimalsAgainstFractions(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := exactValue(decimalText(t, "a")), exactValue(decimalText(t, "b"))
		x, y := ratOf(a), ratOf(b)
		for name, op := range map[string]struct {
			f func(a, b value.Value) (value.Value, bool)
			g func(z, x, y *big.Rat) *big.Rat
		}{
			"+": {value.Add, (*big.Rat).Add}, "-": {value.Subtract, (*big.Rat).Sub}, "*": {value.Multiply, (*big.Rat).Mul},
		} {
			got, ok := op.f(a, b)
			if want := op.g(new(big.Rat), x, y); !ok || ratOf(got).Cmp(want) != 0 {
				t.Fatalf("%s %s %s = %s, want %s", a.Text(), name, b.Text(), got.Text(), want.FloatString(50))
			}
		}
		less, _ := value.Less(a, b)
		equal, _ := value.Equal(a, b)
		if c := x.Cmp(y); less != (c < 0) || equal != (c == 0) {
			t.Fatalf("%s against %s: less %v, equal %v", a.Text(), b.Text(), less, equal)
		}
		if y.Sign() == 0 {
			return
		}
		q, ok := value.Divide(a, b)
		if !ok {
			t.Fatalf("%s / %s", a.Text(), b.Text())
		}
		// At least 18 digits: the error is at most half a unit of the 18th.
		want := new(big.Rat).Quo(x, y)
		diff := new(big.Rat).Sub(ratOf(q), want)
		bound := new(big.Rat).Abs(want)
		if one := big.NewRat(1, 1); bound.Cmp(one) > 0 {
			bound = one
		}
		bound.Mul(bound, new(big.Rat).SetFrac(big.NewInt(1), new(big.Int).Exp(big.NewInt(10), big.NewInt(17), nil)))
		if diff.Abs(diff).Cmp(bound) > 0 {
			t.Fatalf("%s / %s = %s", a.Text(), b.Text(), q.Text())
		}
	})
}

// Rounding functions agree with fractions.
func TestRoundingAgainstFractions(t *testing.T) {
	half := big.NewRat(1, 2)
	rapid.Check(t, func(t *rapid.T) {
		a := exactValue(decimalText(t, "a"))
		x := ratOf(a)
		floor := func(r *big.Rat) *big.Rat {
			return new(big.Rat).SetInt(new(big.Int).Div(r.Num(), r.Denom()))
		}
		neg := new(big.Rat).Neg(x)
		for name, want := range map[string]*big.Rat{
			"FLOOR": floor(x), "CEIL": new(big.Rat).Neg(floor(neg)), "ROUND": floor(new(big.Rat).Add(x, half)),
		} {
			f, _ := value.Lookup(name)
			got, ok := f.Call(nil, []value.Value{a})
			if !ok || ratOf(got).Cmp(want) != 0 {
				t.Fatalf("%s(%s) = %s, want %s", name, a.Text(), got.Text(), want.FloatString(1))
			}
		}
	})
}

// Conversions to floats round once, as strconv does.
func TestDecimalToFloat(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a := exactValue(decimalText(t, "a"))
		for _, name := range []string{"double", "float"} {
			f, _ := value.Lookup(xsd + name)
			fromDecimal, _ := f.Call(nil, []value.Value{a})
			fromText, _ := f.Call(nil, []value.Value{value.OfString(a.Text())})
			if x, y := fromDecimal.Surface(), fromText.Surface(); x != y && a.Text()[0] != '-' {
				t.Fatalf("xsd:%s(%s) = %s, from text %s", name, a.Text(), x, y)
			}
		}
	})
}

// specimens are terms of all kinds, with many that are close or equal.
var specimens = []string{
	"unbound", "_:a", "_:b", "_:b1", "<http://x/item1>", "<http://x/item10>", "<http://x/item1/>", "<http://y>",
	"0", "-0e0", "0e0", "0.0", `"0"^^xsd:float`, "1", "01", "1.0", "1e0", `"1"^^xsd:byte`, `"1"^^xsd:float`, "2", "10", "-1",
	"0.1", "0.1e0", `"0.1"^^xsd:float`, "0.1000000000000000055511151231257827021181583404541015625",
	"0.10000000000000000555", "9007199254740992", "9007199254740993", "9007199254740992e0", "9007199254740993.5",
	"123456789012345678901234567890", "123456789012345678901234567891", "-123456789012345678901234567890.5",
	`"NaN"^^xsd:double`, `"NaN"^^xsd:float`, `"INF"^^xsd:double`, `"-INF"^^xsd:float`, "1e-320", "1e308",
	"16777217", "16777216", `"16777216"^^xsd:float`, "9223372036854775807", "-9223372036854775808", "9223372036854775808e0",
	"true", "false", `"1"^^xsd:boolean`, `""`, `"a"`, `"a b"`, `"a\u0000"`, `"a\u0001b"`, `"ab"`, `"a"@en`, `"a"@en-us`, `"a"@en--ltr`, `"é"`, `"z"@de`,
	dt("2020-01-01T12:00:00"), dt("2020-01-01T12:00:00Z"), dt("2020-01-01T13:00:00+01:00"), dt("2020-01-01T12:00:00.5Z"),
	dt("2020-01-01T12:00:00.0000000005Z"), dt("2020-01-02T02:00:01Z"), dt("-0001-01-01T00:00:00"), `"2020-01-01"^^xsd:date`,
	`"2020-01-01Z"^^xsd:date`, `"2020-01-01T12:00:00Z"^^xsd:dateTimeStamp`, `"2020"^^xsd:gYear`, `"2020-01"^^xsd:gYearMonth`,
	`"10:00:00"^^xsd:time`, `"10:00:00Z"^^xsd:time`, `"09:00:00-01:00"^^xsd:time`, `"--02-29"^^xsd:gMonthDay`, `"---01"^^xsd:gDay`,
	`"--02"^^xsd:gMonth`, `"P1D"^^xsd:dayTimeDuration`, `"PT24H"^^xsd:dayTimeDuration`, `"-PT0.5S"^^xsd:dayTimeDuration`,
	`"P1Y"^^xsd:yearMonthDuration`, `"P12M"^^xsd:duration`, `"P1M"^^xsd:duration`, `"P30D"^^xsd:duration`,
	`"x"^^xsd:integer`, `"x"^^xsd:date`, `"x"^^<http://t>`, `"y"^^<http://t>`, `"x"^^<http://u>`, `"500"^^xsd:byte`,
	`<<( <http://s> <http://p> "1"^^xsd:integer )>>`, `<<( <http://s> <http://p> "01"^^xsd:integer )>>`,
	`<<( <http://s> <http://p> "2"^^xsd:integer )>>`, `<<( _:s <http://p> "2"^^xsd:integer )>>`, `<<( <http://s> <http://p> "x"^^<http://t> )>>`,
	`<<( <http://s> <http://p> <<( <http://s> <http://p> "NaN"^^xsd:double )>> )>>`,
}

func specimenValues(t testing.TB) []value.Value {
	t.Helper()
	out := make([]value.Value, len(specimens))
	for i, s := range specimens {
		out[i] = val(t, s)
	}
	return out
}

func sign(c int) int {
	switch {
	case c < 0:
		return -1
	case c > 0:
		return 1
	}
	return 0
}

// The order is total, agrees with its keys, with "<", and keeps terms apart.
func TestOrderIsTotal(t *testing.T) {
	vs := specimenValues(t)
	keys := make([][]byte, len(vs))
	for i, v := range vs {
		keys[i] = value.AppendSortKey(nil, v)
	}
	for i, a := range vs {
		for j, b := range vs {
			c := sign(value.Compare(a, b))
			if (c == 0) != value.SameTerm(a, b) && i != j {
				t.Errorf("%s against %s: %d", specimens[i], specimens[j], c)
			}
			if back := sign(value.Compare(b, a)); back != -c {
				t.Errorf("%s against %s: %d, and back %d", specimens[i], specimens[j], c, back)
			}
			if k := sign(bytes.Compare(keys[i], keys[j])); k != c {
				t.Errorf("%s against %s: %d, by key %d", specimens[i], specimens[j], c, k)
			}
			if i != j && bytes.HasPrefix(keys[i], keys[j]) {
				t.Errorf("the key of %s begins with that of %s", specimens[i], specimens[j])
			}
			x, y := bytes.Clone(keys[i]), bytes.Clone(keys[j])
			value.Descend(x)
			value.Descend(y)
			if k := sign(bytes.Compare(x, y)); k != -c {
				t.Errorf("%s against %s descending: %d", specimens[i], specimens[j], k)
			}
			if less, ok := value.Less(a, b); ok && less && c >= 0 {
				t.Errorf("%s < %s, but ordered %d", specimens[i], specimens[j], c)
			}
			for k, d := range vs {
				if c <= 0 && value.Compare(b, d) <= 0 && value.Compare(a, d) > 0 {
					t.Fatalf("a cycle: %s, %s, %s", specimens[i], specimens[j], specimens[k])
				}
			}
		}
	}
}

// The order of the classes and inside of them, as it is documented.
func TestOrderAsDocumented(t *testing.T) {
	ascending := []string{
		"unbound", "_:a", "_:b", "<http://a>", "<http://b>",
		`"NaN"^^xsd:double`, `"-INF"^^xsd:double`, "-1", "0.5", "1.0", "1e0", "1", "2", "10", `"INF"^^xsd:float`,
		"false", "true", dt("2020-01-01T00:00:00"), dt("2020-01-01T00:00:00Z"), dt("2020-01-01T00:00:00-01:00"),
		`"a"`, `"a"@de`, `"a"@en`, `"b"`, `"x"^^<http://t>`, `"P1D"^^xsd:dayTimeDuration`, `"PT48H"^^xsd:dayTimeDuration`,
		`<<( _:b <http://p> <http://o> )>>`, `<<( <http://s> <http://p> <http://o> )>>`,
	}
	for i := 1; i < len(ascending); i++ {
		if value.Compare(val(t, ascending[i-1]), val(t, ascending[i])) >= 0 {
			t.Errorf("%s is not before %s", ascending[i-1], ascending[i])
		}
	}
}

// Equal values have equal join keys; for all but numbers, and triple terms
// around them, the reverse holds too.
func TestJoinKeys(t *testing.T) {
	vs := specimenValues(t)
	for _, floats := range []bool{false, true} {
		for i, a := range vs {
			ka, okA := value.AppendJoinKey(nil, a, floats)
			for j, b := range vs {
				if !floats && (a.Kind() == value.Float || b.Kind() == value.Float) {
					continue
				}
				kb, okB := value.AppendJoinKey(nil, b, floats)
				equal, ok := value.Equal(a, b)
				same := okA && okB && bytes.Equal(ka, kb)
				if ok && equal && !same {
					t.Errorf("floats %v: %s = %s, but the keys differ", floats, specimens[i], specimens[j])
				}
				if same && !(ok && equal) && !a.IsNumeric() && a.Kind() != value.Triple {
					t.Errorf("floats %v: %s and %s have one key, but are not equal", floats, specimens[i], specimens[j])
				}
			}
		}
	}
}

// The same for numbers drawn at random.
func TestNumberOrderAndKeys(t *testing.T) {
	number := func(t *rapid.T, label string) value.Value {
		switch rapid.IntRange(0, 3).Draw(t, label+" kind") {
		case 0:
			return value.OfDouble(rapid.Float64().Draw(t, label))
		case 1:
			return value.OfFloat(rapid.Float32().Draw(t, label))
		}
		return exactValue(decimalText(t, label))
	}
	rapid.Check(t, func(t *rapid.T) {
		a, b := number(t, "a"), number(t, "b")
		if rapid.Bool().Draw(t, "near") { // the exact value of a float, and its nearest float
			f, _ := value.Lookup(xsd + rapid.SampledFrom([]string{"decimal", "double", "float"}).Draw(t, "as"))
			if c, ok := f.Call(nil, []value.Value{a}); ok {
				b = c
			}
		}
		c := sign(value.Compare(a, b))
		if k := sign(bytes.Compare(value.AppendSortKey(nil, a), value.AppendSortKey(nil, b))); k != c {
			t.Fatalf("%s against %s: %d, by key %d", a.Surface(), b.Surface(), c, k)
		}
		if less, _ := value.Less(a, b); less && c >= 0 {
			t.Fatalf("%s < %s, but ordered %d", a.Surface(), b.Surface(), c)
		}
		if equal, _ := value.Equal(a, b); equal {
			x, _ := value.AppendJoinKey(nil, a, true)
			y, _ := value.AppendJoinKey(nil, b, true)
			if !bytes.Equal(x, y) {
				t.Fatalf("%s = %s, but the keys differ", a.Surface(), b.Surface())
			}
		}
	})
}

// A decoded value is the same after its surface, and shares no memory after Clone.
func TestDecodeAgainstClone(t *testing.T) {
	for _, s := range specimens[1:] {
		surface := val(t, s).AppendSurface(nil)
		kept := string(surface)
		v := value.Decode(surface)
		c := v.Clone()
		if got := string(v.AppendSurface(nil)); got != kept {
			t.Errorf("%s became %s", kept, got)
		}
		text := c.Text()
		for i := range surface {
			surface[i] = '?'
		}
		if c.Surface() != kept || c.Text() != text {
			t.Errorf("the clone of %s changed to %s", kept, c.Surface())
		}
	}
}

func TestSumOfSpecialNumbers(t *testing.T) {
	inf := math.Inf(1)
	for _, c := range []struct {
		in   []float64
		want string
	}{
		{[]float64{1e308, 1e308, -1e308}, "1.0E308"},
		{[]float64{1e308, 1e308}, `"INF"^^xsd:double`},
		{[]float64{inf, -inf}, `"NaN"^^xsd:double`},
		{[]float64{math.Copysign(0, -1), math.Copysign(0, -1)}, "-0.0E0"},
		{[]float64{math.Copysign(0, -1), 0}, "0.0E0"},
		{[]float64{1, 1e100, 1, -1e100}, "2.0E0"},
		{[]float64{0.1, 0.2, 0.3, -0.6}, "2.7755575615628914E-17"},
	} {
		var s value.Sum
		for _, f := range c.in {
			s.Add(value.OfDouble(f))
		}
		if got := short(s.Result()); got != c.want {
			t.Errorf("the sum of %v = %s, want %s", c.in, got, c.want)
		}
	}
}
