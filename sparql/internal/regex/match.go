package regex

import (
	"io"
	"strings"
	"unicode/utf8"
)

// Match reports whether the expression matches some part of s. Where that may take long
// it checks the context of c now and then; a match after Meter.Err has
// become an error means nothing.
func (p *Pattern) Match(c Meter, s string) bool {
	if p.literal {
		if !p.fold {
			return anchoredMatch(s, p.needle, p.from, p.to)
		}
		if isASCII(s) {
			return foldMatch(c, s, p.needle, p.from, p.to)
		}
	}
	if p.words != nil && !isASCII(s) {
		return p.findWords(c, s, 0, 0) != nil
	}
	if p.long(s) {
		return p.re.MatchReader(p.reader(c, s))
	}
	return c.Read(len(s)*(1+p.steps/8)) && p.re.MatchString(s)
}

// long reports whether matching a text may take long.
func (p *Pattern) long(s string) bool { return len(s) > longMatch/max(1, p.steps) }

// reader returns a reader of a text that checks the context of c.
func (p *Pattern) reader(c Meter, s string) io.RuneReader {
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
func foldMatch(c Meter, s, needle string, from, to bool) bool {
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
		if !c.Read(len(part)) {
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

// watchedReader delivers text by characters and checks the context at intervals of bytes; it
// ends early when that is done.
type watchedReader struct {
	s     string
	c     Meter
	every int
	read  int
}

func (r *watchedReader) ReadRune() (rune, int, error) {
	if r.s == "" {
		return 0, 0, io.EOF
	}
	if r.read >= r.every {
		r.read = 0
		if r.c.Stopped() {
			return 0, 0, io.EOF
		}
	}
	ch, n := utf8.DecodeRuneInString(r.s)
	r.s = r.s[n:]
	r.read += n
	return ch, n, nil
}
