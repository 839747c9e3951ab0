package segment

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"os"
	"sync/atomic"
)

// spoolSpace is the memory that the spools of one writer share. What goes
// beyond it lies in temporary files.
type spoolSpace struct {
	dir   string // of temporary files; "" is the system's
	limit int64
	used  atomic.Int64
}

// spool holds bytes that are written once and read later, in memory at first
// and in a temporary file once the space is used up. It belongs to one
// goroutine at a time.
type spool struct {
	space *spoolSpace
	buf   []byte
	file  *os.File
	out   *bufio.Writer // over file
	size  int64
}

func (s *spoolSpace) new() *spool { return &spool{space: s} }

// Write appends p.
func (s *spool) Write(p []byte) (int, error) {
	s.size += int64(len(p))
	if s.file == nil {
		if s.space.used.Add(int64(len(p))) <= s.space.limit {
			s.buf = append(s.buf, p...)
			return len(p), nil
		}
		s.space.used.Add(-int64(len(p)))
		if err := s.spill(); err != nil {
			return 0, err
		}
	}
	return s.out.Write(p)
}

// spill moves what is in memory to a temporary file.
func (s *spool) spill() (err error) {
	if s.file, err = os.CreateTemp(s.space.dir, "rete-build-*.tmp"); err != nil {
		return fmt.Errorf("segment: temporary file: %w", err)
	}
	s.out = bufio.NewWriterSize(s.file, 256<<10)
	_, err = s.out.Write(s.buf)
	s.space.used.Add(-int64(len(s.buf)))
	s.buf = nil
	return err
}

// WriteTo copies the bytes to w. It may be called several times.
func (s *spool) WriteTo(w io.Writer) (int64, error) {
	if s.file == nil {
		n, err := w.Write(s.buf)
		return int64(n), err
	}
	if err := s.out.Flush(); err != nil {
		return 0, err
	}
	return io.CopyBuffer(onlyWriter{w}, io.NewSectionReader(s.file, 0, s.size), make([]byte, 1<<20))
}

// Reader returns a reader of the bytes. Nothing may be written while it is used.
func (s *spool) Reader() (io.Reader, error) {
	if s.file == nil {
		return bytes.NewReader(s.buf), nil
	}
	if err := s.out.Flush(); err != nil {
		return nil, err
	}
	return io.NewSectionReader(s.file, 0, s.size), nil
}

// onlyWriter hides other methods of a writer, so that copies go through the
// large buffer: hashing small pieces is slow.
type onlyWriter struct{ io.Writer }

// discard gives back memory and file. Discarding twice is safe.
func (s *spool) discard() {
	if s.file != nil {
		s.file.Close()
		os.Remove(s.file.Name())
		s.file = nil
	} else {
		s.space.used.Add(-int64(len(s.buf)))
	}
	s.buf, s.out, s.size = nil, nil, 0
}

// rope is a section as it will be written: byte slices and spools in a row.
type rope struct {
	parts []io.WriterTo
	size  int64
}

type literal []byte

func (l literal) WriteTo(w io.Writer) (int64, error) {
	n, err := w.Write(l)
	return int64(n), err
}

func (r *rope) bytes(b []byte) {
	r.parts = append(r.parts, literal(b))
	r.size += int64(len(b))
}

func (r *rope) spool(s *spool) {
	r.parts = append(r.parts, s)
	r.size += s.size
}

func (r *rope) WriteTo(w io.Writer) (int64, error) {
	var total int64
	for _, p := range r.parts {
		n, err := p.WriteTo(w)
		total += n
		if err != nil {
			return total, err
		}
	}
	return total, nil
}
