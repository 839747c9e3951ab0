package parse

import (
	"strings"
	"unicode/utf8"

	"github.com/rete-go/rete/sparql/internal/ast"
)

// lexer cuts the text into tokens by the longest match, as section 19.8 of
// SPARQL 1.1 says. It never fails with more than one error: after it, every
// token is the end of the text.
type lexer struct {
	text string
	pos  int // after the last token
	// joined is the end of a word that consists of keywords and numbers without blanks between.
	joined int
	err    *ast.SyntaxError
}

// Classes of bytes.
const (
	cSpace  = 1 << iota
	cLetter // A-Z a-z
	cDigit
	cHex
	cIRI   // may stand in an IRI
	cLocal // ASCII part of PN_CHARS: letters, digits, - and _
)

var classes = func() (t [256]uint8) {
	for c := range 256 {
		b := byte(c)
		switch {
		case b == ' ' || b == '\t' || b == '\n' || b == '\r':
			t[c] |= cSpace
		case 'a' <= b && b <= 'z' || 'A' <= b && b <= 'Z':
			t[c] |= cLetter | cLocal
		case '0' <= b && b <= '9':
			t[c] |= cDigit | cHex | cLocal
		case b == '-' || b == '_':
			t[c] |= cLocal
		}
		if 'a' <= b && b <= 'f' || 'A' <= b && b <= 'F' {
			t[c] |= cHex
		}
		if b > ' ' && !strings.ContainsRune("<>\"{}|^`\\", rune(b)) {
			t[c] |= cIRI
		}
	}
	return t
}()

func is(c byte, class uint8) bool { return classes[c]&class != 0 }

// at returns the byte at i, 0 after the end.
func (l *lexer) at(i int) byte {
	if i < len(l.text) {
		return l.text[i]
	}
	return 0
}

// next returns the next token.
func (l *lexer) next() token {
	if l.err != nil {
		return l.end()
	}
	text, i := l.text, l.pos
	for i < len(text) {
		c := text[i]
		if c == '#' {
			j := strings.IndexAny(text[i:], "\r\n")
			if j < 0 {
				i = len(text)
				break
			}
			i += j
		} else if !is(c, cSpace) {
			break
		}
		i++
	}
	l.pos = i
	if i >= len(text) {
		return l.end()
	}
	c := text[i]
	switch {
	case c == '?' || c == '$':
		return l.variable(i)
	case c == '<':
		return l.less(i)
	case c == '"' || c == '\'':
		return l.str(i, c)
	case is(c, cDigit) || c == '.' && is(l.at(i+1), cDigit):
		return l.number(i)
	case c == '@':
		return l.langTag(i)
	case c == '_' && l.at(i+1) == ':':
		return l.blankLabel(i)
	case c == ':':
		return l.local(i, i)
	case is(c, cLetter) || c >= utf8.RuneSelf:
		return l.word(i)
	}
	return l.sign(i, c)
}

func (l *lexer) end() token {
	n := uint32(len(l.text))
	l.pos = len(l.text)
	return token{kind: kEOF, start: n, end: n}
}

func (l *lexer) make(k kind, start, end int) token {
	l.pos = end
	return token{kind: k, start: uint32(start), end: uint32(end)}
}

// fail records an error at a byte and ends the text.
func (l *lexer) fail(offset int, found, msg, hint string) token {
	if l.err == nil {
		l.err = &ast.SyntaxError{Offset: offset, Found: found, Msg: msg, Hint: hint}
		l.err.Locate(l.text)
	}
	return l.end()
}

