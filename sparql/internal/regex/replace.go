package regex

import (
	"iter"
	"regexp"
	"strings"
	"unicode/utf8"
)

// Replace is fn:replace: all matches that do not overlap; $1 to $9 are the
// groups, $0 the match, \$ and \\ the characters. false: the expression
// matches the empty string, or the replacement is malformed.
func (p *Pattern) Replace(c Meter, s, replacement string) (string, bool) {
	if p.empty || !c.Fits(2*len(replacement)) {
		return "", false
	}
	parts, ok := parseReplacement(replacement, p.groups())
	if !ok {
		return "", false
	}
	var b strings.Builder
	last, room := 0, 0
	for m := range p.matches(c, s) {
		size := m[0] - last
		for _, part := range parts {
			size += len(part.text)
			if g := part.group; g >= 0 && m[2*g] >= 0 {
				size += m[2*g+1] - m[2*g]
			}
		}
		if size += b.Len(); size > room { // the builder may double
			if !c.Fits(size + size - room) {
				return "", false
			}
			room = 2 * size
		}
		b.WriteString(s[last:m[0]])
		for _, part := range parts {
			b.WriteString(part.text)
			if g := part.group; g >= 0 && m[2*g] >= 0 {
				b.WriteString(s[m[2*g]:m[2*g+1]])
			}
		}
		last = m[1]
	}
	if c.Err() != nil || !c.Fits(b.Len()+len(s)-last) {
		return "", false
	}
	b.WriteString(s[last:])
	return b.String(), true
}

// matches returns the matches that do not overlap, with their groups as the package regexp
// numbers them, up to an error of c. No match is empty.
func (p *Pattern) matches(c Meter, s string) iter.Seq[[]int] {
	return func(yield func([]int) bool) {
		ascii := p.words == nil || isASCII(s)
		if p.re != nil && ascii && len(s) <= maxQuick && len(s)*len(s)*p.steps <= quickMatches {
			if !c.Read(len(s) * (1 + p.steps/8)) {
				return
			}
			for _, m := range p.re.FindAllStringSubmatchIndex(s, -1) {
				if !yield(m) {
					return
				}
			}
			return
		}
		for at := 0; ; {
			var m []int
			if ascii {
				m = p.find(c, s, at)
			} else {
				m = p.findWords(c, s, at, 2*(1+p.groups()))
			}
			if m == nil || c.Err() != nil || !yield(m) {
				return
			}
			at = m[1]
		}
	}
}

const (
	// quickMatches is up to how many steps, the square of the bytes of a text times those of
	// the program, all matches are found without a check of the context: each of them may
	// look at the whole text. maxQuick keeps the square in an int.
	quickMatches = 1 << 26
	maxQuick     = 4 << 10
)

// find returns the first match at or after a place, with its groups, as the package regexp
// numbers them; nil if there is none.
func (p *Pattern) find(c Meter, s string, at int) []int {
	if p.re == nil {
		return p.findNeedle(s, at)
	}
	if at > 0 {
		return p.findNext(c, s, at)
	}
	if p.long(s) {
		return p.re.FindReaderSubmatchIndex(p.reader(c, s))
	}
	if !c.Read(len(s) * (1 + p.steps/8)) {
		return nil
	}
	return p.re.FindStringSubmatchIndex(s)
}

// findNext is find after the beginning of a text. What stands before the place decides where
// a line begins, so the search begins with that character.
func (p *Pattern) findNext(c Meter, s string, at int) []int {
	p.once.Do(func() { p.next = regexp.MustCompile(`\A(?s:.)(?s:.*?)(` + p.re.String() + `)`) })
	_, n := utf8.DecodeLastRuneInString(s[:at])
	from := at - n
	rest := s[from:]
	var m []int
	switch {
	case p.long(rest):
		m = p.next.FindReaderSubmatchIndex(p.reader(c, rest))
	case c.Read(len(rest) * (1 + p.steps/8)):
		m = p.next.FindStringSubmatchIndex(rest)
	}
	if m == nil {
		return nil
	}
	m = m[2:] // the first group is the whole match
	for i := range m {
		if m[i] >= 0 {
			m[i] += from
		}
	}
	return m
}

// findNeedle is find of an expression that is plain text.
func (p *Pattern) findNeedle(s string, at int) []int {
	n := len(p.needle)
	switch {
	case p.from:
		if at == 0 && strings.HasPrefix(s, p.needle) && (!p.to || len(s) == n) {
			return []int{0, n}
		}
	case p.to:
		if at <= len(s)-n && strings.HasSuffix(s, p.needle) {
			return []int{len(s) - n, len(s)}
		}
	default:
		if i := strings.Index(s[at:], p.needle); i >= 0 {
			return []int{at + i, at + i + n}
		}
	}
	return nil
}

// groups returns the number of groups.
func (p *Pattern) groups() int {
	if p.re == nil {
		return 0
	}
	return p.re.NumSubexp()
}

// ReplaceFault says why [Pattern.Replace] has no result, whatever the text; "" if it has one.
func (p *Pattern) ReplaceFault(replacement string) string {
	if p.empty {
		return "the pattern of REPLACE matches the empty string"
	}
	if _, ok := parseReplacement(replacement, p.groups()); !ok {
		return `in the replacement stands $ before the number of a group, and \ before $ or \`
	}
	return ""
}

// replacementPart is text and then a group, -1 for none.
type replacementPart struct {
	text  string
	group int
}

// parseReplacement parses the replacement text (XPath F&O 5.6.4). A group
// number takes as many digits as give a group that exists.
func parseReplacement(s string, groups int) ([]replacementPart, bool) {
	var parts []replacementPart
	text := make([]byte, 0, len(s))
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case '\\':
			if i++; i == len(s) || s[i] != '\\' && s[i] != '$' {
				return nil, false
			}
			text = append(text, s[i])
		case '$':
			if i++; i == len(s) || s[i]-'0' > 9 {
				return nil, false
			}
			n := int(s[i] - '0')
			for i+1 < len(s) && s[i+1]-'0' <= 9 && n*10+int(s[i+1]-'0') <= groups {
				i++
				n = n*10 + int(s[i]-'0')
			}
			if n > groups {
				n = -1 // a group that does not exist is empty
			}
			parts = append(parts, replacementPart{string(text), n})
			text = text[:0]
		default:
			text = append(text, s[i])
		}
	}
	return append(parts, replacementPart{string(text), -1}), true
}
