package lex

import (
	"bytes"
	"unicode/utf8"
)

// Position is a place in a text. LF, CR and CRLF end lines.
type Position struct {
	Line   int   // from 1
	Column int   // from 1, in characters
	Offset int64 // from 0, in bytes
	cr     bool  // the last byte was CR: an LF that follows ends no line
}

// Start is the position of the first byte of a text.
var Start = Position{Line: 1, Column: 1}

// Advance moves p over text.
func (p *Position) Advance(text []byte) {
	p.Offset += int64(len(text))
	if p.cr && len(text) > 0 {
		p.cr = false
		if text[0] == '\n' {
			text = text[1:]
		}
	}
	lines, last := countLines(text)
	if lines > 0 {
		p.Line += lines
		p.Column = 1
		p.cr = text[len(text)-1] == '\r'
		text = text[last:]
	}
	p.Column += utf8.RuneCount(text)
}

// CountLines returns how many line ends text has.
func CountLines(text []byte) int {
	n, _ := countLines(text)
	return n
}

// countLines also returns the index after the last line end.
func countLines(text []byte) (n, last int) {
	if bytes.IndexByte(text, '\r') < 0 {
		return bytes.Count(text, []byte{'\n'}), bytes.LastIndexByte(text, '\n') + 1
	}
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '\r':
			if i+1 < len(text) && text[i+1] == '\n' {
				i++
			}
			n, last = n+1, i+1
		case '\n':
			n, last = n+1, i+1
		}
	}
	return n, last
}
