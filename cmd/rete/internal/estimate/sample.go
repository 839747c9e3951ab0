// Package estimate tells from a sample of documents what the build of a segment of them takes.
package estimate

import (
	"bufio"
	"bytes"
	"context"
	"io"
	"os"
	"time"

	"github.com/rete-go/rete/cmd/rete/internal/input"
	"github.com/rete-go/rete/internal/syntax/nquads"
	"github.com/rete-go/rete/internal/syntax/prefixes"
	"github.com/rete-go/rete/rdf"
	"github.com/rete-go/rete/rdf/rdfio"
)

// blockBytes is how much text of statements, of N-Quads, is taken or left out at a time: some
// hundred lines, so that the statements of a subject stay together.
const blockBytes = 32 << 10

// block is lines of N-Quads, those of one document.
type block struct {
	number int // of all blocks
	doc    int
	first  bool // of the document
	made   bool // its lines are not those of a document in N-Quads or N-Triples
	text   []byte
}

// sample is every stride-th block of some documents.
type sample struct {
	limit  int64 // bytes of text, about
	stride int
	seen   int           // blocks
	next   int           // document, the first one of which no block has passed
	kept   []block       // with a number that stride divides
	bytes  int64         // of kept
	total  int64         // of all blocks
	read   spent         // on reading through documents that could not be read in places
	most   time.Duration // of it: of one document
	names  prefixes.Declared
}

// wants reports whether the next block is one of the sample.
func (s *sample) wants() bool { return s.seen%s.stride == 0 }

// pass counts a block; text is nil unless it is wanted. If the sample grows too large, every
// other block goes.
func (s *sample) pass(doc, size int, text []byte, made bool) {
	if text != nil {
		s.kept = append(s.kept, block{s.seen, doc, doc == s.next, made, text})
		s.bytes += int64(len(text))
	}
	s.next = doc + 1
	s.seen++
	s.total += int64(size)
	for s.bytes > s.limit && len(s.kept) > 1 {
		s.stride *= 2
		kept := s.kept[:0]
		s.bytes = 0
		for _, b := range s.kept {
			if b.number%s.stride == 0 {
				kept = append(kept, b)
				s.bytes += int64(len(b.text))
			}
		}
		clear(s.kept[len(kept):])
		s.kept = kept
	}
}

// document takes blocks of a document: a file of lines is read in places, others are read through.
func (s *sample) document(ctx context.Context, number int, d *input.Document, opt rdf.Options) error {
	in, err := d.Open(ctx)
	if err != nil {
		return err
	}
	defer in.Close()
	unpacked, err := rdfio.Decompress(in)
	if err != nil {
		return err
	}
	text := bufio.NewReader(unpacked)
	file, _ := in.(*os.File)
	inPlaces := file != nil && d.Reader == nil && isPlain(file, text)
	var plain io.Reader = text
	format := d.Format
	if format == rdfio.Unknown {
		if plain, format, err = rdfio.Detect(d.Name, plain); err != nil {
			return err
		}
	}
	lines := format == rdfio.NTriples || format == rdfio.NQuads
	if inPlaces && lines {
		return s.places(ctx, number, file)
	}
	since := clock()
	defer func() {
		took := since()
		s.read.add(took)
		s.most = max(s.most, took.time)
	}()
	if lines {
		return s.lines(ctx, number, plain)
	}
	r, err := rdfio.Open(d.Name, plain, format, opt)
	if err != nil {
		return err
	}
	if err := s.quads(ctx, number, r); err != nil {
		return err
	}
	if d, ok := r.(prefixes.Declarer); ok {
		s.names.Gather(d.Declared())
	}
	return nil
}

// isPlain reports whether the bytes of a file are those that come out of it unpacked: what is packed twice
// is refused.
func isPlain(file *os.File, unpacked *bufio.Reader) bool {
	var head [4]byte
	n, _ := file.ReadAt(head[:], 0) // a pipe cannot, and is read through
	first, _ := unpacked.Peek(len(head))
	return n > 0 && bytes.Equal(head[:n], first)
}

// places takes blocks of a file of lines; a block has the lines that begin in it.
func (s *sample) places(ctx context.Context, doc int, file *os.File) error {
	info, err := file.Stat()
	if err != nil {
		return err
	}
	for from := int64(0); from < info.Size(); from += blockBytes {
		size := int(min(blockBytes, info.Size()-from))
		if !s.wants() {
			s.pass(doc, size, nil, false)
			continue
		}
		if err := context.Cause(ctx); err != nil {
			return err
		}
		text, err := linesAt(file, from, size)
		if err != nil {
			return err
		}
		s.pass(doc, size, text, false)
	}
	return nil
}

// linesAt returns the lines that begin in size bytes from an offset on.
func linesAt(file io.ReaderAt, from int64, size int) ([]byte, error) {
	start := max(from-1, 0) // a line begins after the end of the one before
	buf := make([]byte, size+int(from-start))
	for want := len(buf); ; want = 2 * len(buf) {
		buf = append(buf, make([]byte, want-len(buf))...)
		n, err := file.ReadAt(buf, start)
		if err != nil && err != io.EOF {
			return nil, err
		}
		buf = buf[:n]
		end := min(size+int(from-start), n)
		if end > 0 && buf[end-1] != '\n' {
			switch k := bytes.IndexByte(buf[end:], '\n'); {
			case k >= 0:
				end += k + 1
			case err == nil && n < rdf.MaxToken:
				continue
			default:
				end = n
			}
		}
		head := 0
		if from > 0 {
			head = bytes.IndexByte(buf[:end], '\n') + 1
		}
		return append([]byte{}, buf[head:end]...), nil
	}
}

// lines takes blocks of lines that are read through.
func (s *sample) lines(ctx context.Context, doc int, r io.Reader) error {
	buf := make([]byte, 0, 2*blockBytes)
	for {
		if err := context.Cause(ctx); err != nil {
			return err
		}
		if cap(buf)-len(buf) < blockBytes {
			buf = append(make([]byte, 0, 2*cap(buf)), buf...)
		}
		n, err := io.ReadFull(r, buf[len(buf):len(buf)+blockBytes])
		buf = buf[:len(buf)+n]
		end := len(buf)
		switch err {
		case nil:
			end = nquads.Cut(buf)
		case io.EOF, io.ErrUnexpectedEOF:
		default:
			return err
		}
		if end > 0 {
			var text []byte
			if s.wants() {
				text = append([]byte{}, buf[:end]...)
			}
			s.pass(doc, end, text, false)
		}
		if err != nil {
			return nil
		}
		buf = append(buf[:0], buf[end:]...)
	}
}

// quads takes blocks of the statements of a reader.
func (s *sample) quads(ctx context.Context, doc int, r rdf.Reader) error {
	var q rdf.RawQuad
	var text []byte
	size := 0
	end := func() {
		s.pass(doc, size, bytes.Clone(text), true)
		text, size = text[:0], 0
	}
	for {
		err := r.Read(&q)
		if err == io.EOF {
			break
		}
		if err != nil {
			return err
		}
		if s.wants() {
			text = nquads.AppendQuad(text, &q)
		}
		if size += len(q.S) + len(q.P) + len(q.O) + len(q.G) + len("   .\n"); size >= blockBytes {
			if err := context.Cause(ctx); err != nil {
				return err
			}
			end()
		}
	}
	if size > 0 {
		end()
	}
	return nil
}
