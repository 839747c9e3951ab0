package value

import (
	"io"
	"regexp"
	"regexp/syntax"
	"strings"
	"unicode/utf8"
)

// Bounds of a query's work on regular expressions.
const (
	maxPattern    = 64 << 10 // bytes of an expression
	maxTranslated = 1 << 20  // bytes of it in Go's syntax
	maxProgram    = 100_000  // steps and bounds of characters of the compiled form
	maxPatterns   = 1024     // compiled ones that a Context keeps
	maxMatches    = 1 << 20  // matches that a replacement with groups holds
	longText      = 64 << 10 // text above this is read with looks at the context
)

// Pattern is a compiled regular expression of REGEX and REPLACE. It may be
// used by several goroutines.
type Pattern struct {
	re      *regexp.Regexp // nil when needle alone decides
	needle  string
	from    bool // the needle stands at the beginning
	to      bool // and, or, at the end
	fold    bool
	empty   bool // matches the empty string
	literal bool
}

// patternKey is what a Context keeps compiled expressions by.
type patternKey struct{ text, flags string }

// CompilePattern compiles an expression in the syntax of XPath F&O 5.6.1 with
// its flags (s, m, i, x, q). What is wrong, or cannot be had without
// backtracking, is named in the reason, "" if all is well: back-references,
// counts above 1000, blocks of \p{Is…} that we do not know.
//
// Two things differ from XPath: a lone brace or closing bracket means itself,
// and under m the beginning of a line is also behind a newline that ends the
// text.
func CompilePattern(text, flags string) (p *Pattern, reason string) {
	f, ok := parseFlags(flags)
	switch {
	case !ok:
		return nil, "the flags of a regular expression are s, m, i, x and q"
	case len(text) > maxPattern:
		return nil, "the regular expression is too long"
	}
	t := translator{in: text, flags: f}
	if t.run(); t.fault != "" {
		return nil, t.fault
	}
	p = &Pattern{fold: f.fold}
	if t.isLiteral && !(f.multiline && (t.anchored || t.anchorTo)) && (!f.fold || foldsAsBytes(t.literal)) {
		p.literal, p.needle, p.from, p.to = true, string(t.literal), t.anchored, t.anchorTo
		p.empty = p.needle == ""
		if !f.fold {
			return p, ""
		}
	}
	prefix := ""
	if f.fold {
		prefix += "(?i)"
	}
	if f.multiline {
		prefix += "(?m)"
	}
	tree, err := syntax.Parse(prefix+t.out.String(), syntax.Perl)
	if err != nil {
		return nil, strings.TrimPrefix(err.Error(), "error parsing regexp: ")
	}
	if programSize(tree) > maxProgram {
		return nil, "the regular expression is too large"
	}
	re, err := regexp.Compile(prefix + t.out.String())
	if err != nil {
		return nil, strings.TrimPrefix(err.Error(), "error parsing regexp: ")
	}
	p.re = re
	p.empty = re.MatchString("")
	return p, ""
}

// programSize estimates the steps of the program that a tree is compiled to:
// counts multiply what they repeat.
func programSize(re *syntax.Regexp) int {
	n := 1 + len(re.Rune)
	for _, sub := range re.Sub {
		n += programSize(sub)
	}
	if re.Op == syntax.OpRepeat {
		n *= max(re.Min, re.Max, 1)
	}
	return min(n, maxProgram+1)
}

