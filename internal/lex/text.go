package lex

import (
	"bytes"
	"encoding/binary"
	"unicode/utf8"
)

// String scans the one-line string whose opening quote (either kind) is b[i]
// and returns the index after the closing one. clean tells whether the text
// between double quotes is the canonical spelling already.
func String(b []byte, i int) (end int, clean bool, err *Error) {
	quote := b[i]
	clean = quote == '"'
	i++
	for {
		if quote == '"' {
			i = skipPlain(b, i)
		}
		if i >= len(b) {
			return 0, false, Fault(b, i, "the closing quote of a string")
		}
		switch c := b[i]; {
		case c == quote:
			return i + 1, clean, nil
		case c == '\\':
			n, canonical, err := escape(b, i)
			if err != nil {
				return 0, false, err
			}
			clean = clean && canonical
			i += n
		case c == '\n' || c == '\r':
			return 0, false, Fault(b, i, "the closing quote of a one-line string")
		case c >= utf8.RuneSelf:
			r, n := utf8.DecodeRune(b[i:])
			if r == utf8.RuneError && n <= 1 {
				return 0, false, Fault(b, i, "UTF-8 text in a string")
			}
			i += n
		default: // a raw control character, or anything between single quotes
			clean = false
			i++
		}
	}
}

// LongString scans the string whose opening three quotes begin at b[i].
func LongString(b []byte, i int) (end int, err *Error) {
	quote := b[i]
	for i += 3; i < len(b); {
		switch c := b[i]; {
		case c == quote:
			if i+2 < len(b) && b[i+1] == quote && b[i+2] == quote {
				return i + 3, nil
			}
			i++
		case c == '\\':
			n, _, err := escape(b, i)
			if err != nil {
				return 0, err
			}
			i += n
		case c >= utf8.RuneSelf:
			r, n := utf8.DecodeRune(b[i:])
			if r == utf8.RuneError && n <= 1 {
				return 0, Fault(b, i, "UTF-8 text in a string")
			}
			i += n
		default:
			i++
		}
	}
	return 0, Fault(b, len(b), "the three closing quotes of a long string")
}

// skipPlain skips the bytes of classPlain at b[i:], eight at a time.
func skipPlain(b []byte, i int) int {
	const (
		ones  = 0x0101010101010101
		highs = 0x8080808080808080
	)
	for i+8 <= len(b) {
		w := binary.LittleEndian.Uint64(b[i:])
		quote, slash, del := w^(ones*'"'), w^(ones*'\\'), w^(ones*0x7f)
		// A lane's high bit is set by a byte below 0x20, by a zero of one of
		// the three, or by a byte from 0x80 up. A borrow may set a lane above
		// a real hit, never below: the lowest one is exact.
		hit := ((w-ones*0x20)&^w | (quote-ones)&^quote | (slash-ones)&^slash | (del-ones)&^del | w) & highs
		if hit != 0 {
			break
		}
		i += 8
	}
	for i < len(b) && Class[b[i]]&classPlain != 0 {
		i++
	}
	return i
}

// escape checks the escape at b[i] and returns its length and whether it is
// the canonical spelling of its character.
func escape(b []byte, i int) (n int, canonical bool, err *Error) {
	if i+1 >= len(b) {
		return 0, false, Fault(b, i+1, "the rest of an escape")
	}
	switch b[i+1] {
	case '"', '\\', 'n', 'r', 't', 'b', 'f':
		return 2, true, nil
	case '\'':
		return 2, false, nil
	case 'u', 'U':
		r, n := unicodeEscape(b, i)
		if n == 0 {
			return 0, false, badUnicode(b, i)
		}
		var buf [8]byte
		return n, bytes.Equal(appendRune(buf[:0], r), b[i:i+n]), nil
	}
	return 0, false, Fault(b, i+1, `one of tbnrf"'\uU in an escape`)
}

