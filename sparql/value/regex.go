package value

import (
	"io"
	"iter"
	"regexp"
	"regexp/syntax"
	"strings"
	"sync"
	"unicode/utf8"
)

// Bounds of a query's work on regular expressions.
const (
	maxPattern    = 64 << 10 // bytes of an expression
	maxTranslated = 1 << 20  // bytes of it in Go's syntax
	maxProgram    = 100_000  // steps and bounds of characters of the compiled form
	maxGroups     = 500      // groups inside each other
	maxFolded     = 1000     // character classes under the flag i
	maxPatterns   = 1024     // compiled ones that a Context keeps
	maxKept       = 8 << 20  // and bytes of them
	stepBytes     = 128      // what a step of a program takes
	// longMatch is up to how many steps, the bytes of a text times those of the program, a
	// text is matched without a check of the context.
	longMatch = 1 << 22
)

// Pattern is a compiled regular expression of REGEX and REPLACE. It may be
// used by several goroutines.
type Pattern struct {
	re      *regexp.Regexp // nil when needle alone decides
	steps   int            // of the program, about
	next    *regexp.Regexp // finds the next match behind a character, see [Pattern.findNext]
	once    sync.Once      // guards next
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
	if p.steps = programSize(tree); p.steps > maxProgram {
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

// Match reports whether the expression matches some part of s. Where that may take long
// it checks the context of c now and then; a match after [Context.Err] has
// become an error means nothing.
func (p *Pattern) Match(c *Context, s string) bool {
	if p.literal {
		if !p.fold {
			return anchoredMatch(s, p.needle, p.from, p.to)
		}
		if isASCII(s) {
			return foldMatch(c, s, p.needle, p.from, p.to)
		}
	}
	if p.long(s) {
		return p.re.MatchReader(p.reader(c, s))
	}
	return c.Looks(len(s)*(1+p.steps/8)) && p.re.MatchString(s)
}

// long reports whether matching a text may take long.
func (p *Pattern) long(s string) bool { return len(s) > longMatch/max(1, p.steps) }

// reader returns a reader of a text that checks the context of c.
func (p *Pattern) reader(c *Context, s string) io.RuneReader {
	return &watchedReader{s: s, c: c, every: max(1, longMatch/max(1, p.steps))}
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
func foldMatch(c *Context, s, needle string, from, to bool) bool {
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
	case n*len(s) <= foldShort:
		return foldIndex(s, needle)
	}
	needle = strings.ToLower(needle)
	window := max(foldWindow, 4*n)
	for {
		part := s[:min(window, len(s))]
		if !c.Looks(len(part)) {
			return false
		}
		if strings.Contains(strings.ToLower(part), needle) {
			return true
		}
		if len(part) == len(s) {
			return false
		}
		s = s[len(part)-n+1:]
	}
}

const (
	// foldShort is up to how many steps, the bytes of a text times those of the needle, the
	// needle is compared at each place.
	foldShort = 64 << 10
	// foldWindow is how many bytes of longer texts are brought to one case at a time.
	foldWindow = 4 << 10
)

// foldIndex reports whether the needle stands somewhere in s, by comparing at each place.
func foldIndex(s, needle string) bool {
	n := len(needle)
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

// watchedReader delivers text by characters and checks the context every so many bytes; it
// ends early when that is done.
type watchedReader struct {
	s     string
	c     *Context
	every int
	read  int
}

func (r *watchedReader) ReadRune() (rune, int, error) {
	if r.s == "" {
		return 0, 0, io.EOF
	}
	if r.read >= r.every {
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
	if !c.fits(2 * len(replacement)) {
		return "", false
	}
	parts, ok := parseReplacement(replacement, groups)
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
			if !c.fits(size + size - room) {
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
	if c.err != nil || !c.fits(b.Len()+len(s)-last) {
		return "", false
	}
	b.WriteString(s[last:])
	return b.String(), true
}

// matches returns the matches that do not overlap, with their groups as the package regexp
// numbers them, up to an error of c. No match is empty.
func (p *Pattern) matches(c *Context, s string) iter.Seq[[]int] {
	return func(yield func([]int) bool) {
		if p.re != nil && len(s) <= maxQuick && len(s)*len(s)*p.steps <= quickMatches {
			if !c.Looks(len(s) * (1 + p.steps/8)) {
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
			m := p.find(c, s, at)
			if m == nil || c.err != nil || !yield(m) {
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

// find returns the first match at or behind a place, with its groups, as the package regexp
// numbers them; nil if there is none.
func (p *Pattern) find(c *Context, s string, at int) []int {
	if p.re == nil {
		return p.findNeedle(s, at)
	}
	if at > 0 {
		return p.findNext(c, s, at)
	}
	if p.long(s) {
		return p.re.FindReaderSubmatchIndex(p.reader(c, s))
	}
	if !c.Looks(len(s) * (1 + p.steps/8)) {
		return nil
	}
	return p.re.FindStringSubmatchIndex(s)
}

// findNext is find behind the beginning of a text. What stands before the place decides where
// a line begins, so the search begins with that character.
func (p *Pattern) findNext(c *Context, s string, at int) []int {
	p.once.Do(func() { p.next = regexp.MustCompile(`\A(?s:.)(?s:.*?)(` + p.re.String() + `)`) })
	_, n := utf8.DecodeLastRuneInString(s[:at])
	from := at - n
	rest := s[from:]
	var m []int
	switch {
	case p.long(rest):
		m = p.next.FindReaderSubmatchIndex(p.reader(c, rest))
	case c.Looks(len(rest) * (1 + p.steps/8)):
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

// Bytes returns about the memory of the pattern.
func (p *Pattern) Bytes() int { return surfaceRoom + len(p.needle) + stepBytes*p.steps }

// patterns are the compiled expressions that a Context keeps.
type patterns struct {
	known map[patternKey]*Pattern
	bytes int
}

// pattern returns the compiled form of REGEX's arguments from the cache.
func (c *Context) pattern(text, flags Value) *Pattern {
	if text.kind != String || flags.kind != String {
		return nil
	}
	key := patternKey{text.text, flags.text}
	if p, ok := c.patterns.known[key]; ok {
		return p
	}
	if c.patterns.known == nil || len(c.patterns.known) >= maxPatterns || c.patterns.bytes >= maxKept {
		c.patterns = patterns{known: make(map[patternKey]*Pattern)}
	}
	p, _ := CompilePattern(text.text, flags.text)
	c.patterns.known[patternKey{strings.Clone(key.text), strings.Clone(key.flags)}] = p
	size := 2*len(key.text) + surfaceRoom
	if p != nil {
		size += p.Bytes()
	}
	c.patterns.bytes += size
	if !c.Looks(size) || !c.draw() {
		return nil
	}
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
		if !c.fits(2 * len(replacement)) {
			return Value{}, false
		}
		replacement = strings.NewReplacer(`\`, `\\`, `$`, `\$`).Replace(replacement)
	}
	text, ok := p.Replace(c, args[0].text, replacement)
	if !ok {
		return Value{}, false
	}
	return like(c, args[0], text)
}
