// Package regex has the regular expressions of REGEX and REPLACE: those of XPath F&O 5.6.1, and
// what is usual beyond. They are translated to those of package regexp, so nothing backtracks.
package regex

import (
	"errors"
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
	next    *regexp.Regexp // finds the next match after a character, see [Pattern.findNext]
	once    sync.Once      // guards next
	words   *syntax.Prog   // not nil with \b and \B: see [Pattern.findWords]
	needle  string
	from    bool // the needle stands at the beginning
	to      bool // and, or, at the end
	fold    bool
	empty   bool // matches the empty string
	literal bool
}

// Compile compiles an expression in the syntax of XPath F&O 5.6.1 with
// its flags (s, m, i, x, q). What is wrong, or cannot be had without
// backtracking, is named in the reason, "" if all is well: back-references, look-ahead,
// look-behind, counts above 1000, blocks of \p{Is…} that we do not know.
//
// Two things differ from XPath: a lone brace or closing bracket means itself,
// and under m the beginning of a line is also after a newline that ends the
// text. Some things that are errors in XPath are what they are in Java and Rust: \b and \B
// (of words in the sense of Unicode), \A, \z, \Q…\E, \f, \xHH, \uHHHH, a backslash before any
// sign, (?i) and the other flags, also as (?i:…), groups with names, and {,n}.
func Compile(text, flags string) (p *Pattern, reason string) {
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
	f = t.whole
	p = &Pattern{fold: f.fold}
	if t.isLiteral && !(f.multiline && (t.anchored || t.anchorTo)) && (!f.fold || foldsAsBytes(t.literal)) {
		p.literal, p.needle, p.from, p.to = true, string(t.literal), t.anchored, t.anchorTo
		p.empty = p.needle == ""
		if !f.fold {
			return p, ""
		}
	}
	prefix := "(?" + f.prefix() + ")"
	tree, err := syntax.Parse(prefix+t.out.String(), syntax.Perl)
	if err != nil {
		return nil, syntaxFault(err, prefix)
	}
	if p.steps = programSize(tree); p.steps > maxProgram {
		return nil, "the regular expression is too large"
	}
	re, err := regexp.Compile(prefix + t.out.String())
	if err != nil {
		return nil, syntaxFault(err, prefix)
	}
	p.re = re
	p.empty = re.MatchString("")
	if t.words {
		if p.words, err = syntax.Compile(tree.Simplify()); err != nil {
			return nil, syntaxFault(err, prefix)
		}
		p.empty = p.empty || mayBeEmpty(tree)
	}
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

// Bytes returns about the memory of the pattern.
func (p *Pattern) Bytes() int {
	n := 64 + len(p.needle) + stepBytes*p.steps
	if p.words != nil {
		n += stepBytes * len(p.words.Inst)
	}
	return n
}

// syntaxFault says what Go's syntax finds wrong: without the expression if that is the whole
// one, which begins with the prefix of its flags and is not as the query has it.
func syntaxFault(err error, prefix string) string {
	var fault *syntax.Error
	if errors.As(err, &fault) && strings.HasPrefix(fault.Expr, prefix) {
		return fault.Code.String()
	}
	return strings.TrimPrefix(err.Error(), "error parsing regexp: ")
}

// Meter counts the work of matching, which it may end.
type Meter interface {
	// Read counts bytes that are read; false: the work is to end.
	Read(bytes int) bool
	// Fits draws memory for a text that is about to be made; false: the work is to end.
	Fits(bytes int) bool
	// Stopped checks the context of the work.
	Stopped() bool
	// Err returns why the work is to end; nil if it is not.
	Err() error
}

func isASCII(s string) bool {
	for i := 0; i < len(s); i++ {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}
