package value_test

import (
	"regexp"
	"strings"
	"testing"

	"github.com/rete-go/rete/sparql/internal/value"
)

// SPARQL 17.4.2: functions on terms.
func TestTermFunctions(t *testing.T) {
	triple := `<<( <http://s> <http://p> "o" )>>`
	runCalls(t, []callCase{
		{"STR", args("<http://x>"), `"http://x"`},
		{"STR", args("007"), `"007"`},
		{"STR", args(`"a\nb"@en`), `"a\nb"`},
		{"STR", args("_:b"), "error"},
		{"STR", args(triple), "error"},
		{"LANG", args(`"a"@EN-us`), `"en-us"`},
		{"LANG", args("1"), `""`},
		{"LANG", args("<http://x>"), "error"},
		{"LANGDIR", args(`"a"@ar--rtl`), `"rtl"`},
		{"LANGDIR", args(`"a"@ar`), `""`},
		{"LANG", args(`"a"@ar--rtl`), `"ar"`},
		{"HASLANG", args(`"a"@ar--rtl`), "true"},
		{"HASLANG", args("<http://x>"), "false"},
		{"HASLANGDIR", args(`"a"@ar`), "false"},
		{"HASLANGDIR", args(`"a"@ar--rtl`), "true"},
		{"DATATYPE", args(`"a"`), "<" + xsd + "string>"},
		{"DATATYPE", args(`"a"@en`), "<http://www.w3.org/1999/02/22-rdf-syntax-ns#langString>"},
		{"DATATYPE", args(`"a"@en--ltr`), "<http://www.w3.org/1999/02/22-rdf-syntax-ns#dirLangString>"},
		{"DATATYPE", args(`"1"^^xsd:byte`), "<" + xsd + "byte>"},
		{"DATATYPE", args(`"1"^^<http://t>`), "<http://t>"},
		{"DATATYPE", args("<http://x>"), "error"},
		{"IRI", args(`"rel"`), "<http://ex/base/rel>"},
		{"URI", args("<http://x>"), "<http://x>"},
		{"IRI", args(`"a b"`), "error"},
		{"IRI", args("1"), "error"},
		{"STRDT", args(`"1"`, "<"+xsd+"integer>"), "1"},
		{"STRDT", args(`"1"@en`, "<"+xsd+"integer>"), "error"},
		{"STRDT", args(`"a"`, "<"+xsd+"string>"), `"a"`},
		{"STRDT", args(`"a"`, "<http://www.w3.org/1999/02/22-rdf-syntax-ns#langString>"), "error"},
		{"STRLANG", args(`"a"`, `"EN"`), `"a"@en`},
		{"STRLANG", args(`"a"`, `""`), "error"},
		{"STRLANG", args(`"a"`, `"e n"`), "error"},
		{"STRLANG", args("1", `"en"`), "error"},
		{"STRLANGDIR", args(`"a"`, `"en"`, `"ltr"`), `"a"@en--ltr`},
		{"STRLANGDIR", args(`"a"`, `"en"`, `"LTR"`), "error"},
		{"STRLANGDIR", args(`"a"`, `""`, `"ltr"`), "error"},
		{"ISIRI", args("<http://x>"), "true"},
		{"ISBLANK", args("_:x"), "true"},
		{"ISLITERAL", args("<http://x>"), "false"},
		{"ISLITERAL", args(`"x"^^xsd:integer`), "true"},
		{"ISNUMERIC", args(`"x"^^xsd:integer`), "false"},
		{"ISNUMERIC", args(`"1200"^^xsd:byte`), "false"},
		{"ISNUMERIC", args(`"12"^^xsd:nonNegativeInteger`), "true"},
		{"ISNUMERIC", args(`"12"`), "false"},
		{"ISNUMERIC", args("unbound"), "error"},
		{"ISTRIPLE", args(triple), "true"},
		{"TRIPLE", args("<http://s>", "<http://p>", `"o"`), "<<<http://s> <http://p> \"o\">>"},
		{"TRIPLE", args(`"s"`, "<http://p>", `"o"`), "error"},
		{"TRIPLE", args("<http://s>", "_:p", `"o"`), "error"},
		{"SUBJECT", args(triple), "<http://s>"},
		{"PREDICATE", args(triple), "<http://p>"},
		{"OBJECT", args(triple), `"o"`},
		{"SUBJECT", args("<http://s>"), "error"},
	})
}

