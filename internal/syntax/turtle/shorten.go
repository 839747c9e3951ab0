package turtle

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/rete-go/rete/internal/lex"
	"github.com/rete-go/rete/internal/syntax/prefixes"
	"github.com/rete-go/rete/rdf"
)

// Shortener spells terms as Turtle does: IRIs by prefixes, numbers and
// booleans bare. Every spelling reads back as the same term. It may be used by several
// goroutines.
type Shortener struct{ names *prefixes.Shortener }

// NewShortener returns a Shortener by prefixes, each without its colon, and the namespaces
// that they stand for. The error names a prefix that Turtle cannot hold, or whose namespace
// is no absolute IRI.
func NewShortener(set map[string]string) (*Shortener, error) {
	s := &Shortener{prefixes.NewShortener(set)}
	for prefix, namespace := range set {
		if prefixes.End([]byte(prefix+":")) != len(prefix) {
			return s, fmt.Errorf("prefix %q is not one that Turtle can hold", prefix)
		}
		if !rdf.IRI(namespace).Valid() {
			return s, fmt.Errorf("namespace %q of prefix %q is no absolute IRI", namespace, prefix)
		}
	}
	return s, nil
}

// AppendTerm appends the term of a surface.
func (s *Shortener) AppendTerm(dst, surface []byte) []byte {
	switch rdf.KindOf(surface) {
	case rdf.KindIRI:
		return s.AppendIRI(dst, surface)
	case rdf.KindLiteral:
		return s.appendLiteral(dst, surface)
	case rdf.KindTriple:
		sub, pred, obj, ok := rdf.SplitTriple(surface)
		if !ok {
			break
		}
		dst = append(s.AppendTerm(append(dst, "<<( "...), sub), ' ')
		dst = append(s.AppendIRI(dst, pred), ' ')
		return append(s.AppendTerm(dst, obj), " )>>"...)
	}
	return append(dst, surface...)
}

// AppendIRI appends the IRI of a surface, by the longest namespace that it
// begins with and whose rest can be a local name.
func (s *Shortener) AppendIRI(dst, surface []byte) []byte {
	mark := len(dst)
	if s.names.Each(surface[1:len(surface)-1], func(name string, local []byte) (ok bool) {
		dst = append(append(dst[:mark], name...), ':')
		dst, ok = appendLocal(dst, local)
		return ok
	}) {
		return dst
	}
	return append(dst[:mark], surface...)
}

// appendLocal appends name as a local name, escaped where Turtle asks for it;
// ok is false if it cannot be one.
func appendLocal(dst, name []byte) (_ []byte, ok bool) {
	for i := 0; i < len(name); {
		c := name[i]
		switch {
		case lex.Class[c]&lex.ClassName != 0 && (c != '-' || i > 0), c == ':':
			dst = append(dst, c)
		case c == '.' && i > 0 && i < len(name)-1:
			dst = append(dst, c)
		case c == '%' && i+2 < len(name) && lex.Class[name[i+1]]&lex.Class[name[i+2]]&lex.ClassHex != 0:
			dst = append(dst, c)
		case c < utf8.RuneSelf:
			if strings.IndexByte("_~.-!$&'()*+,;=/?#@%", c) < 0 {
				return dst, false
			}
			dst = append(dst, '\\', c)
		default:
			n := lex.NameRune(name, i, i == 0)
			if n == 0 {
				return dst, false
			}
			dst = append(dst, name[i:i+n]...)
			i += n
			continue
		}
		i++
	}
	return dst, true
}

func (s *Shortener) appendLiteral(dst, surface []byte) []byte {
	text, _, _, datatype, ok := rdf.SplitLiteral(surface)
	if !ok || len(datatype) == 0 {
		return append(dst, surface...)
	}
	if bare(text, datatype) {
		return append(dst, text...)
	}
	cut := len(text) + 4 // the quotes and ^^
	return s.AppendIRI(append(dst, surface[:cut]...), surface[cut:])
}

// bare reports whether text alone reads back as a literal of that datatype.
func bare(text, datatype []byte) bool {
	switch string(datatype) {
	case rdf.XSDBoolean:
		return string(text) == "true" || string(text) == "false"
	case rdf.XSDInteger, rdf.XSDDecimal, rdf.XSDDouble:
		end, _, kind := scanNumber(text)
		return end == len(text) && kind == string(datatype)
	}
	return false
}
