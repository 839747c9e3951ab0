package lex_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/rete-go/rete/internal/lex"
	"pgregory.net/rapid"
)

// Strings are scanned eight bytes at a time; the result is that of a scan byte
// by byte, wherever the string lies.
func TestStringAgainstPlainScan(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		piece := rapid.SampledFrom([]string{"a", "abcdefgh", "\"", "\\\"", "\\n", "\\u00e9", "\\u000A", "é", "\x7f", "\x1f", "\n", "\xff", "'", "!", " ", "\x80", "~"})
		body := strings.Join(rapid.SliceOfN(piece, 0, 12).Draw(t, "pieces"), "")
		text := []byte(strings.Repeat("x", rapid.IntRange(0, 9).Draw(t, "offset")) + `"` + body + `"` + strings.Repeat("y", rapid.IntRange(0, 9).Draw(t, "tail")))
		start := strings.IndexByte(string(text), '"')
		end, clean, err := lex.String(text, start)

		wantEnd, wantClean := plainScan(text, start)
		if (err != nil) != (wantEnd == 0) || err == nil && (end != wantEnd || clean != wantClean) {
			t.Fatalf("%q: end %d, clean %v, error %v; want %d, %v", text, end, clean, err, wantEnd, wantClean)
		}
		if err == nil {
			canonical := lex.AppendText(nil, text[start+1:end-1])
			if (string(canonical) == string(text[start+1:end-1])) != clean {
				t.Fatalf("%q: clean %v, but the canonical text is %q", text, clean, canonical)
			}
			plain := lex.Unescape(nil, canonical)
			if again := lex.AppendEscaped(nil, string(plain)); string(again) != string(canonical) {
				t.Fatalf("%q: %q, then %q", text, canonical, again)
			}
		}
	})
}

func plainScan(b []byte, i int) (end int, clean bool) {
	clean = true
	for i++; i < len(b); {
		switch c := b[i]; {
		case c == '"':
			return i + 1, clean
		case c == '\\' && b[i+1] == 'u':
			clean = false // none of the pieces is the canonical one
			i += 6
		case c == '\\':
			i += 2
		case c == '\n':
			return 0, false
		case c < 0x20 || c == 0x7f:
			clean = false
			i++
		default:
			r, n := utf8.DecodeRune(b[i:])
			if r == utf8.RuneError && n == 1 {
				return 0, false
			}
			i += n
		}
	}
	return 0, false
}

// A position moves over a text as a whole as it does over any cut of it.
func TestPosition(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := []byte(strings.Join(rapid.SliceOfN(rapid.SampledFrom([]string{"a", "é", "\r", "\n", "\r\n"}), 0, 20).Draw(t, "text"), ""))
		whole, pieces := lex.Start, lex.Start
		whole.Advance(text)
		for rest := text; len(rest) > 0; {
			n := rapid.IntRange(1, len(rest)).Draw(t, "cut")
			for n < len(rest) && !utf8.RuneStart(rest[n]) {
				n++
			}
			pieces.Advance(rest[:n])
			rest = rest[n:]
		}
		if whole != pieces {
			t.Fatalf("%q: %v, in pieces %v", text, whole, pieces)
		}
		line, column := 1, 1
		for i, r := range string(text) {
			switch {
			case r == '\n' && i > 0 && text[i-1] == '\r':
			case r == '\n' || r == '\r':
				line, column = line+1, 1
			default:
				column++
			}
		}
		if whole.Line != line || whole.Column != column || whole.Offset != int64(len(text)) {
			t.Fatalf("%q: %v, want line %d, column %d", text, whole, line, column)
		}
	})
}
