package regex

import (
	"strings"
	"unicode/utf8"
)

// patternFlags are the flags of REGEX and REPLACE (XPath F&O 5.6.2).
type patternFlags struct {
	dotAll, multiline, fold, extended, quote bool

	// comments is the x of a group: blanks and comments up to the end of a line go, outside of
	// classes. An escaped blank stays, unlike under the flag x of XPath (extended).
	comments bool
}

func parseFlags(s string) (f patternFlags, ok bool) {
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case 's':
			f.dotAll = true
		case 'm':
			f.multiline = true
		case 'i':
			f.fold = true
		case 'x':
			f.extended = true
		case 'q':
			f.quote = true
		default:
			return f, false
		}
	}
	return f, true
}

// translator turns the regular expressions of XPath F&O 5.6.1 (those of XML
// Schema with anchors, reluctant quantifiers and groups that do not capture)
// into Go's syntax. It takes what the regular expressions of programming languages have
// besides, as far as Go's matcher, which does not backtrack, can have it.
type translator struct {
	in    string
	out   strings.Builder
	flags patternFlags // where in stands
	whole patternFlags // of the whole expression
	fault string

	outer []patternFlags // those outside of each open group
	words bool           // \b or \B is used
	wide  int            // classes to whose characters other cases were added one by one

	// literal is the plain text that the expression consists of, as long as
	// it does; anchors may stand around it.
	literal            []byte
	isLiteral          bool
	anchored, anchorTo bool
}

// fail keeps the first reason why the expression cannot be used.
func (t *translator) fail(reason string) {
	if t.fault == "" {
		t.fault = reason
	}
	t.in = ""
}

// next takes one character.
func (t *translator) next() rune {
	r, n := utf8.DecodeRuneInString(t.in)
	t.in = t.in[n:]
	return r
}

func (t *translator) take(c byte) bool {
	if t.in != "" && t.in[0] == c {
		t.in = t.in[1:]
		return true
	}
	return false
}

// plain writes a character that means itself.
func (t *translator) plain(r rune) {
	t.literal = utf8.AppendRune(t.literal, r)
	if others := caseVariants[r]; others != "" && t.flags.fold {
		t.out.WriteString("[" + string(r) + others + "]")
		return
	}
	if r < utf8.RuneSelf && strings.IndexByte(`\.+*?()|[]{}^$`, byte(r)) >= 0 {
		t.out.WriteByte('\\')
	}
	t.out.WriteRune(r)
}

func (t *translator) run() {
	t.isLiteral = true
	if t.flags.quote {
		for t.in != "" {
			t.plain(t.next())
		}
		t.whole = t.flags
		return
	}
	if t.flags.extended {
		t.in = withoutBlanks(t.in)
	}
	t.leading()
	t.whole = t.flags
	for first := true; t.in != ""; first = false {
		if t.flags.comments && t.comment() {
			continue
		}
		if t.anchorTo {
			t.isLiteral = false
		}
		switch r := t.next(); r {
		case '\\':
			t.escape()
		case '[':
			t.isLiteral = false
			t.writeSet(t.class())
		case '.':
			t.isLiteral = false
			if t.flags.dotAll {
				t.out.WriteString(`(?s:.)`)
			} else {
				t.out.WriteString(`[^\n\r]`)
			}
		case '^':
			t.isLiteral = t.isLiteral && first
			t.anchored = true
			t.out.WriteByte('^')
		case '$':
			t.anchorTo = true
			t.out.WriteByte('$')
		case '(':
			t.isLiteral = false
			t.group()
		case ')':
			t.isLiteral = false
			t.close()
		case '|':
			t.isLiteral = false
			t.out.WriteByte('|')
		case '*', '+', '?':
			t.isLiteral = false
			t.out.WriteRune(r)
			t.greedy()
		case '{':
			t.isLiteral = false
			t.quantity()
		default:
			t.plain(r)
		}
	}
}

// withoutBlanks drops the blanks of an expression, as the flag x wants it before all else,
// so also after a backslash and inside of a count; not those of classes.
func withoutBlanks(s string) string {
	var b strings.Builder
	depth := 0
	for i := 0; i < len(s); i++ {
		switch c := s[i]; c {
		case ' ', '\t', '\n', '\r':
			if depth == 0 {
				continue
			}
		case '[':
			depth++
		case ']':
			depth = max(0, depth-1)
		case '\\':
			b.WriteByte(c)
			for i++; depth == 0 && i < len(s) && strings.IndexByte(" \t\n\r", s[i]) >= 0; i++ {
			}
			if i == len(s) {
				return b.String()
			}
		}
		b.WriteByte(s[i])
	}
	return b.String()
}

// comment takes a blank, or a comment.
func (t *translator) comment() bool {
	switch t.in[0] {
	case ' ', '\t', '\n', '\r', '\f', '\v':
		t.in = t.in[1:]
	case '#':
		_, t.in, _ = strings.Cut(t.in, "\n")
	default:
		return false
	}
	return true
}

// quantity takes {n}, {n,}, {n,m} or {,m}; any other brace means itself.
func (t *translator) quantity() {
	least, most := t.in, ""
	end := strings.IndexByte(t.in, '}')
	ranged := false
	if end > 0 {
		least, most, ranged = strings.Cut(t.in[:end], ",")
	}
	if end <= 0 || strings.Trim(least+most, "0123456789") != "" || least+most == "" {
		t.out.WriteString(`\{`)
		return
	}
	if least == "" {
		least = "0"
	}
	t.out.WriteString("{" + least)
	if ranged {
		t.out.WriteString("," + most)
	}
	t.out.WriteByte('}')
	t.in = t.in[end+1:]
	t.greedy()
}

// greedy refuses the sign of a possessive quantifier.
func (t *translator) greedy() {
	if strings.HasPrefix(t.in, "+") {
		t.fail("possessive quantifiers (*+, ++, ?+) are not supported")
	}
}

// writeSet writes a set whose members were chosen with regard to the flags.
func (t *translator) writeSet(s runeSet) {
	t.out.WriteString("(?-i:")
	s.appendClass(&t.out)
	t.out.WriteByte(')')
	if t.out.Len() > maxTranslated {
		t.fail("the regular expression is too long")
	}
}