// SPARQL 17.4.3: functions on strings.
func TestStringFunctions(t *testing.T) {
	runCalls(t, []callCase{
		{"STRLEN", args(`"a😀b"`), "3"},
		{"STRLEN", args(`"chat"@en`), "4"},
		{"STRLEN", args("1"), "error"},
		{"SUBSTR", args(`"foobar"`, "4"), `"bar"`},
		{"SUBSTR", args(`"foobar"@en`, "4", "1"), `"b"@en`},
		{"SUBSTR", args(`"a😀b"`, "2", "1"), `"😀"`},
		{"SUBSTR", args(`"motor car"`, "6"), `" car"`},
		{"SUBSTR", args(`"metadata"`, "4", "3"), `"ada"`},
		{"SUBSTR", args(`"12345"`, "1.5", "2.6"), `"234"`},
		{"SUBSTR", args(`"12345"`, "0", "3"), `"12"`},
		{"SUBSTR", args(`"12345"`, "5", "-3"), `""`},
		{"SUBSTR", args(`"12345"`, "-3", "5"), `"1"`},
		{"SUBSTR", args(`"12345"`, `"NaN"^^xsd:double`, "3"), `""`},
		{"SUBSTR", args(`"12345"`, "-42", `"INF"^^xsd:double`), `"12345"`},
		{"SUBSTR", args(`"12345"`, `"-INF"^^xsd:double`, `"INF"^^xsd:double`), `""`},
		{"SUBSTR", args(`"12345"`, `"1"`), "error"},
		{"UCASE", args(`"straße"`), `"STRASSE"`},
		{"UCASE", args(`"foo"@en`), `"FOO"@en`},
		{"LCASE", args(`"ÀBC"`), `"àbc"`},
		{"UCASE", args("<http://x>"), "error"},
		{"STRSTARTS", args(`"foobar"`, `"foo"`), "true"},
		{"STRSTARTS", args(`"foobar"@en`, `"foo"@en`), "true"},
		{"STRSTARTS", args(`"foobar"@en`, `"foo"`), "true"},
		{"STRSTARTS", args(`"foobar"`, `"foo"@en`), "error"},
		{"STRSTARTS", args(`"foobar"@en`, `"foo"@fr`), "error"},
		{"STRSTARTS", args(`"foobar"@en`, `"foo"@en--ltr`), "error"},
		{"STRENDS", args(`"foobar"`, `"bar"`), "true"},
		{"STRENDS", args(`"foobar"`, "1"), "error"},
		{"CONTAINS", args(`"foobar"`, `"oba"`), "true"},
		{"CONTAINS", args(`"foobar"`, `""`), "true"},
		{"STRBEFORE", args(`"abc"`, `"b"`), `"a"`},
		{"STRBEFORE", args(`"abc"@en`, `"bc"`), `"a"@en`},
		{"STRBEFORE", args(`"abc"`, `"xyz"`), `""`},
		{"STRBEFORE", args(`"abc"@en`, `"z"@en`), `""`},
		{"STRBEFORE", args(`"abc"@en`, `""`), `""@en`},
		{"STRBEFORE", args(`"abc"`, `"b"@cy`), "error"},
		{"STRAFTER", args(`"abc"`, `"b"`), `"c"`},
		{"STRAFTER", args(`"abc"@en`, `"ab"`), `"c"@en`},
		{"STRAFTER", args(`"abc"`, `"xyz"`), `""`},
		{"STRAFTER", args(`"abc"@en`, `""`), `"abc"@en`},
		{"ENCODE_FOR_URI", args(`"Los Angeles"@en`), `"Los%20Angeles"`},
		{"ENCODE_FOR_URI", args(`"~bébé-_."`), `"~b%C3%A9b%C3%A9-_."`},
		{"CONCAT", args(`"foo"`, `"bar"`), `"foobar"`},
		{"CONCAT", args(`"foo"@en`, `"bar"@en`), `"foobar"@en`},
		{"CONCAT", args(`"foo"@en`, `"bar"`), `"foobar"`},
		{"CONCAT", args(`"a"@en--ltr`, `"b"@en--ltr`), `"ab"@en--ltr`},
		{"CONCAT", args(`"a"@en--ltr`, `"b"@en`), `"ab"`},
		{"CONCAT", nil, `""`},
		{"CONCAT", args(`"a"`, "1"), "error"},
		{"LANGMATCHES", args(`""`, `"*"`), "false"},
		{"LANGMATCHES", args(`"de-latn-de"`, `"de-DE"`), "false"},
		{"LANGMATCHES", args(`"en-us"`, `"EN"`), "true"},
		{"LANGMATCHES", args(`"eng"`, `"en"`), "false"},
		{"LANGMATCHES", args(`"fr"`, `"*"`), "true"},
		{"LANGMATCHES", args(`"fr"`, `""`), "false"},
		{"LANGMATCHES", args(`""`, `"fr"`), "false"},
		{"LANGMATCHES", args(`""`, `""`), "false"},
		{"LANGMATCHES", args("1", `"*"`), "error"},
	})
}

