package segments

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/rete-go/rete/blob"
	"github.com/rete-go/rete/dataset"
	"github.com/rete-go/rete/internal/manifest"
	"github.com/rete-go/rete/internal/segment"
	"github.com/rete-go/rete/internal/syntax/prefixes"
	"github.com/rete-go/rete/internal/vfs"
)

// Step is one entry to append to the log: the quads of Dels go, then those of
// Adds come. One may be nil.
type Step struct {
	Adds, Dels *Source
}

// Maker puts the new segments of one commit next to the manifest.
type Maker struct {
	Store  *Store
	FS     vfs.FS    // of local names
	Name   string    // of the manifest
	Inputs *blob.Mux // finds what sources name
	Base   *manifest.Manifest
	Build  segment.BuildOptions
	// Warn gets what people should know and what is no error; nil: neither is looked for.
	Warn func(message string)
	// Inside copies segments that lie elsewhere than with the manifest or below.
	Inside bool
	Logger *slog.Logger
	Tracer dataset.Tracer
	Now    func() time.Time // nil is the clock

	names   prefixes.Declared // of the documents and segments that were taken in
	dir     string            // where names are minted, as the manifest has it; "" next to it
	out     string            // name of the next adds segment; "" mints one
	made    []string          // names that this commit wrote
	sent    []upload          // what it wrote to a store, under names that it minted
	warned  map[string]bool   // folders that Warn was told of
	since   time.Time         // when the first one of a store was written
	fresh   []string          // paths of segments that this commit names for the first time; see freshly
	cleaned []string          // folders, see clean
}

// upload is a segment in a store that no log names yet.
type upload struct {
	ref  *manifest.SegmentRef
	dels bool
}

// Entries makes the segments of steps; steps without quads make no entry.
func (w *Maker) Entries(ctx context.Context, steps []Step) ([]manifest.Entry, error) {
	var out []manifest.Entry
	for _, s := range steps {
		dels, err := w.make(ctx, s.Dels, true)
		if err != nil {
			return nil, err
		}
		adds, err := w.make(ctx, s.Adds, false)
		if err != nil {
			return nil, err
		}
		if adds != nil || dels != nil {
			out = append(out, manifest.Entry{Adds: adds, Dels: dels})
		}
	}
	return out, nil
}

// make returns the segment of a source, nil if it holds no quads.
func (w *Maker) make(ctx context.Context, s *Source, dels bool) (*manifest.SegmentRef, error) {
	if s == nil {
		return nil, nil
	}
	if len(s.Parts) == 1 {
		s = &s.Parts[0]
	}
	if len(s.Parts) == 0 && s.isSegment() {
		return w.take(ctx, s.Name, dels)
	}
	b, parts := s.builder, s.Parts
	if b == nil {
		b = segment.NewBuilder(&w.Build)
		if len(parts) == 0 {
			parts = []Source{*s}
		}
	}
	defer b.Abort()
	if err := w.collectAll(ctx, b, parts, dels); err != nil {
		return nil, err
	}
	w.names.Append(b.Prefixes())
	return w.Put(ctx, dels, func(out io.Writer) (*segment.Built, error) { return b.WriteTo(ctx, out) })
}

// Put writes a new segment next to the manifest, or where dir and out say, and
// returns its pin; nil, and no file, if it holds no quads.
func (w *Maker) Put(ctx context.Context, dels bool, write func(io.Writer) (*segment.Built, error)) (*manifest.SegmentRef, error) {
	url, mint := w.out, w.out == "" || dels
	if mint {
		var err error // the real name is known when all is written
		if url, err = w.name([16]byte{}, dels); err != nil {
			return nil, err
		}
	}
	w.clean(url)
	out, err := w.create(ctx, url)
	if err != nil {
		return nil, err
	}
	defer out.Abort()
	built, err := write(out)
	if err != nil || built.Quads == 0 {
		return nil, err
	}
	if mint {
		if url, err = w.name(built.Hash, dels); err != nil {
			return nil, err
		}
		out.SetName(url)
	}
	if err := w.finish(ctx, out, url); err != nil {
		return nil, err
	}
	quads, extra := int64(built.Quads), built.Extra
	ref := &manifest.SegmentRef{FileRef: manifest.FileRef{URL: url, Size: built.Size, Hash: built.Hash}, Quads: &quads, Canonical: &built.Canonical}
	if extra != ([16]byte{}) {
		ref.Extra = &extra
	}
	if mint {
		w.sends(ref, dels)
	}
	return ref, nil
}

