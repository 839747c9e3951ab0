package value

import (
	"strings"

	"github.com/rete-go/rete/sparql/internal/regex"
)

// Bounds of the compiled expressions that a Context keeps: how many, and their bytes.
const (
	maxPatterns = 1024
	maxKept     = 8 << 20
)

// patternKey is what a Context keeps compiled expressions by.
type patternKey struct{ text, flags string }

// patterns are the compiled expressions that a Context keeps.
type patterns struct {
	known map[patternKey]*regex.Pattern // nil: the expression cannot be used
	bytes int
}

// pattern returns the compiled form of REGEX's arguments from the cache; nil if there is none.
func (c *Context) pattern(text, flags Value) *regex.Pattern {
	if reason := plainTexts(text, flags); reason != "" {
		c.faults.add(text.text, flags.text, reason)
		return nil
	}
	key := patternKey{text.text, flags.text}
	if p, ok := c.patterns.known[key]; ok {
		return p
	}
	if c.patterns.known == nil || len(c.patterns.known) >= maxPatterns || c.patterns.bytes >= maxKept {
		c.patterns = patterns{known: make(map[patternKey]*regex.Pattern)}
	}
	p, reason := regex.Compile(text.text, flags.text)
	if p == nil {
		c.faults.add(text.text, flags.text, reason)
	}
	c.patterns.known[patternKey{strings.Clone(key.text), strings.Clone(key.flags)}] = p
	size := 2*len(key.text) + surfaceRoom
	if p != nil {
		size += p.Bytes()
	}
	c.patterns.bytes += size
	if !c.Read(size) || !c.draw() {
		return nil
	}
	return p
}

// regexMatch is REGEX (SPARQL 17.4.3.14).
func regexMatch(c *Context, args []Value) (Value, bool) {
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
	if quotes(flags.text) {
		if !c.Fits(2 * len(replacement)) {
			return Value{}, false
		}
		replacement = quoteReplacement.Replace(replacement)
	}
	text, ok := p.Replace(c, args[0].text, replacement)
	if !ok {
		if c.err == nil {
			c.faults.add(args[1].text, flags.text, p.ReplaceFault(replacement))
		}
		return Value{}, false
	}
	return like(c, args[0], text)
}

// quotes reports whether flags make pattern and replacement plain text.
func quotes(flags string) bool { return strings.Contains(flags, "q") }

var quoteReplacement = strings.NewReplacer(`\`, `\\`, `$`, `\$`)
