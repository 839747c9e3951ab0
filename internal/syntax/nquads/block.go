package nquads

import (
	"bytes"
	"io"
	"unicode/utf8"

	"github.com/rete-go/rete/internal/iri"
	"github.com/rete-go/rete/internal/lex"
	"github.com/rete-go/rete/rdf"
)

// BlockReader reads statements from lines in memory. It implements
// [rdf.Reader]; what it delivers points into the block or into a scratch
// buffer, until the next Read.
type BlockReader struct {
	b         []byte
	i         int // after what was read
	line      int // of b[lineStart]
	lineStart int
	last      int   // line of the last statement
	offset    int64 // of b[0] in the document

	scratch []byte // terms of the current statement that are rewritten
	opt     rdf.Options
	base    *iri.Base
	triples bool // graphs are refused
	err     error
}

// NewBlockReader returns a reader of a block that begins at the start of the
// line firstLine (from 1) and ends at the end of a line or of the document; see
// [Cut]. Offsets in errors count from the start of the block.
func NewBlockReader(block []byte, firstLine int, opt rdf.Options) *BlockReader {
	r := newBlockReader(opt)
	r.b, r.line = block, firstLine
	return r
}

// NewTriplesBlockReader is [NewBlockReader] for N-Triples: it refuses graphs.
func NewTriplesBlockReader(block []byte, firstLine int, opt rdf.Options) *BlockReader {
	r := NewBlockReader(block, firstLine, opt)
	r.triples = true
	return r
}

func newBlockReader(opt rdf.Options) *BlockReader {
	r := &BlockReader{opt: opt}
	if opt.Base != "" {
		base, err := iri.NewBase(opt.Base)
		if err != nil {
			r.err = err
		}
		r.base = base
	}
	return r
}

// Reset lets r read another block as if it were new, with the same options.
func (r *BlockReader) Reset(block []byte, firstLine int) {
	r.b, r.i, r.line, r.lineStart, r.offset, r.err = block, 0, firstLine, 0, 0, nil
}

// Cut returns the length of the longest start of b that ends with a whole
// line, 0 if it holds no line end. A CR at the very end is left out, for an LF
// may follow.
func Cut(b []byte) int {
	end := len(b)
	if end > 0 && b[end-1] == '\r' {
		end--
	}
	for i := end - 1; i >= 0; i-- {
		if b[i] == '\n' || b[i] == '\r' {
			return i + 1
		}
	}
	return 0
}

// Line returns the number of the line of the last statement.
func (r *BlockReader) Line() int { return r.last }

// CountLines returns the number of line ends in b, for the first line of the
// block after it.
func CountLines(b []byte) int { return lex.CountLines(b) }

// Read implements [rdf.Reader].
func (r *BlockReader) Read(q *rdf.RawQuad) error {
	if r.err != nil {
		return r.err
	}
	b := r.b
	for {
		i := lex.SkipSpace(b, r.i)
		if i >= len(b) {
			r.i = i
			r.err = io.EOF
			return io.EOF
		}
		switch b[i] {
		case '\n', '\r', '#':
			if err := r.endLine(i); err != nil {
				return r.fail(err)
			}
		case 'V':
			end, err := r.version(i)
			if err == nil {
				err = r.endLine(end)
			}
			if err != nil {
				return r.fail(err)
			}
		default:
			end, err := r.statement(i, q)
			r.last = r.line
			if err == nil {
				err = r.endLine(end)
			}
			if err != nil {
				return r.fail(err)
			}
			return nil
		}
	}
}

// endLine takes what may stand after a statement: blanks, a comment and the
// line end.
func (r *BlockReader) endLine(i int) *lex.Error {
	b := r.b
	i = lex.SkipSpace(b, i)
	if i < len(b) && b[i] == '#' {
		start := i
		for i < len(b) && b[i] != '\n' && b[i] != '\r' {
			i++
		}
		if !utf8.Valid(b[start:i]) {
			for start < i {
				c, n := utf8.DecodeRune(b[start:i])
				if c == utf8.RuneError && n <= 1 {
					return lex.Fault(b, start, "UTF-8 text in a comment")
				}
				start += n
			}
		}
	}
	if i >= len(b) {
		r.i = i
		return nil
	}
	switch b[i] {
	case '\r':
		if i+1 < len(b) && b[i+1] == '\n' {
			i++
		}
	case '\n':
	default:
		return lex.Fault(b, i, "the end of the line (a line holds one statement)")
	}
	r.i = i + 1
	r.line++
	r.lineStart = r.i
	return nil
}

// version takes a version directive of RDF 1.2; any version will do.
func (r *BlockReader) version(i int) (int, *lex.Error) {
	b := r.b
	if !bytes.HasPrefix(b[i:], []byte("VERSION")) {
		return 0, lex.Fault(b, i, "a subject (an IRI or a blank node)")
	}
	i = lex.SkipSpace(b, i+len("VERSION"))
	if i >= len(b) || b[i] != '"' && b[i] != '\'' {
		return 0, lex.Fault(b, i, "a version in quotes")
	}
	end, _, err := lex.String(b, i)
	return end, err
}

func (r *BlockReader) fail(e *lex.Error) error {
	pos := min(e.Pos, len(r.b))
	r.err = &rdf.SyntaxError{
		File: r.opt.File, Line: r.line, Column: 1 + utf8.RuneCount(r.b[r.lineStart:max(pos, r.lineStart)]),
		Offset: r.offset + int64(pos), Expected: e.Expected, Found: e.Found,
	}
	return r.err
}
