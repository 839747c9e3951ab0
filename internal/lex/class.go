package lex

import "unicode/utf8"

// Classes of ASCII bytes.
const (
	ClassIRI   = 1 << iota // may stand in an IRI reference as it is
	classPlain             // may stand in a canonical literal as it is
	ClassName              // PN_CHARS: in a label or a local name, not first
	classFirst             // PN_CHARS_U or a digit: first in a blank node label
	ClassAlpha
	ClassDigit
	ClassHex
	classSpace // blank or tab
)

// Class holds the classes of every byte; bytes from 0x80 up have none.
var Class = classes()

func classes() (t [256]uint8) {
	for c := range 0x80 {
		b := byte(c)
		digit := b >= '0' && b <= '9'
		alpha := b >= 'a' && b <= 'z' || b >= 'A' && b <= 'Z'
		if c > 0x20 && c != 0x7f {
			t[c] |= ClassIRI
		}
		if c >= 0x20 && c != 0x7f && c != '"' && c != '\\' {
			t[c] |= classPlain
		}
		if alpha {
			t[c] |= ClassAlpha
		}
		if digit {
			t[c] |= ClassDigit
		}
		if alpha || digit || b == '_' {
			t[c] |= classFirst
		}
		if alpha || digit || b == '_' || b == '-' {
			t[c] |= ClassName
		}
		if digit || b >= 'a' && b <= 'f' || b >= 'A' && b <= 'F' {
			t[c] |= ClassHex
		}
	}
	t[' '] |= classSpace
	t['\t'] |= classSpace
	for _, c := range []byte("<>\"{}|^`\\") {
		t[c] &^= ClassIRI
	}
	t[0x7f] |= ClassIRI // the grammar excludes U+0000 to U+0020 only
	return t
}

// isNameBase reports whether r, not ASCII, is in PN_CHARS_BASE of the Turtle
// grammar.
func isNameBase(r rune) bool {
	switch {
	case r < 0xC0:
		return false
	case r <= 0x2FF:
		return r != 0xD7 && r != 0xF7
	case r <= 0x37D:
		return r >= 0x370
	case r <= 0x1FFF:
		return r != 0x37E
	case r <= 0x200D:
		return r >= 0x200C
	case r <= 0x218F:
		return r >= 0x2070
	case r <= 0x2FEF:
		return r >= 0x2C00
	case r <= 0xD7FF:
		return r >= 0x3001
	case r <= 0xFDCF:
		return r >= 0xF900
	case r <= 0xFFFD:
		return r >= 0xFDF0
	}
	return r >= 0x10000 && r <= 0xEFFFF
}

// isName reports whether r, not ASCII, is in PN_CHARS of the Turtle grammar.
func isName(r rune) bool {
	return isNameBase(r) || r == 0xB7 || r >= 0x300 && r <= 0x36F || r == 0x203F || r == 0x2040
}

// NameRune returns the length of the PN_CHARS character at b[i], 0 if there is
// none. first restricts it to PN_CHARS_U and digits.
func NameRune(b []byte, i int, first bool) int {
	if i >= len(b) {
		return 0
	}
	if c := b[i]; c < utf8.RuneSelf {
		class := uint8(ClassName)
		if first {
			class = classFirst
		}
		if Class[c]&class != 0 {
			return 1
		}
		return 0
	}
	r, n := utf8.DecodeRune(b[i:])
	if r == utf8.RuneError && n <= 1 {
		return 0
	}
	if first && isNameBase(r) || !first && isName(r) {
		return n
	}
	return 0
}
