package nquads

import (
	"io"

	"github.com/rete-go/rete/internal/lex"
	"github.com/rete-go/rete/rdf"
)

// bufferSize is what a reader begins with; a longer line makes it grow.
const bufferSize = 256 << 10

// Reader reads a stream. It implements [rdf.Reader].
type Reader struct {
	block  BlockReader
	src    io.Reader
	buf    []byte
	filled int
	srcErr error // io.EOF or what the source reported
	cr     bool  // the previous block ended with CR: an LF belongs to it
}

// NewReader returns a reader of N-Quads.
func NewReader(src io.Reader, opt rdf.Options) *Reader {
	r := &Reader{block: *newBlockReader(opt), src: src}
	r.block.line = 1
	return r
}

// NewTriplesReader returns a reader of N-Triples: it refuses graphs.
func NewTriplesReader(src io.Reader, opt rdf.Options) *Reader {
	r := NewReader(src, opt)
	r.block.triples = true
	return r
}

// Read implements [rdf.Reader].
func (r *Reader) Read(q *rdf.RawQuad) error {
	for {
		err := r.block.Read(q)
		if err != io.EOF {
			return err
		}
		if !r.fill() {
			return r.block.err
		}
	}
}

// fill reads on until the buffer holds a whole line, or the last piece of the
// document, and makes it the block. It reports whether there is one; if not,
// the block's error says why.
func (r *Reader) fill() bool {
	b := &r.block
	used := len(b.b)
	b.offset += int64(used)
	r.filled = copy(r.buf, r.buf[used:r.filled])
	b.b, b.i, b.lineStart = nil, 0, 0
	for searched, idle := 0, 0; r.srcErr == nil; {
		if r.filled == len(r.buf) && !r.grow() {
			return false
		}
		n, err := r.src.Read(r.buf[r.filled:])
		r.filled += max(n, 0)
		r.srcErr = err
		if idle++; n > 0 {
			idle = 0
		} else if idle == 100 && err == nil {
			r.srcErr = io.ErrNoProgress
		}
		if cut := lastEnd(r.buf[searched:r.filled]); cut > 0 {
			return r.start(searched + cut)
		}
		searched = r.filled
	}
	if r.srcErr != io.EOF || r.filled == 0 {
		b.err = r.srcErr
		return false
	}
	return r.start(r.filled)
}

// start makes the first n bytes of the buffer the block.
func (r *Reader) start(n int) bool {
	b := &r.block
	b.b, b.err = r.buf[:n], nil
	if r.cr && b.b[0] == '\n' {
		b.i, b.lineStart = 1, 1
	}
	r.cr = b.b[n-1] == '\r'
	return true
}

func (r *Reader) grow() bool {
	size := min(max(2*len(r.buf), bufferSize), rdf.MaxToken)
	if size == len(r.buf) {
		r.block.fail(&lex.Error{Pos: 0, Expected: "a line of at most 64 MiB", Found: "a longer one"})
		return false
	}
	buf := make([]byte, size)
	copy(buf, r.buf[:r.filled])
	r.buf = buf
	return true
}

// lastEnd returns the index after the last line end in b, 0 if it has none.
func lastEnd(b []byte) int {
	for i := len(b) - 1; i >= 0; i-- {
		if b[i] == '\n' || b[i] == '\r' {
			return i + 1
		}
	}
	return 0
}
