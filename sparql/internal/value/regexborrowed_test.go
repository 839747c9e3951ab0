package value_test

import (
	"regexp"
	"strings"
	"testing"

	"github.com/rete-go/rete/sparql/internal/regex"
	"github.com/rete-go/rete/sparql/internal/value"
)

// What XPath lacks and the regular expressions of Java and Rust have.
func TestRegexBorrowed(t *testing.T) {
	for _, c := range []struct{ text, pattern, flags, want string }{
		// Borders of words, in the sense of Unicode.
		{"the cat sat", `\bcat\b`, "", "true"},
		{"concatenate", `\bcat\b`, "", "false"},
		{"concatenate", `\Bcat\B`, "", "true"},
		{"the cat", `\Bcat`, "", "false"},
		{"cat", `^\bcat\b$`, "", "true"},
		{"snake_case", `\bcase`, "", "false"},
		{"a-b", `\bb`, "", "true"},
		{"", `\b`, "", "false"},
		{"", `\B`, "", "true"},
		{"---", `\b`, "", "false"},
		{"café au lait", `café\b`, "", "true"},
		{"cafés", `café\b`, "", "false"},
		{"der Übung", `\bÜbung\b`, "", "true"},
		{"Einübung", `\bübung\b`, "", "false"},
		{"Einübung", `\Bübung\b`, "", "true"},
		{"ÜBUNG", `\bübung\b`, "i", "true"},
		{"Ελλάδα", `\bΕλλάδα\b`, "", "true"},
		{"日本 語", `\b語`, "", "true"},
		{"日本語", `\b語`, "", "false"},
		{"e\u0301t", `e\b`, "", "false"}, // a mark goes on with its word
		{"x٣", `x\b`, "", "false"},
		{"x €", `x\b`, "", "true"},
		{"naïve", `\bna`, "", "true"},
		{"é cat", `\bcat\b`, "", "true"},
		{"écat", `\bcat`, "", "false"},
		{"catégorie", `\b(?:dog|cat)\b`, "", "false"},
		{"a\né", `^\b.$`, "m", "true"},
		{"a", `[\b]`, "", "error"},
		{"a", `\b{start}a`, "", "error"},

		// Flags inside.
		{"ABC", "(?i)b", "", "true"},
		{"ABC", "(?i)^abc$", "", "true"},
		{"ÜBER", "(?i)über", "", "true"},
		{"I", "(?i)ı", "", "true"},
		{"aB", "a(?i)b", "", "true"},
		{"AB", "a(?i)b", "", "false"},
		{"aB", "a(?i:b)", "", "true"},
		{"abC", "a(?i:b)c", "", "false"},
		{"aBc", "(?i)a(?-i)b", "", "false"},
		{"Abc", "(?i)a(?-i)b", "", "true"},
		{"Abc", "(?i:a)bc", "", "true"},
		{"ab", "A(?-i:b)", "i", "true"},
		{"aB", "A(?-i:b)", "i", "false"},
		{"(a)B", "(a(?i)x)b|b", "", "false"}, // up to the end of the group
		{"AXb", "((?i)ax)b", "", "true"},
		{"AXB", "((?i)ax)b", "", "false"},
		{"B", "(?i)[a-c]", "", "true"},
		{"B", "x|(?i)[a-c]", "", "true"},
		{"B", "(?i:[^b])", "", "false"},
		{"a\nb", "(?s)a.b", "", "true"},
		{"a\nb", "(?s:a.)b", "", "true"},
		{"a\nb", "(?-s)a.b", "s", "false"},
		{"a\nb", "(?m)^b$", "", "true"},
		{"a\nb", "(?m:^b)$", "", "true"},
		{"a\nb", "(?-m)^b", "m", "false"},
		{"A\nB", "(?im)^b$", "", "true"},
		{"A\nB", "(?i)(?m)^b$", "", "true"},
		{"A\nB", "(?is-m:a.b)", "m", "true"},
		{"ab", "(?x) a b # both", "", "true"},
		{"ab", "(?x)\na  # one\nb  # two\n", "", "true"},
		{"a b", `(?x) a \  b`, "", "true"},
		{"a#b", `(?x) a \# b`, "", "true"},
		{"a b", `(?x) a [ ] b`, "", "true"},
		{"ab c", `(?x: a b ) c`, "", "true"},
		{"aa", "(?x)a {2}", "", "true"},
		{"A", "(?u)a", "i", "true"},
		{"(?i)a", "(?i)a", "q", "true"},
		{"A", "(?i)a", "q", "false"},
		{"a", "(?g)a", "", "error"},
		{"a", "(?i-)a", "", "error"},
		{"a", "(?--i)a", "", "error"},
		{"a", "(?i", "", "error"},

		// Groups.
		{"abab", "^(?:ab)+$", "", "true"},
		{"abc", "(?:a|(?:b))(?:b|c)", "", "true"},
		{"2024", "(?<year>[0-9]{4})", "", "true"},
		{"2024", "(?P<year>[0-9]{4})", "", "true"},
		{"a", "(?<1>a)", "", "error"},
		{"a", "(?<a", "", "error"},
		{"ab", "a(?#the first)b", "", "true"},
		{"a", "(?#a", "", "error"},

		// Reluctant quantifiers.
		{"aXbX", "^.*?X$", "", "true"},
		{"aaa", "^a+?$", "", "true"},
		{"aaa", "^a{2,}?a$", "", "true"},
		{"ab", "^a??b$", "", "true"},
		{"aaa", "^a{,3}$", "", "true"},
		{"aaaa", "^a{,3}$", "", "false"},
		{"a{,}", "a{,}", "", "true"},
		{"a", "a++", "", "error"},
		{"a", "a*+", "", "error"},
		{"a", "a?+", "", "error"},
		{"a", "a{1}+", "", "error"},

		// Escapes.
		{"a/b", `a\/b`, "", "true"},
		{`say "x"`, `\"x\"`, "", "true"},
		{"a@b", `\w+\@\w+`, "", "true"},
		{"a b", `a\ b`, "", "true"},
		{"a-b", `[\/\-]`, "", "true"},
		{"abc", `\Aab`, "", "true"},
		{"abc", `bc\z`, "", "true"},
		{"x\nabc", `\Aab`, "m", "false"},
		{"a.b*c", `\Qa.b*c\E`, "", "true"},
		{"a.b*c", `\Qa.b*c`, "", "true"},
		{"axb", `\Qa.b\E`, "", "false"},
		{"A.Bx", `\Qa.b\E.`, "i", "true"},
		{"é", `\u00e9`, "", "true"},
		{"é", `\xE9`, "", "true"},
		{"😀", `\x{1F600}`, "", "true"},
		{"c", `[\x61-\u0064]`, "", "true"},
		{"a\fb", `\f`, "", "true"},
		{"Ab", `^\pL+$`, "", "true"},
		{"12", `\PL`, "", "true"},
		{"a", `\xZZ`, "", "error"},
		{"a", `\x{110000}`, "", "error"},
		{"a", `\x{`, "", "error"},
		{"a", `\u12`, "", "error"},
		{"a", `\p`, "", "error"},
		{"a", `a\Z`, "", "error"},
		{"a", `\Ga`, "", "error"},
		{"a", `\y`, "", "error"},
		{"a", `[[:alpha:]]`, "", "error"},

		// What needs backtracking.
		{"a", "(?=a)", "", "error"},
		{"a", "(?!b)a", "", "error"},
		{"a", "(?<=b)a", "", "error"},
		{"a", "(?<!b)a", "", "error"},
		{"a", "(?>a)", "", "error"},
		{"aa", `(a)\1`, "", "error"},
		{"aa", `(?<x>a)\k<x>`, "", "error"},
		{"aa", `(?P<x>a)(?P=x)`, "", "error"},
		{"a", `(a)|(?R)`, "", "error"},
		{"a", `(a)(?1)`, "", "error"},
		{"a", `(?(1)a|b)`, "", "error"},
	} {
		if got := match(t, c.text, c.pattern, c.flags); got != c.want {
			t.Errorf("REGEX(%q, %q, %q) = %s, want %s", c.text, c.pattern, c.flags, got, c.want)
		}
	}
}

