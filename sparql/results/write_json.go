package results

import (
	"bytes"

	"github.com/rete-go/rete/rdf"
)

// jsonWriter writes SPARQL 1.1 Query Results JSON, one row a line.
type jsonWriter struct {
	output
	keys [][]byte // `"name":` for each variable
}

func (w *jsonWriter) Head(vars []string) error {
	if w.begin(phaseRows) != nil {
		return w.err
	}
	w.vars = vars
	w.buf = append(w.buf, `{"head":{"vars":[`...)
	for i, name := range vars {
		if i > 0 {
			w.buf = append(w.buf, ',')
		}
		from := len(w.buf)
		w.buf = append(w.buf, '"')
		w.buf = appendJSONText(w.buf, []byte(name))
		w.buf = append(w.buf, '"')
		w.keys = append(w.keys, append(bytes.Clone(w.buf[from:]), ':'))
	}
	w.buf = append(w.buf, "]},\"results\":{\"bindings\":["...)
	return nil
}

func (w *jsonWriter) Row(row [][]byte) error { return w.cells(row, false) }

// Cells implements [CellWriter].
func (w *jsonWriter) Cells(row [][]byte) error { return w.cells(row, true) }

// AppendCell implements [CellWriter].
func (w *jsonWriter) AppendCell(dst, surface []byte) ([]byte, error) {
	return appendJSONTerm(dst, surface)
}

// cells writes a row, of surfaces or of what they are spelled as.
func (w *jsonWriter) cells(row [][]byte, spelled bool) error {
	if w.row(row) != nil {
		return w.err
	}
	if w.rows > 1 {
		w.buf = append(w.buf, ',')
	}
	w.buf = append(w.buf, '\n', '{')
	first := true
	for i, cell := range row {
		if len(cell) == 0 {
			continue
		}
		if !first {
			w.buf = append(w.buf, ',')
		}
		first = false
		w.buf = append(w.buf, w.keys[i]...)
		if spelled {
			w.buf = append(w.buf, cell...)
		} else if w.buf, w.err = appendJSONTerm(w.buf, cell); w.err != nil {
			return w.err
		}
	}
	w.buf = append(w.buf, '}')
	return w.more()
}

func (w *jsonWriter) Boolean(b bool) error {
	if w.begin(phaseBoolean) != nil {
		return w.err
	}
	w.buf = append(w.buf, `{"head":{},"boolean":`...)
	if b {
		w.buf = append(w.buf, "true"...)
	} else {
		w.buf = append(w.buf, "false"...)
	}
	return nil
}

func (w *jsonWriter) Close() error {
	if w.end() {
		return w.err
	}
	if w.phase == phaseRows {
		w.buf = append(w.buf, "\n]}"...)
	}
	w.buf = append(w.buf, "}\n"...)
	return w.done()
}

// appendJSONTerm appends the object of one term.
func appendJSONTerm(dst, surface []byte) ([]byte, error) {
	switch rdf.KindOf(surface) {
	case rdf.KindIRI:
		dst = append(dst, `{"type":"uri","value":"`...)
		dst = appendJSONText(dst, surface[1:len(surface)-1])
		return append(dst, '"', '}'), nil
	case rdf.KindBlank:
		dst = append(dst, `{"type":"bnode","value":"`...)
		dst = appendJSONText(dst, surface[2:])
		return append(dst, '"', '}'), nil
	case rdf.KindLiteral:
		escaped, lang, dir, datatype := literal(surface)
		dst = append(dst, `{"type":"literal","value":"`...)
		dst = appendJSONEscaped(dst, escaped)
		if len(lang) > 0 {
			dst = append(append(dst, `","xml:lang":"`...), lang...)
			if len(dir) > 0 {
				dst = append(append(dst, `","its:dir":"`...), dir...)
			}
		} else if len(datatype) > 0 && string(datatype) != rdf.XSDString {
			dst = append(dst, `","datatype":"`...)
			dst = appendJSONText(dst, datatype)
		}
		return append(dst, '"', '}'), nil
	case rdf.KindTriple:
		s, p, o, ok := rdf.SplitTriple(surface)
		if !ok {
			break
		}
		var err error
		dst = append(dst, `{"type":"triple","value":{`...)
		for i, part := range [][]byte{s, p, o} {
			dst = append(dst, [...]string{`"subject":`, `,"predicate":`, `,"object":`}[i]...)
			if dst, err = appendJSONTerm(dst, part); err != nil {
				return dst, err
			}
		}
		return append(dst, '}', '}'), nil
	}
	return dst, badTerm(surface)
}

// appendJSONEscaped appends the escaped text of a surface. The escapes of
// canonical surfaces are those of JSON, so the bytes are copied; the others
// that N-Triples has are turned.
func appendJSONEscaped(dst, escaped []byte) []byte {
	for i := bytes.IndexByte(escaped, '\\'); i >= 0 && i+1 < len(escaped); {
		if c := escaped[i+1]; c == 'U' || c == '\'' {
			return appendJSONText(dst, rdf.Unescape(nil, escaped))
		}
		next := bytes.IndexByte(escaped[i+2:], '\\')
		if next < 0 {
			break
		}
		i += 2 + next
	}
	return append(dst, escaped...)
}

// appendJSONText appends text as the inside of a JSON string.
func appendJSONText(dst, text []byte) []byte {
	const digits = "0123456789ABCDEF"
	from := 0
	for i, c := range text {
		switch {
		case c == '"' || c == '\\':
			dst = append(append(dst, text[from:i]...), '\\', c)
		case c < 0x20:
			dst = append(append(dst, text[from:i]...), '\\', 'u', '0', '0', digits[c>>4], digits[c&15])
		default:
			continue
		}
		from = i + 1
	}
	return append(dst, text[from:]...)
}
