package value_test

import (
	"strings"
	"testing"

	"github.com/rete-go/rete/sparql/internal/value"
)

func dt(s string) string { return `"` + s + `"^^xsd:dateTime` }

// XML Schema 1.1, D.2.2: no implicit time zone.
func TestInstantComparison(t *testing.T) {
	runCalls(t, []callCase{
		{"<", args(dt("2016-01-01T20:00:00"), dt("2016-01-02T20:01:00")), "true"},
		{"<", args(dt("2016-01-03T00:00:00"), dt("2016-01-01T20:30:00")), "false"},
		{"=", args(dt("2020-01-01T12:00:00Z"), dt("2020-01-01T13:00:00+01:00")), "true"},
		{"=", args(dt("2020-01-01T12:00:00.000"), dt("2020-01-01T12:00:00")), "true"},
		{"<", args(dt("2020-01-01T12:00:00"), dt("2020-01-01T13:00:00Z")), "error"},
		{">=", args(dt("2020-01-01T12:00:00"), dt("2020-01-01T13:00:00Z")), "error"},
		{"=", args(dt("2020-01-01T12:00:00"), dt("2020-01-01T12:00:00Z")), "error"},
		{"<", args(dt("2020-01-01T12:00:00"), dt("2020-01-02T02:00:01Z")), "true"},
		{"<", args(dt("2020-01-01T12:00:00"), dt("2020-01-02T02:00:00Z")), "error"},
		{"<", args(dt("2020-01-02T02:00:01Z"), dt("2020-01-01T12:00:00")), "false"},
		{"=", args(dt("2020-01-01T12:00:00"), dt("2020-01-03T12:00:00Z")), "false"},
		{"<", args(dt("2020-01-01T00:00:00.0000000001Z"), dt("2020-01-01T00:00:00.0000000002Z")), "true"},
		{"=", args(dt("2019-12-31T24:00:00"), dt("2020-01-01T00:00:00")), "true"},
		{"<", args(`"2005"^^xsd:gYear`, `"2005-01"^^xsd:gYearMonth`), "error"},
		{"=", args(`"2005"^^xsd:gYear`, `"2005-01"^^xsd:gYearMonth`), "false"},
		{"<", args(`"2005"^^xsd:gYear`, `"2006"^^xsd:gYear`), "true"},
		{">=", args(`"02022-01-02"^^xsd:date`, `"2022-01-01"^^xsd:date`), "error"},
		{">=", args(`"2022-01-02"^^xsd:date`, `"2022-01-01"^^xsd:date`), "true"},
		{"=", args(`"2006-08-23"^^xsd:date`, `"2006-08-23Z"^^xsd:date`), "error"},
		{"=", args(`"2006-08-23Z"^^xsd:date`, `"2006-08-23+00:00"^^xsd:date`), "true"},
		{"<", args(`"10:00:00Z"^^xsd:time`, `"10:00:00-01:00"^^xsd:time`), "true"},
		{"<", args(`"--02-29"^^xsd:gMonthDay`, `"--03-01"^^xsd:gMonthDay`), "true"},
		{"<", args(dt("2020-01-01T00:00:00Z"), `"2021-01-01"^^xsd:date`), "error"},
		{"<", args(dt("-0001-01-01T00:00:00Z"), dt("0001-01-01T00:00:00Z")), "true"},
	})
}

// XPath F&O 9.7 and 8.4.
func TestInstantArithmetic(t *testing.T) {
	day, month := `"P1D"^^xsd:dayTimeDuration`, `"P1M"^^xsd:yearMonthDuration`
	runCalls(t, []callCase{
		{"+", args(dt("2020-02-28T12:00:00Z"), day), dt("2020-02-29T12:00:00Z")},
		{"+", args(day, dt("2020-02-28T12:00:00Z")), dt("2020-02-29T12:00:00Z")},
		{"+", args(`"2020-01-31"^^xsd:date`, month), `"2020-02-29"^^xsd:date`},
		{"-", args(`"2020-03-31"^^xsd:date`, month), `"2020-02-29"^^xsd:date`},
		{"+", args(`"2020-01-31"^^xsd:date`, `"PT36H"^^xsd:dayTimeDuration`), `"2020-02-01"^^xsd:date`},
		{"+", args(`"23:30:00"^^xsd:time`, `"PT1H"^^xsd:dayTimeDuration`), `"00:30:00"^^xsd:time`},
		{"+", args(`"23:30:00"^^xsd:time`, month), "error"},
		{"-", args(dt("2020-01-02T00:00:00Z"), dt("2020-01-01T23:59:59.5Z")), `"PT0.5S"^^xsd:dayTimeDuration`},
		{"-", args(`"2020-03-01"^^xsd:date`, `"2020-02-01"^^xsd:date`), `"P29D"^^xsd:dayTimeDuration`},
		{"-", args(dt("2020-01-02T00:00:00Z"), dt("2020-01-02T00:00:00")), "error"},
		{"-", args(dt("2020-01-02T00:00:00Z"), `"2020-01-02"^^xsd:date`), "error"},
		{"+", args(day, day), `"P2D"^^xsd:dayTimeDuration`},
		{"-", args(`"PT0.5S"^^xsd:dayTimeDuration`, day), `"-PT23H59M59.5S"^^xsd:dayTimeDuration`},
		{"+", args(day, month), "error"},
		{"*", args(day, "1.5"), `"P1DT12H"^^xsd:dayTimeDuration`},
		{"*", args("0.1e0", `"PT1S"^^xsd:dayTimeDuration`), `"PT0.1S"^^xsd:dayTimeDuration`},
		{"*", args(month, "2.5"), `"P3M"^^xsd:yearMonthDuration`},
		{"/", args(day, "2"), `"PT12H"^^xsd:dayTimeDuration`},
		{"/", args(day, `"PT1H"^^xsd:dayTimeDuration`), `"24"^^xsd:decimal`},
		{"/", args(`"P1Y"^^xsd:yearMonthDuration`, month), `"12"^^xsd:decimal`},
		{"/", args(day, "0"), "error"},
		{"u-", args(day), `"-P1D"^^xsd:dayTimeDuration`},
		{"+", args(dt("99999999999-01-01T00:00:00Z"), `"P9999999999Y"^^xsd:yearMonthDuration`), "error"},
	})
}

