package value_test

import (
	"testing"

	"github.com/rete-go/rete/sparql/internal/value"
)

// SPARQL 17.3, XPath F&O 4.2: arithmetic with promotion.
func TestArithmetic(t *testing.T) {
	runCalls(t, []callCase{
		{"+", args("1", "2"), "3"},
		{"+", args("1", "2.5"), "3.5"},
		{"+", args("0.5", "0.5"), `"1"^^xsd:decimal`},
		{"+", args("1", "1e0"), "2.0E0"},
		{"+", args(`"1"^^xsd:float`, "1.5"), `"2.5E0"^^xsd:float`},
		{"+", args(`"1"^^xsd:float`, "1e0"), "2.0E0"},
		{"+", args(`"1"^^xsd:byte`, `"2"^^xsd:unsignedShort`), "3"},
		{"+", args("9223372036854775807", "1"), "9223372036854775808"},
		{"-", args("-9223372036854775808", "1"), "-9223372036854775809"},
		{"-", args("9223372036854775808", "1"), "9223372036854775807"},
		{"-", args("0", "-9223372036854775808"), "9223372036854775808"},
		{"*", args("9223372036854775807", "9223372036854775807"), "85070591730234615847396907784232501249"},
		{"*", args("-9223372036854775808", "-1"), "9223372036854775808"},
		{"*", args("0.000000000001", "0.000000000001"), "0.000000000000000000000001"},
		{"*", args("1e308", "10"), `"INF"^^xsd:double`},
		{"/", args("6", "3"), `"2"^^xsd:decimal`},
		{"/", args("1", "4"), "0.25"},
		{"/", args("1", "3"), "0.333333333333333333"},
		{"/", args("100", "3"), "33.333333333333333333"},
		{"/", args("0.0000000001", "3"), "0.0000000000333333333333333333"},
		{"/", args("-9223372036854775808", "-1"), `"9223372036854775808"^^xsd:decimal`},
		{"/", args("1", "0"), "error"},
		{"/", args("1.0", "0.0"), "error"},
		{"/", args("1e0", "0"), `"INF"^^xsd:double`},
		{"/", args("0e0", "0"), `"NaN"^^xsd:double`},
		{"-", args("1", `"1"`), "error"},
		{"+", args("unbound", "1"), "error"},
		{"+", args(`"500"^^xsd:byte`, "1"), "error"},
		{"+", args(`"-1"^^xsd:nonNegativeInteger`, "1"), "error"},
		{"u-", args("5"), "-5"},
		{"u-", args("-9223372036854775808"), "9223372036854775808"},
		{"u-", args(`"0"^^xsd:double`), "-0.0E0"},
		{"u+", args("007"), "007"},
		{"u+", args(`"x"`), "error"},
		{"u-", args(`"x"`), "error"},
		{"!", args("true"), "false"},
		{"!", args(`""`), "true"},
		{"!", args("<http://x>"), "error"},
	})
}

// SPARQL 17.3 and 17.4.1.7.
func TestEquality(t *testing.T) {
	runCalls(t, []callCase{
		{"=", args("1", "1.0"), "true"},
		{"=", args("1", "01"), "true"},
		{"=", args("1", "1e0"), "true"},
		{"=", args(`"0.1"^^xsd:float`, "0.1"), "true"},
		{"=", args(`"0.1"^^xsd:float`, "0.1e0"), "false"},
		{"=", args("0.1", "0.1e0"), "true"},
		{"=", args("9007199254740993", "9007199254740992"), "false"},
		{"=", args("9007199254740993", "9007199254740992e0"), "true"},
		{"=", args(`"NaN"^^xsd:double`, `"NaN"^^xsd:double`), "false"},
		{"!=", args(`"NaN"^^xsd:double`, `"NaN"^^xsd:double`), "true"},
		{"=", args("0e0", "-0e0"), "true"},
		{"=", args(`"a"`, `"a"`), "true"},
		{"=", args(`"a"`, `"a"@en`), "false"},
		{"=", args(`"a"@en`, `"a"@EN`), "true"},
		{"=", args(`"a"@en--ltr`, `"a"@en`), "false"},
		{"=", args(`"a"`, "1"), "false"},
		{"=", args(`"a"^^<http://t>`, `"a"^^<http://t>`), "true"},
		{"=", args(`"a"^^<http://t>`, `"b"^^<http://t>`), "error"},
		{"!=", args(`"a"^^<http://t>`, `"b"^^<http://t>`), "error"},
		{"=", args(`"a"^^<http://t>`, `"a"`), "error"},
		{"=", args(`"a"^^<http://t>`, "<http://t>"), "false"},
		{"=", args(`"x"^^xsd:integer`, `"x"^^xsd:integer`), "true"},
		{"=", args(`"x"^^xsd:integer`, "1"), "error"},
		{"=", args("<http://x>", "<http://x>"), "true"},
		{"=", args("_:a", "_:b"), "false"},
		{"=", args("true", `"1"^^xsd:boolean`), "true"},
		{"=", args(`"P1Y"^^xsd:duration`, `"P12M"^^xsd:yearMonthDuration`), "true"},
		{"=", args(`"P0M"^^xsd:yearMonthDuration`, `"PT0S"^^xsd:dayTimeDuration`), "true"},
		{"=", args(`"P1D"^^xsd:dayTimeDuration`, `"PT24H"^^xsd:dayTimeDuration`), "true"},
		{"SAMETERM", args("1", "01"), "false"},
		{"SAMETERM", args(`"NaN"^^xsd:double`, `"NaN"^^xsd:double`), "true"},
		{"SAMETERM", args("unbound", "1"), "error"},
	})
}

