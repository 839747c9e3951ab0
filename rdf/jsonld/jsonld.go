// Package jsonld writes JSON-LD 1.1 in expanded form, streaming.
//
// The document is an array of node objects. Neighbouring statements of one
// graph and subject share an object, and those that also share their predicate
// an array; nothing is reordered and nothing but the predicates of the object
// at hand is held, so a subject that comes again gets another object, which
// JSON-LD takes as more about the same node. Literals keep their lexical forms:
// numbers are written as typed strings. Lists are written as rdf:first and
// rdf:rest, which they are. JSON-LD has no triple terms.
package jsonld

import (
	"bytes"
	"fmt"
	"io"

	"github.com/rete-go/rete/internal/closed"
	"github.com/rete-go/rete/rdf"
)

const (
	writeSize = 64 << 10
	// maxKeys is how many predicates an object gets before the next one begins.
	maxKeys = 256
)

var (
	typeSurface = []byte("<" + rdf.RDF + "type>")
	typeKey     = []byte("@type")
)

// Writer writes JSON-LD. It implements [rdf.Writer].
type Writer struct {
	dst     io.Writer
	buf     []byte
	text    []byte
	g, s, p []byte // graph, subject and key of the statement before
	keys    map[string]bool
	inGraph bool // an object with @graph is open
	first   bool // no node object in the open array yet
	inNode  bool
	err     error
}

// NewWriter returns a writer of JSON-LD.
func NewWriter(dst io.Writer) *Writer {
	return &Writer{dst: dst, buf: []byte("["), keys: map[string]bool{}, first: true}
}

// WriteQuad implements [rdf.Writer]. It refuses triple terms; the writer may
// go on after that.
func (w *Writer) WriteQuad(q *rdf.RawQuad) error {
	if w.err != nil {
		return w.err
	}
	if rdf.KindOf(q.O) == rdf.KindTriple {
		return &rdf.InexpressibleError{What: "triple term " + string(rdf.AppendNTriples(nil, q.O)), Syntax: "JSON-LD"}
	}
	key := q.P
	if bytes.Equal(key, typeSurface) && rdf.KindOf(q.O) != rdf.KindLiteral {
		key = typeKey
	}
	if !bytes.Equal(q.G, w.g) {
		w.endNode()
		w.endGraph()
		w.g = append(w.g[:0], q.G...)
		if len(q.G) > 0 {
			w.separate("\n")
			w.buf = appendName(append(w.buf, `{"@id":`...), q.G)
			w.buf = append(w.buf, `,"@graph":[`...)
			w.inGraph, w.first = true, true
		}
	}
	switch {
	case w.inNode && bytes.Equal(q.S, w.s) && bytes.Equal(key, w.p):
		w.buf = append(w.buf, ',')
	case w.inNode && bytes.Equal(q.S, w.s) && len(w.keys) < maxKeys && !w.keys[string(key)]:
		w.buf = append(w.buf, ']')
		w.key(key)
	default:
		w.endNode()
		w.separate("\n")
		w.buf = appendName(append(w.buf, `{"@id":`...), q.S)
		w.s = append(w.s[:0], q.S...)
		clear(w.keys)
		w.inNode = true
		w.key(key)
	}
	w.value(q.O)
	if len(w.buf) >= writeSize {
		w.flush()
	}
	return w.err
}

// separate puts a comma between the objects of an array.
func (w *Writer) separate(line string) {
	if !w.first {
		w.buf = append(w.buf, ',')
	}
	w.first = false
	w.buf = append(w.buf, line...)
}

// key begins the array of a predicate, or of the classes.
func (w *Writer) key(key []byte) {
	w.p = append(w.p[:0], key...)
	w.keys[string(key)] = true
	w.buf = append(appendName(append(w.buf, ','), key), ":["...)
}

// value appends an element of the array of the key at hand.
func (w *Writer) value(o []byte) {
	escaped, lang, dir, datatype, literal := rdf.SplitLiteral(o)
	switch {
	case bytes.Equal(w.p, typeKey):
		w.buf = appendName(w.buf, o)
	case !literal:
		w.buf = append(appendName(append(w.buf, `{"@id":`...), o), '}')
	default:
		w.text = rdf.Unescape(w.text[:0], escaped)
		w.buf = appendString(append(w.buf, `{"@value":`...), w.text)
		if len(datatype) > 0 {
			w.buf = appendString(append(w.buf, `,"@type":`...), datatype)
		}
		if len(lang) > 0 {
			w.buf = appendString(append(w.buf, `,"@language":`...), lang)
		}
		if len(dir) > 0 {
			w.buf = appendString(append(w.buf, `,"@direction":`...), dir)
		}
		w.buf = append(w.buf, '}')
	}
}

// appendName appends an IRI, a blank node or a keyword as a string.
func appendName(dst, t []byte) []byte {
	if rdf.KindOf(t) == rdf.KindIRI {
		t = t[1 : len(t)-1]
	}
	return appendString(dst, t)
}

func (w *Writer) endNode() {
	if w.inNode {
		w.buf = append(w.buf, "]}"...)
		w.inNode = false
	}
}

func (w *Writer) endGraph() {
	if w.inGraph {
		w.buf = append(w.buf, "]}"...)
		w.inGraph, w.first = false, false
	}
}

// Close implements [rdf.Writer].
func (w *Writer) Close() error {
	if w.err == errClosed {
		return nil
	}
	w.endNode()
	w.endGraph()
	w.buf = append(w.buf, "\n]\n"...)
	w.flush()
	if w.err != nil {
		return w.err
	}
	w.err = errClosed
	return nil
}

// errClosed is a quad after the end of the document.
var errClosed = fmt.Errorf("the document: %w", closed.Err)

func (w *Writer) flush() {
	if w.err == nil && len(w.buf) > 0 {
		_, w.err = w.dst.Write(w.buf)
	}
	w.buf = w.buf[:0]
}

// appendString appends text as a JSON string.
func appendString(dst, text []byte) []byte {
	const hex = "0123456789abcdef"
	dst = append(dst, '"')
	for _, c := range text {
		switch {
		case c == '"' || c == '\\':
			dst = append(dst, '\\', c)
		case c == '\n':
			dst = append(dst, '\\', 'n')
		case c >= 0x20:
			dst = append(dst, c)
		default:
			dst = append(dst, '\\', 'u', '0', '0', hex[c>>4], hex[c&15])
		}
	}
	return append(dst, '"')
}
