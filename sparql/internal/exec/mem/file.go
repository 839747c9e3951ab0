package mem

import (
	"encoding/binary"
	"fmt"
	"io"
	"os"
	"runtime"

	"github.com/cespare/xxhash/v2"

	"github.com/rete-go/rete/internal/damage"
)

// Temporary files are blocks: the length of the payload (4 bytes), its xxhash64
// (8 bytes), and the payload: whole rows. Where the system allows it, a file has
// no name from the moment it is open.
const (
	Block       = 64 << 10
	spillHeader = 12
)

// Operators that go to files do so in parts by hash, and parts of these where one is too large.
const (
	Parts     = 32
	Levels    = 3       // parts of parts of parts
	PartBlock = 8 << 10 // of each of the files of a level
)

// SpillError says that a query needs more temporary files than its bound.
type SpillError struct {
	Op    string
	Limit int64 // bytes
}

// Error implements error.
func (e *SpillError) Error() string {
	return fmt.Sprintf("sparql: %s needs more than the %d bytes of temporary files that the query may write", e.Op, e.Limit)
}

// File is a temporary file of rows.
type File struct {
	budget  *Budget
	op      string
	f       TempFile
	block   []byte // being filled, with room for its header
	most    int    // bytes of a block, about
	size    int64
	counted *int64 // if not nil, raised by what is written
}

// TempFile is what is needed of a temporary file.
type TempFile interface {
	io.ReadWriteSeeker
	io.ReaderAt
	io.Closer
	Name() string
}

// mostFiles is how many temporary files a query has open at the same time. A join that goes to
// files opens up to 64, and a query may have thousands of joins.
const mostFiles = 512

// CreateTemp makes a file in a folder, empty for that of the system. It has no name where the system
// allows that.
func CreateTemp(dir string) (TempFile, error) {
	f, err := os.CreateTemp(dir, "rete-spill-*")
	if err != nil {
		return nil, err
	}
	if runtime.GOOS != "windows" {
		if err := os.Remove(f.Name()); err != nil {
			f.Close()
			return nil, err
		}
	}
	return f, nil
}

// MaySpill reports whether n files more may be opened.
func (b *Budget) MaySpill(n int) bool { return b.SpillLimit >= 0 && len(b.open)+n <= mostFiles }

// Temporary makes a file. Without a file for it, what an operator holds stays in memory: the
// error for too many of them is that of the memory.
func (b *Budget) Temporary(op string) (TempFile, error) {
	if len(b.open) >= mostFiles {
		return nil, &Error{Op: op, Asked: Block, Held: b.Before + b.held, Limit: b.Limit}
	}
	create := b.Create
	if create == nil {
		create = CreateTemp
	}
	f, err := create(b.Dir)
	if err != nil {
		return nil, fmt.Errorf("sparql: a temporary file for %s: %w", op, err)
	}
	if b.open == nil {
		b.open = make(map[TempFile]struct{})
	}
	b.open[f] = struct{}{}
	b.files++
	return f, nil
}

// Grew counts bytes that are about to be written for an operator.
func (b *Budget) Grew(op string, n int64) error {
	if b.SpillLimit > 0 && b.spilled+n > b.SpillLimit {
		return &SpillError{op, b.SpillLimit}
	}
	b.spilled, b.written = b.spilled+n, b.written+n
	b.Watch.Spill(n)
	return nil
}

// newFile makes a file of blocks of about `most` bytes. The block in memory
// is not asked for: it is what lets memory be given back.
func (b *Budget) newFile(op string, most int) (*File, error) {
	f, err := b.Temporary(op)
	if err != nil {
		return nil, err
	}
	return &File{budget: b, op: op, f: f, most: most, block: make([]byte, spillHeader)}, nil
}

// Add appends the encoding of a row to the block at hand; it is whole after the
// call.
func (s *File) Add(key []byte, cols [][]id, row int) error {
	s.block = binary.AppendUvarint(s.block, uint64(len(key)))
	s.block = append(s.block, key...)
	for _, c := range cols {
		s.block = binary.LittleEndian.AppendUint64(s.block, uint64(c[row]))
	}
	if len(s.block) < s.most {
		return nil
	}
	return s.endBlock()
}

