package engine

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"path"
	"path/filepath"
	"strings"

	"github.com/rete-go/rete/blob"
	"github.com/rete-go/rete/engine/manifest"
	"github.com/rete-go/rete/rdf"
	"github.com/rete-go/rete/rdf/rdfio"
	"github.com/rete-go/rete/segment"
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
	// Format is the syntax of the document; unknown goes by the name.
	Format rdfio.Format
	// Base resolves relative references of the document.
	Base string
	// Lenient reads documents as [rdf.Options] says.
	Lenient bool
	// Parts are several sources whose quads come into one new segment, together and
	// each once. The other fields then say nothing, and parts have no parts.
	Parts []Source

	stored bool // Quads are of the graph, and were checked when they came in
}

func (s *Source) isSegment() bool {
	return s.Reader == nil && s.Quads == nil && strings.HasSuffix(s.Name, segmentSuffix)
}

// inputs finds the objects that sources name: relative to the working directory.
func (o *Options) inputs() (*blob.Mux, error) { return blob.NewMux("", o.mux()) }

// segmentMaker puts new segments beside the manifest.
type segmentMaker struct {
	db     *DB
	inputs *blob.Mux
	base   *manifest.Manifest
	build  segment.BuildOptions
	dir    string // where names are minted, as the manifest has it; "" beside it
	out    string // name of the next adds segment; "" mints one
	warn   func(message string)
	made   []string        // names that this commit wrote
	warned map[string]bool // folders that warn was told of
	fresh  []string        // paths of segments that this commit names for the first time; see freshly
}

// make returns the segment of a source, nil if it holds no quads.
func (w *segmentMaker) make(ctx context.Context, s *Source, dels bool) (*manifest.SegmentRef, error) {
	if s == nil {
		return nil, nil
	}
	if len(s.Parts) == 1 {
		s = &s.Parts[0]
	}
	if len(s.Parts) == 0 && s.isSegment() {
		return w.take(ctx, s.Name, dels)
	}
	b := segment.NewBuilder(&w.build)
	parts := s.Parts
	if len(parts) == 0 {
		parts = []Source{*s}
	}
	for i := range parts {
		if err := w.collect(ctx, b, &parts[i], dels); err != nil {
			return nil, err
		}
	}
	return w.put(ctx, dels, func(out io.Writer) (*segment.Built, error) { return b.WriteTo(ctx, out) })
}

