package segments

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"

	"github.com/rete-go/rete/blob"
	"github.com/rete-go/rete/engine/internal/folder"
	"github.com/rete-go/rete/internal/manifest"
)

// neverNamed refuses a new segment the name of one that a manifest of its folder names,
// or an archive: a file of other bytes would take the place of one that is missing.
func (w *Maker) neverNamed(ctx context.Context, name string) error {
	full, err := w.Inputs.Resolve(name)
	if err != nil || blob.IsRemote(full) {
		return err
	}
	fsys := w.FS
	if full, err = fsys.Bind(full); err != nil {
		return err
	}
	dir := filepath.Dir(full)
	entries, err := fsys.ReadDir(dir)
	if err != nil {
		return nil // creating it will tell
	}
	_, err = (&folder.Scanner{FS: fsys, Dir: dir, Found: func(f folder.File, m *manifest.Manifest) (err error) {
		m.Each(func(s *manifest.SegmentRef) {
			if slices.Contains(folder.Paths(filepath.Dir(f.Full), s.URL), full) {
				err = fmt.Errorf("%s: %w: %s names a segment of this name; choose another one", name, blob.ErrExists, f.Name)
			}
		})
		return err
	}}).Scan(ctx, entries)
	return err
}

// warnSharedFolder tells the caller if a segment of the new entries lies with another manifest
// than this one, whose collections see nothing of it.
func (w *Maker) warnSharedFolder(ctx context.Context, name, full string) error {
	if w.Warn == nil || blob.IsRemote(full) {
		return nil
	}
	if links, ok := w.FS.(interface{ Target(string) string }); ok {
		full = links.Target(full)
	}
	dir := filepath.Dir(full)
	if dir == filepath.Dir(w.Name) || w.warned[dir] {
		return nil
	}
	entries, err := w.FS.ReadDir(dir)
	if err != nil {
		return nil // the segment could be opened, so that there is nothing to be said of it
	}
	var names []string
	problems, err := (&folder.Scanner{FS: w.FS, Dir: dir, Found: func(f folder.File, _ *manifest.Manifest) error {
		names = append(names, f.Name)
		return nil
	}}).Scan(ctx, entries)
	if err != nil {
		return err
	}
	for _, p := range problems {
		if !errors.Is(p.Err, fs.ErrPermission) {
			names = append(names, p.Name)
		}
	}
	if len(names) == 0 {
		return nil
	}
	if w.warned == nil {
		w.warned = map[string]bool{}
	}
	w.warned[dir] = true
	text := name + " lies in the folder of " + slices.Min(names) + ", where nothing shows that this graph needs it"
	if _, minted := manifest.GraphOf(filepath.Base(full)); minted {
		text += ": `gc` there may delete it"
	}
	w.Warn(text + "; keep a copy next to this manifest, or both manifests in one folder")
	return nil
}
