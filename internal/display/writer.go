package display

import (
	"io"
	"unicode/utf8"
)

// writer hands on lines of text with [CleanLines].
type writer struct {
	w    io.Writer
	part []byte // the beginning of a character whose end has not come
}

// Writer returns a writer for a terminal: what is written to it is UTF-8, and of its control
// characters only line feeds and tabs arrive as such. Others arrive spelled, as Turtle and
// SPARQL spell them. A character whose bytes come in two writes arrives with the second.
func Writer(w io.Writer) io.Writer { return &writer{w: w} }

// Write implements [io.Writer].
func (d *writer) Write(p []byte) (int, error) {
	text := p
	if len(d.part) > 0 {
		text = append(d.part, p...)
		d.part = nil
	}
	if n := unfinished(text); n > 0 {
		d.part = append(d.part, text[len(text)-n:]...)
		text = text[:len(text)-n]
	}
	if len(text) == 0 {
		return len(p), nil
	}
	if _, err := io.WriteString(d.w, CleanLines(string(text))); err != nil {
		return 0, err
	}
	return len(p), nil
}

// unfinished returns how many bytes at the end of text begin a character.
func unfinished(text []byte) int {
	for n := 1; n < utf8.UTFMax && n <= len(text); n++ {
		if c := text[len(text)-n]; utf8.RuneStart(c) {
			if c >= utf8.RuneSelf && !utf8.FullRune(text[len(text)-n:]) {
				return n
			}
			return 0
		}
	}
	return 0
}
