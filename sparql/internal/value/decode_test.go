package value_test

import (
	"strings"
	"testing"

	"github.com/rete-go/rete/rdf"
	"github.com/rete-go/rete/sparql/internal/value"
)

func surfaceOf(t testing.TB, s string) []byte {
	t.Helper()
	return val(t, s).AppendSurface(nil)
}

func TestDecodeKinds(t *testing.T) {
	for s, want := range map[string]value.Kind{
		"<http://x>": value.IRI, "_:b": value.Blank, `"a"`: value.String, `"a"@en`: value.Lang,
		"1": value.Integer, `"1"^^xsd:byte`: value.Integer, `"128"^^xsd:byte`: value.IllTyped,
		"1.5": value.Decimal, "1e0": value.Double, `"1"^^xsd:float`: value.Float, "true": value.Boolean,
		`"2"^^xsd:boolean`: value.IllTyped, `""^^xsd:integer`: value.IllTyped, `"-"^^xsd:integer`: value.IllTyped,
		`" 1"^^xsd:integer`: value.IllTyped, `"1."^^xsd:decimal`: value.Decimal, `".5"^^xsd:decimal`: value.Decimal,
		`"."^^xsd:decimal`: value.IllTyped, `"1e0"^^xsd:decimal`: value.IllTyped, `"1.5.5"^^xsd:decimal`: value.IllTyped,
		`"e5"^^xsd:double`: value.IllTyped, `"1_0"^^xsd:double`: value.IllTyped, `"inf"^^xsd:double`: value.IllTyped,
		`"Infinity"^^xsd:float`: value.IllTyped, `"0x1p3"^^xsd:double`: value.IllTyped,
		`"18446744073709551615"^^xsd:unsignedLong`: value.Integer, `"18446744073709551616"^^xsd:unsignedLong`: value.IllTyped,
		`"99999999999999999999999"^^xsd:positiveInteger`: value.Integer, `"99999999999999999999999"^^xsd:long`: value.IllTyped,
		`"-99999999999999999999999"^^xsd:negativeInteger`: value.Integer, `"0"^^xsd:positiveInteger`: value.IllTyped,
		`"00000000000000000000000000001"^^xsd:byte`: value.Integer, `"a"^^<http://t>`: value.Other,
		`"ff"^^xsd:hexBinary`: value.Other, `"1"^^<http://www.w3.org/2001/XMLSchema#>`: value.Other,
		`<<( <http://s> <http://p> "o" )>>`: value.Triple,
	} {
		if got := val(t, s).Kind(); got != want {
			t.Errorf("%s: kind %d, want %d", s, got, want)
		}
	}
}

// Spellings that are not canonical, which older files may hold, keep both
// their meaning and their surface.
func TestDecodeForeignSpellings(t *testing.T) {
	for surface, text := range map[string]string{
		`"a"^^<http://www.w3.org/2001/XMLSchema#string>`: "a",
		`"\u0041"`: "A",
		`"\u0031"^^<http://www.w3.org/2001/XMLSchema#integer>`: "1",
		`"ends in \\"`:            `ends in \`,
		`"say \"hi\""@en`:         `say "hi"`,
		`"say \"5\""^^<http://t>`: `say "5"`,
		`"\\"^^<http://www.w3.org/2001/XMLSchema#string>`:             `\`,
		`"` + strings.Repeat(`\"`, 5) + `"^^<http://ex/"strange"/dt>`: strings.Repeat(`"`, 5),
	} {
		v := value.DecodeString(surface)
		if strings.Contains(surface, "strange") {
			continue // no surface; it only must not panic
		}
		if v.Text() != text || v.Surface() != surface {
			t.Errorf("%s: text %q, surface %s", surface, v.Text(), v.Surface())
		}
	}
	one := value.DecodeString(`"\u0031"^^<http://www.w3.org/2001/XMLSchema#integer>`)
	if n, ok := one.Int64(); n != 1 || !ok {
		t.Errorf("an escaped digit: %d, %v", n, ok)
	}
}

