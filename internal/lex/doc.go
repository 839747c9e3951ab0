// Package lex scans and rewrites the tokens that the N-Triples family, Turtle
// and the surfaces of terms have in common.
//
// Every scanner is a pure function over a byte slice: it takes the index of the
// first byte of a token and returns the index after the last. Nothing is
// copied; a flag says whether the token is spelled canonically, and the Append
// functions rewrite one that is not. An error carries the index of the byte
// that is wrong, so that a caller that reads a stream can tell "the buffer ends
// here" (the index is at or near its end) from a real fault.
package lex

import (
	"fmt"
	"unicode/utf8"
)

// Error says what a scanner expected at index Pos of its input and what it
// found there.
type Error struct {
	Pos      int
	Expected string
	Found    string
}

func (e *Error) Error() string {
	return fmt.Sprintf("index %d: expected %s, found %s", e.Pos, e.Expected, e.Found)
}

// Fault returns an *Error for index i of b.
func Fault(b []byte, i int, expected string) *Error {
	return &Error{Pos: i, Expected: expected, Found: describe(b, i)}
}

// describe names what stands at index i of b, for error messages.
func describe(b []byte, i int) string {
	if i >= len(b) {
		return "the end of the input"
	}
	switch c := b[i]; {
	case c == '\n' || c == '\r':
		return "the end of the line"
	case c == '\t':
		return "a tab"
	case c < 0x20 || c == 0x7f:
		return fmt.Sprintf("the control character U+%04X", c)
	case c < utf8.RuneSelf:
		return fmt.Sprintf("'%c'", c)
	}
	r, n := utf8.DecodeRune(b[i:])
	if r == utf8.RuneError && n <= 1 {
		return fmt.Sprintf("the byte 0x%02X, which is not UTF-8", b[i])
	}
	return fmt.Sprintf("'%c' (U+%04X)", r, r)
}