func TestReplaceBorrowed(t *testing.T) {
	runCalls(t, []callCase{
		{"REPLACE", args(`"cat concat cat"`, `"\\bcat\\b"`, `"dog"`), `"dog concat dog"`},
		{"REPLACE", args(`"é cat écat cat"`, `"\\bcat\\b"`, `"dog"`), `"é dog écat dog"`},
		{"REPLACE", args(`"élan vital"`, `"\\b(\\w)(\\w*)"`, `"$2$1"`), `"lané italv"`},
		{"REPLACE", args(`"äb äb"`, `"(?:(ä)|(x))b\\b"`, `"[$1$2]"`), `"[ä] [ä]"`},
		{"REPLACE", args(`"ä aab aab"`, `"\\ba+?"`, `"-"`), `"ä -ab -ab"`},
		{"REPLACE", args(`"Abab"`, `"(?i)a"`, `"x"`), `"xbxb"`},
		{"REPLACE", args(`"Abab"`, `"(?i:a)B"`, `"x"`), `"Abab"`},
		{"REPLACE", args(`"2024-05"`, `"(?<y>\\d+)-(?P<m>\\d+)"`, `"$2/$1"`), `"05/2024"`},
		{"REPLACE", args(`"a<b><c>"`, `"<.*?>"`, `"-"`), `"a--"`},
		{"REPLACE", args(`"ab"`, `"\\b"`, `"|"`), "error"}, // as everything that matches the empty string
		{"REPLACE", args(`"ab"`, `"\\bx?"`, `"|"`), "error"},
		{"REPLACE", args(`"ab"`, `"\\B|a"`, `"|"`), "error"},
		{"REPLACE", args(`"ab"`, `"(a)"`, `"\\1"`), "error"},
		{"REPLACE", args(`"ab"`, `"(?<n>a)"`, `"${n}"`), "error"},
	})
}