// SPARQL 17.4.4: functions on numbers.
func TestNumberFunctions(t *testing.T) {
	runCalls(t, []callCase{
		{"ABS", args("-1.5"), "1.5"},
		{"ABS", args(`"-5"^^xsd:int`), "5"},
		{"ABS", args("-9223372036854775808"), "9223372036854775808"},
		{"ABS", args(`"-INF"^^xsd:float`), `"INF"^^xsd:float`},
		{"ABS", args(`"1"`), "error"},
		{"CEIL", args("10.5"), `"11"^^xsd:decimal`},
		{"CEIL", args("-10.5"), `"-10"^^xsd:decimal`},
		{"CEIL", args("-1.6"), `"-1"^^xsd:decimal`},
		{"FLOOR", args("10.5"), `"10"^^xsd:decimal`},
		{"FLOOR", args("-10.5"), `"-11"^^xsd:decimal`},
		{"FLOOR", args("-0.5e0"), "-1.0E0"},
		{"ROUND", args("2.4999"), `"2"^^xsd:decimal`},
		{"ROUND", args("2.5"), `"3"^^xsd:decimal`},
		{"ROUND", args("-2.5"), `"-2"^^xsd:decimal`},
		{"ROUND", args("-2.51"), `"-3"^^xsd:decimal`},
		{"ROUND", args("-2.5e0"), "-2.0E0"},
		{"ROUND", args("-0.2e0"), "-0.0E0"},
		{"ROUND", args("0.49999999999999994e0"), "0.0E0"},
		{"ROUND", args("12345678901234567890123.5"), `"12345678901234567890124"^^xsd:decimal`},
		{"ROUND", args("-12345678901234567890123.5"), `"-12345678901234567890123"^^xsd:decimal`},
		{"FLOOR", args("-12345678901234567890123.5"), `"-12345678901234567890124"^^xsd:decimal`},
		{"ROUND", args("7"), "7"},
	})
}

// SPARQL 17.4.5: functions on dates and times.
func TestInstantFunctions(t *testing.T) {
	at := `"2011-01-10T14:45:13.815-05:00"^^xsd:dateTime`
	plain := `"2011-01-10T14:45:13"^^xsd:dateTime`
	runCalls(t, []callCase{
		{"NOW", nil, `"2026-01-02T03:04:05.6Z"^^xsd:dateTime`},
		{"YEAR", args(at), "2011"},
		{"MONTH", args(at), "1"},
		{"DAY", args(at), "10"},
		{"HOURS", args(at), "14"},
		{"MINUTES", args(at), "45"},
		{"SECONDS", args(at), "13.815"},
		{"SECONDS", args(`"2011-01-10T14:45:13.0123456789012345Z"^^xsd:dateTime`), "13.0123456789012345"},
		{"TIMEZONE", args(at), `"-PT5H"^^xsd:dayTimeDuration`},
		{"TIMEZONE", args(`"2011-01-10T14:45:13Z"^^xsd:dateTime`), `"PT0S"^^xsd:dayTimeDuration`},
		{"TIMEZONE", args(plain), "error"},
		{"TZ", args(at), `"-05:00"`},
		{"TZ", args(`"2011-01-10T14:45:13Z"^^xsd:dateTime`), `"Z"`},
		{"TZ", args(plain), `""`},
		{"YEAR", args(`"-0044-03-15"^^xsd:date`), "-44"},
		{"YEAR", args(`"x"^^xsd:dateTime`), "error"},
		{"HOURS", args(`"2011-01-10"^^xsd:date`), "error"},
		{"DAY", args(`"2011-01-10T24:00:00"^^xsd:dateTime`), "11"},
		{"YEAR", args("1"), "error"},
	})
}

