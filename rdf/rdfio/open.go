package rdfio

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"os"

	"github.com/rete-go/rete/internal/closed"
	"github.com/rete-go/rete/internal/syntax/jsonld"
	"github.com/rete-go/rete/internal/syntax/nquads"
	"github.com/rete-go/rete/internal/syntax/prefixes"
	"github.com/rete-go/rete/internal/syntax/rdfxml"
	"github.com/rete-go/rete/internal/syntax/turtle"
	"github.com/rete-go/rete/rdf"
)

// Open returns a reader of the document in r, unpacked if it is compressed. A
// byte order mark of UTF-8 at its start is left out, of RDF/XML also those of UTF-16. Format Unknown goes by the
// name, and then by the content ([Detect]). The name is also what errors call the input, unless
// opt.File says otherwise.
func Open(name string, r io.Reader, f Format, opt rdf.Options) (rdf.Reader, error) {
	if opt.File == "" {
		opt.File = name
	}
	if r == nil {
		return nil, fmt.Errorf("%s: the reader is nil", opt.File)
	}
	plain, err := Decompress(r)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", opt.File, err)
	}
	if f == Unknown {
		if plain, f, err = Detect(name, plain); err != nil {
			return nil, err
		}
	}
	if f == RDFXML { // whose reader tells the encodings apart
		return rdfxml.NewReader(&namedReader{r: plain, name: opt.File}, opt), nil
	}
	plain, err = skipMark(plain, opt.File)
	if err != nil {
		return nil, err
	}
	src := &namedReader{r: plain, name: opt.File}
	switch f {
	case NTriples:
		return nquads.NewTriplesReader(src, opt), nil
	case NQuads:
		return nquads.NewReader(src, opt), nil
	case Turtle:
		return turtle.NewReader(src, opt), nil
	case TriG:
		return turtle.NewTriGReader(src, opt), nil
	}
	return nil, fmt.Errorf("%s: %s cannot be read", opt.File, f)
}

// Prefixes returns the namespaces, by prefix, that a document has declared so far: the first
// thousand. r is what [Open] or [OpenFile] returned; of N-Triples and N-Quads, which have no
// prefixes, and of other readers the answer is nil.
func Prefixes(r rdf.Reader) map[string]string {
	if f, ok := r.(*File); ok {
		r = f.Reader
	}
	if d, ok := r.(prefixes.Declarer); ok {
		return d.Declared().Set()
	}
	return nil
}

// InGraph returns a reader that puts the quads of r, which has none in a named graph, into a
// graph. A quad of a named graph is an [*rdf.InvalidError].
func InGraph(r rdf.Reader, graph rdf.Term) rdf.Reader {
	return &graphReader{r, []byte(graph.Surface())}
}

type graphReader struct {
	r     rdf.Reader
	graph []byte
}

// Read implements [rdf.Reader].
func (g *graphReader) Read(q *rdf.RawQuad) error {
	if err := g.r.Read(q); err != nil {
		return err
	}
	return q.MoveTo(g.graph)
}

// File is an open document. Close it when done.
type File struct {
	rdf.Reader
	file   *os.File
	closed bool
}

// Read reads the next quad; after Close it fails.
func (f *File) Read(q *rdf.RawQuad) error {
	if f.closed {
		return fmt.Errorf("%s: %w", f.file.Name(), closed.Err)
	}
	return f.Reader.Read(q)
}

// OpenFile opens the document in a file, see [Open].
func OpenFile(name string, f Format, opt rdf.Options) (*File, error) {
	file, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	r, err := Open(name, file, f, opt)
	if err != nil {
		file.Close()
		return nil, err
	}
	return &File{Reader: r, file: file}, nil
}

// Close closes the file. It may be called twice.
func (f *File) Close() error {
	if f.closed {
		return nil
	}
	f.closed = true
	return f.file.Close()
}

// NewWriter returns a writer of format f. The syntaxes that have prefixes
// declare and use those given, from prefix (without colon) to namespace.
func NewWriter(w io.Writer, f Format, prefixes map[string]string) (rdf.Writer, error) {
	switch f {
	case NTriples:
		return nquads.NewTriplesWriter(w), nil
	case NQuads:
		return nquads.NewWriter(w), nil
	case Turtle:
		return turtle.NewWriter(w, prefixes), nil
	case TriG:
		return turtle.NewTriGWriter(w, prefixes), nil
	case RDFXML:
		return rdfxml.NewWriter(w, prefixes), nil
	case JSONLD:
		return jsonld.NewWriter(w, prefixes), nil
	}
	return nil, fmt.Errorf("no writer for RDF format %s", f)
}

// skipMark returns r without a UTF-8 byte order mark. Other marks are an error, which names the file.
func skipMark(r io.Reader, file string) (io.Reader, error) {
	b, ok := r.(*bufio.Reader)
	if !ok {
		b = bufio.NewReaderSize(r, 64<<10)
	}
	head, _ := b.Peek(3)
	switch {
	case string(head) == "\ufeff":
		b.Discard(3)
	case bytes.HasPrefix(head, []byte("\xff\xfe")), bytes.HasPrefix(head, []byte("\xfe\xff")):
		return nil, &rdf.SyntaxError{File: file, Line: 1, Column: 1, Expected: "UTF-8, which all syntaxes but RDF/XML are in", Found: "UTF-16: convert it"}
	}
	return b, nil
}

// namedReader adds the name of the document to errors of its source.
type namedReader struct {
	r    io.Reader
	name string
}

func (n *namedReader) Read(p []byte) (int, error) {
	k, err := n.r.Read(p)
	if err != nil && err != io.EOF {
		err = fmt.Errorf("%s: %w", n.name, err)
	}
	return k, err
}