// The words of Unicode are those of the package regexp where all of a text is ASCII.
func TestWordsLikeRegexp(t *testing.T) {
	text := strings.Repeat("a cat, a_cat concat cats\n-cat- ", 3)
	for _, p := range []string{`\bcat\b`, `\b\w+\b`, `\Bcat`, `(\b\w)(\w*?)\b`, `(c|ca|cat)\b`, `\b(?:a|cat)(s)?`, `(?:\b|_)cat`, `(\w+?)(s|\b)`, `\B.\b`} {
		goPattern := strings.NewReplacer(`\w`, `[0-9A-Za-z]`, ".", "[^\r\n]").Replace(p)
		pattern, reason := regex.Compile(strings.ReplaceAll(p, `\w`, `[0-9A-Za-z]`), "")
		if pattern == nil {
			t.Fatal(p, reason)
		}
		re := regexp.MustCompile(goPattern)
		template := "<${0}|${1}>"
		if re.NumSubexp() == 0 {
			template = "<${0}|>"
		}
		c := value.NewContext(t.Context())
		for _, tail := range []string{"", " §"} { // with which the machine of our own runs too
			got, ok := pattern.Replace(c, text+tail, "<$0|$1>")
			if want := re.ReplaceAllString(text, template) + tail; !ok || got != want {
				t.Errorf("%s: %v\n%s\nwant\n%s", p, ok, got, want)
			}
		}
	}
}

// A long text with words that are not ASCII ends with its context.
func TestWordsOverLongText(t *testing.T) {
	overLongText(t, `\bé(n|x)d\b`, strings.Repeat("lorem ipsum ", 400_000)+"énd")
}

func TestPatternFaults(t *testing.T) {
	str := value.OfString
	for _, c := range []struct {
		pattern, flags value.Value
		want           string
	}{
		{str("a"), str(""), ""},
		{str("(?=a)"), str(""), "look-ahead"},
		{str("(?=a)"), str("q"), ""},
		{str("(?=a)"), value.Value{}, ""}, // which may be q
		{value.Value{}, str("g"), "flags"},
		{value.Value{}, value.Value{}, ""},
		{value.OfInt(1), str(""), "string"},
		{str("a"), value.OfInt(1), "string"},
	} {
		if got := value.CheckRegex(c.pattern, c.flags); got != c.want && (c.want == "" || !strings.Contains(got, c.want)) {
			t.Errorf("%v, %v: %q, want %q", c.pattern, c.flags, got, c.want)
		}
	}
	for _, c := range []struct{ pattern, replacement, flags, want string }{
		{"a", "b", "", ""},
		{"a*", "b", "", "empty"},
		{`\b`, "b", "", "empty"},
		{"(a)", `\1`, "", "replacement"},
		{"(a)", `$x`, "", "replacement"},
		{"a", `\1$`, "q", ""},
		{"(?!a)", "b", "", "look-ahead"},
	} {
		if got := value.CheckReplace(str(c.pattern), str(c.replacement), str(c.flags)); got != c.want && (c.want == "" || !strings.Contains(got, c.want)) {
			t.Errorf("%v: %q", c, got)
		}
	}
	c := newContext(t)
	if _, ok := value.FaultOf(c); ok {
		t.Error("a fault of nothing")
	}
	f, _ := value.Lookup("REGEX")
	f.Call(c.Fork(t.Context()), []value.Value{str("a"), str("(?=a)")})
	f.Call(c, []value.Value{str("a"), str("(?!a)")})
	if fault, ok := value.FaultOf(c); !ok || fault.Pattern != "(?=a)" || !strings.Contains(fault.Reason, "look-ahead") {
		t.Errorf("%v, %v", fault, ok)
	}
}
