package nquads

import (
	"fmt"
	"io"

	"github.com/rete-go/rete/internal/closed"
	"github.com/rete-go/rete/rdf"
)

const writeSize = 64 << 10

// Writer writes N-Quads or N-Triples in their canonical form, one line a
// statement. It implements [rdf.Writer].
type Writer struct {
	dst     io.Writer
	buf     []byte
	triples bool
	err     error
}

// NewWriter returns a writer of N-Quads.
func NewWriter(dst io.Writer) *Writer { return &Writer{dst: dst} }

// NewTriplesWriter returns a writer of N-Triples: it refuses statements of
// named graphs.
func NewTriplesWriter(dst io.Writer) *Writer { return &Writer{dst: dst, triples: true} }

// AppendQuad appends q as a line of N-Quads, with its line end.
func AppendQuad(dst []byte, q *rdf.RawQuad) []byte {
	dst = append(rdf.AppendNTriples(dst, q.S), ' ')
	dst = append(rdf.AppendNTriples(dst, q.P), ' ')
	dst = append(rdf.AppendNTriples(dst, q.O), ' ')
	if len(q.G) > 0 {
		dst = append(rdf.AppendNTriples(dst, q.G), ' ')
	}
	return append(dst, '.', '\n')
}

// WriteQuad implements [rdf.Writer].
func (w *Writer) WriteQuad(q *rdf.RawQuad) error {
	if w.err != nil {
		return w.err
	}
	if w.triples && len(q.G) > 0 {
		return fmt.Errorf("a statement in graph %s: N-Triples has no graphs", q.G)
	}
	w.buf = AppendQuad(w.buf, q)
	if len(w.buf) >= writeSize {
		w.flush()
	}
	return w.err
}

// Close implements [rdf.Writer].
func (w *Writer) Close() error {
	if w.err == errClosed {
		return nil
	}
	w.flush()
	if w.err != nil {
		return w.err
	}
	w.err = errClosed
	return nil
}

// errClosed is a quad after the end of the document.
var errClosed = fmt.Errorf("nquads: the document: %w", closed.Err)

func (w *Writer) flush() {
	if w.err == nil && len(w.buf) > 0 {
		_, w.err = w.dst.Write(w.buf)
	}
	w.buf = w.buf[:0]
}