// signs are the tokens that begin with a byte, longest first.
func (l *lexer) sign(i int, c byte) token {
	d := l.at(i + 1)
	switch c {
	case '(':
		return l.make(kLParen, i, i+1)
	case ')':
		if d == '>' && l.at(i+2) == '>' {
			return l.make(kTripleClose, i, i+3)
		}
		return l.make(kRParen, i, i+1)
	case '{':
		if d == '|' {
			return l.make(kAnnotationOpen, i, i+2)
		}
		return l.make(kLBrace, i, i+1)
	case '}':
		return l.make(kRBrace, i, i+1)
	case '[':
		return l.make(kLBracket, i, i+1)
	case ']':
		return l.make(kRBracket, i, i+1)
	case '.':
		return l.make(kDot, i, i+1)
	case ',':
		return l.make(kComma, i, i+1)
	case ';':
		return l.make(kSemicolon, i, i+1)
	case '=':
		return l.make(kEqual, i, i+1)
	case '!':
		if d == '=' {
			return l.make(kNotEqual, i, i+2)
		}
		return l.make(kBang, i, i+1)
	case '>':
		switch d {
		case '=':
			return l.make(kGreaterOrEqual, i, i+2)
		case '>':
			return l.make(kReifiedClose, i, i+2)
		}
		return l.make(kGreater, i, i+1)
	case '~':
		return l.make(kTilde, i, i+1)
	case '^':
		if d == '^' {
			return l.make(kTypeMark, i, i+2)
		}
		return l.make(kCaret, i, i+1)
	case '/':
		return l.make(kSlash, i, i+1)
	case '|':
		switch d {
		case '|':
			return l.make(kOrOr, i, i+2)
		case '}':
			return l.make(kAnnotationClose, i, i+2)
		}
		return l.make(kBar, i, i+1)
	case '&':
		if d == '&' {
			return l.make(kAndAnd, i, i+2)
		}
		return l.fail(i, "&", `"&" is no token of SPARQL`, `"and" is written &&`)
	case '*':
		return l.make(kStar, i, i+1)
	case '+':
		return l.make(kPlus, i, i+1)
	case '-':
		return l.make(kMinus, i, i+1)
	}
	return l.stray(i)
}

// stray reports a character that starts no token.
func (l *lexer) stray(i int) token {
	r, n := utf8.DecodeRuneInString(l.text[i:])
	found := l.text[i : i+n]
	hint := ""
	switch r {
	case '\\':
		hint = "escapes stand in IRIs, strings and the local part of names only"
	case '“', '”', '„', '‘', '’', '«', '»':
		hint = `strings stand in " or '`
	case '\u00a0', '\u200b', '\u2028', '\u3000', '\ufeff':
		hint = "it looks like a blank and is none"
	}
	return l.fail(i, ast.Clean(found), quote(found)+" starts no token of SPARQL", hint)
}

// variable reads ?name or $name, or a lone ?, which is an operator of paths.
func (l *lexer) variable(i int) token {
	j := i + 1
	for j < len(l.text) {
		c := l.text[j]
		if is(c, cLetter|cDigit) || c == '_' {
			j++
			continue
		}
		if c < utf8.RuneSelf {
			break
		}
		r, n := utf8.DecodeRuneInString(l.text[j:])
		if !isNameStart(r) && (j == i+1 || !isNameInner(r)) {
			break
		}
		j += n
	}
	if j > i+1 {
		return l.make(kVar, i, j)
	}
	if l.text[i] == '$' {
		return l.fail(i, "$", `"$" without the name of a variable`, "")
	}
	return l.make(kQuestion, i, i+1)
}

