package sparql

import (
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/cespare/xxhash/v2"

	"github.com/rete-go/rete/internal/damage"
	"github.com/rete-go/rete/rdf"
	"github.com/rete-go/rete/sparql/internal/exec/mem"
)

const (
	// spoolBlock is about how many bytes a block of a spool has.
	spoolBlock = 256 << 10
	// spoolMemory is the most that a spool keeps in memory if it may write a file.
	spoolMemory = 16 << 20
	// spoolFree is how many bytes are not drawn: small updates cost no more for it.
	spoolFree = 32 << 10
	// spoolHeader is the length of a block's header in a file: its length and its xxhash64.
	spoolHeader = 4 + 8
)

// spool keeps quads in the order in which they came: in memory while they are few and the
// budget gives it, then in a file that is gone when the spool is closed. It is made of blocks.
// A quad is four terms, each as its length and one, and its surface; a zero stands for the term
// that the quad before it in the block has in the same place.
//
// Once all quads are in it, several readers may read it at once.
type spool struct {
	op     string      // what errors call it
	budget *mem.Budget // nil: there is no bound, and no file
	dir    string      // of the file; "" stands for that of the system
	disk   int64       // bytes of the file; 0: no bound, below zero there is none

	blocks  [][]byte // full ones in memory, after those of the file
	block   []byte   // the last one
	last    rdf.Quad // of block
	held    int64    // bytes in memory
	allowed int64    // bytes that may be, spoolFree of them not drawn
	file    *os.File
	size    int64
}

// newSpool returns a spool that draws its memory from a budget of options.
func newSpool(op string, c *config, b *mem.Budget) spool {
	s := spool{op: op, allowed: spoolFree}
	if c.bounded() {
		s.budget, s.dir, s.disk = b, c.spillDir, c.spillLimit
	}
	return s
}

// add adds a quad.
func (s *spool) add(ctx context.Context, q rdf.Quad) error {
	if len(s.block) >= spoolBlock {
		s.blocks, s.block = append(s.blocks, s.block), make([]byte, 0, spoolBlock+spoolBlock/8)
	}
	if err := s.grow(ctx, int64(len(q.S.Surface())+len(q.P.Surface())+len(q.O.Surface())+len(q.G.Surface())+4*binary.MaxVarintLen32)); err != nil {
		return err
	}
	before := len(s.block)
	if before == 0 {
		s.last = rdf.Quad{}
	}
	s.block = appendTerm(s.block, q.S, s.last.S)
	s.block = appendTerm(s.block, q.P, s.last.P)
	s.block = appendTerm(s.block, q.O, s.last.O)
	s.block = appendTerm(s.block, q.G, s.last.G)
	s.held += int64(len(s.block) - before)
	s.last = q
	return nil
}

func appendTerm(b []byte, t, last rdf.Term) []byte {
	if t == last {
		return append(b, 0)
	}
	text := t.Surface()
	return append(binary.AppendUvarint(b, uint64(len(text)+1)), text...)
}

// grow sees to it that there is room for n more bytes in memory.
func (s *spool) grow(ctx context.Context, n int64) error {
	if s.budget == nil || s.held+n <= s.allowed {
		return nil
	}
	more := max(spoolBlock, s.held+n-s.allowed)
	if s.disk < 0 || s.held == 0 {
		return s.take(ctx, more)
	}
	if s.file == nil && s.allowed+more <= spoolMemory && s.budget.Try(s.op, more) {
		s.allowed += more
		return nil
	}
	if err := s.spill(); err != nil {
		return err
	}
	return s.grow(ctx, n)
}

func (s *spool) take(ctx context.Context, bytes int64) error {
	if err := s.budget.Take(ctx, s.op, bytes); err != nil {
		return err
	}
	s.allowed += bytes
	return nil
}

// spill moves what is in memory to the file.
func (s *spool) spill() error {
	if s.file == nil {
		f, err := os.CreateTemp(s.dir, "rete-update-")
		if err != nil {
			return err
		}
		s.file = f
		// Where an open file cannot be removed, close does it.
		_ = os.Remove(f.Name())
	}
	for _, block := range append(s.blocks, s.block) {
		if err := s.write(block); err != nil {
			return err
		}
	}
	s.blocks, s.block, s.held = nil, s.block[:0], 0
	if most := int64(spoolFree + 4*spoolBlock); s.allowed > most {
		s.budget.Give(s.allowed - most)
		s.allowed = most
	}
	return nil
}

