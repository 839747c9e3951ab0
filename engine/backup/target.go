package backup

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"

	"golang.org/x/sync/errgroup"

	"github.com/rete-go/rete/blob"
	"github.com/rete-go/rete/engine"
	"github.com/rete-go/rete/internal/manifest"
	"github.com/rete-go/rete/internal/segment"
	"github.com/rete-go/rete/internal/vfs"
)

// target is where a graph is restored.
type target struct {
	fs      vfs.FS
	file    *manifest.File // nil of a local graph
	store   blob.Store     // by full names
	name    string         // of the manifest
	journal string         // its path, "" without one
	opt     engine.Options // to open what was restored

	mu   sync.Mutex
	dirs map[string]bool // that got files
	made []made          // by this call
}

// made is a file that a restore has written.
type made struct {
	in   blob.Store
	name string
}

// restoring is the content of <manifest>.restoring: which restore is under way, and the
// identity that it goes on with.
type restoring struct {
	Version int    `json:"rete_restore"`
	Backup  string `json:"backup"`
	identity
}

const restoringSuffix = ".restoring"

func newTarget(name string, dbo *engine.Options) (*target, error) {
	t := &target{dirs: map[string]bool{}}
	if dbo != nil {
		t.opt = *dbo
	}
	if t.fs = t.opt.FS; t.fs == nil {
		t.fs = vfs.OS()
	}
	if strings.HasSuffix(name, manifest.SegmentSuffix) {
		return nil, fmt.Errorf("%s is the name of a segment; a graph is restored to a manifest, such as graph%s", name, manifest.Suffix)
	}
	var err error
	t.store = blob.NewLocal(t.fs, "")
	if blob.IsRemote(name) {
		if t.file, err = manifest.Open(name, blob.MuxOptions{FS: t.fs, HTTP: t.opt.HTTP, Schemes: t.opt.Stores}); err != nil {
			return nil, err
		}
		t.name, t.store = t.file.Name(), t.file.Place()
	} else {
		if t.name, err = t.fs.Bind(name); err != nil {
			return nil, err
		}
		t.journal = t.name + ".changes"
	}
	if t.opt.Journal != "" {
		if t.journal, err = t.fs.Bind(t.opt.Journal); err != nil {
			return nil, err
		}
	}
	t.opt.Journal = t.journal
	return t, nil
}

// prepare makes the folder, or probes the store, and refuses a backup with changes that have no
// place.
func (t *target) prepare(ctx context.Context, b *Backup) error {
	if t.file == nil {
		return makeDir(t.fs, filepath.Dir(t.name))
	}
	if t.journal == "" && len(b.Journal) > 0 {
		return fmt.Errorf("%s has changes that are in no segment (%d), and a remote graph has no journal next to it: say by --journal which file of this machine they go to", b.Name, b.Changes)
	}
	return t.file.Trust(ctx)
}

// segment returns the full name of a segment.
func (t *target) segment(s *SegmentFile) (string, error) {
	if t.file != nil {
		return t.file.Store().Resolve(s.Name)
	}
	return filepath.Join(filepath.Dir(t.name), filepath.FromSlash(s.Name)), nil
}

// nextTo is the full name of what lies next to the manifest, under its name and a suffix.
func (t *target) nextTo(suffix string) string {
	if t.file != nil {
		return t.file.NextTo(suffix)
	}
	return t.name + suffix
}

// base is the file name of the manifest.
func (t *target) base() string {
	_, base := blob.Split(t.name)
	return base
}

