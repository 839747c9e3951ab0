package gen

import (
	"crypto/sha256"
	"encoding/hex"
	"hash"
	"io"
	"strconv"
)

// Writer writes N-Triples about one subject after another, with every name in one
// namespace.
type Writer struct {
	w          io.Writer
	sum        hash.Hash
	prefix     string
	subject    []byte
	buf        []byte
	statements int
	bytes      int64
	err        error
}

// Stats describe what was written.
type Stats struct {
	Statements int
	Bytes      int64
	SHA256     string // of the output, lower-case hex
}

// NewWriter returns a Writer to w whose names are in the namespace prefix.
func NewWriter(w io.Writer, prefix string) *Writer {
	return &Writer{w: w, sum: sha256.New(), prefix: prefix, buf: make([]byte, 0, 1<<17)}
}

// Subject begins the statements about a name.
func (g *Writer) Subject(name string) {
	g.flush(1 << 16)
	g.subject = g.appendName(g.subject[:0], name)
}

func (g *Writer) appendName(dst []byte, name string) []byte {
	dst = append(dst, '<')
	dst = append(dst, g.prefix...)
	dst = append(dst, name...)
	return append(dst, '>')
}

// begin writes the subject and the predicate.
func (g *Writer) begin(predicate string) {
	g.buf = append(g.buf, g.subject...)
	g.buf = append(g.buf, ' ')
	g.buf = g.appendName(g.buf, predicate)
	g.buf = append(g.buf, ' ')
}

func (g *Writer) end() {
	g.buf = append(g.buf, " .\n"...)
	g.statements++
}

// Link writes a statement whose object is a name.
func (g *Writer) Link(predicate, name string) {
	g.begin(predicate)
	g.buf = g.appendName(g.buf, name)
	g.end()
}

// Type writes the class of the subject.
func (g *Writer) Type(class string) {
	g.buf = append(g.buf, g.subject...)
	g.buf = append(g.buf, " <http://www.w3.org/1999/02/22-rdf-syntax-ns#type> "...)
	g.buf = g.appendName(g.buf, class)
	g.end()
}

// Plain writes a string, which must need no escape.
func (g *Writer) Plain(predicate, text string) {
	g.begin(predicate)
	g.buf = append(g.buf, '"')
	g.buf = append(g.buf, text...)
	g.buf = append(g.buf, '"')
	g.end()
}

// XSD is the namespace of the datatypes of XML Schema.
const XSD = "http://www.w3.org/2001/XMLSchema#"

// Typed writes a literal of a datatype, whose text must need no escape.
func (g *Writer) Typed(predicate, text, datatype string) {
	g.begin(predicate)
	g.buf = append(g.buf, '"')
	g.buf = append(g.buf, text...)
	g.buf = append(g.buf, `"^^<`...)
	g.buf = append(g.buf, datatype...)
	g.buf = append(g.buf, '>')
	g.end()
}

// Tagged writes a string with a language, which must need no escape.
func (g *Writer) Tagged(predicate, text, language string) {
	g.begin(predicate)
	g.buf = append(g.buf, '"')
	g.buf = append(g.buf, text...)
	g.buf = append(g.buf, `"@`...)
	g.buf = append(g.buf, language...)
	g.end()
}

// Int writes an xsd:integer.
func (g *Writer) Int(predicate string, v int) {
	g.begin(predicate)
	g.buf = append(g.buf, '"')
	g.buf = strconv.AppendInt(g.buf, int64(v), 10)
	g.buf = append(g.buf, `"^^<http://www.w3.org/2001/XMLSchema#integer>`...)
	g.end()
}

// Date writes an xsd:date of the years 2000 to 2024.
func (g *Writer) Date(predicate string, s *Stream) {
	g.begin(predicate)
	g.buf = append(g.buf, '"')
	g.buf = strconv.AppendInt(g.buf, int64(2000+s.Below(25)), 10)
	m, d := 1+s.Below(12), 1+s.Below(28)
	g.buf = append(g.buf, '-', byte('0'+m/10), byte('0'+m%10), '-', byte('0'+d/10), byte('0'+d%10))
	g.buf = append(g.buf, `"^^<http://www.w3.org/2001/XMLSchema#date>`...)
	g.end()
}

var languages = [4]string{"en", "de", "fr", "pt-br"}

// Text writes n words. One text in ten has a language, one in twenty a line end and
// quotation marks.
func (g *Writer) Text(predicate string, s *Stream, n int) {
	g.begin(predicate)
	g.buf = append(g.buf, '"')
	g.buf = AppendText(g.buf, s, n)
	if s.Chance(1, 20) {
		g.buf = append(g.buf, `\n\"`...)
		g.buf = AppendText(g.buf, s, 2)
		g.buf = append(g.buf, `\"`...)
	}
	g.buf = append(g.buf, '"')
	if s.Chance(1, 10) {
		g.buf = append(g.buf, '@')
		g.buf = append(g.buf, languages[s.Below(len(languages))]...)
	}
	g.end()
}

func (g *Writer) flush(limit int) {
	if len(g.buf) <= limit || g.err != nil {
		return
	}
	g.sum.Write(g.buf)
	g.bytes += int64(len(g.buf))
	_, g.err = g.w.Write(g.buf)
	g.buf = g.buf[:0]
}

// Err returns the first error of the destination.
func (g *Writer) Err() error { return g.err }

// Close writes what is left and says what was written. The destination stays open.
func (g *Writer) Close() (Stats, error) {
	g.flush(0)
	return Stats{g.statements, g.bytes, hex.EncodeToString(g.sum.Sum(nil))}, g.err
}
