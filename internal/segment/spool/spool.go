// Package spool keeps what is written in one order and needed in another: in memory while
// there is room, then in temporary files.
package spool

import (
	"io"
	"sync/atomic"

	"github.com/rete-go/rete/internal/scratch"
)

// Space is the memory that the spools of one writer share. What goes
// beyond it lies in temporary files.
type Space struct {
	Folder *scratch.Folder
	Limit  int64
	used   atomic.Int64
}

// Spool holds bytes that are written once and read later, in memory at first
// and in a temporary file once the space is used up. It belongs to one
// goroutine at a time.
type Spool struct {
	space  *Space
	pieces [][]byte // in memory
	file   *scratch.File
	stream *scratch.Stream // in file
	Size   int64
}

func (s *Space) New() *Spool { return &Spool{space: s} }

// Memory of a spool grows by pieces, so that nothing is copied and little is left over.
const (
	leastPiece = 1 << 10
	mostPiece  = 256 << 10
)

// Write appends p.
func (s *Spool) Write(p []byte) (int, error) {
	if s.file == nil {
		if s.space.used.Add(int64(len(p))) <= s.space.Limit {
			s.keep(p)
			return len(p), nil
		}
		s.space.used.Add(-int64(len(p)))
		if err := s.spill(); err != nil {
			return 0, err
		}
	}
	s.Size += int64(len(p))
	return len(p), s.stream.Add(p)
}

// keep appends p to the pieces.
func (s *Spool) keep(p []byte) {
	s.Size += int64(len(p))
	for len(p) > 0 {
		last := len(s.pieces) - 1
		if last < 0 || len(s.pieces[last]) == cap(s.pieces[last]) {
			size := max(leastPiece, min(len(p), mostPiece), min(int(s.Size), mostPiece))
			s.pieces = append(s.pieces, make([]byte, 0, size))
			last++
		}
		piece := s.pieces[last]
		n := min(len(p), cap(piece)-len(piece))
		s.pieces[last] = append(piece, p[:n]...)
		p = p[n:]
	}
}

// spill moves what is in memory to a temporary file.
func (s *Spool) spill() (err error) {
	if s.file, err = s.space.Folder.Create(); err != nil {
		return err
	}
	s.stream = s.file.NewStream(scratch.Block)
	for _, p := range s.pieces {
		if err := s.stream.Add(p); err != nil {
			return err
		}
	}
	s.space.used.Add(-s.Size)
	s.pieces = nil
	return nil
}

// WriteTo copies the bytes to w. It may be called several times.
func (s *Spool) WriteTo(w io.Writer) (total int64, err error) {
	for _, p := range s.pieces {
		n, err := w.Write(p)
		total += int64(n)
		if err != nil {
			return total, err
		}
	}
	if s.file == nil {
		return total, nil
	}
	r, err := s.Reader()
	if err != nil {
		return 0, err
	}
	return io.Copy(w, r)
}

// Reader returns a reader of the bytes. Nothing may be written while it is used.
func (s *Spool) Reader() (io.Reader, error) {
	if s.file == nil {
		return &pieces{rest: s.pieces}, nil
	}
	if err := s.stream.Finish(); err != nil {
		return nil, err
	}
	return s.stream.Reader(), nil
}

// pieces reads what is in memory.
type pieces struct {
	rest [][]byte
	at   int // bytes of the first that were read
}

// Read implements [io.Reader].
func (r *pieces) Read(p []byte) (int, error) {
	if len(r.rest) == 0 {
		return 0, io.EOF
	}
	n := copy(p, r.rest[0][r.at:])
	if r.at += n; r.at == len(r.rest[0]) {
		r.rest, r.at = r.rest[1:], 0
	}
	return n, nil
}

// Discard gives back memory and file. Discarding twice is safe.
func (s *Spool) Discard() {
	if s.file != nil {
		_ = s.file.Remove() // the folder removes what is left
		s.file, s.stream = nil, nil
	} else {
		s.space.used.Add(-s.Size)
	}
	s.pieces, s.Size = nil, 0
}

// Rope is a section as it will be written: byte slices and spools in a row.
type Rope struct {
	Parts []io.WriterTo
	Size  int64
}

type Literal []byte

func (l Literal) WriteTo(w io.Writer) (int64, error) {
	n, err := w.Write(l)
	return int64(n), err
}

func (r *Rope) Bytes(b []byte) {
	r.Parts = append(r.Parts, Literal(b))
	r.Size += int64(len(b))
}

func (r *Rope) Spool(s *Spool) {
	r.Parts = append(r.Parts, s)
	r.Size += s.Size
}

func (r *Rope) WriteTo(w io.Writer) (int64, error) {
	var total int64
	for _, p := range r.Parts {
		n, err := p.WriteTo(w)
		total += n
		if err != nil {
			return total, err
		}
	}
	return total, nil
}
