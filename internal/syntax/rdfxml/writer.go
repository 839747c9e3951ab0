package rdfxml

import (
	"bytes"
	"fmt"
	"io"
	"sort"
	"unicode/utf8"

	"github.com/rete-go/rete/internal/closed"
	"github.com/rete-go/rete/internal/lex"
	"github.com/rete-go/rete/rdf"
)

const writeSize = 64 << 10

// Writer writes RDF/XML. It implements [rdf.Writer]. Blank node labels that
// begin with a digit or an underscore, which XML names may not or which could
// clash with those, get an underscore in front.
type Writer struct {
	dst      io.Writer
	buf      []byte
	prefixes map[string]string // namespace → prefix
	subject  []byte            // of the open element, empty if none is open
	text     []byte
	err      error
}

// NewWriter returns a writer that declares the prefixes (without colons) at
// the root and uses them for properties. Other namespaces are declared where
// they are used. A prefix that is no XML name, xml or xmlns is left out.
func NewWriter(dst io.Writer, prefixes map[string]string) *Writer {
	w := &Writer{dst: dst, prefixes: map[string]string{rdf.RDF: "rdf"}}
	w.buf = append(w.buf, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<rdf:RDF xmlns:rdf=\""+rdf.RDF+"\""...)
	keys := make([]string, 0, len(prefixes))
	for prefix := range prefixes {
		keys = append(keys, prefix)
	}
	sort.Strings(keys)
	for _, prefix := range keys {
		namespace := prefixes[prefix]
		if _, have := w.prefixes[namespace]; have || !isNCName(prefix) || prefix == "rdf" || prefix == "xml" || prefix == "xmlns" || !rdf.IRI(namespace).Valid() || namespace == xmlNS {
			continue
		}
		w.prefixes[namespace] = prefix
		w.buf = append(w.buf, "\n    xmlns:"+prefix+"=\""...)
		w.buf = append(appendXML(w.buf, []byte(namespace)), '"')
	}
	w.buf = append(w.buf, ">\n"...)
	return w
}

// WriteQuad implements [rdf.Writer]. A statement that RDF/XML cannot hold is
// refused; nothing of it is written, and the writer may go on.
func (w *Writer) WriteQuad(q *rdf.RawQuad) error {
	if w.err != nil {
		return w.err
	}
	if len(q.G) > 0 {
		return fmt.Errorf("a statement in graph %s: RDF/XML has no graphs", q.G)
	}
	mark := len(w.buf)
	if len(w.subject) == 0 || !bytes.Equal(w.subject, q.S) {
		w.closeSubject()
		w.openSubject(q.S, "  ")
	}
	if err := w.property(q.P, q.O, "    "); err != nil {
		w.buf = w.buf[:mark]
		return err
	}
	w.subject = append(w.subject[:0], q.S...)
	if len(w.buf) >= writeSize {
		w.flush()
	}
	return w.err
}

func (w *Writer) openSubject(s []byte, indent string) {
	w.buf = append(append(w.buf, indent...), "<rdf:Description"...)
	w.reference(s, "about")
	w.buf = append(w.buf, ">\n"...)
}

// reference appends the attribute that names a node.
func (w *Writer) reference(t []byte, attr string) {
	if rdf.KindOf(t) == rdf.KindBlank {
		w.buf = append(w.buf, ` rdf:nodeID="`...)
		if c := t[2]; c == '_' || lex.Class[c]&lex.ClassDigit != 0 {
			w.buf = append(w.buf, '_')
		}
		w.buf = append(append(w.buf, t[2:]...), '"')
		return
	}
	w.buf = append(append(append(w.buf, " rdf:"...), attr...), `="`...)
	w.buf = append(appendXML(w.buf, t[1:len(t)-1]), '"')
}

func (w *Writer) closeSubject() {
	if len(w.subject) > 0 {
		w.buf = append(w.buf, "  </rdf:Description>\n"...)
	}
}

// inexpressible returns the error of something that RDF/XML cannot hold.
func inexpressible(format string, arg any) error {
	return &rdf.InexpressibleError{What: fmt.Sprintf(format, arg), Syntax: "RDF/XML"}
}

