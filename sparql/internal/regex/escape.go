package regex

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// escape takes what follows a backslash outside of a class.
func (t *translator) escape() {
	if t.in == "" {
		t.fail("a backslash at the end")
		return
	}
	if t.borrowed() {
		return
	}
	if r, ok := t.single(); ok {
		t.plain(r)
		return
	}
	t.isLiteral = false
	if short, ok := shortSets[t.in[0]]; ok {
		t.in = t.in[1:]
		t.out.WriteString(short)
		return
	}
	t.writeSet(t.set())
}

// borrowed takes escapes that XPath lacks and the regular expressions of programming
// languages have.
func (t *translator) borrowed() bool {
	c := t.in[0]
	switch {
	case '1' <= c && c <= '9', c == 'k', c == 'g':
		t.fail("back-references are not supported")
	case c == 'b', c == 'B':
		if t.in = t.in[1:]; strings.HasPrefix(t.in, "{") {
			t.fail(`\` + string(rune(c)) + `{…} is not supported`)
			return true
		}
		t.isLiteral, t.words = false, true
		t.out.WriteString(`\` + string(rune(c)))
	case c == 'A', c == 'z':
		t.isLiteral = false
		t.in = t.in[1:]
		t.out.WriteString(`\` + string(rune(c)))
	case c == 'Z':
		t.fail(`\Z is not supported; $ and \z are the end of the text`)
	case c == 'Q':
		quoted, rest, _ := strings.Cut(t.in[1:], `\E`)
		t.in = rest
		for _, r := range quoted {
			t.plain(r)
		}
	case c == 'E':
		t.in = t.in[1:]
	default:
		return false
	}
	return true
}

// shortSets spells the frequent escapes, outside of classes, so that they stay short.
var shortSets = map[byte]string{
	'd': `(?-i:\p{Nd})`, 'D': `(?-i:\P{Nd})`,
	'w': `(?-i:[\p{L}\p{M}\p{N}\p{S}])`, 'W': `(?-i:[^\p{L}\p{M}\p{N}\p{S}])`,
	's': `[ \t\n\r]`, 'S': `[^ \t\n\r]`,
}

// single takes an escape that stands for one character: one of XPath, any other sign of
// ASCII, or a number.
func (t *translator) single() (rune, bool) {
	c := t.in[0]
	switch c {
	case 'n':
		c = '\n'
	case 'r':
		c = '\r'
	case 't':
		c = '\t'
	case 'f':
		c = '\f'
	case 'x', 'u':
		return t.numbered(map[byte]int{'x': 2, 'u': 4}[c])
	default:
		if c < ' ' || c >= utf8.RuneSelf || 'a' <= c|0x20 && c|0x20 <= 'z' || '0' <= c && c <= '9' {
			return 0, false
		}
	}
	t.in = t.in[1:]
	return rune(c), true
}

// numbered takes a character by its number, in the given number of hexadecimal digits or in braces.
func (t *translator) numbered(digits int) (rune, bool) {
	text, after := t.in[1:], 1+digits
	if strings.HasPrefix(text, "{") {
		end := strings.IndexByte(text, '}')
		text, after = text[1:max(1, end)], 2+end
	} else {
		text = text[:min(digits, len(text))]
	}
	n, err := strconv.ParseUint(text, 16, 32)
	if r := rune(n); err == nil && n <= utf8.MaxRune && utf8.ValidRune(r) && after <= len(t.in) {
		t.in = t.in[after:]
		return r, true
	}
	t.fail(`\x takes two hexadecimal digits, \u four, or the number of a character in braces`)
	return 0, true
}

// set takes an escape that stands for a set of characters.
func (t *translator) set() runeSet {
	c := t.next()
	if c != 'p' && c != 'P' {
		s, ok := multiEscape(c)
		if !ok {
			t.fail(`unknown escape \` + string(c))
		}
		return s
	}
	name := ""
	switch end := strings.IndexByte(t.in, '}'); {
	case strings.HasPrefix(t.in, "{") && end > 0:
		name, t.in = t.in[1:end], t.in[end+1:]
	case t.in != "" && t.in[0] != '{': // \pL
		name = string(t.next())
	default:
		t.fail(`\p needs a name in braces`)
		return nil
	}
	s, ok := property(name)
	if !ok {
		t.fail(`unknown character property \p{` + name + `}`)
		return nil
	}
	if c == 'P' {
		s = s.complement()
	}
	return s
}
