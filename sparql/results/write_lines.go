package results

import (
	"bytes"

	"github.com/rete-go/rete/rdf"
)

// csvWriter writes SPARQL 1.1 Query Results CSV: bare text, lines end in CR LF.
type csvWriter struct {
	output
	scratch []byte
}

func (w *csvWriter) Head(vars []string) error {
	if w.begin(phaseRows) != nil {
		return w.err
	}
	w.vars = vars
	for i, name := range vars {
		if i > 0 {
			w.buf = append(w.buf, ',')
		}
		w.buf = appendCSV(w.buf, []byte(name))
	}
	w.buf = append(w.buf, "\r\n"...)
	return nil
}

func (w *csvWriter) Row(row [][]byte) error {
	if w.row(row) != nil {
		return w.err
	}
	for i, surface := range row {
		if i > 0 {
			w.buf = append(w.buf, ',')
		}
		if len(surface) == 0 {
			continue
		}
		if w.buf, w.err = w.AppendCell(w.buf, surface); w.err != nil {
			return w.err
		}
	}
	w.buf = append(w.buf, "\r\n"...)
	return w.more()
}

// AppendCell implements [CellWriter].
func (w *csvWriter) AppendCell(dst, surface []byte) ([]byte, error) {
	text, ok := w.field(surface)
	switch {
	case !ok:
		return dst, badTerm(surface)
	case len(text) == 0: // an empty literal, apart from unbound
		return append(dst, `""`...), nil
	}
	return appendCSV(dst, text), nil
}

// Cells implements [CellWriter].
func (w *csvWriter) Cells(row [][]byte) error { return w.line(row, ',', "\r\n") }

// field returns the text of a term.
func (w *csvWriter) field(surface []byte) ([]byte, bool) {
	switch rdf.KindOf(surface) {
	case rdf.KindIRI:
		return surface[1 : len(surface)-1], true
	case rdf.KindBlank:
		return surface, true
	case rdf.KindLiteral:
		escaped, _, _, _ := literal(surface)
		if bytes.IndexByte(escaped, '\\') < 0 {
			return escaped, true
		}
		w.scratch = rdf.Unescape(w.scratch[:0], escaped)
		return w.scratch, true
	case rdf.KindTriple:
		w.scratch = rdf.AppendNTriples(w.scratch[:0], surface)
		return w.scratch, true
	}
	return nil, false
}

// appendCSV appends a field, quoted where it must be.
func appendCSV(dst, text []byte) []byte {
	if !bytes.ContainsAny(text, "\",\r\n") {
		return append(dst, text...)
	}
	dst = append(dst, '"')
	for _, c := range text {
		if c == '"' {
			dst = append(dst, '"')
		}
		dst = append(dst, c)
	}
	return append(dst, '"')
}

func (w *csvWriter) Boolean(b bool) error {
	if w.begin(phaseBoolean) != nil {
		return w.err
	}
	w.buf = appendBoolean(w.buf, b, "\r\n")
	return nil
}

// appendBoolean writes the answer of ASK, for which the line formats have no
// form of their own, as one line.
func appendBoolean(dst []byte, b bool, end string) []byte {
	if b {
		dst = append(dst, "true"...)
	} else {
		dst = append(dst, "false"...)
	}
	return append(dst, end...)
}

func (w *csvWriter) Close() error {
	if w.end() {
		return w.err
	}
	return w.done()
}

// tsvWriter writes SPARQL 1.1 Query Results TSV: terms as Turtle spells them,
// numbers without quotes where that says the same.
type tsvWriter struct{ output }

func (w *tsvWriter) Head(vars []string) error {
	if w.begin(phaseRows) != nil {
		return w.err
	}
	w.vars = vars
	for i, name := range vars {
		if i > 0 {
			w.buf = append(w.buf, '\t')
		}
		w.buf = append(append(w.buf, '?'), name...)
	}
	w.buf = append(w.buf, '\n')
	return nil
}

func (w *tsvWriter) Row(row [][]byte) error {
	if w.row(row) != nil {
		return w.err
	}
	for i, surface := range row {
		if i > 0 {
			w.buf = append(w.buf, '\t')
		}
		if len(surface) > 0 {
			w.buf = appendShort(w.buf, surface)
		}
	}
	w.buf = append(w.buf, '\n')
	return w.more()
}

// AppendCell implements [CellWriter].
func (w *tsvWriter) AppendCell(dst, surface []byte) ([]byte, error) {
	return appendShort(dst, surface), nil
}

// Cells implements [CellWriter].
func (w *tsvWriter) Cells(row [][]byte) error { return w.line(row, '\t', "\n") }

// line writes a row of fields that are spelled.
func (o *output) line(row [][]byte, between byte, end string) error {
	if o.row(row) != nil {
		return o.err
	}
	for i, cell := range row {
		if i > 0 {
			o.buf = append(o.buf, between)
		}
		o.buf = append(o.buf, cell...)
	}
	o.buf = append(o.buf, end...)
	return o.more()
}

func (w *tsvWriter) Boolean(b bool) error {
	if w.begin(phaseBoolean) != nil {
		return w.err
	}
	w.buf = appendBoolean(w.buf, b, "\n")
	return nil
}

func (w *tsvWriter) Close() error {
	if w.end() {
		return w.err
	}
	return w.done()
}

// appendShort appends a term in Turtle syntax, short where that is a number.
func appendShort(dst, surface []byte) []byte {
	if surface[0] == '"' && surface[len(surface)-1] == '>' {
		text, _, _, datatype := literal(surface)
		if shortNumber(text, datatype) {
			return append(dst, text...)
		}
	}
	return rdf.AppendNTriples(dst, surface)
}

// shortNumber reports whether Turtle reads the bare text as a literal of the
// datatype.
func shortNumber(text, datatype []byte) bool {
	digits, point, exponent := 0, -1, -1
	for i, c := range text {
		switch {
		case '0' <= c && c <= '9':
			digits++
		case (c == '+' || c == '-') && (i == 0 || i == exponent+1 && exponent >= 0):
		case c == '.' && point < 0 && exponent < 0:
			point = i
		case (c == 'e' || c == 'E') && exponent < 0 && digits > 0:
			exponent = i
		default:
			return false
		}
	}
	last := len(text) > 0 && text[len(text)-1]-'0' <= 9
	switch string(datatype) {
	case rdf.XSDInteger:
		return last && point < 0 && exponent < 0
	case rdf.XSDDecimal:
		return last && point >= 0 && exponent < 0
	case rdf.XSDDouble:
		return last && exponent >= 0
	}
	return false
}
