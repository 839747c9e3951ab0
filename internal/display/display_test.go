package display_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/rete-go/rete/internal/display"
)

func TestWidth(t *testing.T) {
	for text, want := range map[string]int{
		"": 0, "abc": 3, "é": 1, "e\u0301": 1, "日本": 4, "ｱ": 1, "한글": 4, "👩‍👩‍👧": 2, "🇩🇪": 2, "a\u0308\u0301b": 2, "ก็": 1,
	} {
		if got := display.Width(text); got != want {
			t.Errorf("%q has %d columns, want %d", text, got, want)
		}
	}
}

func TestClean(t *testing.T) {
	for text, want := range map[string]string{
		"plain":              "plain",
		"a\nb\tc\rd":         `a\nb\tc\rd`,
		"\x1b[31mred\x1b[0m": `\u001B[31mred\u001B[0m`,
		"\u009b31m":          `\u009B31m`,
		"\x07\x00\x7f":       `\u0007\u0000\u007F`,
		"abc\u202edcb":       `abc\u202Edcb`,
		"\u2066x\u2069":      `\u2066x\u2069`,
		"\U000E0041":         `\U000E0041`,
		"\xff":               `\uFFFD`,
		"日本 e\u0301 👩\u200d👧 ن\u200cا": "日本 e\u0301 👩\u200d👧 ن\u200cا",
		"a\u00a0b\u3000c":              "a\u00a0b\u3000c",
		"\u2028":                       `\u2028`,
	} {
		if got := display.Clean(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
	if got := display.CleanLines("a\n\tb\x1b\r\n"); got != "a\n\tb\\u001B\\r\n" {
		t.Errorf("%q", got)
	}
}

func TestCut(t *testing.T) {
	for _, c := range []struct {
		text        string
		width       int
		end, middle string
	}{
		{"abc", 3, "abc", "abc"},
		{"abcd", 3, "ab…", "ab…"},
		{"abcdefghij", 7, "abcdef…", "ab…ghij"},
		{"日本語日本語", 5, "日本…", "…本語"},
		{"e\u0301e\u0301e\u0301", 2, "e\u0301…", "e\u0301…"},
		{"abc", 0, "", ""},
		{"abc", 1, "…", "…"},
	} {
		if got := display.Cut(c.text, c.width); got != c.end {
			t.Errorf("%q to %d: %q, want %q", c.text, c.width, got, c.end)
		}
		if got := display.CutMiddle(c.text, c.width); got != c.middle {
			t.Errorf("%q to %d: %q, want %q", c.text, c.width, got, c.middle)
		}
	}
}

// FuzzDisplay: what is shown is valid, has no control characters, and fits.
func FuzzDisplay(f *testing.F) {
	f.Add("\x1b[2J日本\u0301\xff", 5)
	f.Add("👩‍👩‍👧🇩🇪🇩", 3)
	f.Fuzz(func(t *testing.T, text string, width int) {
		width &= 63
		clean := display.Clean(text)
		if display.Clean(clean) != clean {
			t.Errorf("%q is not clean", clean)
		}
		for _, cut := range []string{display.Cut(clean, width), display.CutMiddle(clean, width)} {
			if n := display.Width(cut); n > width || !utf8.ValidString(cut) {
				t.Errorf("%q in %d columns: %q has %d", text, width, cut, n)
			}
		}
		var whole, parts strings.Builder
		w := display.Writer(&parts)
		for i := range len(text) {
			if n, err := w.Write([]byte(text[i : i+1])); n != 1 || err != nil {
				t.Fatal(n, err)
			}
		}
		_, _ = display.Writer(&whole).Write([]byte(text))
		if utf8.ValidString(text) && whole.String() != parts.String() {
			t.Errorf("%q byte by byte: %q, at once %q", text, &parts, &whole)
		}
		for _, r := range whole.String() {
			if r != '\n' && r != '\t' && !display.Drawn(r) {
				t.Errorf("%q lets %U through", text, r)
			}
		}
	})
}
