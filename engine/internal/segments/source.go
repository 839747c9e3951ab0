package segments

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"strings"

	"github.com/rete-go/rete/blob"
	"github.com/rete-go/rete/internal/manifest"
	"github.com/rete-go/rete/internal/segment"
	"github.com/rete-go/rete/rdf"
	"github.com/rete-go/rete/rdf/rdfio"
)

// Source is where quads come from: a segment, or an RDF document from which one
// is built, or several of both.
type Source struct {
	// Name is a path, relative to the working directory, or a URL. A name that
	// ends with .rete is a segment, which is named by the manifest as it lies
	// there; anything else is a document. With Reader it is only what errors
	// call the document.
	Name string
	// Reader gives the document, if it is not to be opened by its name.
	Reader io.Reader
	// Quads gives the quads one by one; labels of blank nodes are taken as they
	// are, and a quad that does not pass [rdf.RawQuad.Check] is an error. Nothing
	// else is then looked at.
	Quads rdf.Reader
	// Format is the syntax of the document; unknown goes by the name, then by the content.
	Format rdfio.Format
	// Base resolves relative references of the document.
	Base string
	// Graph takes the quads of the document, which may then have no named graphs; zero: they
	// are where the document says.
	Graph rdf.Term
	// Lenient reads documents as [rdf.Options] says.
	Lenient bool
	// Parts are several sources whose quads come into one new segment, together and
	// each once. The other fields then say nothing, and parts have no parts.
	Parts []Source

	stored   bool // Quads are of the graph, and were checked when they came in
	sequence iter.Seq2[rdf.Quad, error]
	builder  *segment.Builder // has the quads
}

// Built is a source of the quads of a builder, which has the options of the maker.
func Built(b *segment.Builder) *Source { return &Source{builder: b} }

// Sequence is a source of the quads of a sequence, whose blank nodes are its own.
func Sequence(quads iter.Seq2[rdf.Quad, error]) *Source { return &Source{sequence: quads} }

// Stored is a source of quads that are taken as they are, since they were checked when
// they came into the graph.
func Stored(r rdf.Reader) *Source { return &Source{Quads: r, stored: true} }

func (s *Source) isSegment() bool {
	return s.Reader == nil && s.Quads == nil && s.sequence == nil && s.builder == nil && strings.HasSuffix(s.Name, manifest.SegmentSuffix)
}

// isDocument reports whether the source is bytes in some syntax.
func (s *Source) isDocument() bool {
	return len(s.Parts) == 0 && s.sequence == nil && s.builder == nil && s.Quads == nil && !s.isSegment()
}

// collectAll adds the quads of sources to a builder: neighbouring documents side by side.
func (w *Maker) collectAll(ctx context.Context, b *segment.Builder, parts []Source, dels bool) error {
	for len(parts) > 0 {
		n := 1
		for n < len(parts) && parts[0].isDocument() && parts[n].isDocument() && parts[n].Graph == parts[0].Graph {
			n++
		}
		add := func(ctx context.Context, i int) error { return w.collect(ctx, b, &parts[i], dels) }
		var err error
		if parts[0].isDocument() {
			b.SetGraph(parts[0].Graph)
			err = b.AddInputs(ctx, n, add)
			b.SetGraph(rdf.Term{})
		} else {
			err = add(ctx, 0)
		}
		if err != nil {
			return err
		}
		parts = parts[n:]
	}
	return nil
}

// collect adds the quads of one source to a builder.
func (w *Maker) collect(ctx context.Context, b *segment.Builder, s *Source, dels bool) error {
	switch {
	case len(s.Parts) > 0:
		return fmt.Errorf("%s: a part of a source has parts", s.Name)
	case s.sequence != nil:
		return b.AddQuads(ctx, s.sequence, rdf.Document)
	case s.stored:
		return addStored(ctx, b, s.Quads)
	case s.Quads != nil:
		return inSource(s.Name, b.AddReader(ctx, s.Quads))
	case s.isSegment():
		return w.collectSegment(ctx, b, s.Name, dels)
	}
	// A label in a document to be added is the document's own; one to be
	// deleted names the node that has it (docs/manifest.md).
	opt := rdf.Options{File: s.Name, Base: s.Base, Lenient: s.Lenient, Blank: rdf.Document}
	if dels {
		opt.Blank = rdf.Verbatim
	}
	in := s.Reader
	if in == nil {
		obj, err := w.Inputs.Open(ctx, s.Name)
		if err != nil {
			return err
		}
		defer obj.Close()
		in = &objectReader{ctx: ctx, obj: obj}
	}
	return b.AddInput(ctx, s.Name, in, s.Format, opt)
}

// inSource adds the name of a source of quads to the error of one of them.
func inSource(name string, err error) error {
	var invalid *rdf.InvalidError
	if errors.As(err, &invalid) && name != "" {
		return fmt.Errorf("%s: %w", name, err)
	}
	return err
}

// addStored adds quads that were taken in once as they are.
func addStored(ctx context.Context, b *segment.Builder, r rdf.Reader) error {
	var q rdf.RawQuad
	for i := 0; ; i++ {
		if i%1024 == 0 {
			if err := context.Cause(ctx); err != nil {
				return err
			}
		}
		err := r.Read(&q)
		if err == nil {
			err = b.AddUnchecked(&q)
		}
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// collectSegment adds the quads of a segment, with the labels that they have.
func (w *Maker) collectSegment(ctx context.Context, b *segment.Builder, name string, dels bool) error {
	seg, _, _, err := w.openInput(ctx, name)
	if err != nil {
		return err
	}
	defer seg.Close()
	if !dels {
		if err := w.warnShared(ctx, name, seg); err != nil {
			return err
		}
	}
	return addCanonical(ctx, b, seg)
}

// openInput opens a segment of the caller's as it is now. Closing the segment closes
// the object.
func (w *Maker) openInput(ctx context.Context, name string) (*segment.Segment, *segment.Pin, blob.Object, error) {
	obj, err := w.Inputs.Open(ctx, name)
	if err != nil {
		return nil, nil, nil, err
	}
	pin, _, err := segment.PinOf(ctx, obj)
	if err != nil {
		return nil, nil, nil, errors.Join(err, obj.Close())
	}
	seg, err := segment.Open(ctx, obj, &segment.Options{Cache: w.Store.Cache, Pin: pin})
	return seg, pin, obj, err
}

// objectReader reads an object from its beginning to its end, a megabyte at a
// time.
type objectReader struct {
	ctx context.Context
	obj blob.Object
	off int64
	buf bytes.Buffer
}

func (r *objectReader) Read(p []byte) (int, error) {
	if r.buf.Len() == 0 {
		n := min(1<<20, r.obj.Size()-r.off)
		if n == 0 {
			return 0, io.EOF
		}
		b := make([]byte, n)
		if err := blob.ReadAt(r.ctx, r.obj, b, r.off); err != nil {
			return 0, fmt.Errorf("reading a document: %w", err)
		}
		r.off += n
		r.buf.Write(b)
	}
	return r.buf.Read(p)
}
