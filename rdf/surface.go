package rdf

import (
	"bytes"

	"github.com/rete-go/rete/internal/lex"
)

// KindOf returns the kind of a canonical surface by its first bytes.
func KindOf(surface []byte) Kind { return kindOf(surface) }

func kindOf[T ~string | ~[]byte](s T) Kind {
	if len(s) < 2 {
		return NoTerm
	}
	switch s[0] {
	case '<':
		if s[1] == '<' {
			return KindTriple
		}
		return KindIRI
	case '_':
		return KindBlank
	case '"':
		return KindLiteral
	}
	return NoTerm
}

// SplitLiteral cuts the canonical surface of a literal into its parts, which
// are views into it: the escaped text, the language tag and direction (empty
// if there are none) and the datatype IRI without brackets (empty for a plain
// literal and for one with a tag). ok is false if it is no literal.
func SplitLiteral(surface []byte) (escaped, lang, dir, datatype []byte, ok bool) {
	if kindOf(surface) != KindLiteral {
		return nil, nil, nil, nil, false
	}
	escaped, lang, dir, datatype = splitLiteral(surface)
	return escaped, lang, dir, datatype, true
}

// splitLiteral cuts bytes that begin with a quote; it takes any that do.
func splitLiteral[T ~string | ~[]byte](s T) (text, lang, dir, datatype T) {
	end := endOfText(s)
	text, rest := s[1:end], s[min(end+1, len(s)):]
	n := len(rest)
	switch {
	case n > 3 && rest[0] == '^':
		datatype = rest[3 : n-1]
	case n > 6 && rest[0] == '@' && rest[n-5] == '-' && rest[n-4] == '-':
		lang, dir = rest[1:n-5], rest[n-3:]
	case n > 1 && rest[0] == '@':
		lang = rest[1:]
	}
	return text, lang, dir, datatype
}

// SplitTriple cuts the canonical surface of a triple term into the surfaces of
// its parts, which are views into it. ok is false if it is no triple term.
func SplitTriple(surface []byte) (s, p, o []byte, ok bool) {
	a, b, ok := tripleCuts(surface)
	if !ok {
		return nil, nil, nil, false
	}
	return surface[2:a], surface[a+1 : b], surface[b+1 : len(surface)-2], true
}

// Unescape appends the characters that the escaped text of a literal stands
// for.
func Unescape(dst, escaped []byte) []byte { return lex.Unescape(dst, escaped) }

// AppendEscaped appends text as it stands between the quotes of a canonical
// literal. Bytes that are not UTF-8 become U+FFFD.
func AppendEscaped(dst []byte, text string) []byte { return lex.AppendEscaped(dst, text) }

// AppendNTriples appends a canonical surface as canonical N-Triples of RDF 1.2
// has it: triple terms stand in <<( )>>, and the noncharacters U+FFFE and
// U+FFFF in literals are escaped. All else is the surface itself.
func AppendNTriples(dst, surface []byte) []byte { return appendNTriples(dst, surface, 0) }

func appendNTriples(dst, surface []byte, depth int) []byte {
	if depth < MaxDepth {
		if s, p, o, ok := SplitTriple(surface); ok {
			dst = append(dst, "<<( "...)
			dst = append(appendNTriples(dst, s, depth+1), ' ')
			dst = append(appendNTriples(dst, p, depth+1), ' ')
			return append(appendNTriples(dst, o, depth+1), " )>>"...)
		}
	}
	if bytes.IndexByte(surface, 0xEF) >= 0 && kindOf(surface) == KindLiteral {
		surface = bytes.ReplaceAll(surface, []byte("\uFFFE"), []byte(`\uFFFE`))
		surface = bytes.ReplaceAll(surface, []byte("\uFFFF"), []byte(`\uFFFF`))
	}
	return append(dst, surface...)
}

// endOfText returns the index of the closing quote of a literal's surface.
// Searching from the end is enough: neither a tag nor an IRI holds a quote.
func endOfText[T ~string | ~[]byte](s T) int {
	for i := len(s) - 1; i > 0; i-- {
		if s[i] == '"' {
			return i
		}
	}
	return len(s)
}

// tripleCuts returns the indexes of the two blanks between the parts of a
// triple term's surface. It walks the surface once, whatever is nested in it.
func tripleCuts[T ~string | ~[]byte](s T) (first, second int, ok bool) {
	n := len(s)
	if kindOf(s) != KindTriple || n < 4 || s[n-1] != '>' || s[n-2] != '>' {
		return 0, 0, false
	}
	first = skipTerm(s, 2)
	if first >= n || s[first] != ' ' {
		return 0, 0, false
	}
	second = skipTerm(s, first+1)
	if second >= n || s[second] != ' ' {
		return 0, 0, false
	}
	return first, second, skipTerm(s, second+1) == n-2
}

// skipTerm returns the index after the term that begins at s[i], or len(s)+1
// if there is none. Nested triple terms are counted, not recursed into.
func skipTerm[T ~string | ~[]byte](s T, i int) int {
	depth := 0
	for i < len(s) {
		switch {
		case s[i] == '<' && i+1 < len(s) && s[i+1] == '<':
			depth++
			i += 2
			continue
		case s[i] == '<':
			i = after(s, i, '>')
		case s[i] == '"':
			i = skipLiteral(s, i)
		case s[i] == '_':
			for i < len(s) && s[i] != ' ' && s[i] != '>' {
				i++
			}
		default:
			return len(s) + 1
		}
		for depth > 0 && i+1 < len(s) && s[i] == '>' && s[i+1] == '>' {
			depth--
			i += 2
		}
		if depth == 0 {
			return i
		}
		if i >= len(s) || s[i] != ' ' {
			return len(s) + 1
		}
		i++
	}
	return len(s) + 1
}

func skipLiteral[T ~string | ~[]byte](s T, i int) int {
	for i++; i < len(s) && s[i] != '"'; i++ {
		if s[i] == '\\' {
			i++
		}
	}
	i++
	switch {
	case i < len(s) && s[i] == '^':
		return after(s, i, '>')
	case i < len(s) && s[i] == '@':
		for i < len(s) && s[i] != ' ' && s[i] != '>' {
			i++
		}
	}
	return i
}

// after returns the index after the next c at or after s[i].
func after[T ~string | ~[]byte](s T, i int, c byte) int {
	for i < len(s) {
		if s[i] == c {
			return i + 1
		}
		i++
	}
	return len(s) + 1
}
