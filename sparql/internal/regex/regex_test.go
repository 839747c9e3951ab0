package regex_test

import (
	"context"
	"strings"
	"testing"

	"github.com/rete-go/rete/sparql/internal/regex"
	"github.com/rete-go/rete/sparql/internal/value"
)

func TestPatternReasons(t *testing.T) {
	for pattern, want := range map[string]string{
		`(a)\1`:                    "back-references",
		`(?=a)`:                    "look-ahead",
		`\p{IsAtlantis}`:           "unknown character property",
		`[b-a]`:                    "wrong range",
		`a{1,2000}`:                "invalid repeat count",
		`(\p{L}x){1000}`:           "too large",
		"[a-z-[b]c]":               "subtraction",
		strings.Repeat("a", 1<<17): "too long",
	} {
		if _, reason := regex.Compile(pattern, ""); !strings.Contains(reason, want) {
			t.Errorf("%.40q: %q", pattern, reason)
		}
	}
}

func TestPatternLiteral(t *testing.T) {
	for _, c := range []struct {
		pattern, flags, needle string
		whole, ok              bool
	}{
		{"item1", "", "item1", true, true},
		{`a\.b`, "", "a.b", true, true},
		{"^item", "", "item", false, true},
		{"item$", "", "item", false, true},
		{"item.", "", "", true, false},
		{"item", "i", "item", true, false},
		{"a+", "", "", true, false},
		{"a$b", "", "", true, false},
		{"^a", "m", "", true, false},
	} {
		p, reason := regex.Compile(c.pattern, c.flags)
		if reason != "" {
			t.Fatalf("%s: %s", c.pattern, reason)
		}
		needle, whole, ok := regex.LiteralOf(p)
		if ok != c.ok || ok && (needle != c.needle || whole != c.whole) {
			t.Errorf("%q, %q: %q, %v, %v", c.pattern, c.flags, needle, whole, ok)
		}
	}
}

func FuzzPattern(f *testing.F) {
	for _, s := range []string{"a", `\p{L}`, "[a-z-[aeiou]]", "^a.b$", `\b(?i:é)\B`, `(?:a|b){2,3}?`, `\i\c*`, `[\d\-x]`} {
		f.Add(s, "i", "aB1")
	}
	f.Fuzz(func(t *testing.T, pattern, flags, text string) {
		p, reason := regex.Compile(pattern, flags)
		if (p == nil) != (reason != "") {
			t.Fatalf("%q: %v, %q", pattern, p, reason)
		}
		if p == nil {
			return
		}
		c := value.NewContext(context.Background())
		matched := p.Match(c, text)
		if needle, whole, ok := regex.LiteralOf(p); ok && whole && matched != strings.Contains(text, needle) {
			t.Fatalf("%q is the literal %q, but matched %v", pattern, needle, matched)
		}
		p.Replace(c, text, "<$0>")
	})
}

// The reason shows nothing that the pattern does not have.
func TestReasonsShowNoTranslation(t *testing.T) {
	for pattern, want := range map[string]string{
		`(a`: "missing closing )", `a)`: "unexpected )", `(?i)\w(`: "missing closing )", `((\d)`: "missing closing )",
		`a**`: "invalid nested repetition operator: `**`", `+`: "missing argument to repetition operator: `+`",
	} {
		if _, reason := regex.Compile(pattern, ""); reason != want {
			t.Errorf("%s: %q, want %q", pattern, reason, want)
		}
	}
}