// sends notes a segment that was written under a name that was minted.
func (w *Maker) sends(ref *manifest.SegmentRef, dels bool) {
	if blob.IsRemote(w.Name) {
		w.sent = append(w.sent, upload{ref, dels})
	}
}

// clean removes what killed writers of the graph left beside a name, which is as the manifest has
// it: segments and archives under temporary names. It is done once a folder; what fails is left to the collection.
func (w *Maker) clean(url string) {
	full, err := w.Store.Mux.Resolve(url)
	dir := filepath.Dir(full)
	if err != nil || blob.IsRemote(full) || slices.Contains(w.cleaned, dir) {
		return
	}
	w.cleaned = append(w.cleaned, dir)
	entries, err := w.FS.ReadDir(dir)
	if err != nil {
		return
	}
	for _, e := range entries {
		to := vfs.TempTarget(e.Name())
		of, minted := manifest.GraphOf(to)
		_, archived := strings.CutPrefix(to, filepath.Base(w.Name)+".g")
		if minted && of == w.Base.Name || archived {
			vfs.RemoveDead(w.FS, filepath.Join(dir, e.Name()))
		}
	}
}

// create begins an object of a store that is trusted with commits.
func (w *Maker) create(ctx context.Context, name string) (blob.Writer, error) {
	if err := w.Store.File.Trust(ctx); err != nil {
		return nil, err
	}
	return w.Store.Mux.Create(ctx, name)
}

// name mints a name, as the manifest has it.
func (w *Maker) name(hash [16]byte, dels bool) (string, error) {
	name, err := manifest.SegmentName(w.Base.Name, w.Base.Generation+1, hash, dels, nil)
	return path.Join(w.dir, name), err
}

func (w *Maker) finish(ctx context.Context, out blob.Writer, url string) error {
	err := out.Commit(ctx)
	if err == nil || errors.Is(err, blob.ErrUnknownOutcome) {
		w.made = append(w.made, url) // else it is not there, or somebody else's
		if w.since.IsZero() && blob.IsRemote(w.Name) {
			w.since = w.now()
		}
	}
	if err == nil {
		var full string
		if full, err = w.Store.Mux.Resolve(url); err == nil {
			w.freshly(full)
		}
	}
	return err
}

func (w *Maker) now() time.Time {
	if w.Now != nil {
		return w.Now()
	}
	return time.Now()
}

// Undo removes what was written for a commit that surely did not happen.
func (w *Maker) Undo(ctx context.Context, err error) {
	if errors.Is(err, manifest.ErrUnknownOutcome) {
		return
	}
	ctx = context.WithoutCancel(ctx)
	for _, name := range w.made {
		if err := w.Store.Mux.Remove(ctx, name); err != nil && !errors.Is(err, blob.ErrNotFound) {
			w.Logger.Warn("a segment that nobody names is left", "name", name, "error", err)
		}
	}
}

// Place makes the next adds segment be written to a path, out, and further ones into a
// directory; both may be "". Out must be free.
func (w *Maker) Place(ctx context.Context, out, dir string) error {
	if out != "" {
		if err := w.neverNamed(ctx, out); err != nil {
			return err
		}
	}
	for _, p := range []struct {
		from string
		to   *string
	}{{out, &w.out}, {dir, &w.dir}} {
		if p.from == "" {
			continue
		}
		full, err := w.Inputs.Resolve(p.from)
		if err != nil {
			return err
		}
		if *p.to, err = w.relative(full); err != nil {
			return err
		}
	}
	return nil
}