func (s *File) endBlock() error {
	n := int64(len(s.block))
	if n == spillHeader {
		return nil
	}
	if err := s.budget.Grew(s.op, n); err != nil {
		return err
	}
	s.size += n
	if s.counted != nil {
		*s.counted += n
	}
	binary.LittleEndian.PutUint32(s.block, uint32(n-spillHeader))
	binary.LittleEndian.PutUint64(s.block[4:], xxhash.Sum64(s.block[spillHeader:]))
	_, err := s.f.Write(s.block)
	s.block = s.block[:spillHeader]
	return err
}

// Empty reports whether no row was written.
func (s *File) Empty() bool { return s.size == 0 && len(s.block) == spillHeader }

// Finish ends the writing and goes back to the beginning.
func (s *File) Finish(columns int) (*Reader, error) {
	if err := s.endBlock(); err != nil {
		return nil, err
	}
	s.block = nil
	if _, err := s.f.Seek(0, io.SeekStart); err != nil {
		return nil, err
	}
	return &Reader{file: s, left: s.size, Row: make([]id, columns)}, nil
}

// Close closes the file, which then is gone.
func (s *File) Close() error {
	b := s.budget
	if _, open := b.open[s.f]; !open {
		return nil
	}
	delete(b.open, s.f)
	b.spilled -= s.size
	err := s.f.Close()
	if runtime.GOOS == "windows" {
		if e := os.Remove(s.f.Name()); err == nil {
			err = e
		}
	}
	return err
}

// Reader reads the rows of a file in their order.
type Reader struct {
	file  *File
	left  int64 // bytes
	block []byte
	at    int
	Key   []byte // of the row, until the next call
	Row   []id
}

// Next reads a row; false after the last one.
func (r *Reader) Next() (bool, error) {
	if r.at == len(r.block) {
		if r.left == 0 {
			return false, nil
		}
		if err := r.load(); err != nil {
			return false, err
		}
	}
	n, used := binary.Uvarint(r.block[r.at:])
	from := r.at + used
	end := from + int(n)
	if used <= 0 || n > uint64(len(r.block)) || end+8*len(r.Row) > len(r.block) {
		return false, r.Bad("a row that does not end")
	}
	r.Key = r.block[from:end]
	for i := range r.Row {
		r.Row[i] = id(binary.LittleEndian.Uint64(r.block[end:]))
		end += 8
	}
	r.at = end
	return true, nil
}

// load reads the next block.
func (r *Reader) load() error {
	var head [spillHeader]byte
	if _, err := io.ReadFull(r.file.f, head[:]); err != nil {
		return ReadError(r.file.op, err)
	}
	n := int64(binary.LittleEndian.Uint32(head[:]))
	if n > r.left-spillHeader {
		return r.Bad("a block that is longer than the file")
	}
	if int64(cap(r.block)) < n {
		r.block = make([]byte, n)
	}
	r.block, r.at = r.block[:n], 0
	if _, err := io.ReadFull(r.file.f, r.block); err != nil {
		return ReadError(r.file.op, err)
	}
	if xxhash.Sum64(r.block) != binary.LittleEndian.Uint64(head[4:]) {
		return r.Bad("a block that is not what was written")
	}
	r.left -= spillHeader + n
	return nil
}

// ReadError is an error of reading a temporary file, which is damaged if it ends too
// soon.
func ReadError(op string, err error) error {
	if err == io.EOF || err == io.ErrUnexpectedEOF {
		return fmt.Errorf("%w: temporary file of %s: %w", damage.Err, op, err)
	}
	return fmt.Errorf("sparql: temporary file of %s: %w", op, err)
}

// Bad returns the error of a file whose content is not what was written.
func (r *Reader) Bad(what string) error {
	return fmt.Errorf("%w: temporary file of %s: %s", damage.Err, r.file.op, what)
}

// Close closes the file, which then is gone.
func (r *Reader) Close() error { return r.file.Close() }
