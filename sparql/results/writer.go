package results

import (
	"fmt"
	"io"

	"github.com/rete-go/rete/rdf"
)

// Writer writes the answer of one query: Head and then rows, or Boolean; then
// Close, or Abort when the query failed. It buffers, and is not safe for
// concurrent use. The first error of the underlying writer sticks.
type Writer interface {
	// Head begins the rows of a SELECT with the names of its variables, which
	// stand without "?".
	Head(vars []string) error
	// Row writes one row of surfaces, one for each variable, in their order;
	// an empty one is unbound. The surfaces are not kept.
	Row(row [][]byte) error
	// Boolean is the answer of an ASK.
	Boolean(b bool) error
	// Flush hands on what is buffered.
	Flush() error
	// Close ends the answer as a whole one and flushes.
	Close() error
	// Abort flushes without an end, so that JSON and XML are seen to be cut
	// off.
	Abort() error
}

// CellWriter is a Writer of which a term is spelled alike in every row and column, so
// that the spelling can be kept for the next row.
type CellWriter interface {
	Writer
	// AppendCell appends what Row writes for a term, given by its surface; never
	// nothing.
	AppendCell(dst, surface []byte) ([]byte, error)
	// Cells is Row of terms that are spelled; an empty one is unbound.
	Cells(row [][]byte) error
}

// flushAt is the size at which a buffer is handed on.
const flushAt = 32 << 10

// NewWriter returns a writer of the format over w.
func NewWriter(w io.Writer, f Format) Writer {
	o := output{w: w}
	switch f {
	case XML:
		return &xmlWriter{output: o}
	case CSV:
		return &csvWriter{output: o}
	case TSV:
		return &tsvWriter{output: o}
	case Text, Lines, Markdown:
		return NewTable(w, f, nil)
	case HTML:
		return &htmlWriter{output: o}
	}
	return &jsonWriter{output: o}
}

// phase is where a writer stands.
type phase uint8

const (
	phaseStart phase = iota
	phaseRows
	phaseBoolean
	phaseDone
)

// output is what the writers share: the buffer and the order of calls.
type output struct {
	w     io.Writer
	buf   []byte
	err   error
	phase phase
	vars  []string
	rows  int64
}

// begin goes from the start to rows or to a boolean.
func (o *output) begin(next phase) error {
	if o.err == nil && o.phase == phaseDone {
		o.err = errEnded
	}
	if o.err == nil && o.phase != phaseStart {
		o.err = fmt.Errorf("%w: a second head", ErrState)
	}
	o.phase = next
	return o.err
}

// row checks a row.
func (o *output) row(row [][]byte) error {
	switch {
	case o.err != nil:
	case o.phase == phaseDone:
		o.err = errEnded
	case o.phase != phaseRows:
		o.err = fmt.Errorf("%w: a row without a head", ErrState)
	case len(row) != len(o.vars):
		o.err = fmt.Errorf("%w: a row of %d terms for %d variables", ErrState, len(row), len(o.vars))
	}
	o.rows++
	return o.err
}

// more hands the buffer on when it is large.
func (o *output) more() error {
	if len(o.buf) < flushAt {
		return o.err
	}
	return o.Flush()
}

// Flush implements [Writer].
func (o *output) Flush() error {
	if o.err == nil && len(o.buf) > 0 {
		_, o.err = o.w.Write(o.buf)
	}
	o.buf = o.buf[:0]
	return o.err
}

// Abort implements [Writer].
func (o *output) Abort() error {
	o.phase = phaseDone
	return o.Flush()
}

// end checks that there is something to close. It may be called again.
func (o *output) end() (again bool) {
	if o.phase == phaseDone {
		return true
	}
	if o.phase == phaseStart && o.err == nil {
		o.err = fmt.Errorf("%w: closed without a head", ErrState)
	}
	return o.err != nil
}

// done ends the answer.
func (o *output) done() error {
	o.phase = phaseDone
	return o.Flush()
}

// literal cuts the surface of a literal.
func literal(surface []byte) (escaped, lang, dir, datatype []byte) {
	escaped, lang, dir, datatype, _ = rdf.SplitLiteral(surface)
	return escaped, lang, dir, datatype
}

// badTerm is the error for a surface that is none.
func badTerm(surface []byte) error {
	if len(surface) > 80 {
		surface = surface[:80]
	}
	return fmt.Errorf("results: not the surface of a term: %q", surface)
}
