package backup

import (
	"context"
	"errors"
	"fmt"
	"path"
	"path/filepath"
	"strings"

	"github.com/rete-go/rete/blob"
	"github.com/rete-go/rete/engine/manifest"
	"github.com/rete-go/rete/segment"
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
	var out []SegmentFile
	for _, ref := range refs(m) {
		key := pinKey(ref.URL, ref.Pin())
		if r.seen[key] {
			continue
		}
		s, err := r.segment(ctx, ref)
		if err != nil {
			return nil, err
		}
		r.seen[key] = true
		out = append(out, s)
	}
	return out, nil
}

func (r *run) segment(ctx context.Context, ref *manifest.SegmentRef) (SegmentFile, error) {
	s := SegmentFile{URL: ref.URL, File: File{Size: ref.Size}, Content: ref.Hash, Extra: (*half)(ref.Extra)}
	if blob.IsRemote(ref.URL) && !r.opt.Fetch {
		return s, nil
	}
	s.Name = r.restoredName(&s)
	before, copied := r.earlier[s.known(r.lineage)]
	if copied && r.opt.Trust && r.c.have[before.Hash] == before.Size && before.Size == s.Size {
		s.File = before.File
		return s, nil
	}
	obj, err := r.db.Store().Open(ctx, ref.URL)
	if err != nil {
		return s, gone(err)
	}
	defer obj.Close()
	if s.File, err = r.c.put(ctx, obj); err != nil {
		return s, gone(err)
	}
	if copied && before.File == s.File {
		return s, nil // it was verified when it was copied
	}
	if err := r.c.p.verify(ctx, s.File, ref.Pin()); err != nil {
		return s, fmt.Errorf("%s: %w", obj.Name(), err)
	}
	return s, nil
}

// gone marks errors of a segment that is not there, or was replaced.
func gone(err error) error {
	if errors.Is(err, blob.ErrNotFound) || errors.Is(err, blob.ErrChanged) {
		return fmt.Errorf("%w: %w", errGone, err)
	}
	return err
}

// verify checks everything in a segment of the place that can be checked, against the pin
// and against itself.
func (p *Place) verify(ctx context.Context, f File, pin *segment.Pin) error {
	obj, err := p.open(ctx, f)
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
