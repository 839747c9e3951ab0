package results

import (
	"fmt"
	"unicode/utf8"

	"github.com/rete-go/rete/rdf"
)

// xmlWriter writes SPARQL Query Results XML. Text with a character that XML
// cannot carry is an error, never changed silently.
type xmlWriter struct {
	output
	open    [][]byte // `<binding name="…">` for each variable
	scratch []byte
}

const xmlHead = `<?xml version="1.0" encoding="UTF-8"?>` + "\n" +
	`<sparql xmlns="http://www.w3.org/2005/sparql-results#" xmlns:its="http://www.w3.org/2005/11/its" its:version="2.0">` + "\n"

func (w *xmlWriter) Head(vars []string) error {
	if w.begin(phaseRows) != nil {
		return w.err
	}
	w.vars = vars
	w.buf = append(w.buf, xmlHead...)
	w.buf = append(w.buf, "<head>"...)
	for _, name := range vars {
		quoted := w.text(nil, []byte(name))
		w.buf = append(append(append(w.buf, `<variable name="`...), quoted...), `"/>`...)
		w.open = append(w.open, append(append([]byte(`<binding name="`), quoted...), `">`...))
	}
	w.buf = append(w.buf, "</head>\n<results>\n"...)
	return w.err
}

func (w *xmlWriter) Row(row [][]byte) error {
	if w.row(row) != nil {
		return w.err
	}
	w.buf = append(w.buf, "<result>"...)
	for i, surface := range row {
		if len(surface) == 0 {
			continue
		}
		w.buf = append(w.buf, w.open[i]...)
		w.term(surface)
		w.buf = append(w.buf, "</binding>"...)
	}
	w.buf = append(w.buf, "</result>\n"...)
	return w.more()
}

func (w *xmlWriter) Boolean(b bool) error {
	if w.begin(phaseBoolean) != nil {
		return w.err
	}
	w.buf = append(w.buf, xmlHead...)
	w.buf = fmt.Appendf(w.buf, "<head/>\n<boolean>%t</boolean>\n", b)
	return nil
}

func (w *xmlWriter) Close() error {
	if w.end() {
		return w.err
	}
	if w.phase == phaseRows {
		w.buf = append(w.buf, "</results>\n"...)
	}
	w.buf = append(w.buf, "</sparql>\n"...)
	return w.done()
}

// term appends one term.
func (w *xmlWriter) term(surface []byte) {
	switch rdf.KindOf(surface) {
	case rdf.KindIRI:
		w.element("uri", surface[1:len(surface)-1])
	case rdf.KindBlank:
		w.element("bnode", surface[2:])
	case rdf.KindLiteral:
		escaped, lang, dir, datatype := literal(surface)
		w.buf = append(w.buf, "<literal"...)
		if len(lang) > 0 {
			w.attribute("xml:lang", lang)
			if len(dir) > 0 {
				w.attribute("its:dir", dir)
			}
		} else if len(datatype) > 0 && string(datatype) != rdf.XSDString {
			w.attribute("datatype", datatype)
		}
		w.buf = append(w.buf, '>')
		w.scratch = rdf.Unescape(w.scratch[:0], escaped)
		w.buf = w.text(w.buf, w.scratch)
		w.buf = append(w.buf, "</literal>"...)
	case rdf.KindTriple:
		s, p, o, ok := rdf.SplitTriple(surface)
		if !ok {
			w.fail(badTerm(surface))
			return
		}
		w.buf = append(w.buf, "<triple>"...)
		for i, part := range [][]byte{s, p, o} {
			name := [...]string{"subject", "predicate", "object"}[i]
			w.buf = append(append(append(w.buf, '<'), name...), '>')
			w.term(part)
			w.buf = append(append(append(w.buf, "</"...), name...), '>')
		}
		w.buf = append(w.buf, "</triple>"...)
	default:
		w.fail(badTerm(surface))
	}
}

func (w *xmlWriter) element(name string, text []byte) {
	w.buf = append(append(append(w.buf, '<'), name...), '>')
	w.buf = w.text(w.buf, text)
	w.buf = append(append(append(w.buf, "</"...), name...), '>')
}

func (w *xmlWriter) attribute(name string, text []byte) {
	w.buf = append(append(append(append(w.buf, ' '), name...), '='), '"')
	w.buf = append(w.text(w.buf, text), '"')
}

func (w *xmlWriter) fail(err error) {
	if w.err == nil {
		w.err = err
	}
}

// plain are the bytes that stand for themselves in XML; U+FFFE and U+FFFF, which
// XML cannot carry, begin with 0xEF.
var plain = func() (t [256]bool) {
	for c := 0x20; c < 256; c++ {
		t[c] = c != '&' && c != '<' && c != '>' && c != '"' && c != 0xEF
	}
	return t
}()

// text appends text so that a parser gives back the same characters.
func (w *xmlWriter) text(dst, text []byte) []byte {
	from := 0
	for i := 0; i < len(text); {
		c := text[i]
		if plain[c] {
			i++
			continue
		}
		size, escape := 1, ""
		switch {
		case c == '&':
			escape = "&amp;"
		case c == '<':
			escape = "&lt;"
		case c == '>':
			escape = "&gt;"
		case c == '"':
			escape = "&quot;"
		case c == '\r':
			escape = "&#13;"
		case c == '\n':
			escape = "&#10;"
		case c == '\t':
			escape = "&#9;"
		case c < 0x20:
			w.fail(&rdf.InexpressibleError{What: fmt.Sprintf("a term with the character U+%04X", c), Syntax: "XML"})
		case c == 0xEF:
			var r rune
			if r, size = utf8.DecodeRune(text[i:]); r == 0xFFFE || r == 0xFFFF {
				w.fail(&rdf.InexpressibleError{What: fmt.Sprintf("a term with the character U+%04X", r), Syntax: "XML"})
			}
		}
		if escape != "" {
			dst = append(append(dst, text[from:i]...), escape...)
			from = i + 1
		}
		i += size
	}
	return append(dst, text[from:]...)
}
