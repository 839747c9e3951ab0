// Package spool keeps what is written in one order and needed in another: in memory while
// there is room, then in temporary files.
package spool

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"os"
	"sync/atomic"
)

// Space is the memory that the spools of one writer share. What goes
// beyond it lies in temporary files.
type Space struct {
	Dir   string // of temporary files; "" is the system's
	Limit int64
	used  atomic.Int64
}

// Spool holds bytes that are written once and read later, in memory at first
// and in a temporary file once the space is used up. It belongs to one
// goroutine at a time.
type Spool struct {
	space *Space
	buf   []byte
	file  *os.File
	out   *bufio.Writer // over file
	Size  int64
}

func (s *Space) New() *Spool { return &Spool{space: s} }

// Write appends p.
func (s *Spool) Write(p []byte) (int, error) {
	s.Size += int64(len(p))
	if s.file == nil {
		if s.space.used.Add(int64(len(p))) <= s.space.Limit {
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
func (s *Spool) spill() (err error) {
	if s.file, err = os.CreateTemp(s.space.Dir, "rete-build-*.tmp"); err != nil {
		return fmt.Errorf("segment: temporary file: %w", err)
	}
	s.out = bufio.NewWriterSize(s.file, 256<<10)
	_, err = s.out.Write(s.buf)
	s.space.used.Add(-int64(len(s.buf)))
	s.buf = nil
	return err
}

// WriteTo copies the bytes to w. It may be called several times.
func (s *Spool) WriteTo(w io.Writer) (int64, error) {
	if s.file == nil {
		n, err := w.Write(s.buf)
		return int64(n), err
	}
	if err := s.out.Flush(); err != nil {
		return 0, err
	}
	return io.CopyBuffer(onlyWriter{w}, io.NewSectionReader(s.file, 0, s.Size), make([]byte, 1<<20))
}

// Reader returns a reader of the bytes. Nothing may be written while it is used.
func (s *Spool) Reader() (io.Reader, error) {
	if s.file == nil {
		return bytes.NewReader(s.buf), nil
	}
	if err := s.out.Flush(); err != nil {
		return nil, err
	}
	return io.NewSectionReader(s.file, 0, s.Size), nil
}

// onlyWriter hides other methods of a writer, so that copies go through the
// large buffer: hashing small pieces is slow.
type onlyWriter struct{ io.Writer }

// Discard gives back memory and file. Discarding twice is safe.
func (s *Spool) Discard() {
	if s.file != nil {
		s.file.Close()
		os.Remove(s.file.Name())
		s.file = nil
	} else {
		s.space.used.Add(-int64(len(s.buf)))
	}
	s.buf, s.out, s.Size = nil, nil, 0
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
