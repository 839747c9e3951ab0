package turtle

import (
	"bytes"
	"fmt"
	"io"
	"sort"

	"github.com/rete-go/rete/internal/closed"
	"github.com/rete-go/rete/rdf"
)

const writeSize = 64 << 10

// Writer writes Turtle or TriG. It implements [rdf.Writer].
type Writer struct {
	dst      io.Writer
	buf      []byte
	trig     bool
	prefixes *Shortener
	g, s, p  []byte // of the statement before
	open     bool   // a statement waits for its end
	inGraph  bool
	err      error
}

// NewWriter returns a writer of Turtle that declares the prefixes (without
// colons) and shortens IRIs by them. Statements of named graphs are refused. A
// prefix or a namespace that Turtle cannot hold is an error of the first call.
func NewWriter(dst io.Writer, prefixes map[string]string) *Writer {
	w := &Writer{dst: dst}
	w.prefixes, w.err = NewShortener(prefixes)
	for _, p := range sortedKeys(prefixes) {
		w.buf = fmt.Appendf(w.buf, "@prefix %s: <%s> .\n", p, prefixes[p])
	}
	if len(prefixes) > 0 {
		w.buf = append(w.buf, '\n')
	}
	return w
}

// NewTriGWriter returns a writer of TriG; it is otherwise like [NewWriter].
// Neighbouring statements of one graph share a block.
func NewTriGWriter(dst io.Writer, prefixes map[string]string) *Writer {
	w := NewWriter(dst, prefixes)
	w.trig = true
	return w
}

func sortedKeys(m map[string]string) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	sort.Strings(keys)
	return keys
}

// WriteQuad implements [rdf.Writer].
func (w *Writer) WriteQuad(q *rdf.RawQuad) error {
	if w.err != nil {
		return w.err
	}
	if !w.trig && len(q.G) > 0 {
		return fmt.Errorf("a statement in graph %s: Turtle has no graphs", q.G)
	}
	if !bytes.Equal(q.G, w.g) {
		w.endStatement()
		w.endGraph()
		w.g = append(w.g[:0], q.G...)
		if len(q.G) > 0 {
			w.buf = append(w.prefixes.AppendTerm(w.buf, q.G), " {\n"...)
			w.inGraph = true
		}
	}
	switch {
	case w.open && bytes.Equal(q.S, w.s) && bytes.Equal(q.P, w.p):
		w.buf = append(w.buf, " , "...)
	case w.open && bytes.Equal(q.S, w.s):
		w.buf = append(w.buf, " ;\n    "...)
		w.predicate(q.P)
	default:
		w.endStatement()
		if w.inGraph {
			w.buf = append(w.buf, "  "...)
		}
		w.s = append(w.s[:0], q.S...)
		w.buf = append(w.prefixes.AppendTerm(w.buf, q.S), ' ')
		w.predicate(q.P)
		w.open = true
	}
	w.buf = w.prefixes.AppendTerm(w.buf, q.O)
	if len(w.buf) >= writeSize {
		w.flush()
	}
	return w.err
}

func (w *Writer) predicate(p []byte) {
	w.p = append(w.p[:0], p...)
	if bytes.Equal(p, rdfType) {
		w.buf = append(w.buf, "a "...)
		return
	}
	w.buf = append(w.prefixes.AppendTerm(w.buf, p), ' ')
}

func (w *Writer) endStatement() {
	if w.open {
		w.buf = append(w.buf, " .\n"...)
		w.open = false
	}
}

func (w *Writer) endGraph() {
	if w.inGraph {
		w.buf = append(w.buf, "}\n"...)
		w.inGraph = false
	}
}

// Close implements [rdf.Writer].
func (w *Writer) Close() error {
	if w.err == errClosed {
		return nil
	}
	w.endStatement()
	w.endGraph()
	w.flush()
	if w.err != nil {
		return w.err
	}
	w.err = errClosed
	return nil
}

// errClosed is a quad after the end of the document.
var errClosed = fmt.Errorf("turtle: the document: %w", closed.Err)

func (w *Writer) flush() {
	if w.err == nil && len(w.buf) > 0 {
		_, w.err = w.dst.Write(w.buf)
	}
	w.buf = w.buf[:0]
}
