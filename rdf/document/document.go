// Package document reads RDF documents whose blank nodes get names that no other
// document gives, and the same ones each time: b, 16 hexadecimal digits of the
// BLAKE3 hash of the unpacked bytes, x, and the label; or, for a node without a
// label, n and its number in nine digits.
//
// The hash must be known before the first quad, so a [Document] holds the bytes,
// in memory while they are few and else in a file that is gone when it is closed.
//
// An [Opener] finds documents by their IRIs: [Files], [Web], or a function of the
// program's own. [Open] takes the first that knows the scheme.
package document

import (
	"bufio"
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io"

	"lukechampine.com/blake3"

	"github.com/rete-go/rete/internal/closed"
	"github.com/rete-go/rete/internal/syntax/nquads"
	"github.com/rete-go/rete/internal/syntax/prefixes"
	"github.com/rete-go/rete/rdf"
	"github.com/rete-go/rete/rdf/rdfio"
)

// Limits bound what a document may take. The zero value stands for the defaults.
type Limits struct {
	// Bytes bounds the unpacked bytes. Default: 1 GiB.
	Bytes int64
	// Total bounds the unpacked bytes of all documents with [Limits.Shared] limits together, and their quads.
	// Default: there is no bound.
	Total int64
	// Memory is how many bytes stay in memory before a file is used. Default: 1 MiB.
	Memory int64
	// Room is asked for room in memory for n more bytes than Memory, as they come; a file is used
	// where it says no. With a negative n it is given back, which happens when a file takes the place
	// of memory; what else was given is free when the document is closed. Default: there is none.
	Room func(n int64) bool
	// Window bounds the window of zstd frames, in bytes. Default: that of [rdfio.Decompress].
	Window int64
	// Unpack is asked before a document whose unpacking takes Window bytes, or some MiB, is unpacked, and its done is
	// called when it is. With Unpack all packed bytes are read first, so that a slow source
	// holds no decompressor. Default: nobody is asked.
	Unpack func(ctx context.Context) (done func(), err error)
	// TempDir is where files are made. Default: that of the system.
	TempDir string

	shared *tempFile // nil: each document has files of its own, two at most
}

// Shared returns limits with which all documents are in one temporary file. They must be read, parsed
// and closed one after the other, and not at once; the file is gone when none is open.
func (l Limits) Shared() Limits {
	l.shared = new(tempFile)
	return l
}

func (l Limits) withDefaults() Limits {
	if l.Bytes <= 0 {
		l.Bytes = 1 << 30
	}
	if l.Memory <= 0 {
		l.Memory = 1 << 20
	}
	return l
}

// TooLargeError says that a document has more bytes than it may have.
type TooLargeError struct {
	Name  string
	Limit int64
}

func (e *TooLargeError) Error() string {
	return fmt.Sprintf("%s: more than %d bytes when unpacked", e.Name, e.Limit)
}

// Document is a document that was read once and can be parsed. It must be closed.
type Document struct {
	name, base string
	format     rdfio.Format
	prefix     string
	text       spool
	limits     Limits

	closed bool
	parsed bool
	quads  spool              // N-Quads, if it is parsed and text is of another syntax
	graphs bool               // it is parsed, and has named graphs
	names  *prefixes.Declared // declared so far
}

// Read takes in the bytes of a source, unpacked if they are compressed, and closes
// it. Its syntax is told by the source, by its name, or by the content.
func Read(ctx context.Context, s *Source, l Limits) (*Document, error) {
	defer s.Close()
	l = l.withDefaults()
	d := &Document{name: s.Name, base: s.Base, format: s.Format, limits: l, names: new(prefixes.Declared)}
	in, free, err := d.arrived(ctx, bufio.NewReaderSize(&reader{ctx, s}, pieceBytes))
	defer free()
	var plain io.Reader
	if err == nil {
		plain, err = rdfio.Decompress(in, uint64(max(l.Window, 0)))
	}
	if err == nil && d.format == rdfio.Unknown {
		if plain, d.format, err = rdfio.Detect(s.Name, plain); err != nil {
			d.Close()
			return nil, err
		}
	}
	if err == nil {
		err = d.fill(ctx, plain)
	}
	if err != nil {
		d.Close()
		return nil, fmt.Errorf("%s: %w", s.Name, err)
	}
	return d, nil
}

