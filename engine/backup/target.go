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

	"github.com/rete-go/rete/blob"
	"github.com/rete-go/rete/engine"
	"github.com/rete-go/rete/engine/manifest"
	"github.com/rete-go/rete/internal/vfs"
	"github.com/rete-go/rete/segment"
)

// target is where a graph is restored.
type target struct {
	fs            vfs.FS
	store         blob.Store // by full names
	name, journal string
	dirs          map[string]bool // that got segments
	made          []string        // files, by this call
	opt           engine.Options  // to open what was restored
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
	if blob.IsRemote(name) {
		return nil, fmt.Errorf("%s: a graph is restored to a local path: %w", name, blob.ErrReadOnly)
	}
	if strings.HasSuffix(name, manifest.SegmentSuffix) {
		return nil, fmt.Errorf("%s is the name of a segment; a graph is restored to a manifest, such as graph%s", name, manifest.Suffix)
	}
	var err error
	if t.name, err = t.fs.Bind(name); err != nil {
		return nil, err
	}
	t.journal = t.name + ".changes"
	if t.opt.Journal != "" {
		if t.journal, err = t.fs.Bind(t.opt.Journal); err != nil {
			return nil, err
		}
	}
	t.opt.Journal = t.journal
	t.store = blob.NewLocal(t.fs, "")
	return t, nil
}

func (t *target) segment(s *SegmentFile) string {
	return filepath.Join(filepath.Dir(t.name), filepath.FromSlash(s.Name))
}

// begin claims the names, or finds a restore of the same backup that was interrupted. A
// file that is in the way is found before anything is written.
func (t *target) begin(ctx context.Context, b *Backup) (id identity, resumed bool, err error) {
	mark := t.name + restoringSuffix
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
	if err := t.free(b); err != nil {
		return id, false, err
	}
	id = newIdentity()
	if text, err = json.Marshal(restoring{FormatVersion, b.Name, id}); err != nil {
		return id, false, err
	}
	_, err = t.store.Put(ctx, mark, append(text, '\n'), blob.IfAbsent())
	if err == nil {
		t.made = append(t.made, mark)
	}
	return id, false, err
}

// undo removes what this call has written of a backup that turned out to be damaged, the
// mark last.
func (t *target) undo(ctx context.Context) error {
	for _, name := range slices.Backward(t.made) {
		if err := t.store.Remove(ctx, name); err != nil && !errors.Is(err, blob.ErrNotFound) {
			return err
		}
	}
	return nil
}

// free checks that nothing has a name that the restored graph needs, or that would be
// taken for a part of it.
func (t *target) free(b *Backup) error {
	for _, of := range []struct {
		name    string
		belongs func(rest string) bool
	}{
		{t.name, func(rest string) bool {
			return rest == "" || rest == ".gc" || strings.HasPrefix(rest, ".g") && isNumber(rest[2:])
		}},
		{t.journal, func(rest string) bool {
			return rest == "" || rest == ".mark" || strings.HasPrefix(rest, ".") && isNumber(rest[1:])
		}},
	} {
		dir, base := filepath.Split(of.name)
		entries, err := t.fs.ReadDir(filepath.Clean(dir))
		if err != nil {
			return err
		}
		for _, e := range entries {
			if rest, ok := strings.CutPrefix(e.Name(), base); ok && of.belongs(rest) {
				return inTheWay(dir + e.Name())
			}
		}
	}
	for _, s := range b.Segments {
		name := t.segment(&s)
		if _, err := t.fs.Stat(name); err == nil {
			return inTheWay(name)
		} else if !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

func isNumber(s string) bool {
	n, err := strconv.ParseInt(s, 10, 64)
	return err == nil && n >= 0
}

// put writes a small file; one that is there has the same bytes, of the same restore, or
// is in the way.
func (t *target) put(ctx context.Context, name string, data []byte) error {
	_, err := t.store.Put(ctx, name, data, blob.IfAbsent())
	if err != nil && !errors.Is(err, blob.ErrExists) {
		return err
	}
	if err == nil {
		t.made = append(t.made, name)
	}
	there, _, rerr := t.store.ReadAll(ctx, name, max(int64(len(data)), manifest.MaxBytes))
	switch {
	case rerr != nil:
		return rerr
	case bytes.Equal(there, data):
		return nil
	case err != nil:
		return inTheWay(name)
	}
	return fmt.Errorf("%s, read back: %w", name, blob.ErrChanged)
}

// finish names the graph, takes the mark away and opens what was restored.
func (t *target) finish(ctx context.Context, manifest []byte) error {
	t.dirs[filepath.Dir(t.name)], t.dirs[filepath.Dir(t.journal)] = true, true
	for dir := range t.dirs { // names that an interrupted run gave may not be on disk
		if err := t.fs.SyncDir(dir); err != nil {
			return err
		}
	}
	if err := t.put(ctx, t.name, manifest); err != nil {
		return err
	}
	if err := t.store.Remove(ctx, t.name+restoringSuffix); err != nil && !errors.Is(err, blob.ErrNotFound) {
		return err
	}
	if err := t.fs.SyncDir(filepath.Dir(t.name)); err != nil {
		return err
	}
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