// property appends a property element.
func (w *Writer) property(p, o []byte, indent string) error {
	namespace, local := splitName(p[1 : len(p)-1])
	if string(namespace) == xmlnsNS {
		return inexpressible("property %s is in a namespace without a prefix", p)
	}
	if len(local) == 0 {
		return inexpressible("property %s does not end in an XML name", p)
	}
	if string(namespace) == rdf.RDF && (coreSyntax[string(local)] || oldTerms[string(local)] || string(local) == "Description" || string(local) == "li") {
		return inexpressible("property %s is a word of the syntax", p)
	}
	prefix, declared := w.prefixes[string(namespace)]
	if !declared {
		prefix = "ns0"
	}
	name := prefix + ":" + string(local)
	w.buf = append(append(append(w.buf, indent...), '<'), name...)
	if !declared {
		w.buf = append(appendXML(append(w.buf, " xmlns:ns0=\""...), namespace), '"')
	}
	switch rdf.KindOf(o) {
	case rdf.KindLiteral:
		return w.literal(o, name)
	case rdf.KindTriple:
		s, p, o, ok := rdf.SplitTriple(o)
		if !ok || rdf.KindOf(s) == rdf.KindTriple {
			return inexpressible("triple term with the subject %s", s)
		}
		w.buf = append(w.buf, " rdf:version=\"1.2\" rdf:parseType=\"Triple\">\n"...)
		w.openSubject(s, indent+"  ")
		if err := w.property(p, o, indent+"    "); err != nil {
			return err
		}
		w.buf = append(append(append(w.buf, indent...), "  </rdf:Description>\n"...), indent...)
		w.buf = append(append(append(w.buf, "</"...), name...), ">\n"...)
	default:
		w.reference(o, "resource")
		w.buf = append(w.buf, "/>\n"...)
	}
	return nil
}

func (w *Writer) literal(o []byte, name string) error {
	escaped, lang, dir, datatype, _ := rdf.SplitLiteral(o)
	w.text = rdf.Unescape(w.text[:0], escaped)
	if c, ok := cannotHold(w.text); ok {
		return inexpressible("a literal with the character U+%04X", c)
	}
	if len(lang) > 0 {
		w.buf = append(append(append(w.buf, ` xml:lang="`...), lang...), '"')
	}
	if len(dir) > 0 {
		w.buf = append(append(append(w.buf, ` rdf:version="1.2" xmlns:its="`+itsNS+`" its:dir="`...), dir...), '"')
	}
	if len(datatype) > 0 {
		w.buf = append(appendXML(append(w.buf, ` rdf:datatype="`...), datatype), '"')
	}
	w.buf = append(appendXML(append(w.buf, '>'), w.text), "</"...)
	w.buf = append(append(w.buf, name...), ">\n"...)
	return nil
}

// Close implements [rdf.Writer].
func (w *Writer) Close() error {
	if w.err == errClosed {
		return nil
	}
	w.closeSubject()
	w.subject = w.subject[:0]
	w.buf = append(w.buf, "</rdf:RDF>\n"...)
	w.flush()
	if w.err != nil {
		return w.err
	}
	w.err = errClosed
	return nil
}

// errClosed is a quad after the end of the document.
var errClosed = fmt.Errorf("rdfxml: the document: %w", closed.Err)

func (w *Writer) flush() {
	if w.err == nil && len(w.buf) > 0 {
		_, w.err = w.dst.Write(w.buf)
	}
	w.buf = w.buf[:0]
}

// nameRune reports whether an XML name may begin with r, or hold it elsewhere.
// It knows the letters of the alphabets that properties are named in, as all
// editions of XML 1.0 have them; the fifth allows more, but not every parser.
func nameRune(r rune) (letter, other bool) {
	switch {
	case r < utf8.RuneSelf:
		class := lex.Class[r]
		return class&lex.ClassAlpha != 0 || r == '_', class&lex.ClassDigit != 0 || r == '-' || r == '.'
	case r >= 0xC0 && r <= 0x131:
		return r != 0xD7 && r != 0xF7, false
	}
	return r >= 0x3A3 && r <= 0x3CE || r >= 0x40E && r <= 0x44F || r >= 0x4E00 && r <= 0x9FA5, false
}

// splitName cuts an IRI before its longest tail that is an XML name.
func splitName(text []byte) (namespace, local []byte) {
	cut := len(text)
	for i := len(text); i > 0; {
		r, n := utf8.DecodeLastRune(text[:i])
		letter, other := nameRune(r)
		if !letter && !other {
			break
		}
		if i -= n; letter {
			cut = i
		}
	}
	if !lex.HasScheme(text[:cut]) {
		return text, nil
	}
	return text[:cut], text[cut:]
}

// cannotHold returns the first character of text that XML 1.0 excludes.
func cannotHold(text []byte) (rune, bool) {
	for i := 0; i < len(text); {
		r, n := utf8.DecodeRune(text[i:])
		if r < 0x20 && r != '\t' && r != '\n' && r != '\r' || r == 0xFFFE || r == 0xFFFF {
			return r, true
		}
		i += n
	}
	return 0, false
}

// appendXML appends text as it may stand in an attribute and in content.
func appendXML(dst, text []byte) []byte {
	for _, c := range text {
		switch c {
		case '&':
			dst = append(dst, "&amp;"...)
		case '<':
			dst = append(dst, "&lt;"...)
		case '>':
			dst = append(dst, "&gt;"...)
		case '"':
			dst = append(dst, "&quot;"...)
		case '\r':
			dst = append(dst, "&#xD;"...)
		default:
			dst = append(dst, c)
		}
	}
	return dst
}
