package engine_test

import (
	"context"
	"io/fs"
	"strings"
	"testing"
	"time"

	"github.com/rete-go/rete/engine"
	"github.com/rete-go/rete/internal/manifest"
	"github.com/rete-go/rete/internal/model"
	"github.com/rete-go/rete/internal/vfs"
)

// foldFS takes upper and lower case for the same.
type foldFS struct{ vfs.FS }

func low(name string) string { return strings.ToLower(name) }

func (f foldFS) Open(name string) (vfs.File, error)         { return f.FS.Open(low(name)) }
func (f foldFS) Create(name string) (vfs.File, error)       { return f.FS.Create(low(name)) }
func (f foldFS) OpenWrite(name string) (vfs.File, error)    { return f.FS.OpenWrite(low(name)) }
func (f foldFS) Rename(a, b string) error                   { return f.FS.Rename(low(a), low(b)) }
func (f foldFS) RenameNew(a, b string) error                { return f.FS.RenameNew(low(a), low(b)) }
func (f foldFS) Remove(name string) error                   { return f.FS.Remove(low(name)) }
func (f foldFS) Stat(name string) (fs.FileInfo, error)      { return f.FS.Stat(low(name)) }
func (f foldFS) ReadDir(name string) ([]fs.DirEntry, error) { return f.FS.ReadDir(low(name)) }
func (f foldFS) MkdirAll(name string) error                 { return f.FS.MkdirAll(low(name)) }
func (f foldFS) SyncDir(name string) error                  { return f.FS.SyncDir(low(name)) }
func (f foldFS) TryLock(name string) (vfs.Locked, error)    { return f.FS.TryLock(low(name)) }
func (f foldFS) Lock(ctx context.Context, name string) (vfs.Locked, error) {
	return f.FS.Lock(ctx, low(name))
}

// On a file system without upper and lower case a manifest that was opened by another
// spelling knows its own archives, and a segment stays that is named by one.
func TestCollectFoldsCase(t *testing.T) {
	m := foldFS{vfs.NewMem()}
	initDB(t, m).Close()
	db, err := engine.Open(t.Context(), strings.ToUpper(manifestName), memOptions(m))
	if err != nil {
		t.Fatal(err)
	}
	defer closeDB(t, db)
	n, now := 0, time.Now()
	commit := func() {
		t.Helper()
		write(t, db, model.Entry{Adds: []model.Quad{nthQuad(n)}})
		n++
		seal(t, db)
	}
	commit()
	kept := *db.Manifest().Log[0].Adds
	commit()
	gone := *db.Manifest().Log[1].Adds
	if _, err := db.Compact(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	ref := kept
	ref.URL = strings.ToUpper(ref.URL)
	putFile(t, m, "b", (&manifest.Manifest{Name: "b", Generation: 1, Log: []manifest.Entry{{Adds: &ref}}}).Encode())
	var c *engine.Collection
	for range 2 {
		now = now.Add(48 * time.Hour)
		if c, err = db.Collect(t.Context(), &engine.CollectOptions{Keep: 1, Yes: true, Now: func() time.Time { return now }}); err != nil {
			t.Fatal(err)
		}
		commit()
	}
	if len(c.Kept) != 1 || c.Kept[0].Name != kept.URL || c.Kept[0].For != "b" {
		t.Errorf("kept: %+v", c.Kept)
	}
	if _, err := m.Stat(kept.URL); err != nil {
		t.Error(err)
	}
	for _, name := range []string{gone.URL, manifestName + ".g1", manifestName + ".g2"} {
		if _, err := m.Stat(name); err == nil {
			t.Errorf("%s is left", name)
		}
	}
}
