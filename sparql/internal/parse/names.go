package parse

import (
	"strings"
	"unicode/utf8"
)

// isNameStart reports whether r is in PN_CHARS_BASE and is not ASCII.
func isNameStart(r rune) bool {
	switch {
	case r < 0xC0 || r == 0xD7 || r == 0xF7:
		return false
	case r <= 0x2FF, r >= 0x370 && r <= 0x1FFF && r != 0x37E,
		r == 0x200C, r == 0x200D, r >= 0x2070 && r <= 0x218F,
		r >= 0x2C00 && r <= 0x2FEF, r >= 0x3001 && r <= 0xD7FF,
		r >= 0xF900 && r <= 0xFDCF, r >= 0xFDF0 && r <= 0xFFFD,
		r >= 0x10000 && r <= 0xEFFFF:
		return true
	}
	return false
}

// isNameInner reports whether r, which is not ASCII, is in PN_CHARS but not in
// PN_CHARS_BASE.
func isNameInner(r rune) bool {
	return r == 0xB7 || r >= 0x300 && r <= 0x36F || r == 0x203F || r == 0x2040
}

// nameChars returns the end of the run of PN_CHARS and of the bytes in extra
// at i.
func (l *lexer) nameChars(i int, extra string) int {
	text := l.text
	for i < len(text) {
		c := text[i]
		if is(c, cLocal) || strings.IndexByte(extra, c) >= 0 {
			i++
			continue
		}
		if c < utf8.RuneSelf {
			break
		}
		r, n := utf8.DecodeRuneInString(text[i:])
		if !isNameStart(r) && !isNameInner(r) {
			break
		}
		i += n
	}
	return i
}

// trimDots gives dots at the end back: they end a triple, not a name.
func (l *lexer) trimDots(start, end int) int {
	for end > start && l.text[end-1] == '.' {
		end--
	}
	return end
}

// word reads what begins with a letter: a prefixed name, if a colon follows
// the prefix, else a keyword or an unknown word.
func (l *lexer) word(i int) token {
	if i < l.joined {
		return l.keyword(i, l.joined)
	}
	text := l.text
	j := i
	for j < len(text) && is(text[j], cLetter|cDigit) {
		j++
	}
	if j == len(text) || text[j] != ':' && !is(text[j], cLocal) && text[j] != '.' && text[j] < utf8.RuneSelf {
		return l.keyword(i, j)
	}
	if r, _ := utf8.DecodeRuneInString(text[i:]); r >= utf8.RuneSelf && !isNameStart(r) {
		return l.stray(i)
	}
	if end := l.nameChars(j, "."); l.at(end) == ':' && text[end-1] != '.' {
		return l.local(i, end)
	}
	for j < len(text) && (is(text[j], cLetter|cDigit) || text[j] == '_') {
		j++
	}
	if j == i {
		return l.make(kWord, i, l.trimDots(i, l.nameChars(i, ".")))
	}
	return l.keyword(i, j)
}

// keyword returns the token of the word text[i:j], or of its beginning: a keyword needs no
// blank after it, so that FILTERsameTerm( is two, the first as long as can be. A word that is
// not made of keywords and numbers alone stays whole, for the sake of the message.
func (l *lexer) keyword(i, j int) token {
	k, n := l.longest(i, j)
	if n < j-i {
		if n == 0 || i >= l.joined && !l.joins(i+n, j) {
			return l.make(kWord, i, j)
		}
		l.joined = j
	}
	t := l.make(k.kind, i, i+n)
	t.val = k.val
	return t
}

// longest returns the longest keyword that text[i:j] begins with, and its length, 0 if there is
// none.
func (l *lexer) longest(i, j int) (keyword, int) {
	var buf [maxKeyword]byte
	n := min(j-i, maxKeyword)
	for at := range n {
		c := l.text[i+at]
		if 'A' <= c && c <= 'Z' {
			c += 'a' - 'A'
		}
		buf[at] = c
	}
	for ; n > 0; n-- {
		if k, ok := keywords[string(buf[:n])]; ok {
			return k, n
		}
	}
	if i < j && l.text[i] == 'a' { // which has no capitals
		return keyword{kind: kA}, 1
	}
	return keyword{}, 0
}

// joins reports whether text[i:j] consists of keywords and numbers.
func (l *lexer) joins(i, j int) bool {
	for i < j {
		if is(l.text[i], cDigit) {
			i = int(l.number(i).end)
			continue
		}
		_, n := l.longest(i, j)
		if n == 0 {
			return false
		}
		i += n
	}
	return true
}

// local reads the local part of a prefixed name whose prefix is text[i:colon].
func (l *lexer) local(i, colon int) token {
	text := l.text
	j, escaped := colon+1, false
	for j < len(text) {
		c := text[j]
		switch {
		case is(c, cLocal) || c == ':' || c == '.':
			if (c == '-' || c == '.') && j == colon+1 {
				return l.make(kPName, i, j)
			}
			j++
		case c == '\\':
			if !isLocalEscape(l.at(j + 1)) {
				if j+1 < len(text) && (text[j+1] == 'u' || text[j+1] == 'U') {
					return l.fail(j, `\`, "a prefixed name has no \\u escapes", "write the character, or the whole IRI in <>")
				}
				return l.fail(j, `\`, "this character cannot be escaped in a prefixed name", "")
			}
			escaped = true
			j += 2
		case c == '%':
			if !is(l.at(j+1), cHex) || !is(l.at(j+2), cHex) {
				return l.fail(j, "%", `"%" needs two hexadecimal digits in a prefixed name`, `a percent sign alone is written \%`)
			}
			j += 3
		case c < utf8.RuneSelf:
			return l.name(i, colon, j, escaped)
		default:
			r, n := utf8.DecodeRuneInString(text[j:])
			if !isNameStart(r) && (j == colon+1 || !isNameInner(r)) {
				return l.name(i, colon, j, escaped)
			}
			j += n
		}
	}
	return l.name(i, colon, j, escaped)
}

func (l *lexer) name(i, colon, j int, escaped bool) token {
	for j > colon+1 && l.text[j-1] == '.' && l.text[j-2] != '\\' {
		j--
	}
	t := l.make(kPName, i, j)
	t.escaped = escaped
	return t
}

func isLocalEscape(c byte) bool {
	return c != 0 && strings.IndexByte("_~.-!$&'()*+,;=/?#@%", c) >= 0
}

// blankLabel reads _:label.
func (l *lexer) blankLabel(i int) token {
	j := i + 2
	if c := l.at(j); !is(c, cLetter|cDigit) && c != '_' {
		r, _ := utf8.DecodeRuneInString(l.text[min(j, len(l.text)):])
		if c < utf8.RuneSelf || !isNameStart(r) {
			return l.fail(i, "_:", `"_:" without the label of a blank node`, "")
		}
	}
	return l.make(kBlankLabel, i, l.trimDots(j, l.nameChars(j, ".")))
}
