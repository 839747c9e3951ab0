package document

import (
	"bytes"
	"cmp"
	"errors"
	"io"
	"os"
)

// tempFile is a temporary file of one spool, or of several that are written one after the other.
type tempFile struct {
	file  *os.File // nil while no spool uses it
	size  int64
	users int

	texts, quads int64 // bytes of all spools until now
}

// join makes the file if there is none, for one more spool.
func (t *tempFile) join(dir string) error {
	if t.file == nil {
		f, err := os.CreateTemp(dir, "rete-document-")
		if err != nil {
			return err
		}
		t.file, t.size = f, 0
		// Where an open file cannot be removed, leave does it.
		_ = os.Remove(f.Name())
	}
	t.users++
	return nil
}

// leave ends the use of one spool; the file is gone after the last.
func (t *tempFile) leave() error {
	if t.users--; t.users > 0 {
		return nil
	}
	name := t.file.Name()
	err := t.file.Close()
	t.file = nil
	_ = os.Remove(name)
	return err
}

func (t *tempFile) append(p []byte) error {
	n, err := t.file.WriteAt(p, t.size)
	t.size += int64(n)
	return err
}

// spool is bytes that were written once: in memory while they are few, else in a file.
type spool struct {
	size   int64
	room   int64 // that Limits.Room gave
	memory []byte
	file   *tempFile // nil: they are in memory
	from   int64     // where they begin in it
}

// errAtOnce: the bytes of two documents would be mixed.
var errAtOnce = errors.New("document: two documents with shared limits are written at once")

func (s *spool) add(p []byte, l Limits) error {
	s.size += int64(len(p))
	if s.file == nil && s.fits(l) {
		s.memory = append(s.memory, p...)
		return nil
	}
	if s.file == nil {
		if err := s.spill(l); err != nil {
			return err
		}
	} else if s.file.size != s.from+s.size-int64(len(p)) {
		return errAtOnce
	}
	return s.file.append(p)
}

// spill moves what is in memory to a file.
func (s *spool) spill(l Limits) error {
	file := cmp.Or(l.shared, new(tempFile))
	if err := file.join(l.TempDir); err != nil {
		return err
	}
	s.file, s.from = file, file.size
	if err := file.append(s.memory); err != nil {
		return err
	}
	s.memory = nil
	s.giveBack(l)
	return nil
}

func (s *spool) giveBack(l Limits) {
	if s.room > 0 {
		l.Room(-s.room)
		s.room = 0
	}
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
		return io.NewSectionReader(s.file.file, s.from, s.size)
	}
	return bytes.NewReader(s.memory)
}

// free is close of what is not needed to the end: its room is given back.
func (s *spool) free(l Limits) {
	_ = s.close() // nothing is lost with it
	s.giveBack(l)
}

func (s *spool) close() error {
	s.memory = nil
	if s.file == nil {
		return nil
	}
	err := s.file.leave()
	s.file = nil
	return err
}