// folder makes the folder of a file.
func (t *target) folder(name string) error {
	if blob.IsRemote(name) {
		return nil
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	dir := filepath.Dir(name)
	t.dirs[dir] = true
	return makeDir(t.fs, dir)
}

// makes notes a file that this call writes.
func (t *target) makes(in blob.Store, name string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.made = append(t.made, made{in, name})
}

// begin claims the names, or finds a restore of the same backup that was interrupted. A
// file that is in the way is found before anything is written.
func (t *target) begin(ctx context.Context, b *Backup) (id identity, resumed bool, err error) {
	mark := t.nextTo(restoringSuffix)
	text, _, err := t.store.ReadAll(ctx, mark, 1<<16)
	if err == nil {
		var r restoring
		if err := json.Unmarshal(text, &r); err != nil || r.Version != FormatVersion {
			return id, false, fmt.Errorf("%s: it is not readable: %v; remove it, and what the interrupted restore has left", mark, err)
		}
		if r.Backup != b.Name {
			return id, false, fmt.Errorf("%s: a restore of %s was interrupted here; go on with that one, or remove the file and what it has left", mark, r.Backup)
		}
		return r.identity, true, nil
	}
	if !errors.Is(err, blob.ErrNotFound) {
		return id, false, err
	}
	if err := t.free(ctx, b); err != nil {
		return id, false, err
	}
	id = newIdentity()
	if text, err = json.Marshal(restoring{FormatVersion, b.Name, id}); err != nil {
		return id, false, err
	}
	_, err = t.store.Put(ctx, mark, append(text, '\n'), blob.IfAbsent())
	if err == nil {
		t.makes(t.store, mark)
	}
	return id, false, err
}

// undo removes what this call has written of a backup that turned out to be damaged, the
// mark last.
func (t *target) undo(ctx context.Context) error {
	for _, m := range slices.Backward(t.made) {
		if err := m.in.Remove(ctx, m.name); err != nil && !errors.Is(err, blob.ErrNotFound) {
			return err
		}
	}
	return nil
}

// free checks that nothing has a name that the restored graph needs, or that would be
// taken for a part of it.
func (t *target) free(ctx context.Context, b *Backup) error {
	ofGraph := func(rest string) bool {
		return rest == "" || rest == ".gc" || strings.HasPrefix(rest, ".g") && isNumber(rest[2:])
	}
	if err := t.unused(ctx, t.store, t.name, ofGraph); err != nil {
		return err
	}
	if t.journal != "" {
		err := t.unused(ctx, blob.NewLocal(t.fs, ""), t.journal, func(rest string) bool {
			return rest == "" || rest == ".mark" || strings.HasPrefix(rest, ".") && isNumber(rest[1:])
		})
		if err != nil {
			return err
		}
	}
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(16)
	for i := range b.Segments {
		g.Go(func() error {
			name, err := t.segment(&b.Segments[i])
			if err != nil {
				return err
			}
			return t.nothing(ctx, name)
		})
	}
	return g.Wait()
}

// unused checks that nothing lies next to a name that belongs to it, by the rest of its own.
func (t *target) unused(ctx context.Context, store blob.Store, name string, belongs func(rest string) bool) error {
	list, err := store.List(ctx, name)
	if errors.Is(err, errors.ErrUnsupported) {
		return t.nothing(ctx, name)
	}
	if err != nil {
		return err
	}
	_, base := blob.Split(name)
	for _, i := range list {
		_, file := blob.Split(i.Name)
		if rest, ok := strings.CutPrefix(file, base); ok && belongs(rest) {
			return inTheWay(i.Name)
		}
	}
	return nil
}

// nothing checks that a name is free.
func (t *target) nothing(ctx context.Context, name string) error {
	if t.file == nil {
		_, err := t.fs.Stat(name)
		if err == nil {
			return inTheWay(name)
		}
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		return err
	}
	obj, err := t.store.Open(ctx, name)
	if errors.Is(err, blob.ErrNotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	return errors.Join(inTheWay(obj.Name()), obj.Close())
}

func isNumber(s string) bool {
	n, err := strconv.ParseInt(s, 10, 64)
	return err == nil && n >= 0
}

// putJournal writes the journal, which lies on this machine.
func (t *target) putJournal(ctx context.Context, data []byte) error {
	if err := t.folder(t.journal); err != nil {
		return err
	}
	return t.putIn(ctx, blob.NewLocal(t.fs, ""), t.journal, data)
}

// put writes a small file of the graph.
func (t *target) put(ctx context.Context, name string, data []byte) error {
	return t.putIn(ctx, t.store, name, data)
}

// putIn writes a small file; one that is there has the same bytes, of the same restore, or
// is in the way.
func (t *target) putIn(ctx context.Context, store blob.Store, name string, data []byte) error {
	_, err := store.Put(ctx, name, data, blob.IfAbsent())
	if err != nil && !errors.Is(err, blob.ErrExists) && (t.file == nil || !errors.Is(err, blob.ErrUnknownOutcome)) {
		return err
	}
	if err == nil {
		t.makes(store, name)
	}
	there, _, rerr := store.ReadAll(ctx, name, max(int64(len(data)), manifest.MaxBytes))
	switch {
	case rerr != nil:
		return errors.Join(err, rerr)
	case bytes.Equal(there, data):
		return nil
	case err != nil:
		return inTheWay(name)
	}
	return fmt.Errorf("%s, read back: %w", name, blob.ErrChanged)
}

// finish names the graph, takes the mark away and opens what was restored.
func (t *target) finish(ctx context.Context, manifest []byte) error {
	if t.file == nil {
		t.dirs[filepath.Dir(t.name)], t.dirs[filepath.Dir(t.journal)] = true, true
	}
	for dir := range t.dirs { // names that an interrupted run gave may not be on disk
		if err := t.fs.SyncDir(dir); err != nil {
			return err
		}
	}
	if err := t.put(ctx, t.name, manifest); err != nil {
		return err
	}
	if err := t.store.Remove(ctx, t.nextTo(restoringSuffix)); err != nil && !errors.Is(err, blob.ErrNotFound) {
		return err
	}
	if t.file == nil {
		if err := t.fs.SyncDir(filepath.Dir(t.name)); err != nil {
			return err
		}
	}
	return t.readable(ctx)
}

// readable opens what was restored.
func (t *target) readable(ctx context.Context) error {
	t.opt.ReadOnly = true
	db, err := engine.Open(ctx, t.name, &t.opt)
	if err != nil {
		return fmt.Errorf("restored, but not readable: %w", err)
	}
	defer db.Close()
	snap, err := db.Snapshot(ctx)
	if err != nil {
		return fmt.Errorf("restored, but not readable: %w", err)
	}
	return snap.Close()
}

// opens opens a segment by the pin that the manifest will have, as every reader does, and
// closes it.
func opens(ctx context.Context, obj blob.Object, s *SegmentFile) error {
	seg, err := segment.Open(ctx, obj, &segment.Options{Pin: s.pin()})
	if err != nil {
		obj.Close()
		return err
	}
	return seg.Close()
}