func (s *spool) write(block []byte) error {
	if s.size += int64(len(block)) + spoolHeader; s.disk > 0 && s.size > s.disk {
		return &SpillError{Op: s.op, Limit: s.disk}
	}
	if int64(len(block)) > 1<<32-1 {
		return fmt.Errorf("sparql: a quad of %d bytes is too long for a temporary file", len(block))
	}
	header := binary.LittleEndian.AppendUint32(make([]byte, 0, spoolHeader), uint32(len(block)))
	header = binary.LittleEndian.AppendUint64(header, xxhash.Sum64(block))
	if _, err := s.file.Write(header); err != nil {
		return err
	}
	_, err := s.file.Write(block)
	return err
}

// close frees what the spool holds. It may be called twice.
func (s *spool) close() {
	if s.budget != nil {
		s.budget.Give(s.allowed - spoolFree)
	}
	s.blocks, s.block, s.held, s.allowed = nil, nil, 0, spoolFree
	if s.file == nil {
		return
	}
	name := s.file.Name()
	s.file.Close()
	s.file = nil
	_ = os.Remove(name)
}

// spoolReader reads the quads of a spool in order.
type spoolReader struct {
	s      *spool
	budget *mem.Budget // for blocks of the file that are longer than usual
	at     int64       // in the file
	next   int         // of the blocks in memory
	text   string      // what is left of a block
	last   rdf.Quad
	file   []byte // the last block of the file
	drawn  int64
}

// read reads n quads, of which there must be as many, into a slice.
func (r *spoolReader) read(ctx context.Context, n int, to []rdf.Quad) ([]rdf.Quad, error) {
	for range n {
		for len(r.text) == 0 {
			if err := r.load(ctx); err != nil {
				return nil, err
			}
		}
		r.term(&r.last.S)
		r.term(&r.last.P)
		r.term(&r.last.O)
		r.term(&r.last.G)
		to = append(to, r.last)
	}
	return to, nil
}

// term reads a term, which is left as it is if it is that of the previous quad.
func (r *spoolReader) term(t *rdf.Term) {
	n, shift, i := 0, 0, 0
	for ; r.text[i] >= 0x80; i++ {
		n |= int(r.text[i]&0x7f) << shift
		shift += 7
	}
	n |= int(r.text[i]) << shift
	i++
	if n == 0 {
		r.text = r.text[i:]
		return
	}
	end := i + n - 1
	*t = rdf.FromSurface(r.text[i:end])
	r.text = r.text[end:]
}

// load takes the next block. One string holds its text.
func (r *spoolReader) load(ctx context.Context) error {
	r.last = rdf.Quad{}
	if r.s.file != nil && r.at < r.s.size {
		return r.loadFile(ctx)
	}
	i := r.next
	switch r.next++; {
	case i < len(r.s.blocks):
		r.text = string(r.s.blocks[i])
	case i == len(r.s.blocks):
		r.text = string(r.s.block)
	default:
		return io.ErrUnexpectedEOF
	}
	return nil
}

func (r *spoolReader) loadFile(ctx context.Context) error {
	var header [spoolHeader]byte
	if _, err := r.s.file.ReadAt(header[:], r.at); err != nil {
		return err
	}
	n := int(binary.LittleEndian.Uint32(header[:]))
	if int64(n)+r.at > r.s.size {
		return fmt.Errorf("%w: temporary file of an update", damage.Err)
	}
	if more := 2*int64(n) - 4*spoolBlock - r.drawn; more > 0 && r.budget != nil {
		if err := r.budget.Take(ctx, r.s.op, more); err != nil {
			return err
		}
		r.drawn += more
	}
	if cap(r.file) < n {
		r.file = make([]byte, n)
	}
	r.file = r.file[:n]
	if _, err := r.s.file.ReadAt(r.file, r.at+spoolHeader); err != nil {
		return err
	}
	if xxhash.Sum64(r.file) != binary.LittleEndian.Uint64(header[4:]) {
		return fmt.Errorf("%w: temporary file of an update", damage.Err)
	}
	r.at += spoolHeader + int64(n)
	var b strings.Builder
	b.Write(r.file)
	r.text = b.String()
	return nil
}

// close gives back what the reader has drawn.
func (r *spoolReader) close() {
	if r.budget != nil {
		r.budget.Give(r.drawn)
	}
	r.drawn, r.file, r.text = 0, nil, ""
}
