package value_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/rete-go/rete/sparql/internal/regex"
	"github.com/rete-go/rete/sparql/internal/value"
)

// match runs REGEX; "error" for a value error.
func match(t *testing.T, text, pattern, flags string) string {
	t.Helper()
	f, _ := value.Lookup("REGEX")
	vs := []value.Value{value.OfString(text), value.OfString(pattern), value.OfString(flags)}
	return short(f.Call(newContext(t), vs))
}

// XPath F&O 5.6.1 and 5.6.2, XML Schema part 2, appendix G.
func TestRegex(t *testing.T) {
	for _, c := range []struct{ text, pattern, flags, want string }{
		{"abc", "b", "", "true"},
		{"abc", "^b", "", "false"},
		{"abc", "^abc$", "", "true"},
		{"abc", "^ab", "", "true"},
		{"abc", "bc$", "", "true"},
		{"abc", "ab$", "", "false"},
		{"abc", "", "", "true"},
		{"abc", "$", "", "true"},
		{"a.c", `a\.c`, "", "true"},
		{"abc", `a\.c`, "", "false"},
		{"ABC", "b", "i", "true"},
		{"ABC", "^ab", "i", "true"},
		{"ABC", "bc$", "i", "true"},
		{"ABC", "^abc$", "i", "true"},
		{"Übung", "übung", "i", "true"},
		{"K", "k", "i", "true"}, // the Kelvin sign folds to k
		{"a\nb", "a.b", "", "false"},
		{"a\rb", "a.b", "", "false"},
		{"a\nb", "a.b", "s", "true"},
		{"a\nb", "^b", "", "false"},
		{"a\nb", "^b", "m", "true"},
		{"a\nb", "a$", "", "false"},
		{"a\nb", "a$", "m", "true"},
		{"a\n", "a$", "", "false"},
		{"helloworld", "hello world", "x", "true"},
		{"hello world", "hello[ ]world", "x", "true"},
		{"hello world", `hello [ \] ] world`, "x", "true"},
		{"hello world", `hello\ world`, "x", "false"}, // \w
		{"hello  world", `hello\ s{ 2 }world`, "x", "true"},
		{"ab", "( ?: a | c ) b", "x", "true"},
		{"ab", `a\ `, "x", "error"},
		{"a b", "a b", "qx", "true"},
		{"I", "ı", "i", "true"}, // one upper case
		{"ırmak", "^IR", "i", "true"},
		{"i", "^[ı]$", "i", "true"},
		{"ı", "^[^i]$", "i", "false"},
		{"ı", "i", "", "false"},
		{"İ", "i", "i", "false"}, // two characters in lower case
		{"ﬅ", "ﬆ", "i", "true"},
		{"\u0390", "\u1fd3", "i", "true"},
		{"\u1fe3", "[\u03b0]", "i", "true"},
		{"a.b", "a.b", "q", "true"},
		{"axb", "a.b", "q", "false"},
		{"A.B", "a.b", "qi", "true"},
		{`a\b`, `a\b`, "q", "true"},
		{"leden", `^\p{Ll}`, "", "true"},
		{"únor", `^\p{Ll}`, "", "true"},
		{"Únor", `^\p{Ll}`, "", "false"},
		{"Únor", `^\p{Ll}`, "i", "false"}, // i does not reach escapes
		{"x", `^\P{Ll}`, "", "false"},
		{"α", `\p{IsGreek}`, "", "true"},
		{"a", `\p{IsGreek}`, "", "false"},
		{"a", `\p{IsBasicLatin}`, "", "true"},
		{"a", `\p{IsNowhere}`, "", "error"},
		{"a", `\p{Xx}`, "", "error"},
		{"٣", `^\d$`, "", "true"},
		{"_", `^\w$`, "", "false"}, // connector punctuation is not \w
		{"é", `^\w$`, "", "true"},
		{"-", `^\W$`, "", "true"},
		{"\u00A0", `^\s$`, "", "false"},
		{"\t", `^\s$`, "", "true"},
		{"xml:id", `^\i\c*$`, "", "true"},
		{"1x", `^\i\c*$`, "", "false"},
		{"1", `^\I$`, "", "true"},
		{"b", "^[a-z-[aeiou]]$", "", "true"},
		{"e", "^[a-z-[aeiou]]$", "", "false"},
		{"B", "^[a-z-[aeiou]]$", "i", "true"},
		{"E", "^[a-z-[aeiou]]$", "i", "false"},
		{"a", "^[^A]$", "i", "false"},
		{"-", "^[a-]$", "", "true"},
		{"-", "^[-a]$", "", "true"},
		{"]", `^[\]]$`, "", "true"},
		{"5", `^[^\D]$`, "", "true"},
		{"x", `^[\d\-x]$`, "", "true"},
		{"aaa", "^a{2,3}$", "", "true"},
		{"a", "^a{2,}$", "", "false"},
		{"{", "^{$", "", "true"},
		{"abab", "^(?:ab)+$", "", "true"},
		{"aXbX", "^.*?X", "", "true"},
		{"ab", "a|b", "", "true"},
		{"aa", `(a)\1`, "", "error"},
		{"a", "(?=a)", "", "error"},
		{"a", "a**", "", "error"},
		{"a", "(a", "", "error"},
		{"a", "[a", "", "error"},
		{"a", "[z-a]", "", "error"},
		{"a", `\`, "", "error"},
		{"a", `[\`, "", "error"},
		{"a", `\p{L`, "", "error"},
		{"a", "a{1001}", "", "error"},
		{"a", "a", "g", "error"},
	} {
		if got := match(t, c.text, c.pattern, c.flags); got != c.want {
			t.Errorf("REGEX(%q, %q, %q) = %s, want %s", c.text, c.pattern, c.flags, got, c.want)
		}
	}
	runCalls(t, []callCase{
		{"REGEX", args(`"abc"@en`, `"b"`), "true"},
		{"REGEX", args("1", `"1"`), "error"},
		{"REGEX", args(`"a"`, `"a"@en`), "error"},
	})
}

// XPath F&O 5.6.4.
func TestReplace(t *testing.T) {
	runCalls(t, []callCase{
		{"REPLACE", args(`"abcd"`, `"b"`, `"Z"`), `"aZcd"`},
		{"REPLACE", args(`"abab"`, `"B"`, `"Z"`, `"i"`), `"aZaZ"`},
		{"REPLACE", args(`"abab"`, `"B."`, `"Z"`, `"i"`), `"aZb"`},
		{"REPLACE", args(`"abcb"@en`, `"b"`, `"-"`), `"a-c-"@en`},
		{"REPLACE", args(`"abracadabra"`, `"bra"`, `"*"`), `"a*cada*"`},
		{"REPLACE", args(`"abracadabra"`, `"a.*a"`, `"*"`), `"*"`},
		{"REPLACE", args(`"abracadabra"`, `"a.*?a"`, `"*"`), `"*c*bra"`},
		{"REPLACE", args(`"abracadabra"`, `"a(.)"`, `"a$1$1"`), `"abbraccaddabbra"`},
		{"REPLACE", args(`"abcd"`, `"(ab)|(a)"`, `"[1=$1][2=$2]"`), `"[1=ab][2=]cd"`},
		{"REPLACE", args(`"AAAA"`, `"A+?"`, `"b"`), `"bbbb"`},
		{"REPLACE", args(`"abc"`, `"b"`, `"$0$0"`), `"abbc"`},
		{"REPLACE", args(`"abc"`, `"(b)"`, `"$10"`), `"ab0c"`},
		{"REPLACE", args(`"abc"`, `"(b)"`, `"$2"`), `"ac"`},
		{"REPLACE", args(`"abc"`, `"b"`, `"\\$"`), `"a$c"`},
		{"REPLACE", args(`"abc"`, `"b"`, `"$"`), "error"},
		{"REPLACE", args(`"abc"`, `"b"`, `"\\x"`), "error"},
		{"REPLACE", args(`"abc"`, `"x*"`, `"y"`), "error"},
		{"REPLACE", args(`"abc"`, `""`, `"y"`), "error"},
		{"REPLACE", args(`"a$c"`, `"$"`, `"\\"`, `"q"`), `"a\\c"`},
		{"REPLACE", args(`"abc"`, `"^a"`, `"x"`), `"xbc"`},
		{"REPLACE", args(`"abca"`, `"a$"`, `"x"`), `"abcx"`},
		{"REPLACE", args(`"aaa"`, `"^a"`, `"x"`), `"xaa"`},
		{"REPLACE", args("1", `"1"`, `"2"`), "error"},
		{"REPLACE", args(`"a"`, `"a"`, "1"), "error"},
	})
}

// Long text is matched through a reader that sees a cancelled context.
func TestRegexOverLongText(t *testing.T) {
	overLongText(t, "e[n]d$", strings.Repeat("lorem ipsum ", 100_000)+"end")
}

// overLongText matches a pattern that a text has at its end, and again with a cancelled context.
func overLongText(t *testing.T, pattern, text string) {
	t.Helper()
	p, _ := regex.Compile(pattern, "")
	ctx, cancel := context.WithCancel(t.Context())
	c := value.NewContext(ctx)
	if !p.Match(c, text) || c.Err() != nil {
		t.Fatalf("no match; %v", c.Err())
	}
	cancel()
	if p.Match(c, text); c.Err() != context.Canceled {
		t.Errorf("after the cancellation: %v", c.Err())
	}
}

// A text that grows beyond the bound ends the query; it is no value error,
// which the query could pass over.
func TestTextTooLong(t *testing.T) {
	thousand := value.OfString(strings.Repeat("x", 1000))
	for name, vs := range map[string][]value.Value{
		"CONCAT":         {thousand, thousand},
		"REPLACE":        {thousand, value.OfString("x"), value.OfString("$0$0")},
		"ENCODE_FOR_URI": {value.OfString(strings.Repeat(" ", 1000))},
	} {
		c := newContext(t)
		c.MaxText = 1999
		f, _ := value.Lookup(name)
		if _, ok := f.Call(c, vs); ok || !errors.Is(c.Err(), value.ErrTextTooLong) {
			t.Errorf("%s: %v, %v", name, ok, c.Err())
		}
		c = newContext(t)
		c.MaxText = 3000
		if _, ok := f.Call(c, vs); !ok || c.Err() != nil {
			t.Errorf("%s within the bound: %v, %v", name, ok, c.Err())
		}
	}
}
