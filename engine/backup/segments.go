package backup

import (
	"context"
	"errors"
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/sync/errgroup"

	"github.com/rete-go/rete/blob"
	"github.com/rete-go/rete/internal/manifest"
	"github.com/rete-go/rete/internal/segment"
)

// refs returns the segments of a log, each once.
func refs(m *manifest.Manifest) (list []*manifest.SegmentRef) {
	seen := map[string]bool{}
	for _, e := range m.Log {
		for _, ref := range []*manifest.SegmentRef{e.Dels, e.Adds} {
			if ref == nil {
				continue
			}
			if key := pinKey(ref.URL, ref.Pin()); !seen[key] {
				seen[key] = true
				list = append(list, ref)
			}
		}
	}
	return list
}

// known is by what an earlier backup's segment is found again: the pin, which settles all
// bytes if it covers the sections outside the content hash, and else the name as well.
func (s *SegmentFile) known(lineage string) string {
	if s.Extra != nil {
		return pinKey("", s.pin())
	}
	return pinKey(lineage+" "+s.URL, s.pin())
}

// segments copies those of a generation that the backup does not have yet. It matches
// errGone if one is not there any more.
func (r *run) segments(ctx context.Context, m *manifest.Manifest) ([]SegmentFile, error) {
	var list []*manifest.SegmentRef
	var out []SegmentFile
	for _, ref := range refs(m) {
		if r.seen[pinKey(ref.URL, ref.Pin())] {
			continue
		}
		s := SegmentFile{URL: ref.URL, File: File{Size: ref.Size}, Content: ref.Hash, Extra: (*half)(ref.Extra)}
		if !blob.IsRemote(ref.URL) || r.opt.Fetch {
			s.Name = r.restoredName(&s)
		}
		list, out = append(list, ref), append(out, s)
	}
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(parallel(r.opt.Parallel, r.c.p.name, r.db.Name()))
	for i := range out {
		if out[i].Name != "" {
			g.Go(func() (err error) {
				out[i].File, err = r.segment(ctx, list[i], &out[i])
				return err
			})
		}
	}
	if err := g.Wait(); err != nil {
		return nil, err
	}
	for _, ref := range list {
		r.seen[pinKey(ref.URL, ref.Pin())] = true
	}
	return out, nil
}

// parallel is how many files are copied at once: as many as were asked for, or four where one of
// the places is not local, and each of them is a wait for an answer.
func parallel(asked int, places ...string) int {
	switch {
	case asked > 0:
		return asked
	case slices.ContainsFunc(places, blob.IsRemote):
		return 4
	}
	return 1
}

func (r *run) segment(ctx context.Context, ref *manifest.SegmentRef, s *SegmentFile) (File, error) {
	before, copied := r.earlier[s.known(r.lineage)]
	if copied && r.opt.Trust && before.Size == s.Size && r.c.has(before.File) {
		return before.File, nil
	}
	open := func() (blob.Object, error) { return r.db.Store().Open(ctx, ref.URL) }
	obj, err := open()
	if err != nil {
		return s.File, gone(err)
	}
	defer obj.Close()
	f, err := r.c.put(ctx, obj)
	if err != nil {
		return f, gone(err)
	}
	if copied && before.File == f {
		return f, nil // it was verified when it was copied
	}
	if r.c.p.fs != nil || blob.IsRemote(obj.Name()) {
		open = func() (blob.Object, error) { return r.c.p.open(ctx, f) }
	} // else where no network is read
	if err := verify(ctx, open, ref.Pin()); err != nil {
		return f, fmt.Errorf("%s: %w", obj.Name(), err)
	}
	return f, nil
}

// gone marks errors of a segment that is not there, or was replaced.
func gone(err error) error {
	if errors.Is(err, blob.ErrNotFound) || errors.Is(err, blob.ErrChanged) {
		return fmt.Errorf("%w: %w", errGone, err)
	}
	return err
}

// verify checks everything in a segment that can be checked, against the pin and against
// itself.
func verify(ctx context.Context, open func() (blob.Object, error), pin *segment.Pin) error {
	obj, err := open()
	if err != nil {
		return err
	}
	seg, err := segment.Open(ctx, obj, &segment.Options{Pin: pin})
	if err != nil {
		obj.Close()
		return err
	}
	defer seg.Close()
	return seg.Verify(ctx, nil)
}

// restoredName returns where a segment is restored, relative to the manifest: where it is,
// if that is below the manifest's folder, and else in that folder.
func (r *run) restoredName(s *SegmentFile) string {
	name := s.URL
	if u := filepath.FromSlash(name); blob.IsRemote(name) || !filepath.IsLocal(u) {
		name = path.Base(filepath.ToSlash(strings.TrimRight(name, "/")))
		if i := strings.IndexAny(name, "?#"); i >= 0 {
			name = name[:i]
		}
		if !filepath.IsLocal(name) || strings.ContainsAny(name, `:\`) {
			name = "segment.rete"
		}
	} else {
		name = path.Clean(filepath.ToSlash(u))
	}
	for stem, n := strings.TrimSuffix(name, manifest.SegmentSuffix), 1; ; n++ {
		key := strings.ToLower(name) // some file systems do not tell them apart
		if url, taken := r.names[key]; !taken || url == pinKey(s.URL, s.pin()) {
			r.names[key] = pinKey(s.URL, s.pin())
			return name
		}
		name = fmt.Sprintf("%s-%d.rete", stem, n)
	}
}