// pieceBytes is how much of a document is read at once, and so what a slow source holds in memory.
const pieceBytes = 8 << 10

// fill reads all bytes and their hash. It checks the context for each piece: a few packed bytes may be
// unpacked to many, and the reader of the source is not asked meanwhile.
func (d *Document) fill(ctx context.Context, r io.Reader) error {
	hash := blake3.New(32, nil)
	buf := make([]byte, pieceBytes)
	for {
		if err := context.Cause(ctx); err != nil {
			return err
		}
		n, err := r.Read(buf)
		hash.Write(buf[:n])
		if err := d.add(&d.text, buf[:n]); err != nil {
			return err
		}
		if err == io.EOF { // and nothing else: a body that was cut off is no document
			d.prefix = "b" + hex.EncodeToString(hash.Sum(nil)[:8])
			return nil
		}
		if err != nil {
			return err
		}
	}
}

func (d *Document) add(to *spool, p []byte) error {
	if to.size+int64(len(p)) > d.limits.Bytes {
		return &TooLargeError{d.name, d.limits.Bytes}
	}
	if sum := d.sum(to); sum != nil && d.limits.Total > 0 {
		if *sum += int64(len(p)); *sum > d.limits.Total {
			return &TooLargeError{"all documents", d.limits.Total}
		}
	}
	return to.add(p, d.limits)
}

// sum is the bytes of all documents with the same shared limits that count as those of a spool do; nil if none do.
func (d *Document) sum(to *spool) *int64 {
	switch t := d.limits.shared; {
	case t == nil:
		return nil
	case to == &d.text:
		return &t.texts
	case to == &d.quads:
		return &t.quads
	}
	return nil // packed bytes, which are unpacked into the text
}

// Name returns the name of the document in messages.
func (d *Document) Name() string { return d.name }

// Format returns the syntax of the document.
func (d *Document) Format() rdfio.Format { return d.format }

// Size returns the number of unpacked bytes.
func (d *Document) Size() int64 { return d.text.size }

// Quads returns a reader of the quads from the first on, which ends with the context. One at a
// time may be in use.
func (d *Document) Quads(ctx context.Context) (rdf.Reader, error) {
	if d.closed {
		return nil, fmt.Errorf("%s: %w", d.name, closed.Err)
	}
	if d.parsed && d.kept() {
		return nquads.NewReader(&reader{ctx, d.quads.reader()}, rdf.Options{File: d.name, Blank: rdf.Verbatim}), nil
	}
	r, err := rdfio.Open(d.name, &reader{ctx, d.text.reader()}, d.format, rdf.Options{File: d.name, Base: d.base})
	if err != nil {
		return nil, err
	}
	if declarer, ok := r.(prefixes.Declarer); ok {
		d.names = declarer.Declared()
	}
	return Label(r, d.prefix), nil
}

// kept reports whether parsing keeps the quads, as N-Quads; else the text serves for them.
func (d *Document) kept() bool { return d.format != rdfio.NTriples && d.format != rdfio.NQuads }

// Close frees memory and files. It may be called twice.
func (d *Document) Close() error {
	d.closed = true
	return errors.Join(d.text.close(), d.quads.close())
}

// reader checks the context between reads.
type reader struct {
	ctx context.Context
	r   io.Reader
}

func (r *reader) Read(p []byte) (int, error) {
	if err := context.Cause(r.ctx); err != nil {
		return 0, err
	}
	return r.r.Read(p)
}
