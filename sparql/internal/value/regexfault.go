package value

import (
	"strings"
	"sync"

	"github.com/rete-go/rete/sparql/internal/regex"
)

// PatternFault is a regular expression that REGEX or REPLACE could not use, so that the call
// was a value error.
type PatternFault struct{ Pattern, Flags, Reason string }

// patternFaults keeps the first fault of a request, for all its goroutines.
type patternFaults struct {
	mu    sync.Mutex
	first PatternFault
}

func (f *patternFaults) add(pattern, flags, reason string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.first.Reason == "" {
		f.first = PatternFault{strings.Clone(pattern), strings.Clone(flags), reason}
	}
}

// FaultOf returns the first regular expression of the request that could not be used, and
// false if all could.
func FaultOf(c *Context) (PatternFault, bool) {
	c.faults.mu.Lock()
	defer c.faults.mu.Unlock()
	return c.faults.first, c.faults.first.Reason != ""
}

// CheckRegex returns why REGEX has no value for a pattern and flags, whatever the text; "" if
// there is no reason. An argument that is not known is the zero Value.
func CheckRegex(pattern, flags Value) string {
	_, reason := checkPattern(pattern, flags)
	return reason
}

// CheckReplace is [CheckRegex] of REPLACE, with its replacement.
func CheckReplace(pattern, replacement, flags Value) string {
	p, reason := checkPattern(pattern, flags)
	if p == nil || replacement.kind == None {
		return reason
	}
	if replacement.kind != String {
		return "the replacement must be a string without a language"
	}
	text := replacement.text
	if quotes(flags.text) {
		text = quoteReplacement.Replace(text)
	}
	return p.ReplaceFault(text)
}

// checkPattern compiles a pattern, if it and its flags are known.
func checkPattern(pattern, flags Value) (*regex.Pattern, string) {
	if pattern.kind == None {
		pattern = OfString("")
		if flags.kind == None {
			return nil, ""
		}
		_, reason := checkPattern(pattern, flags)
		return nil, reason
	}
	if flags.kind == None {
		return nil, plainTexts(pattern, OfString("")) // which may be q
	}
	if reason := plainTexts(pattern, flags); reason != "" {
		return nil, reason
	}
	return regex.Compile(pattern.text, flags.text)
}

// plainTexts says what is wrong with arguments that are no plain strings.
func plainTexts(pattern, flags Value) string {
	switch {
	case pattern.kind != String:
		return "a pattern must be a string without a language"
	case flags.kind != String:
		return "flags must be a string without a language"
	}
	return ""
}
