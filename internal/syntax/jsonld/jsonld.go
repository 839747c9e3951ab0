// Package jsonld writes JSON-LD 1.1, streaming: in expanded form, or with IRIs that are
// shortened by prefixes. A [Writer] is an [rdf.Writer].
//
// The document is an array of node objects; with prefixes it stands after the context that
// declares them. An IRI that would be read as a shortened one, since its scheme is one of the
// prefixes, stands in a node object without a context. Neighbouring statements of one
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
	"slices"

	"github.com/rete-go/rete/internal/closed"
	"github.com/rete-go/rete/internal/syntax/prefixes"
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

	prefixes   prefixes.Set // of the context; nil without one
	short      *prefixes.Shortener
	plainGraph bool // the context does not hold in the open graph
	plainNode  bool // nor in the open node
}

// NewWriter returns a writer of JSON-LD that declares the prefixes (without colons) in a context
// and shortens IRIs by them; the empty prefix, which JSON-LD does not have, is left out. Without
// any there is no context.
func NewWriter(dst io.Writer, set map[string]string) *Writer {
	w := &Writer{dst: dst, keys: map[string]bool{}, first: true, prefixes: prefixes.Set{}}
	for name, namespace := range set {
		if name != "" && prefixes.Check(name, namespace) == nil {
			w.prefixes[name] = namespace
		}
	}
	if len(w.prefixes) == 0 {
		w.buf = append(w.buf, '[')
		return w
	}
	w.short = prefixes.NewShortener(w.prefixes)
	w.context()
	return w
}

// context begins a document that has one.
func (w *Writer) context() {
	w.buf = append(w.buf, `{"@context":{`...)
	for i, name := range w.prefixes.Names() {
		if i > 0 {
			w.buf = append(w.buf, ',')
		}
		namespace := w.prefixes[name]
		w.buf = append(appendString(append(w.buf, '\n'), []byte(name)), ':')
		if bytes.IndexByte([]byte(":/?#[]@"), namespace[len(namespace)-1]) >= 0 {
			w.buf = appendString(w.buf, []byte(namespace))
			continue
		}
		w.buf = append(appendString(append(w.buf, `{"@id":`...), []byte(namespace)), `,"@prefix":true}`...)
	}
	w.buf = append(w.buf, "},\n\"@graph\":["...)
}

// clashes reports whether the context would read the IRI of a surface as another one.
func (w *Writer) clashes(t []byte) bool {
	if w.short == nil || rdf.KindOf(t) != rdf.KindIRI {
		return false
	}
	iri := t[1 : len(t)-1]
	scheme, rest, _ := bytes.Cut(iri, []byte(":"))
	return w.prefixes[string(scheme)] != "" && !bytes.HasPrefix(rest, []byte("//")) && !w.short.Each(iri, shortens)
}

// shortens reports whether what is left of an IRI may stand after a prefix.
func shortens(_ string, local []byte) bool { return !bytes.HasPrefix(local, []byte("//")) }

// plain reports whether a quad must be written without the context.
func (w *Writer) plain(q *rdf.RawQuad) bool {
	if w.short == nil || w.plainGraph {
		return false
	}
	o := q.O
	if _, _, _, datatype, literal := rdf.SplitLiteral(q.O); literal && len(datatype) > 0 {
		o = slices.Concat([]byte("<"), datatype, []byte(">"))
	}
	return w.clashes(q.S) || w.clashes(q.P) || w.clashes(o)
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
			w.plainGraph = w.clashes(q.G)
			w.open(q.G, w.plainGraph)
			w.buf = append(w.buf, `,"@graph":[`...)
			w.inGraph, w.first = true, true
		}
	}
	plain := w.plain(q)
	if plain && !w.plainNode {
		w.endNode()
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
		w.plainNode = plain
		w.open(q.S, plain)
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

// open begins the object of a graph or node, without the context if plain is set.
func (w *Writer) open(name []byte, plain bool) {
	w.buf = append(w.buf, '{')
	if plain {
		w.buf = append(w.buf, `"@context":null,`...)
	}
	w.buf = w.appendName(append(w.buf, `"@id":`...), name)
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
	w.buf = append(w.appendName(append(w.buf, ','), key), ":["...)
}

// value appends an element of the array of the key at hand.
func (w *Writer) value(o []byte) {
	escaped, lang, dir, datatype, literal := rdf.SplitLiteral(o)
	switch {
	case bytes.Equal(w.p, typeKey):
		w.buf = w.appendName(w.buf, o)
	case !literal:
		w.buf = append(w.appendName(append(w.buf, `{"@id":`...), o), '}')
	default:
		w.text = rdf.Unescape(w.text[:0], escaped)
		w.buf = appendString(append(w.buf, `{"@value":`...), w.text)
		if len(datatype) > 0 {
			w.buf = w.appendIRI(append(w.buf, `,"@type":`...), datatype)
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
func (w *Writer) appendName(dst, t []byte) []byte {
	if rdf.KindOf(t) == rdf.KindIRI {
		return w.appendIRI(dst, t[1:len(t)-1])
	}
	return appendString(dst, t)
}

// appendIRI appends an IRI as a string, shortened where the context holds.
func (w *Writer) appendIRI(dst, iri []byte) []byte {
	if w.short != nil && !w.plainGraph && !w.plainNode && w.short.Each(iri, func(name string, local []byte) bool {
		if !shortens(name, local) {
			return false
		}
		w.text = append(append(append(w.text[:0], name...), ':'), local...)
		return true
	}) {
		return appendString(dst, w.text)
	}
	return appendString(dst, iri)
}

func (w *Writer) endNode() {
	if w.inNode {
		w.buf = append(w.buf, "]}"...)
		w.inNode = false
	}
	w.plainNode = false
}

func (w *Writer) endGraph() {
	if w.inGraph {
		w.buf = append(w.buf, "]}"...)
		w.inGraph, w.first = false, false
	}
	w.plainGraph = false
}

// Close implements [rdf.Writer].
func (w *Writer) Close() error {
	if w.err == errClosed {
		return nil
	}
	w.endNode()
	w.endGraph()
	end := "\n]\n"
	if w.short != nil {
		end = "\n]}\n"
	}
	w.buf = append(w.buf, end...)
	w.flush()
	if w.err != nil {
		return w.err
	}
	w.err = errClosed
	return nil
}

// errClosed is a quad after the end of the document.
var errClosed = fmt.Errorf("jsonld: the document: %w", closed.Err)

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
