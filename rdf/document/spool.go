package document

import (
	"bytes"
	"io"
	"os"
)

// spool is bytes that were written once: in memory while they are few, else in a file.
type spool struct {
	size   int64
	room   int64 // that Limits.Room gave
	memory []byte
	file   *os.File
}

func (s *spool) add(p []byte, l Limits) error {
	s.size += int64(len(p))
	if s.file == nil && s.fits(l) {
		s.memory = append(s.memory, p...)
		return nil
	}
	if s.file == nil {
		f, err := os.CreateTemp(l.TempDir, "rete-document-")
		if err != nil {
			return err
		}
		s.file = f
		// Where an open file cannot be removed, close does it.
		_ = os.Remove(f.Name())
		if _, err := f.Write(s.memory); err != nil {
			return err
		}
		s.memory = nil
		if s.room > 0 {
			l.Room(-s.room)
			s.room = 0
		}
	}
	_, err := s.file.Write(p)
	return err
}

// fits reports whether all bytes have room in memory.
func (s *spool) fits(l Limits) bool {
	more := s.size - l.Memory - s.room
	if more <= 0 {
		return true
	}
	if l.Room == nil || !l.Room(more) {
		return false
	}
	s.room += more
	return true
}

func (s *spool) reader() io.Reader {
	if s.file != nil {
		return io.NewSectionReader(s.file, 0, s.size)
	}
	return bytes.NewReader(s.memory)
}

func (s *spool) close() error {
	s.memory = nil
	if s.file == nil {
		return nil
	}
	name := s.file.Name()
	err := s.file.Close()
	s.file = nil
	_ = os.Remove(name)
	return err
}