func TestTripleTermEquality(t *testing.T) {
	one := `<<( <http://s> <http://p> "1"^^xsd:integer )>>`
	padded := `<<( <http://s> <http://p> "01"^^xsd:integer )>>`
	unknown := `<<( <http://s> <http://p> "1"^^<http://t> )>>`
	other := `<<( <http://x> <http://p> "2"^^<http://t> )>>`
	nan := `<<( <http://s> <http://p> "NaN"^^xsd:double )>>`
	within := `<<( <http://s> <http://p> ` + nan + ` )>>`
	runCalls(t, []callCase{
		{"=", args(one, padded), "true"},
		{"=", args(nan, nan), "false"},
		{"!=", args(nan, nan), "true"},
		{"=", args(within, within), "false"},
		{"SAMETERM", args(within, within), "true"},
		{"SAMETERM", args(one, padded), "false"},
		{"=", args(one, unknown), "error"},
		{"=", args(unknown, other), "false"},
		{"=", args(one, "<http://s>"), "false"},
		{"<", args(one, padded), "error"},
	})
}

// SPARQL 17.3: the order operators.
func TestOrderOperators(t *testing.T) {
	runCalls(t, []callCase{
		{"<", args("1", "2"), "true"},
		{"<", args("10", "9"), "false"},
		{"<", args("1", `"2"`), "error"},
		{"<", args(`"NaN"^^xsd:double`, "1"), "false"},
		{">=", args(`"NaN"^^xsd:double`, "1"), "false"},
		{"<", args(`"a"`, `"b"`), "true"},
		{"<", args(`"a"@en`, `"b"`), "error"},
		{"<", args("false", "true"), "true"},
		{"<", args("<http://a>", "<http://b>"), "error"},
		{"<", args("_:a", "_:b"), "error"},
		{"<=", args("1", "1.0"), "true"},
		{">", args("0.1", "0.09"), "true"},
		{"<", args(`"P1M"^^xsd:yearMonthDuration`, `"P1Y"^^xsd:yearMonthDuration`), "true"},
		{"<", args(`"P1M"^^xsd:duration`, `"P30D"^^xsd:duration`), "error"},
		{"<", args(`"x"^^<http://t>`, `"y"^^<http://t>`), "error"},
	})
}

// SPARQL 17.2.2.
func TestTruth(t *testing.T) {
	for s, want := range map[string]string{
		"true": "true", "false": "false", `"0"^^xsd:boolean`: "false", `""`: "false", `"false"`: "true",
		"0": "false", "0.0": "false", "0e0": "false", "1": "true", `"NaN"^^xsd:double`: "false",
		`"abc"^^xsd:integer`: "error", `"maybe"^^xsd:boolean`: "error", `"abc"^^xsd:date`: "error",
		"<http://x>": "error", "_:b": "error", `"x"^^<http://t>`: "error", "unbound": "error",
		`"2020-01-01"^^xsd:date`: "error", "123456789012345678901234567890": "true",
	} {
		b, ok := value.Truth(val(t, s))
		if got := short(value.OfBool(b), ok); got != want {
			t.Errorf("Truth(%s) = %s, want %s", s, got, want)
		}
	}
}

// SPARQL 17.2: the truth tables.
func TestThreeValuedLogic(t *testing.T) {
	e, f, tr := value.TriError, value.TriFalse, value.TriTrue
	for _, c := range []struct{ a, b, and, or value.Tri }{
		{tr, tr, tr, tr}, {tr, f, f, tr}, {f, f, f, f}, {tr, e, e, tr}, {e, f, f, e}, {e, e, e, e},
	} {
		for _, pair := range [][2]value.Tri{{c.a, c.b}, {c.b, c.a}} {
			if got := pair[0].And(pair[1]); got != c.and {
				t.Errorf("%v && %v = %v", pair[0], pair[1], got)
			}
			if got := pair[0].Or(pair[1]); got != c.or {
				t.Errorf("%v || %v = %v", pair[0], pair[1], got)
			}
		}
	}
	if e.Not() != e || f.Not() != tr || tr.Not() != f {
		t.Error("!")
	}
}

// SPARQL 17.4.1.9.
func TestIn(t *testing.T) {
	x, bad := val(t, "2"), value.Value{}
	if got := value.In(x, []value.Value{bad, val(t, "2.0")}); got != value.TriTrue {
		t.Errorf("a match after an error: %v", got)
	}
	if got := value.In(x, []value.Value{val(t, "1"), bad}); got != value.TriError {
		t.Errorf("no match but an error: %v", got)
	}
	if got := value.In(x, nil); got != value.TriFalse {
		t.Errorf("the empty list: %v", got)
	}
	for _, list := range [][]value.Value{nil, {x}, {bad}} {
		if got := value.In(bad, list); got != value.TriError {
			t.Errorf("an error in %v: %v", list, got)
		}
	}
}
