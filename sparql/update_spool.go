package sparql

import (
	"encoding/binary"
	"fmt"
	"io"
	"os"

	"github.com/cespare/xxhash/v2"

	"github.com/rete-go/rete/internal/damage"
	"github.com/rete-go/rete/rdf"
)

// spoolMemory is how many bytes of quads a spool keeps in memory by default.
const spoolMemory = 16 << 20

// spoolHeader is the length of a block's header: its length and its xxhash64.
const spoolHeader = 4 + 8

// spool keeps quads in the order in which they came: in memory while they are few,
// then in blocks of a file that is gone when the spool is closed. A quad is four
// terms, each as its length and its surface.
type spool struct {
	memory int    // bytes in memory; 0 stands for spoolMemory
	dir    string // of the file; "" stands for that of the system
	disk   int64  // bytes of the file; below zero there is no bound

	buf  []byte
	last rdf.Quad
	any  bool
	file *os.File
	size int64
}

// newSpool returns a spool for an update with options.
func newSpool(c *config) spool {
	s := spool{disk: -1}
	if c.memory > 0 {
		s.memory = int(max(1, min(c.memory/4, spoolMemory)))
	}
	if c.spillSet {
		s.dir, s.disk = c.spillDir, c.spillLimit
	}
	return s
}

// add adds a quad. The same quad twice in a row is added once.
func (s *spool) add(q rdf.Quad) error {
	if s.any && q == s.last {
		return nil
	}
	s.last, s.any = q, true
	for _, t := range [4]rdf.Term{q.S, q.P, q.O, q.G} {
		s.buf = binary.AppendUvarint(s.buf, uint64(len(t.Surface())))
		s.buf = append(s.buf, t.Surface()...)
	}
	memory := s.memory
	if memory == 0 {
		memory = spoolMemory
	}
	if len(s.buf) < memory {
		return nil
	}
	return s.spill()
}

// spill moves what is in memory to the file, as a block.
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
	s.size += int64(len(s.buf)) + spoolHeader
	if s.disk >= 0 && s.size > s.disk {
		return &SpillError{Op: "insert", Limit: s.disk}
	}
	if int64(len(s.buf)) > 1<<32-1 {
		return fmt.Errorf("sparql: a quad of %d bytes is too long for a temporary file", len(s.buf))
	}
	header := binary.LittleEndian.AppendUint32(make([]byte, 0, spoolHeader), uint32(len(s.buf)))
	header = binary.LittleEndian.AppendUint64(header, xxhash.Sum64(s.buf))
	if _, err := s.file.Write(header); err != nil {
		return err
	}
	_, err := s.file.Write(s.buf)
	s.buf = s.buf[:0]
	return err
}

// each hands on all quads in batches.
func (s *spool) each(use func([]rdf.Quad) error) error {
	if s.file != nil {
		if err := s.blocks(use); err != nil {
			return err
		}
	}
	return eachQuad(s.buf, use)
}

// blocks hands on the quads of the file.
func (s *spool) blocks(use func([]rdf.Quad) error) error {
	r := io.NewSectionReader(s.file, 0, s.size)
	var block []byte
	for {
		var header [spoolHeader]byte
		if _, err := io.ReadFull(r, header[:]); err == io.EOF {
			return nil
		} else if err != nil {
			return err
		}
		n := int(binary.LittleEndian.Uint32(header[:]))
		if cap(block) < n {
			block = make([]byte, n)
		}
		block = block[:n]
		if _, err := io.ReadFull(r, block); err != nil {
			return err
		}
		if xxhash.Sum64(block) != binary.LittleEndian.Uint64(header[4:]) {
			return fmt.Errorf("%w: temporary file of an update", damage.Err)
		}
		if err := eachQuad(block, use); err != nil {
			return err
		}
	}
}

// eachQuad hands on the quads in a slice in batches. One string holds their text.
func eachQuad(buf []byte, use func([]rdf.Quad) error) error {
	text := string(buf)
	var batch []rdf.Quad
	for at := 0; at < len(text); {
		var terms [4]rdf.Term
		for i := range terms {
			n, k := binary.Uvarint(buf[at:])
			at += k
			terms[i] = rdf.FromSurface(text[at : at+int(n)])
			at += int(n)
		}
		batch = append(batch, rdf.Quad{S: terms[0], P: terms[1], O: terms[2], G: terms[3]})
		if len(batch) == batchQuads {
			if err := use(batch); err != nil {
				return err
			}
			batch = batch[:0]
		}
	}
	return use(batch)
}

func (s *spool) close() {
	s.buf = nil
	if s.file == nil {
		return
	}
	name := s.file.Name()
	s.file.Close()
	s.file = nil
	_ = os.Remove(name)
}