// Numbers and dates are decoded without an allocation.
func TestDecodeDoesNotAllocate(t *testing.T) {
	for _, s := range []string{"1234567", "-12.50", "1.5e3", "true", dt("2020-01-01T12:00:00.123Z"), `"2020-01-01"^^xsd:date`,
		`"P1D"^^xsd:dayTimeDuration`, `"plain text"`, `"text"@en`, "<http://x>", `"x"^^<http://t>`, `"12"^^xsd:unsignedByte`} {
		surface := surfaceOf(t, s)
		if n := testing.AllocsPerRun(100, func() { value.Decode(surface) }); n != 0 {
			t.Errorf("%s: %v allocations", s, n)
		}
	}
}

// A literal with more digits than we take is kept as a term, quickly.
func TestDigitsBeyondTheBound(t *testing.T) {
	long := strings.Repeat("9", value.MaxDigits+1)
	for _, datatype := range []string{"integer", "decimal"} {
		if v := value.OfTyped(long, xsd+datatype); v.Kind() != value.IllTyped || v.Text() != long {
			t.Errorf("%s: kind %d", datatype, v.Kind())
		}
		v := value.OfTyped(long[1:], xsd+datatype)
		if v.Kind() == value.IllTyped {
			t.Fatalf("%s of MaxDigits digits is ill-typed", datatype)
		}
		if _, ok := value.Multiply(v, v); ok {
			t.Errorf("%s: a product beyond the bound", datatype)
		}
		if _, ok := value.Add(v, v); ok {
			t.Errorf("%s: a sum beyond the bound", datatype)
		}
	}
}

func FuzzDecode(f *testing.F) {
	for _, s := range specimens[1:] {
		f.Add(val(f, s).Surface())
	}
	f.Add(`"0.1"^^<http://www.w3.org/2001/XMLSchema#deci"mal>`)
	f.Fuzz(func(t *testing.T, s string) {
		v := value.DecodeString(s)
		key := value.AppendSortKey(nil, v)
		if value.Compare(v, v) != 0 {
			t.Fatalf("%q differs from itself", s)
		}
		_, _ = value.AppendJoinKey(key, v, true)
		_, _ = value.Truth(v)
		if !rdf.Canonical([]byte(s)) {
			return
		}
		if v.IsNone() || v.Surface() != s {
			t.Fatalf("%q became %q", s, v.Surface())
		}
		c := v.Canonical()
		if !rdf.Canonical(c.AppendSurface(nil)) {
			t.Fatalf("%q has the canonical form %q, which is no surface", s, c.Surface())
		}
		if c.Surface() != s {
			if equal, ok := value.Equal(v, value.DecodeString(c.Surface())); ok && !equal && !strings.Contains(s, "NaN") {
				t.Fatalf("%q has the canonical form %q, which is not equal", s, c.Surface())
			}
		}
	})
}

func BenchmarkDecode(b *testing.B) {
	for name, s := range map[string]string{
		"integer": "123456", "decimal": "1234.56", "double": "1.5e3", "dateTime": dt("2020-01-01T12:00:00Z"),
		"string": `"a plain string of usual length"`, "iri": "<http://example.org/item/12345>",
	} {
		b.Run(name, func(b *testing.B) {
			surface := surfaceOf(b, s)
			b.ReportAllocs()
			for b.Loop() {
				value.Decode(surface)
			}
		})
	}
}

func BenchmarkOperators(b *testing.B) {
	x, y := val(b, "1234.5"), val(b, "17")
	b.Run("add", func(b *testing.B) {
		for b.Loop() {
			value.Add(x, y)
		}
	})
	b.Run("less", func(b *testing.B) {
		for b.Loop() {
			value.Less(x, y)
		}
	})
	b.Run("divide", func(b *testing.B) {
		for b.Loop() {
			value.Divide(x, y)
		}
	})
	b.Run("sortkey", func(b *testing.B) {
		var key []byte
		for b.Loop() {
			key = value.AppendSortKey(key[:0], x)
		}
	})
	b.Run("sum of doubles", func(b *testing.B) {
		var s value.Sum
		d := value.OfDouble(0.1)
		for b.Loop() {
			s.Add(d)
		}
	})
}