// collect adds the quads of one source to a builder.
func (w *segmentMaker) collect(ctx context.Context, b *segment.Builder, s *Source, dels bool) error {
	switch {
	case len(s.Parts) > 0:
		return fmt.Errorf("%s: a part of a source has parts", s.Name)
	case s.stored:
		return addStored(ctx, b, s.Quads)
	case s.Quads != nil:
		return inSource(s.Name, b.AddReader(ctx, s.Quads, nil))
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
		obj, err := w.inputs.Open(ctx, s.Name)
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
func (w *segmentMaker) collectSegment(ctx context.Context, b *segment.Builder, name string, dels bool) error {
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
func (w *segmentMaker) openInput(ctx context.Context, name string) (*segment.Segment, *segment.Pin, blob.Object, error) {
	obj, err := w.inputs.Open(ctx, name)
	if err != nil {
		return nil, nil, nil, err
	}
	pin, _, err := segment.PinOf(ctx, obj)
	if err != nil {
		return nil, nil, nil, errors.Join(err, obj.Close())
	}
	seg, err := segment.Open(ctx, obj, &segment.Options{Cache: w.db.cache, Pin: pin})
	return seg, pin, obj, err
}

// put writes a new segment beside the manifest, or where dir and out say, and
// returns its pin; nil, and no file, if it holds no quads.
func (w *segmentMaker) put(ctx context.Context, dels bool, write func(io.Writer) (*segment.Built, error)) (*manifest.SegmentRef, error) {
	url := w.out
	if url == "" {
		var err error // the real name is known when all is written
		if url, err = w.name([16]byte{}, dels); err != nil {
			return nil, err
		}
	}
	out, err := w.db.mux.Create(ctx, url)
	if err != nil {
		return nil, err
	}
	defer out.Abort()
	built, err := write(out)
	if err != nil || built.Quads == 0 {
		return nil, err
	}
	if w.out == "" {
		if url, err = w.name(built.Hash, dels); err != nil {
			return nil, err
		}
		out.SetName(url)
	}
	if err := w.commit(ctx, out, url); err != nil {
		return nil, err
	}
	quads, extra := int64(built.Quads), built.Extra
	ref := &manifest.SegmentRef{FileRef: manifest.FileRef{URL: url, Size: built.Size, Hash: built.Hash}, Quads: &quads, Canonical: &built.Canonical}
	if extra != ([16]byte{}) {
		ref.Extra = &extra
	}
	return ref, nil
}

// name mints a name, as the manifest has it.
func (w *segmentMaker) name(hash [16]byte, dels bool) (string, error) {
	name, err := manifest.SegmentName(w.base.Name, w.base.Generation+1, hash, dels, nil)
	return path.Join(w.dir, name), err
}

func (w *segmentMaker) commit(ctx context.Context, out blob.Writer, url string) error {
	err := out.Commit(ctx)
	if err == nil || errors.Is(err, blob.ErrUnknownOutcome) {
		w.made = append(w.made, url) // else it is not there, or somebody else's
	}
	if err == nil {
		var full string
		if full, err = w.db.mux.Resolve(url); err == nil {
			w.freshly(full)
		}
	}
	return err
}

// take pins a segment that exists. One that this manifest's own commits wrote and
// that its log does not name any more is copied: a later collection may delete it.
func (w *segmentMaker) take(ctx context.Context, name string, dels bool) (*manifest.SegmentRef, error) {
	full, err := w.inputs.Resolve(name)
	if err != nil {
		return nil, err
	}
	seg, pin, obj, err := w.openInput(ctx, name)
	if err != nil {
		return nil, err
	}
	defer seg.Close()
	ref := &manifest.SegmentRef{FileRef: manifest.FileRef{Size: pin.Size, Hash: pin.Hash}, Extra: pin.Extra}
	if c := seg.Counts(); c.QuadsKnown {
		quads := int64(c.Quads)
		ref.Quads = &quads
	}
	canonical := seg.Canonical()
	if !canonical {
		if canonical, err = spelledCanonically(ctx, seg); err != nil {
			return nil, err
		}
	}
	ref.Canonical = &canonical
	if !dels {
		if err := w.warnShared(ctx, name, seg); err != nil {
			return nil, err
		}
	}
	if ref.URL, err = w.relative(full); err != nil {
		return nil, err
	}
	if w.dropped(ref.URL) {
		ref.URL, err = w.copy(ctx, obj, pin.Hash, dels)
		return ref, err
	}
	if full, err = w.db.mux.Resolve(ref.URL); err != nil {
		return nil, err
	}
	w.freshly(full)
	return ref, w.warnBeside(ctx, name, full)
}

// relative returns how the manifest names an object.
func (w *segmentMaker) relative(full string) (string, error) {
	if blob.IsRemote(full) || blob.IsRemote(w.db.name) {
		return full, nil
	}
	dir := filepath.Dir(w.db.name)
	rel, err := filepath.Rel(dir, full)
	if err != nil { // another volume
		rel = full
	}
	// By a symbolic link it may lie with the manifest after all: names of that place
	// are judged by what they look like.
	real, err := w.db.opt.FS.Bind(full)
	if err != nil {
		return "", err
	}
	if r, err := filepath.Rel(dir, real); err == nil && filepath.IsLocal(r) {
		rel = r
	}
	return filepath.ToSlash(rel), nil
}

// dropped reports whether url is a name beside the manifest that one of its commits may
// have made and that its log does not have.
func (w *segmentMaker) dropped(url string) bool {
	if of, _ := manifest.GraphOf(url); of != w.base.Name {
		return false
	}
	for _, e := range w.base.Log {
		if e.Adds != nil && e.Adds.URL == url || e.Dels != nil && e.Dels.URL == url {
			return false
		}
	}
	return true
}

func (w *segmentMaker) copy(ctx context.Context, obj blob.Object, hash [16]byte, dels bool) (string, error) {
	name, err := w.name(hash, dels)
	if err != nil {
		return "", err
	}
	out, err := w.db.mux.Create(ctx, name)
	if err != nil {
		return "", err
	}
	defer out.Abort()
	if _, err := io.Copy(out, &objectReader{ctx: ctx, obj: obj}); err != nil {
		return "", err
	}
	return name, w.commit(ctx, out, name)
}

// undo removes what was written for a commit that surely did not happen.
func (w *segmentMaker) undo(ctx context.Context, err error) {
	if errors.Is(err, ErrUnknownOutcome) {
		return
	}
	ctx = context.WithoutCancel(ctx)
	for _, name := range w.made {
		if err := w.db.mux.Remove(ctx, name); err != nil && !errors.Is(err, blob.ErrNotFound) {
			w.db.opt.Logger.Warn("a segment that nobody names is left", "name", name, "error", err)
		}
	}
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
