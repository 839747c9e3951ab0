package ast

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/width"
)

// SyntaxError says where a text stops being SPARQL and what could have stood
// there instead.
type SyntaxError struct {
	// Line and Column count from 1; a column is a character, not a byte.
	Line, Column int
	// Offset is the byte in the text.
	Offset int
	// Expected is the set of what could have stood there, in a fixed order:
	// signs and keywords as written, and words such as "expression" for
	// larger things. It is empty where a rule was broken, not the grammar.
	Expected []string
	// Found is what stands there: a piece of the text, or "end of text".
	Found string
	// Msg is the whole sentence without the position.
	Msg string
	// Undeclared: it is a prefix that neither the text nor the options declare.
	Undeclared bool
	// Hint says what to do, where that is known. May be empty.
	Hint string
	// Excerpt is the line of the text (cut, if it is long) and, below it, a
	// caret under the place.
	Excerpt string
}

// Error returns the message in one line: "line:column: message; hint".
func (e *SyntaxError) Error() string {
	s := fmt.Sprintf("%d:%d: %s", e.Line, e.Column, e.Msg)
	if e.Hint != "" {
		s += "; " + e.Hint
	}
	return s
}

// excerptWidth is how many columns of a terminal an excerpt takes at most.
const excerptWidth = 76

// Locate fills Line, Column and Excerpt from Offset.
func (e *SyntaxError) Locate(text string) {
	off := min(max(e.Offset, 0), len(text))
	e.Line = 1 + strings.Count(text[:off], "\n")
	start := strings.LastIndexByte(text[:off], '\n') + 1
	line := text[start:]
	if i := strings.IndexByte(line, '\n'); i >= 0 {
		line = line[:i]
	}
	line = strings.TrimSuffix(line, "\r")
	before := text[start:off]
	e.Column = 1 + utf8.RuneCountInString(before)
	e.Excerpt = excerpt(line, before)
}

// excerpt draws line with a caret after before, which line starts with, in at most
// excerptWidth columns.
func excerpt(line, before string) string {
	shown := []rune(Clean(head(line, before)))
	caret := min(utf8.RuneCountInString(before), len(shown)) // its place in shown
	cut, left := 0, columns(shown[:caret])
	for ; left > excerptWidth*3/4; cut++ {
		left -= column(shown[cut])
	}
	mark := ""
	if cut > 0 {
		mark, left = "…", left+1
	}
	shown = shown[cut:]
	if columns(shown) > excerptWidth-len([]rune(mark)) {
		width, end := len([]rune(mark)), 0
		for ; width+column(shown[end]) < excerptWidth; end++ {
			width += column(shown[end])
		}
		shown = append(shown[:end:end], '…')
	}
	return mark + string(shown) + "\n" + strings.Repeat(" ", left) + "^"
}

// columns is how many columns of a terminal a text takes.
func columns(text []rune) (n int) {
	for _, r := range text {
		n += column(r)
	}
	return n
}

// column is how many columns a character takes: two for wide ones of East Asia and
// pictures, none for marks that stand on the previous one.
func column(r rune) int {
	if unicode.In(r, unicode.Mn, unicode.Me, unicode.Cf) {
		return 0
	}
	switch width.LookupRune(r).Kind() {
	case width.EastAsianWide, width.EastAsianFullwidth:
		return 2
	}
	return 1
}

// head cuts line a good way after the place, so that a line of many megabytes
// is not turned into runes whole.
func head(line, before string) string {
	end := min(len(line), len(before)+4*excerptWidth)
	for end < len(line) && !utf8.RuneStart(line[end]) {
		end++
	}
	return line[:end]
}

// Clean replaces what a terminal would act on by one blank a character.
func Clean(s string) string {
	return strings.Map(func(r rune) rune {
		if r < 0x20 || r >= 0x7f && r < 0xa0 || unicode.Is(unicode.Bidi_Control, r) || r == 0x2028 || r == 0x2029 {
			return ' '
		}
		return r
	}, s)
}