// foldsAsBytes reports whether the text is ASCII, so that without regard to
// case it can be searched for by bytes in text that is ASCII too.
func foldsAsBytes(text []byte) bool {
	for _, c := range text {
		if c >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// Literal returns the text that a match must hold, when the expression is no
// more than that, compared byte by byte. whole is false if the text must stand
// at the beginning or at the end.
func (p *Pattern) Literal() (needle string, whole, ok bool) {
	return p.needle, !p.from && !p.to, p.literal && !p.fold
}

// Match reports whether the expression matches some part of s. Over long text
// it looks at the context of c now and then; a match after [Context.Err] has
// become an error means nothing.
func (p *Pattern) Match(c *Context, s string) bool {
	if p.literal {
		if !p.fold {
			return anchoredMatch(s, p.needle, p.from, p.to)
		}
		if isASCII(s) {
			return foldMatch(s, p.needle, p.from, p.to)
		}
	}
	if len(s) > longText {
		return p.re.MatchReader(&watchedReader{s: s, c: c})
	}
	return p.re.MatchString(s)
}

func anchoredMatch(s, needle string, from, to bool) bool {
	switch {
	case from && to:
		return s == needle
	case from:
		return strings.HasPrefix(s, needle)
	case to:
		return strings.HasSuffix(s, needle)
	}
	return strings.Contains(s, needle)
}

// foldMatch is anchoredMatch without regard to the case of ASCII letters.
func foldMatch(s, needle string, from, to bool) bool {
	n := len(needle)
	switch {
	case n > len(s):
		return false
	case from && to:
		return n == len(s) && strings.EqualFold(s, needle)
	case from:
		return strings.EqualFold(s[:n], needle)
	case to:
		return strings.EqualFold(s[len(s)-n:], needle)
	case n == 0:
		return true
	}
	lo, up := needle[0]|0x20, needle[0]
	if 'a' <= lo && lo <= 'z' {
		up = lo - 0x20
	} else {
		lo = up
	}
	for i := 0; i+n <= len(s); i++ {
		if (s[i] == lo || s[i] == up) && strings.EqualFold(s[i:i+n], needle) {
			return true
		}
	}
	return false
}

// watchedReader delivers text by characters and looks at the context every
// 64 KiB; it ends early when that is done.
type watchedReader struct {
	s    string
	c    *Context
	read int
}

func (r *watchedReader) ReadRune() (rune, int, error) {
	if r.s == "" {
		return 0, 0, io.EOF
	}
	if r.read >= longText {
		r.read = 0
		if r.c.stopped() {
			return 0, 0, io.EOF
		}
	}
	ch, n := utf8.DecodeRuneInString(r.s)
	r.s = r.s[n:]
	r.read += n
	return ch, n, nil
}

// Replace is fn:replace: all matches that do not overlap; $1 to $9 are the
// groups, $0 the match, \$ and \\ the characters. false: the expression
// matches the empty string, or the replacement is malformed.
func (p *Pattern) Replace(c *Context, s, replacement string) (string, bool) {
	if p.empty {
		return "", false
	}
	groups := 0
	if p.re != nil {
		groups = p.re.NumSubexp()
	}
	parts, ok := parseReplacement(replacement, groups)
	if !ok {
		return "", false
	}
	if p.re != nil && !usesGroups(parts) {
		return p.replaceWhole(c, s, parts)
	}
	var b strings.Builder
	last := 0
	matches := p.findAll(s)
	if len(matches) > maxMatches {
		c.fail(ErrTextTooLong)
		return "", false
	}
	for i, m := range matches {
		if i%1024 == 1023 && c.stopped() {
			return "", false
		}
		b.WriteString(s[last:m[0]])
		for _, part := range parts {
			b.WriteString(part.text)
			if g := part.group; g >= 0 && m[2*g] >= 0 {
				b.WriteString(s[m[2*g]:m[2*g+1]])
			}
		}
		last = m[1]
		if !c.fits(b.Len() + len(s) - last) {
			return "", false
		}
	}
	b.WriteString(s[last:])
	return b.String(), true
}

// usesGroups reports whether a replacement names a group but $0.
func usesGroups(parts []replacementPart) bool {
	for _, part := range parts {
		if part.group > 0 {
			return true
		}
	}
	return false
}

// replaceWhole replaces without holding all matches.
func (p *Pattern) replaceWhole(c *Context, s string, parts []replacementPart) (string, bool) {
	size, n, ok := len(s), 0, true
	out := p.re.ReplaceAllStringFunc(s, func(match string) string {
		if n++; n%1024 == 0 && c.stopped() {
			ok = false
		}
		if !ok {
			return ""
		}
		var b strings.Builder
		for _, part := range parts {
			b.WriteString(part.text)
			if part.group == 0 {
				b.WriteString(match)
			}
		}
		size += b.Len() - len(match)
		ok = c.fits(size)
		return b.String()
	})
	return out, ok
}

// findAll returns the matches with their groups, at most one more than
// maxMatches.
func (p *Pattern) findAll(s string) [][]int {
	if p.re != nil {
		return p.re.FindAllStringSubmatchIndex(s, maxMatches+1)
	}
	n := len(p.needle)
	var out [][]int
	switch {
	case p.from && strings.HasPrefix(s, p.needle) && (!p.to || len(s) == n):
		out = append(out, []int{0, n})
	case !p.from && p.to && strings.HasSuffix(s, p.needle):
		out = append(out, []int{len(s) - n, len(s)})
	case !p.from && !p.to:
		for at := 0; len(out) <= maxMatches; {
			i := strings.Index(s[at:], p.needle)
			if i < 0 {
				break
			}
			out = append(out, []int{at + i, at + i + n})
			at += i + n
		}
	}
	return out
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
	var text []byte
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

// pattern returns the compiled form of REGEX's arguments from the cache.
func (c *Context) pattern(text, flags Value) *Pattern {
	if text.kind != String || flags.kind != String {
		return nil
	}
	key := patternKey{text.text, flags.text}
	if p, ok := c.patterns[key]; ok {
		return p
	}
	if c.patterns == nil || len(c.patterns) >= maxPatterns {
		c.patterns = make(map[patternKey]*Pattern)
	}
	p, _ := CompilePattern(text.text, flags.text)
	c.patterns[patternKey{strings.Clone(key.text), strings.Clone(key.flags)}] = p
	return p
}

// regex is REGEX (SPARQL 17.4.3.14).
func regex(c *Context, args []Value) (Value, bool) {
	flags := OfString("")
	if len(args) == 3 {
		flags = args[2]
	}
	if !args[0].IsText() {
		return Value{}, false
	}
	p := c.pattern(args[1], flags)
	if p == nil {
		return Value{}, false
	}
	return OfBool(p.Match(c, args[0].text)), true
}

// replace is REPLACE (SPARQL 17.4.3.15).
func replace(c *Context, args []Value) (Value, bool) {
	flags := OfString("")
	if len(args) == 4 {
		flags = args[3]
	}
	if !args[0].IsText() || args[2].kind != String {
		return Value{}, false
	}
	p := c.pattern(args[1], flags)
	if p == nil {
		return Value{}, false
	}
	replacement := args[2].text
	if strings.Contains(flags.text, "q") {
		replacement = strings.NewReplacer(`\`, `\\`, `$`, `\$`).Replace(replacement)
	}
	text, ok := p.Replace(c, args[0].text, replacement)
	return like(args[0], text), ok
}