// less reads what begins with <: an IRI if there is one, else a sign.
func (l *lexer) less(i int) token {
	text := l.text
	j, escaped := i+1, false
	for j < len(text) && (is(text[j], cIRI) || text[j] == '\\') {
		if text[j] == '\\' {
			escaped = true
		}
		j++
	}
	if j < len(text) && text[j] == '>' {
		if escaped {
			if at, msg := checkIRIEscapes(text[i+1 : j]); msg != "" {
				return l.fail(i+1+at, `\`, msg, "an escape in an IRI is \\u and 4, or \\U and 8 hexadecimal digits")
			}
		}
		t := l.make(kIRI, i, j+1)
		t.escaped = escaped
		return t
	}
	switch {
	case strings.HasPrefix(text[i:], "<<("):
		return l.make(kTripleOpen, i, i+3)
	case l.at(i+1) == '<':
		return l.make(kReifiedOpen, i, i+2)
	case l.at(i+1) == '=':
		return l.make(kLessOrEqual, i, i+2)
	}
	return l.make(kLess, i, i+1)
}

// langTag reads @language, with --direction if there is one.
func (l *lexer) langTag(i int) token {
	j := i + 1
	for is(l.at(j), cLetter) {
		j++
	}
	if j == i+1 {
		return l.fail(i, "@", `"@" without a language tag`, "")
	}
	for l.at(j) == '-' && is(l.at(j+1), cLetter|cDigit) {
		j += 2
		for is(l.at(j), cLetter|cDigit) {
			j++
		}
	}
	if l.at(j) == '-' && l.at(j+1) == '-' && is(l.at(j+2), cLetter) {
		k := j + 2
		for is(l.at(k), cLetter) {
			k++
		}
		if dir := l.text[j+2 : k]; dir != "ltr" && dir != "rtl" {
			return l.fail(j+2, dir, "a base direction is ltr or rtl, found "+quote(dir), "")
		}
		j = k
	}
	return l.make(kLangTag, i, j)
}

// number reads an integer, a decimal or a double without a sign.
func (l *lexer) number(i int) token {
	j, k := i, kInteger
	for is(l.at(j), cDigit) {
		j++
	}
	if l.at(j) == '.' {
		n := j + 1
		for is(l.at(n), cDigit) {
			n++
		}
		switch {
		case n > j+1:
			j, k = n, kDecimal
		case l.exponent(n) > n && j > i:
			return l.make(kDouble, i, l.exponent(n))
		}
	}
	if e := l.exponent(j); e > j {
		return l.make(kDouble, i, e)
	}
	return l.make(k, i, j)
}

// exponent returns the end of the exponent at i; i if there is none.
func (l *lexer) exponent(i int) int {
	if c := l.at(i); c != 'e' && c != 'E' {
		return i
	}
	j := i + 1
	if c := l.at(j); c == '+' || c == '-' {
		j++
	}
	if !is(l.at(j), cDigit) {
		return i
	}
	for is(l.at(j), cDigit) {
		j++
	}
	return j
}

// str reads a string in quotes of either kind, short or long.
func (l *lexer) str(i int, q byte) token {
	text := l.text
	if l.at(i+1) == q && l.at(i+2) == q {
		return l.longStr(i, q)
	}
	escaped := false
	for j := i + 1; j < len(text); j++ {
		switch c := text[j]; {
		case c == q:
			t := l.make(kString, i, j+1)
			t.escaped = escaped
			return t
		case c == '\\':
			n, msg := escapeLen(text[j:])
			if msg != "" {
				return l.badEscape(j, msg)
			}
			escaped = true
			j += n - 1
		case c == '\n' || c == '\r':
			return l.fail(i, text[i:i+1], "the string does not end on its line", "a string of several lines stands between triple quotes")
		}
	}
	return l.fail(i, text[i:i+1], "the string does not end", "")
}

func (l *lexer) longStr(i int, q byte) token {
	text := l.text
	escaped := false
	for j := i + 3; j < len(text); j++ {
		switch c := text[j]; {
		case c == q && l.at(j+1) == q && l.at(j+2) == q:
			t := l.make(kLongString, i, j+3)
			t.escaped = escaped
			return t
		case c == '\\':
			n, msg := escapeLen(text[j:])
			if msg != "" {
				return l.badEscape(j, msg)
			}
			escaped = true
			j += n - 1
		}
	}
	return l.fail(i, text[i:i+3], "the string does not end", "")
}

func (l *lexer) badEscape(i int, msg string) token {
	return l.fail(i, `\`, msg, `a backslash itself is written \\`)
}
