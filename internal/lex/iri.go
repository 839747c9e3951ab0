package lex

import "unicode/utf8"

// IRI scans the IRI reference whose '<' is b[i] and returns the index after
// its '>'. escaped tells whether it holds \u escapes, which [AppendIRI]
// resolves. Characters that the grammar forbids, also when they are escaped,
// and bytes that are not UTF-8 are errors.
func IRI(b []byte, i int) (end int, escaped bool, err *Error) {
	start := i
	i++
	for i < len(b) && Class[b[i]]&ClassIRI != 0 {
		i++
	}
	for i < len(b) {
		c := b[i]
		switch {
		case Class[c]&ClassIRI != 0:
			i++
		case c == '>':
			return i + 1, escaped, nil
		case c >= utf8.RuneSelf:
			r, n := utf8.DecodeRune(b[i:])
			if r == utf8.RuneError && n <= 1 {
				return 0, false, Fault(b, i, "UTF-8 text in an IRI")
			}
			i += n
		case c == '\\':
			r, n := unicodeEscape(b, i)
			if n == 0 {
				return 0, false, Fault(b, i, "an IRI character or an escape \\uXXXX or \\UXXXXXXXX of one")
			}
			if r < utf8.RuneSelf && Class[r]&ClassIRI == 0 {
				return 0, false, &Error{Pos: i, Expected: "a character that IRIs allow", Found: "the escape " + string(b[i:i+n])}
			}
			escaped = true
			i += n
		default:
			return 0, false, Fault(b, i, "an IRI character or '>'")
		}
	}
	return 0, false, &Error{Pos: i, Expected: "'>' at the end of the IRI " + clip(b[start:i]), Found: "the end of the input"}
}

// AppendIRI appends the text between the brackets of a scanned IRI reference,
// escapes resolved.
func AppendIRI(dst, text []byte) []byte {
	for i := 0; i < len(text); {
		if text[i] == '\\' {
			if r, n := unicodeEscape(text, i); n > 0 {
				dst = utf8.AppendRune(dst, r)
				i += n
				continue
			}
		}
		dst = append(dst, text[i])
		i++
	}
	return dst
}

// LenientIRI is [IRI] for lenient readers: everything up to the next '>' of
// the line is taken if it is UTF-8. [AppendLenientIRI] makes an IRI of it.
func LenientIRI(b []byte, i int) (end int, err *Error) {
	for i++; i < len(b); {
		c := b[i]
		switch {
		case c == '>':
			return i + 1, nil
		case c == '\n' || c == '\r':
			return 0, Fault(b, i, "'>' at the end of an IRI")
		case c >= utf8.RuneSelf:
			r, n := utf8.DecodeRune(b[i:])
			if r == utf8.RuneError && n <= 1 {
				return 0, Fault(b, i, "UTF-8 text in an IRI")
			}
			i += n
		default:
			i++
		}
	}
	return 0, Fault(b, i, "'>' at the end of an IRI")
}

// AppendLenientIRI appends text with escapes resolved and every character that
// an IRI may not hold percent-encoded.
func AppendLenientIRI(dst, text []byte) []byte {
	const hex = "0123456789ABCDEF"
	put := func(c byte) {
		if c < utf8.RuneSelf && Class[c]&ClassIRI == 0 {
			dst = append(dst, '%', hex[c>>4], hex[c&15])
			return
		}
		dst = append(dst, c)
	}
	for i := 0; i < len(text); {
		if text[i] == '\\' {
			if r, n := unicodeEscape(text, i); n > 0 {
				if r < utf8.RuneSelf {
					put(byte(r))
				} else {
					dst = utf8.AppendRune(dst, r)
				}
				i += n
				continue
			}
		}
		put(text[i])
		i++
	}
	return dst
}

// HasScheme reports whether text begins with an RFC 3986 scheme and a colon:
// whether it is an absolute IRI rather than a relative reference.
func HasScheme[T ~string | ~[]byte](text T) bool {
	if len(text) == 0 || Class[text[0]]&ClassAlpha == 0 {
		return false
	}
	for i := 1; i < len(text); i++ {
		c := text[i]
		if c == ':' {
			return true
		}
		if Class[c]&(ClassAlpha|ClassDigit) == 0 && c != '+' && c != '-' && c != '.' {
			return false
		}
	}
	return false
}

// clip shortens a token for an error message.
func clip(b []byte) string {
	const most = 40
	if len(b) <= most {
		return string(b)
	}
	n := most
	for n > 0 && !utf8.RuneStart(b[n]) {
		n--
	}
	return string(b[:n]) + "…"
}
