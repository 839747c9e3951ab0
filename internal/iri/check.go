package iri

import (
	"fmt"
	"net/netip"
	"strings"
	"unicode/utf8"
)

// Check reports why text is no absolute IRI by the grammar of RFC 3987, with
// or without a fragment, or nil. Readers of RDF are laxer: they ask for a scheme and for
// characters that may stand between < and >.
func Check(text string) error {
	p := split(text)
	if p.scheme == "" {
		return fmt.Errorf("IRI %q has no scheme", text)
	}
	if p.authority != "" {
		if err := checkAuthority(p.authority[2:]); err != nil {
			return fmt.Errorf("IRI %q: %w", text, err)
		}
	}
	for _, part := range []struct {
		name, text, more string
	}{
		{"path", p.path, ":@/"},
		{"query", strings.TrimPrefix(p.query, "?"), ":@/?"},
		{"fragment", strings.TrimPrefix(p.fragment, "#"), ":@/?"},
	} {
		if err := checkChars(part.text, part.more, part.name == "query"); err != nil {
			return fmt.Errorf("IRI %q: %w in the %s", text, err, part.name)
		}
	}
	return nil
}

func checkAuthority(a string) error {
	if i := strings.LastIndexByte(a, '@'); i >= 0 {
		if err := checkChars(a[:i], ":", false); err != nil {
			return fmt.Errorf("%w in the user", err)
		}
	}
	host, err := splitPort(a)
	if err != nil {
		return err
	}
	if inside, ok := strings.CutPrefix(host, "["); ok {
		address, ok := strings.CutSuffix(inside, "]")
		switch _, err := netip.ParseAddr(address); {
		case !ok:
			return fmt.Errorf("'[' without ']' at the end of the host")
		case err != nil && !strings.HasPrefix(strings.ToLower(address), "v"):
			return fmt.Errorf("%q is not an address", address)
		}
		return nil
	}
	if err := checkChars(host, "", false); err != nil {
		return fmt.Errorf("%w in the host", err)
	}
	return nil
}

// splitPort takes the port and what stands before the host off an authority. A port is a
// number, which may be empty.
func splitPort(a string) (host string, err error) {
	a = strings.TrimPrefix(a, "//")
	host = a[strings.LastIndexByte(a, '@')+1:]
	if i := strings.LastIndexByte(host, ':'); i > strings.LastIndexByte(host, ']') {
		port := host[i+1:]
		if host = host[:i]; strings.Trim(port, "0123456789") != "" {
			return "", fmt.Errorf("the port %q is not a number", port)
		}
	}
	return host, nil
}

// checkChars takes unreserved characters, sub-delimiters, percent escapes and
// those in more; private ones too if asked.
func checkChars(s, more string, private bool) error {
	for i := 0; i < len(s); {
		c := s[i]
		switch {
		case c == '%':
			if i+2 >= len(s) || !isHex(s[i+1]) || !isHex(s[i+2]) {
				return fmt.Errorf("'%%' without two hexadecimal digits")
			}
			i += 3
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c >= '0' && c <= '9',
			strings.IndexByte("-._~!$&'()*+,;=", c) >= 0, strings.IndexByte(more, c) >= 0:
			i++
		case c < utf8.RuneSelf:
			return fmt.Errorf("character %q", c)
		default:
			r, n := utf8.DecodeRuneInString(s[i:])
			if r == utf8.RuneError && n <= 1 {
				return fmt.Errorf("a byte that is not UTF-8")
			}
			if !isUCS(r) && !(private && isPrivate(r)) {
				return fmt.Errorf("character U+%04X", r)
			}
			i += n
		}
	}
	return nil
}

func isHex(c byte) bool {
	return c >= '0' && c <= '9' || c >= 'a' && c <= 'f' || c >= 'A' && c <= 'F'
}

// isUCS is ucschar of RFC 3987, without the characters for directions that its
// section 4.1 forbids.
func isUCS(r rune) bool {
	switch {
	case r == 0x200E || r == 0x200F || r >= 0x202A && r <= 0x202E:
		return false
	case r >= 0xA0 && r <= 0xD7FF, r >= 0xF900 && r <= 0xFDCF, r >= 0xFDF0 && r <= 0xFFEF:
		return true
	case r >= 0x10000 && r <= 0xEFFFF:
		return r&0xFFFF <= 0xFFFD && (r < 0xE0000 || r >= 0xE1000)
	}
	return false
}

func isPrivate(r rune) bool {
	return r >= 0xE000 && r <= 0xF8FF || r >= 0xF0000 && r <= 0xFFFFD || r >= 0x100000 && r <= 0x10FFFD
}
