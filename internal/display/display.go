// Package display makes text fit for a terminal: it measures what columns a text takes, cuts
// it to a number of columns, and spells the characters that would move the cursor, change
// colors or reorder a line.
package display

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/rivo/uniseg"
)

// ellipsis stands in the place of what was cut off. It takes one column.
const ellipsis = "…"

// Width returns how many columns a clean text takes: none for combining characters, two for
// wide ones, and one or two for what is drawn as one from several code points.
func Width(text string) int {
	for i := 0; i < len(text); i++ {
		if text[i] >= utf8.RuneSelf {
			return uniseg.StringWidth(text)
		}
	}
	return len(text)
}

// Clean returns text with each character that a terminal does not draw spelled: \n, \r and
// \t so, others as \u001B. So are invalid bytes (\uFFFD) and marks that reorder the line.
// Spaces, combining characters and the joiners of scripts and emoji stay.
func Clean(text string) string {
	for i := 0; i < len(text); i++ {
		if c := text[i]; c < ' ' || c >= 0x7f {
			return clean(text, i, false)
		}
	}
	return text
}

// CleanLines is [Clean] of a text of lines: line feeds and tabs stay.
func CleanLines(text string) string { return clean(text, 0, true) }

// clean is Clean of a text whose first bytes are drawn.
func clean(text string, from int, lines bool) string {
	var b strings.Builder
	b.WriteString(text[:from])
	for _, r := range text[from:] {
		switch {
		case lines && (r == '\n' || r == '\t'), Drawn(r):
			b.WriteRune(r)
		case r == '\n':
			b.WriteString(`\n`)
		case r == '\r':
			b.WriteString(`\r`)
		case r == '\t':
			b.WriteString(`\t`)
		default:
			spell(&b, r)
		}
	}
	return b.String()
}

// Drawn reports whether a terminal draws r, and does nothing else with it.
func Drawn(r rune) bool {
	const nonJoiner, joiner = '\u200c', '\u200d'
	return r == nonJoiner || r == joiner || unicode.IsGraphic(r) && r != utf8.RuneError
}

// spell writes r as the escape of Turtle and SPARQL.
func spell(b *strings.Builder, r rune) {
	if r > 0xffff {
		fmt.Fprintf(b, `\U%08X`, r)
		return
	}
	fmt.Fprintf(b, `\u%04X`, r)
}