// badUnicode explains why unicodeEscape refused the escape at b[i].
func badUnicode(b []byte, i int) *Error {
	digits := 4
	if b[i+1] == 'U' {
		digits = 8
	}
	for k := i + 2; k < i+2+digits; k++ {
		if k >= len(b) || Class[b[k]]&ClassHex == 0 {
			return Fault(b, k, "a hexadecimal digit")
		}
	}
	return &Error{Pos: i, Expected: "the escape of a Unicode character (no surrogate)", Found: string(b[i : i+2+digits])}
}

// unicodeEscape decodes \uXXXX or \UXXXXXXXX at b[i]; n is 0 if there is none
// or if it is no character (a surrogate, or above U+10FFFF).
func unicodeEscape(b []byte, i int) (r rune, n int) {
	if i+1 >= len(b) {
		return 0, 0
	}
	switch b[i+1] {
	case 'u':
		n = 6
	case 'U':
		n = 10
	default:
		return 0, 0
	}
	if i+n > len(b) {
		return 0, 0
	}
	var v uint32
	for _, c := range b[i+2 : i+n] {
		if Class[c]&ClassHex == 0 {
			return 0, 0
		}
		d := uint32(c & 15)
		if c > '9' {
			d += 9
		}
		v = v<<4 | d
	}
	if v > utf8.MaxRune || !utf8.ValidRune(rune(v)) {
		return 0, 0
	}
	return rune(v), n
}

// AppendText appends the canonical spelling (docs/file-format.md, "Surfaces") of the text of a
// scanned string, which stands without its quotes.
func AppendText(dst, text []byte) []byte {
	for i := 0; i < len(text); {
		c := text[i]
		if c != '\\' {
			dst = appendByte(dst, c)
			i++
			continue
		}
		var r rune
		r, n := decodeEscape(text, i)
		dst = appendRune(dst, r)
		i += n
	}
	return dst
}

// Unescape appends the characters that an escaped text stands for. What is no
// escape is copied.
func Unescape(dst, text []byte) []byte {
	for {
		i := bytes.IndexByte(text, '\\')
		if i < 0 {
			return append(dst, text...)
		}
		dst = append(dst, text[:i]...)
		r, n := decodeEscape(text, i)
		dst = utf8.AppendRune(dst, r)
		text = text[i+n:]
	}
}

func decodeEscape(b []byte, i int) (rune, int) {
	if i+1 < len(b) {
		switch b[i+1] {
		case 'n':
			return '\n', 2
		case 'r':
			return '\r', 2
		case 't':
			return '\t', 2
		case 'b':
			return '\b', 2
		case 'f':
			return '\f', 2
		case '"', '\\', '\'':
			return rune(b[i+1]), 2
		case 'u', 'U':
			if r, n := unicodeEscape(b, i); n > 0 {
				return r, n
			}
		}
	}
	return '\\', 1
}

// AppendEscaped appends the canonical spelling of plain text. Bytes that are
// not UTF-8 become U+FFFD.
func AppendEscaped(dst []byte, text string) []byte {
	for i := 0; i < len(text); {
		c := text[i]
		if c < utf8.RuneSelf {
			dst = appendByte(dst, c)
			i++
			continue
		}
		r, n := utf8.DecodeRuneInString(text[i:])
		dst = utf8.AppendRune(dst, r)
		i += n
	}
	return dst
}

func appendRune(dst []byte, r rune) []byte {
	if r < utf8.RuneSelf {
		return appendByte(dst, byte(r))
	}
	return utf8.AppendRune(dst, r)
}

func appendByte(dst []byte, c byte) []byte {
	const hex = "0123456789ABCDEF"
	switch c {
	case '"', '\\':
		return append(dst, '\\', c)
	case '\n':
		return append(dst, '\\', 'n')
	case '\r':
		return append(dst, '\\', 'r')
	case '\t':
		return append(dst, '\\', 't')
	case '\b':
		return append(dst, '\\', 'b')
	case '\f':
		return append(dst, '\\', 'f')
	}
	if c < 0x20 || c == 0x7f {
		return append(dst, '\\', 'u', '0', '0', hex[c>>4], hex[c&15])
	}
	return append(dst, c)
}
