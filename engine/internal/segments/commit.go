package segments

import (
	"context"
	"fmt"
	"log/slog"
	"path/filepath"
	"time"

	"github.com/rete-go/rete/blob"
	"github.com/rete-go/rete/dataset"
	"github.com/rete-go/rete/engine/internal/folder"
	"github.com/rete-go/rete/internal/manifest"
	"github.com/rete-go/rete/internal/syntax/prefixes"
)

// Commit commits a log that names the segments which w made or took. Until it is
// done collections are kept out of the directories where these lie: one may be about to
// delete a segment that no log names yet, or none names any more.
func (w *Maker) Commit(ctx context.Context, o *manifest.CommitOptions, change manifest.Change) (_ *manifest.Manifest, err error) {
	ctx, end := dataset.StartSpan(ctx, w.Tracer, "rete.commit", slog.String("manifest", w.Name))
	defer func() { end(err) }()
	release, err := w.Hold(ctx)
	if err != nil {
		return nil, err
	}
	defer release()
	return w.Store.File.Commit(ctx, o, func(cur *manifest.Manifest) (*manifest.Manifest, error) {
		m, err := change(cur)
		if m != nil {
			m.Prefixes = prefixes.Set(m.Prefixes).With(&w.names)
		}
		return m, err
	})
}

// maxAge is how old a segment in a store may be when a commit names it for the first time: a
// quarter of the time that collections leave to what nobody names.
const maxAge = 6 * time.Hour

// Declare has the commit keep prefixes as if a document had declared them.
func (w *Maker) Declare(set prefixes.Set) {
	for _, name := range set.Names() {
		w.names.Add(name, set[name])
	}
}

// Prefixes are those of the documents and segments that were taken in.
func (w *Maker) Prefixes() prefixes.Set { return w.names.Set() }

// Hold keeps collections out of the directories of new segments, and checks that these
// are there, until release.
func (w *Maker) Hold(ctx context.Context) (release func(), err error) {
	if w.old() {
		if err := w.renew(ctx); err != nil {
			return nil, err
		}
	}
	if w.old() { // it took that long again
		return nil, fmt.Errorf("%s: nothing was committed: its segments were written over %s ago, and a collection may be about to delete them; do it again", w.Name, maxAge)
	}
	fsys := w.FS
	var dirs []string
	for _, full := range w.fresh {
		dirs = append(dirs, filepath.Dir(full))
	}
	release, err = folder.Lock(ctx, fsys, dirs...)
	if folder.Unwritable(err) {
		release, err = func() {}, nil
	}
	if err != nil {
		return nil, err
	}
	for _, full := range w.fresh {
		if _, err := fsys.Stat(full); err != nil {
			release()
			return nil, fmt.Errorf("%s: nothing was committed: a new segment was deleted before the log could name it: %w", w.Name, err)
		}
	}
	return release, nil
}

// old reports whether a collection may be about to delete what was written to a store.
func (w *Maker) old() bool { return !w.since.IsZero() && w.now().Sub(w.since) > maxAge }

// renew writes the segments in a store once more, under new names, which the entries that were
// made of them get. The old ones are garbage.
func (w *Maker) renew(ctx context.Context) error {
	w.since = time.Time{}
	for _, u := range w.sent {
		obj, err := w.Store.Mux.Open(ctx, u.ref.URL)
		if err != nil {
			return fmt.Errorf("%s: nothing was committed: a segment that was written over %s ago is written again: %w", w.Name, maxAge, err)
		}
		url, err := w.copy(ctx, obj, u.ref.Hash, u.dels)
		obj.Close()
		if err != nil {
			return err
		}
		w.Logger.Info("a segment that was written long ago is written again", "manifest", w.Name, "name", u.ref.URL, "now", url)
		u.ref.URL = url
	}
	return nil
}

// freshly notes a local segment that the next commit names for the first time, if a
// collection may delete a file of this name.
func (w *Maker) freshly(full string) {
	if blob.IsRemote(full) {
		return
	}
	if links, ok := w.FS.(interface{ Target(string) string }); ok {
		full = links.Target(full)
	}
	if _, minted := manifest.GraphOf(filepath.Base(full)); minted {
		w.fresh = append(w.fresh, full)
	}
}
