package parse

import (
	"strconv"
	"unicode/utf8"

	"github.com/rete-go/rete/sparql/internal/ast"
)

// escapeLen returns the length of the escape that s begins with, or why it is
// none.
func escapeLen(s string) (n int, problem string) {
	if len(s) < 2 {
		return 0, "the text ends in an escape"
	}
	switch s[1] {
	case 't', 'b', 'n', 'r', 'f', '"', '\'', '\\':
		return 2, ""
	case 'u':
		return codepoint(s, 6)
	case 'U':
		return codepoint(s, 10)
	}
	_, w := utf8.DecodeRuneInString(s[1:])
	return 0, quote(s[:1+w]) + " is no escape"
}

// codepoint checks \uXXXX (n = 6) or \UXXXXXXXX (n = 10).
func codepoint(s string, n int) (int, string) {
	if len(s) < n {
		return 0, "the escape is too short"
	}
	for i := 2; i < n; i++ {
		if !is(s[i], cHex) {
			return 0, "the escape is too short"
		}
	}
	if r := decodePoint(s[2:n]); !utf8.ValidRune(r) {
		return 0, quote(s[:n]) + " is no character"
	}
	return n, ""
}

// decodePoint returns the number that hexadecimal digits spell; -1 if it is no
// rune.
func decodePoint(hex string) rune {
	v, err := strconv.ParseUint(hex, 16, 32)
	if err != nil || v > utf8.MaxRune {
		return -1
	}
	return rune(v)
}

// checkIRIEscapes looks at the escapes in the inside of an IRI. It returns the
// place and the fault of the first bad one.
func checkIRIEscapes(s string) (at int, problem string) {
	for i := 0; i < len(s); i++ {
		if s[i] != '\\' {
			continue
		}
		if i+1 >= len(s) || s[i+1] != 'u' && s[i+1] != 'U' {
			return i, "a backslash in an IRI is no escape"
		}
		n, problem := escapeLen(s[i:])
		if problem != "" {
			return i, problem
		}
		if r := decodePoint(s[i+2 : i+n]); r < utf8.RuneSelf && !is(byte(r), cIRI) {
			return i, quote(s[i:i+n]) + " is a character that IRIs forbid"
		}
		i += n - 1
	}
	return 0, ""
}

// unescape resolves the escapes of a string or an IRI, which have been checked.
func unescape(s string) string {
	b := make([]byte, 0, len(s))
	for i := 0; i < len(s); i++ {
		c := s[i]
		if c != '\\' {
			b = append(b, c)
			continue
		}
		i++
		switch s[i] {
		case 't':
			b = append(b, '\t')
		case 'b':
			b = append(b, '\b')
		case 'n':
			b = append(b, '\n')
		case 'r':
			b = append(b, '\r')
		case 'f':
			b = append(b, '\f')
		case 'u':
			b = utf8.AppendRune(b, decodePoint(s[i+1:i+5]))
			i += 4
		case 'U':
			b = utf8.AppendRune(b, decodePoint(s[i+1:i+9]))
			i += 8
		default:
			b = append(b, s[i])
		}
	}
	return string(b)
}

// unescapeLocal drops the backslashes of a local name.
func unescapeLocal(s string) string {
	b := make([]byte, 0, len(s))
	for i := 0; i < len(s); i++ {
		if s[i] == '\\' && i+1 < len(s) {
			i++
		}
		b = append(b, s[i])
	}
	return string(b)
}

// quote puts a piece of the text into a message.
func quote(s string) string {
	return `"` + ast.Clean(s) + `"`
}
