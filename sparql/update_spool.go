package sparql

import (
	"bufio"
	"encoding/binary"
	"io"
	"os"

	"github.com/rete-go/rete/rdf"
)

// spoolMemory is how many bytes of quads a spool keeps in memory by default.
const spoolMemory = 16 << 20

// spool keeps quads in the order in which they came: in memory while they are few,
// then in a file that is gone when the spool is closed. A quad is four terms, each
// as its length and its surface.
type spool struct {
	limit int // bytes in memory; 0 stands for spoolMemory
	buf   []byte
	last  rdf.Quad
	any   bool
	file  *os.File
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
	limit := s.limit
	if limit == 0 {
		limit = spoolMemory
	}
	if len(s.buf) < limit {
		return nil
	}
	return s.spill()
}

// spill moves what is in memory to the file.
func (s *spool) spill() error {
	if s.file == nil {
		f, err := os.CreateTemp("", "rete-update-")
		if err != nil {
			return err
		}
		s.file = f
		// Where an open file cannot be removed, close does it.
		_ = os.Remove(f.Name())
	}
	_, err := s.file.Write(s.buf)
	s.buf = s.buf[:0]
	return err
}

// each hands on all quads in batches. The spool takes no more then.
func (s *spool) each(use func([]rdf.Quad) error) error {
	if s.file == nil {
		return eachQuad(s.buf, use)
	}
	if err := s.spill(); err != nil {
		return err
	}
	size, err := s.file.Seek(0, io.SeekEnd)
	if err != nil {
		return err
	}
	return readQuads(bufio.NewReaderSize(io.NewSectionReader(s.file, 0, size), 1<<20), use)
}

// eachQuad is each for the quads in a slice. One string holds their text.
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

// readQuads is each for the quads of a file.
func readQuads(r *bufio.Reader, use func([]rdf.Quad) error) error {
	var batch []rdf.Quad
	var text []byte
	for {
		var terms [4]rdf.Term
		for i := range terms {
			n, err := binary.ReadUvarint(r)
			if err == io.EOF && i == 0 {
				return use(batch)
			}
			if err != nil {
				return err
			}
			text = append(text[:0], make([]byte, n)...)
			if _, err := io.ReadFull(r, text); err != nil {
				return err
			}
			terms[i] = rdf.FromSurface(string(text))
		}
		batch = append(batch, rdf.Quad{S: terms[0], P: terms[1], O: terms[2], G: terms[3]})
		if len(batch) == batchQuads {
			if err := use(batch); err != nil {
				return err
			}
			batch = batch[:0]
		}
	}
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
