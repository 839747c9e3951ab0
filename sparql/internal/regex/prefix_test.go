package regex_test

import (
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/rete-go/rete/sparql/internal/regex"
	"github.com/rete-go/rete/sparql/internal/value"
)

func TestPatternPrefixes(t *testing.T) {
	for _, c := range []struct {
		text, flags string
		want        []string
		whole       bool
		needle      string
	}{
		{"^ab", "", []string{"ab"}, true, "ab"},
		{"^ab$", "", []string{"ab"}, false, "ab"},
		{"ab", "", nil, false, "ab"},
		{"^ab", "m", nil, false, "ab"},
		{"^ab", "q", nil, false, "^ab"},
		{"^a.*e", "i", []string{"A", "a"}, false, ""},
		{"^a.*le.*e", "", []string{"a"}, false, "le"},
		{"^k", "i", []string{"K", "k", "\u212a"}, false, ""}, // also the Kelvin sign
		{"^ab*c", "", []string{"a"}, false, "a"},
		{"^ab?c", "", []string{"a"}, false, "a"},
		{"^(ab|ac)d", "", []string{"abd", "acd"}, false, "a"},
		{"^ab|cd", "", nil, false, ""},
		{"^ab|^ac", "", nil, false, ""},
		{"^[abc]x", "", []string{"ax", "bx", "cx"}, false, "x"},
		{"^[^a]x", "", nil, false, "x"},
		{"^", "", nil, false, ""},
		{"^.a", "", nil, false, "a"},
		{"(^a)b", "", []string{"ab"}, false, "b"},
		{"^a{2,3}b", "", []string{"aa"}, false, "a"},
		{`^\.a`, "", []string{".a"}, true, ".a"},
		{`1-2x`, "i", nil, false, "1-2"},
	} {
		p, reason := regex.Compile(c.text, c.flags)
		if p == nil {
			t.Fatalf("%s: %s", c.text, reason)
		}
		got, whole := p.Prefixes()
		if !slices.Equal(got, c.want) || whole != c.whole {
			t.Errorf("Prefixes of %q with %q: %q, %v, want %q, %v", c.text, c.flags, got, whole, c.want, c.whole)
		}
		if n := p.Needle(); n != c.needle && !strings.Contains(c.text, n) || len(n) < len(c.needle) {
			t.Errorf("Needle of %q with %q: %q, want %q", c.text, c.flags, n, c.needle)
		}
	}
}

// FuzzPatternPrefixes checks that no match lacks its prefix or its needle.
func FuzzPatternPrefixes(f *testing.F) {
	f.Add("^a(b|c)*", "i", "ABC")
	f.Add("^(a|ab)(c|bcd)$", "", "abcd")
	f.Add("^[k]x+y", "i", "\u212axy")
	f.Fuzz(func(t *testing.T, text, flags, s string) {
		p, _ := regex.Compile(text, flags)
		if p == nil || !utf8.ValidString(s) {
			return // no literal has such a text
		}
		list, whole := p.Prefixes()
		begins := slices.ContainsFunc(list, func(b string) bool { return strings.HasPrefix(s, b) })
		match := p.Match(value.NewContext(t.Context()), s)
		if match && list != nil && !begins || match && !strings.Contains(s, p.Needle()) {
			t.Errorf("%q matches %q with %q: prefixes %q, needle %q", s, text, flags, list, p.Needle())
		}
		if whole && begins && !match {
			t.Errorf("%q does not match %q with %q, but begins with one of %q", s, text, flags, list)
		}
	})
}
