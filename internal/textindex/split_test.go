package textindex_test

import (
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/rete-go/rete/internal/textindex"
)

func tokens(surface string) (list []string) {
	new(textindex.Splitter).Literal([]byte(surface), func(t []byte) { list = append(list, string(t)) })
	return list
}

func TestSplitter(t *testing.T) {
	for _, c := range []struct {
		surface string
		want    string // words
	}{
		{`"Hello, World"`, "hello world"},
		{`"Hello"@en`, "hello"},
		{`"12.5"^^<http://www.w3.org/2001/XMLSchema#decimal>`, "12"},
		{`"2026-12-01"^^<http://www.w3.org/2001/XMLSchema#date>`, "2026 12 01"},
		{`"a b c dd"`, "dd"},
		{`""`, ""},
		{`"x"`, ""},
		{`"snake_case and-dash"`, "snake case and dash"},
		{`"one\ttwo\nthree\"four\\five"`, "one two three four five"},
		{`"caf\u00e9s \U0001F600 ok"`, "cafés ok"}, // as other programs store it
		{`"ÄRGER größe Ⅷ² x²"`, "ärger größe ⅷ² x²"},
		{`"İstanbul"`, "i̇stanbul"},
		{`"ΟΔΟΣ ΣΟΦΟΣ ΣΣ ΑΣ1 1Σ"`, "οδος σοφος σς ας1 1σ"},
		{`"हिन्दी"`, "हिन दी"}, // the vowel signs belong to words, the virama does not
		{`"日本語テキスト"`, "日本語テキスト"},
		{`"ⒶⒷ"`, "ⓐⓑ"},
		{"\"bad \xff\xfe bytes\"", "bad bytes"},
		{`<http://example.org/word>`, ""},
		{`_:label`, ""},
		{`"unfinished`, ""},
		{`"unfinished \u00`, ""},
		{`"`, ""},
		{``, ""},
	} {
		if got := strings.Join(tokens(c.surface), " "); got != c.want {
			t.Errorf("%s: %q, want %q", c.surface, got, c.want)
		}
	}
}

// naive is the rule, a character at a time, for text without a sigma.
func naive(text string) []string {
	is := func(c rune) bool {
		return unicode.In(c, unicode.L, unicode.N, unicode.Other_Alphabetic, unicode.Other_Uppercase, unicode.Other_Lowercase)
	}
	var out []string
	for _, piece := range strings.FieldsFunc(text, func(c rune) bool { return !is(c) }) {
		if len([]rune(piece)) > 1 {
			out = append(out, strings.ReplaceAll(strings.ToLower(strings.ReplaceAll(piece, "İ", "\x00")), "\x00", "i\u0307"))
		}
	}
	return out
}

// TestBytes has each byte at each place of a text that is cut by words of eight bytes.
func TestBytes(t *testing.T) {
	for c := range 256 {
		for at := range 18 {
			text := []byte("Aa0zZ9abcdefghijkl")
			text[at] = byte(c)
			for _, text := range []string{string(text), string(text) + "\u00c4-xyz and more"} {
				var got []string
				new(textindex.Splitter).Text([]byte(text), func(b []byte) { got = append(got, string(b)) })
				if want := naive(text); c != 0 && !slices.Equal(got, want) {
					t.Errorf("%q: %q, want %q", text, got, want)
				}
			}
		}
	}
}

func FuzzSplit(f *testing.F) {
	for _, s := range []string{"Hello World", "a-b", "Äpfel İ", "x\xffyz", "१२३ abc"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		tokens(text) // as a surface, whatever it is
		if strings.ContainsAny(text, "Σ\x00") {
			return
		}
		var got []string
		new(textindex.Splitter).Text([]byte(text), func(b []byte) { got = append(got, string(b)) })
		if want := naive(text); !slices.Equal(got, want) {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	})
}