// SPARQL 17.4.6.
func TestHashes(t *testing.T) {
	runCalls(t, []callCase{
		{"MD5", args(`"abc"`), `"900150983cd24fb0d6963f7d28e17f72"`},
		{"SHA1", args(`"abc"`), `"a9993e364706816aba3e25717850c26c9cd0d89d"`},
		{"SHA256", args(`"abc"`), `"ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"`},
		{"MD5", args(`"abc"@en`), "error"},
		{"SHA512", args("1"), "error"},
	})
	c := newContext(t)
	for name, digits := range map[string]int{"SHA384": 96, "SHA512": 128} {
		if got := call(t, c, name, `"abc"`); len(got) != digits+2 {
			t.Errorf("%s = %s", name, got)
		}
	}
}

func TestVolatileFunctions(t *testing.T) {
	c := newContext(t)
	uuid := regexp.MustCompile(`^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$`)
	a, b := call(t, c, "STRUUID"), call(t, c, "STRUUID")
	if a == b || !uuid.MatchString(strings.Trim(a, `"`)) {
		t.Errorf("STRUUID: %s, %s", a, b)
	}
	if u := call(t, c, "UUID"); !uuid.MatchString(strings.TrimSuffix(strings.TrimPrefix(u, "<urn:uuid:"), ">")) {
		t.Errorf("UUID: %s", u)
	}
	if x, y := call(t, c, "BNODE"), call(t, c, "BNODE"); x == y || !strings.HasPrefix(x, "_:") {
		t.Errorf("BNODE: %s, %s", x, y)
	}
	c.Blank = func(label string, labelled bool) string { return "s1" + label }
	if x, y := call(t, c, "BNODE", `"x"`), call(t, c, "BNODE", `"x"`); x != "_:s1x" || x != y {
		t.Errorf("BNODE of a label: %s, %s", x, y)
	}
	if got := call(t, c, "BNODE", "1"); got != "error" {
		t.Errorf("BNODE(1) = %s", got)
	}
	for range 100 {
		v, _ := mustLookup(t, "RAND").Call(c, nil)
		if less, _ := value.Less(v, value.OfInt(1)); !less || v.Kind() != value.Double {
			t.Fatalf("RAND: %s", v.Surface())
		}
	}
	for name, want := range map[string]bool{"RAND": true, "UUID": true, "BNODE": true, "NOW": false, "STR": false} {
		if f := mustLookup(t, name); f.Volatile != want {
			t.Errorf("%s.Volatile = %v", name, f.Volatile)
		}
	}
}

func mustLookup(t *testing.T, name string) *value.Function {
	t.Helper()
	f, ok := value.Lookup(name)
	if !ok {
		t.Fatalf("no function %s", name)
	}
	return f
}

// No function panics or yields a value of its own for an argument that is none.
func TestEveryFunctionOnNoValue(t *testing.T) {
	c := newContext(t)
	for f := range value.Functions {
		for n := max(f.MinArgs, 1); n <= f.MinArgs+1 && (f.MaxArgs < 0 || n <= f.MaxArgs); n++ {
			if v, ok := f.Call(c, make([]value.Value, n)); ok {
				t.Errorf("%s of %d unbound arguments = %s", f.Name, n, v.Surface())
			}
		}
	}
}
