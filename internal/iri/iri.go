// Package iri resolves relative references and checks absolute IRIs
// (RFC 3986 section 5 and RFC 3987). A [Base] is what references are resolved
// against; [Check] says what is wrong with an IRI.
//
// Nothing is normalised: letters keep their case, percent escapes and default
// ports stay as written. A reference that has a scheme is returned as it is,
// with its dot segments: RDF compares IRIs as strings, so an absolute IRI must
// be the same term whether it stands in N-Triples or in Turtle.
package iri

import (
	"fmt"
	"strings"
)

// Base is an absolute IRI that references are resolved against. It does not
// change and may be shared.
type Base struct {
	text      string
	scheme    string // with ':'
	authority string // with "//", or empty
	path      string
	query     string // with '?', or empty
}

// NewBase takes text, without its fragment, as a base. It must have a scheme, and a port must
// be a number.
func NewBase(text string) (*Base, error) {
	p := split(text)
	if p.scheme == "" {
		return nil, fmt.Errorf("base IRI %q has no scheme", text)
	}
	if _, err := splitPort(p.authority); err != nil {
		return nil, fmt.Errorf("base IRI %q: %w", text, err)
	}
	b := &Base{text: text[:len(text)-len(p.fragment)], scheme: p.scheme, authority: p.authority, path: p.path, query: p.query}
	return b, nil
}

// String returns the base without its fragment.
func (b *Base) String() string { return b.text }

// Resolve returns the IRI that ref stands for (RFC 3986, section 5.2.2).
func (b *Base) Resolve(ref string) string {
	return string(b.Append(make([]byte, 0, len(b.text)+len(ref)), []byte(ref)))
}

// Append appends the IRI that ref stands for to dst.
func (b *Base) Append(dst, ref []byte) []byte {
	r := split(ref)
	if len(r.scheme) > 0 {
		return append(dst, ref...)
	}
	dst = append(dst, b.scheme...)
	switch {
	case len(r.authority) > 0:
		dst = append(dst, r.authority...)
		dst = appendClean(dst, r.path)
		dst = append(dst, r.query...)
	case len(r.path) == 0:
		dst = append(append(dst, b.authority...), b.path...)
		if len(r.query) > 0 {
			dst = append(dst, r.query...)
		} else {
			dst = append(dst, b.query...)
		}
	default:
		dst = append(dst, b.authority...)
		if r.path[0] == '/' {
			dst = appendClean(dst, r.path)
		} else {
			dst = appendClean(dst, b.merge(r.path))
		}
		dst = append(dst, r.query...)
	}
	return append(dst, r.fragment...)
}

// merge is RFC 3986, section 5.2.3.
func (b *Base) merge(path []byte) []byte {
	if b.authority != "" && b.path == "" {
		return append([]byte{'/'}, path...)
	}
	dir := b.path[:strings.LastIndexByte(b.path, '/')+1]
	return append([]byte(dir), path...)
}

// appendClean appends path without its dot segments (RFC 3986, section 5.2.4).
func appendClean(dst, path []byte) []byte {
	floor := len(dst)
	rest := string(path)
	for rest != "" {
		switch {
		case strings.HasPrefix(rest, "../"):
			rest = rest[3:]
		case strings.HasPrefix(rest, "./"):
			rest = rest[2:]
		case strings.HasPrefix(rest, "/./"):
			rest = rest[2:]
		case rest == "/.":
			rest = "/"
		case strings.HasPrefix(rest, "/../"), rest == "/..":
			rest = "/" + strings.TrimPrefix(rest[3:], "/")
			dst = dst[:lastSlash(dst, floor)]
		case rest == "." || rest == "..":
			rest = ""
		default:
			n := strings.IndexByte(rest[1:], '/') + 1
			if n == 0 {
				n = len(rest)
			}
			dst = append(dst, rest[:n]...)
			rest = rest[n:]
		}
	}
	return dst
}

// lastSlash returns the index of the last slash of dst[floor:], or floor.
func lastSlash(dst []byte, floor int) int {
	for i := len(dst) - 1; i >= floor; i-- {
		if dst[i] == '/' {
			return i
		}
	}
	return floor
}

// parts of a reference, with their delimiters, so that an empty part differs
// from one that is not there.
type parts[T ~string | ~[]byte] struct{ scheme, authority, path, query, fragment T }

// split is the expression of RFC 3986, appendix B, without an expression.
func split[T ~string | ~[]byte](s T) (p parts[T]) {
	if n := schemeLen(s); n > 0 {
		p.scheme, s = s[:n], s[n:]
	}
	if i := index(s, "#"); i < len(s) {
		p.fragment, s = s[i:], s[:i]
	}
	if i := index(s, "?"); i < len(s) {
		p.query, s = s[i:], s[:i]
	}
	if len(s) >= 2 && s[0] == '/' && s[1] == '/' {
		i := 2 + index(s[2:], "/")
		p.authority, s = s[:i], s[i:]
	}
	p.path = s
	return p
}

func index[T ~string | ~[]byte](s T, c string) int {
	for i := range len(s) {
		if s[i] == c[0] {
			return i
		}
	}
	return len(s)
}

// schemeLen returns the length of the scheme of s with its colon, or 0.
func schemeLen[T ~string | ~[]byte](s T) int {
	for i := range len(s) {
		switch c := s[i]; {
		case c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z':
		case i > 0 && (c >= '0' && c <= '9' || c == '+' || c == '-' || c == '.'):
		case i > 0 && c == ':':
			return i + 1
		default:
			return 0
		}
	}
	return 0
}