func TestTemporalLexicalForms(t *testing.T) {
	for s, good := range map[string]bool{
		`"2020-01-01T00:00:00"^^xsd:dateTime`:            true,
		`"2020-01-01T00:00:00.123456789Z"^^xsd:dateTime`: true,
		`"2020-01-01T00:00:00."^^xsd:dateTime`:           false,
		`"2020-01-01T24:00:01"^^xsd:dateTime`:            false,
		`"2020-01-01T23:60:00"^^xsd:dateTime`:            false,
		`"2020-13-01T00:00:00"^^xsd:dateTime`:            false,
		`"2019-02-29T00:00:00"^^xsd:dateTime`:            false,
		`"2000-02-29T00:00:00"^^xsd:dateTime`:            true,
		`"1900-02-29T00:00:00"^^xsd:dateTime`:            false,
		`"0000-01-01T00:00:00"^^xsd:dateTime`:            true,
		`"12345-01-01T00:00:00"^^xsd:dateTime`:           true,
		`"012345-01-01T00:00:00"^^xsd:dateTime`:          false,
		`"020-01-01T00:00:00"^^xsd:dateTime`:             false,
		`"+2020-01-01T00:00:00"^^xsd:dateTime`:           false,
		`"2020-01-01T00:00:00+14:00"^^xsd:dateTime`:      true,
		`"2020-01-01T00:00:00+14:01"^^xsd:dateTime`:      false,
		`"2020-01-01T00:00:00z"^^xsd:dateTime`:           false,
		`"2020-01-01"^^xsd:dateTime`:                     false,
		`"2020-01-01T00:00:00"^^xsd:dateTimeStamp`:       false,
		`" 2020-01-01"^^xsd:date`:                        false,
		`"2020-01-01-05:00"^^xsd:date`:                   true,
		`"12:00:00"^^xsd:time`:                           true,
		`"12:00"^^xsd:time`:                              false,
		`"2020"^^xsd:gYear`:                              true,
		`"-2020Z"^^xsd:gYear`:                            true,
		`"2020-05"^^xsd:gYearMonth`:                      true,
		`"--05"^^xsd:gMonth`:                             true,
		`"--13"^^xsd:gMonth`:                             false,
		`"--02-30"^^xsd:gMonthDay`:                       false,
		`"---31"^^xsd:gDay`:                              true,
		`"P1Y2M3DT4H5M6.7S"^^xsd:duration`:               true,
		`"-P0Y"^^xsd:duration`:                           true,
		`"P"^^xsd:duration`:                              false,
		`"P1YT"^^xsd:duration`:                           false,
		`"P1M1Y"^^xsd:duration`:                          false,
		`"P1.5D"^^xsd:duration`:                          false,
		`"P1Y"^^xsd:dayTimeDuration`:                     false,
		`"P1D"^^xsd:yearMonthDuration`:                   false,
		`"PT9223372036854775808S"^^xsd:duration`:         false,
	} {
		v := val(t, s)
		if got := v.Kind() != value.IllTyped; got != good {
			t.Errorf("%s: well-formed %v, want %v", s, got, good)
		}
		// Whatever it is, the term stays what was written.
		if got := short(v, true); got != s {
			t.Errorf("%s became %s", s, got)
		}
	}
}

// The canonical form of a value is read back as that value.
func TestCanonicalFormsReadBack(t *testing.T) {
	for _, s := range []string{
		"1", "-0007", "1.500", "-0.001", "1e300", "1.5e-7", `"1.1"^^xsd:float`, "123456789012345678901234567890.12345",
		dt("-0123-12-31T23:59:59.000000000123-13:59"), `"0000-02-29Z"^^xsd:date`, `"24:00:00"^^xsd:time`,
		`"-P1Y2M3DT4H5M6.789S"^^xsd:duration`, `"-PT0.1S"^^xsd:dayTimeDuration`, `"PT0S"^^xsd:duration`,
		`"P0M"^^xsd:yearMonthDuration`, `"--02-29+05:30"^^xsd:gMonthDay`, `"---09"^^xsd:gDay`, `"--11Z"^^xsd:gMonth`,
		`"123456"^^xsd:gYear`, `"-0001-07"^^xsd:gYearMonth`, "true", `"0"^^xsd:boolean`,
	} {
		v := val(t, s)
		c := v.Canonical()
		again := value.DecodeString(c.Surface())
		if equal, ok := value.Equal(v, again); !ok || !equal {
			t.Errorf("%s: canonical %s", s, c.Surface())
		}
		if strings.Contains(c.Surface(), "+00:00") {
			t.Errorf("%s: zone of %s", s, c.Surface())
		}
		if twice := again.Canonical().Surface(); twice != c.Surface() {
			t.Errorf("%s: canonical %s, then %s", s, c.Surface(), twice)
		}
	}
}
