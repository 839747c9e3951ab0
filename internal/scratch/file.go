package scratch

import (
	"fmt"
	"io"
	"sync"

	"github.com/cespare/xxhash/v2"

	"github.com/rete-go/rete/internal/damage"
	"github.com/rete-go/rete/internal/vfs"
)

// File is a temporary file of the streams that are written to it. It may be used by several
// goroutines.
type File struct {
	folder *Folder
	name   string
	file   vfs.File

	mu   sync.Mutex // guards size
	size int64
}

// Piece is bytes of a file that were written at once.
type Piece struct {
	at  int64
	sum uint64 // xxhash64
	n   uint32
}

// Write writes a piece.
func (s *File) Write(p []byte) (Piece, error) {
	n := int64(len(p))
	f := s.folder
	f.mu.Lock()
	if f.limit > 0 && f.used+n > f.limit {
		err := f.full(f.limit, nil)
		f.mu.Unlock()
		return Piece{}, err
	}
	f.used += n
	f.most = max(f.most, f.used)
	f.mu.Unlock()

	s.mu.Lock()
	at := s.size
	s.size += n
	s.mu.Unlock()
	_, err := s.file.WriteAt(p, at)
	if err != nil {
		f.mu.Lock()
		err = f.explain(err)
		f.mu.Unlock()
	}
	return Piece{at: at, sum: xxhash.Sum64(p), n: uint32(n)}, err
}

// Rewrite writes other bytes in the place of a piece, as many. Who reads it meanwhile finds damage.
func (s *File) Rewrite(k Piece, p []byte) (Piece, error) {
	if len(p) != int(k.n) {
		return k, fmt.Errorf("temporary file: %d bytes in the place of %d", len(p), k.n)
	}
	if _, err := s.file.WriteAt(p, k.at); err != nil {
		s.folder.mu.Lock()
		defer s.folder.mu.Unlock()
		return k, s.folder.explain(err)
	}
	k.sum = xxhash.Sum64(p)
	return k, nil
}

// Read reads a piece, into the memory of buf if that is enough.
func (s *File) Read(k Piece, buf []byte) ([]byte, error) {
	if cap(buf) < int(k.n) {
		buf = make([]byte, k.n)
	}
	buf = buf[:k.n]
	if n, err := s.file.ReadAt(buf, k.at); n < len(buf) {
		if err == io.EOF {
			err = damage.New("temporary file", "%d bytes of a block of %d are there", n, k.n)
		}
		return buf, damage.In(s.name, err)
	}
	if xxhash.Sum64(buf) != k.sum {
		e := damage.New("temporary file", "a block of %d bytes is not what was written", k.n)
		e.Offset = k.at
		return buf, damage.In(s.name, e)
	}
	return buf, nil
}

// Remove closes and deletes the file. Removing twice, or after the folder is closed, is safe.
func (s *File) Remove() error {
	f := s.folder
	f.mu.Lock()
	defer f.mu.Unlock()
	if _, ok := f.open[s]; !ok {
		return nil
	}
	delete(f.open, s)
	f.used -= s.size
	err := s.file.Close()
	if rerr := f.fsys.Remove(s.name); err == nil {
		err = rerr
	}
	return err
}

// Stream is a sequence of records that are written once, and then read from the start: any
// number of times, several times at once. The streams of a file may be written at the same
// time, each by one goroutine.
type Stream struct {
	file   *File // nil: in memory
	target int   // bytes of a block, about
	open   []byte
	blocks []block
	size   int64
}

type block struct {
	Piece
	held []byte // in memory
}

// Block is the size of the blocks of streams, unless there are very many of them.
const Block = 64 << 10

// NewStream begins a stream whose blocks have about block bytes.
func (s *File) NewStream(block int) *Stream { return &Stream{file: s, target: block} }

// Target returns the bytes of a block, about.
func (s *Stream) Target() int { return s.target }

// Memory begins a stream that stays in memory.
func Memory() *Stream { return &Stream{target: Block} }

// Size returns the bytes that were added.
func (s *Stream) Size() int64 { return s.size }

// Add appends a record, which lies in one block.
func (s *Stream) Add(record []byte) error {
	if len(s.open) > 0 && len(s.open)+len(record) > s.target {
		if err := s.Flush(); err != nil {
			return err
		}
	}
	if s.open == nil {
		s.open = make([]byte, 0, max(s.target, len(record)))
	}
	s.open = append(s.open, record...)
	s.size += int64(len(record))
	return nil
}

// Flush writes the last block. It must be called before the stream is read.
func (s *Stream) Flush() error {
	if len(s.open) == 0 {
		return nil
	}
	if s.file == nil {
		s.blocks = append(s.blocks, block{held: s.open})
		s.open = nil
		return nil
	}
	p, err := s.file.Write(s.open)
	if err != nil {
		return err
	}
	s.blocks = append(s.blocks, block{Piece: p})
	s.open = s.open[:0]
	return nil
}

// Finish is Flush for a stream that gets no more records: it drops the buffer. Finishing again
// changes nothing, so readers of a finished stream may do it at the same time.
func (s *Stream) Finish() error {
	if s.open == nil {
		return nil
	}
	err := s.Flush()
	s.open = nil
	return err
}

// Blocks returns a reader of the stream.
func (s *Stream) Blocks() *Blocks { return &Blocks{stream: s} }

// Drain is Blocks for the last time that the stream is read: memory is given back on the way.
func (s *Stream) Drain() *Blocks { return &Blocks{stream: s, drain: true} }

// Blocks reads a stream block by block.
type Blocks struct {
	stream *Stream
	next   int
	drain  bool
	buf    []byte
}

// Next returns the next block: whole records, valid until the next call; [io.EOF] after the
// last.
func (b *Blocks) Next() (_ []byte, err error) {
	s := b.stream
	if b.next == len(s.blocks) {
		return nil, io.EOF
	}
	k := s.blocks[b.next]
	if b.drain {
		s.blocks[b.next].held = nil
	}
	b.next++
	if k.held != nil {
		return k.held, nil
	}
	b.buf, err = s.file.Read(k.Piece, b.buf)
	return b.buf, err
}

// Reader reads the bytes of all records in a row.
func (s *Stream) Reader() io.Reader { return &reader{blocks: s.Blocks()} }

type reader struct {
	blocks *Blocks
	rest   []byte
}

// Read implements [io.Reader].
func (r *reader) Read(p []byte) (n int, err error) {
	if len(r.rest) == 0 {
		if r.rest, err = r.blocks.Next(); err != nil {
			return 0, err
		}
	}
	n = copy(p, r.rest)
	r.rest = r.rest[n:]
	return n, nil
}

// WriteTo implements [io.WriterTo].
func (r *reader) WriteTo(w io.Writer) (total int64, err error) {
	for {
		n, werr := w.Write(r.rest)
		total += int64(n)
		r.rest = r.rest[:0]
		if werr != nil {
			return total, werr
		}
		if r.rest, err = r.blocks.Next(); err == io.EOF {
			return total, nil
		} else if err != nil {
			return total, err
		}
	}
}
