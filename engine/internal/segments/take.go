package segments

import (
	"context"
	"io"
	"path/filepath"

	"github.com/rete-go/rete/blob"
	"github.com/rete-go/rete/internal/manifest"
	"github.com/rete-go/rete/internal/segment"
	"github.com/rete-go/rete/internal/syntax/prefixes"
)

// take pins a segment that exists. One that this manifest's own commits wrote and
// that its log does not name any more is copied: a later collection may delete it.
func (w *Maker) take(ctx context.Context, name string, dels bool) (*manifest.SegmentRef, error) {
	full, err := w.Inputs.Resolve(name)
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
	if err := w.gather(ctx, seg); err != nil {
		return nil, err
	}
	if !dels {
		if err := w.warnShared(ctx, name, seg); err != nil {
			return nil, err
		}
	}
	if ref.URL, err = w.relative(full); err != nil {
		return nil, err
	}
	inside := !blob.IsRemote(ref.URL) && filepath.IsLocal(filepath.FromSlash(ref.URL))
	if w.dropped(ref.URL) || w.Inside && !inside || blob.IsRemote(w.Name) && !blob.IsRemote(full) {
		if ref.URL, err = w.copy(ctx, obj, pin.Hash, dels); err == nil {
			w.sends(ref, dels)
		}
		return ref, err
	}
	if full, err = w.Store.Mux.Resolve(ref.URL); err != nil {
		return nil, err
	}
	w.freshly(full)
	return ref, w.warnSharedFolder(ctx, name, full)
}

// gather takes over the prefixes of a segment.
func (w *Maker) gather(ctx context.Context, seg *segment.Segment) error {
	names, err := seg.Prefixes(ctx)
	for _, name := range prefixes.Set(names).Names() {
		w.names.Add(name, names[name])
	}
	return err
}

// relative returns how the manifest names an object.
func (w *Maker) relative(full string) (string, error) {
	if blob.IsRemote(full) || blob.IsRemote(w.Name) {
		dir, _ := blob.Split(w.Name)
		if at, file := blob.Split(full); at == dir && blob.IsRemote(full) {
			return file, nil
		}
		return full, nil
	}
	dir := filepath.Dir(w.Name)
	rel, err := filepath.Rel(dir, full)
	if err != nil { // another volume
		rel = full
	}
	// By a symbolic link it may lie with the manifest after all: names of that place
	// are judged by what they look like.
	real, err := w.FS.Bind(full)
	if err != nil {
		return "", err
	}
	if r, err := filepath.Rel(dir, real); err == nil && filepath.IsLocal(r) {
		rel = r
	}
	return filepath.ToSlash(rel), nil
}

// dropped reports whether url is a name next to the manifest that one of its commits may
// have made and that its log does not have.
func (w *Maker) dropped(url string) bool {
	if of, _ := manifest.GraphOf(url); of != w.Base.Name {
		return false
	}
	for _, e := range w.Base.Log {
		if e.Adds != nil && e.Adds.URL == url || e.Dels != nil && e.Dels.URL == url {
			return false
		}
	}
	return true
}

func (w *Maker) copy(ctx context.Context, obj blob.Object, hash [16]byte, dels bool) (string, error) {
	name, err := w.name(hash, dels)
	if err != nil {
		return "", err
	}
	out, err := w.create(ctx, name)
	if err != nil {
		return "", err
	}
	defer out.Abort()
	if _, err := io.Copy(out, &objectReader{ctx: ctx, obj: obj}); err != nil {
		return "", err
	}
	return name, w.finish(ctx, out, name)
}
