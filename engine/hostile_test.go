package engine_test

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/rete-go/rete/engine"
	"github.com/rete-go/rete/internal/manifest"
	"github.com/rete-go/rete/internal/model"
	"github.com/rete-go/rete/internal/vfs"
)

// nthQuad is a quad with a number.
func nthQuad(i int) model.Quad {
	return model.Quad{"<http://ex/s>", "<http://ex/p>", "\"" + string(rune('a'+i)) + "\"", ""}
}

// firstQuads is the first quads by number.
func firstQuads(n int) (e model.Entry) {
	for i := range n {
		e.Adds = append(e.Adds, nthQuad(i))
	}
	return e
}

// A journal that somebody removes under its owner is written again; nothing that was
// acknowledged is lost, also if the machine then stops.
func TestRemovedJournal(t *testing.T) {
	m := vfs.NewMem()
	db := initDB(t, m)
	write(t, db, firstQuads(2))
	if err := m.Remove(journalName); err != nil {
		t.Fatal(err)
	}
	if _, err := db.Refresh(t.Context()); err != nil {
		t.Fatal(err)
	}
	write(t, db, model.Entry{Adds: []model.Quad{nthQuad(2)}})
	checkVisible(t, snapshot(t, openDB(t, m.CrashClone(vfs.CrashOptions{}))), model.Fold([]model.Entry{firstQuads(3)}))
	if err := m.Remove(journalName); err != nil { // and a seal needs none
		t.Fatal(err)
	}
	seal(t, db)
	write(t, db, model.Entry{Adds: []model.Quad{nthQuad(3)}})
	checkVisible(t, snapshot(t, openDB(t, m.CrashClone(vfs.CrashOptions{}))), model.Fold([]model.Entry{firstQuads(4)}))
}

// A journal that somebody cuts, or writes, under its owner is noticed, and nothing
// more is put into it.
func TestMeddledJournal(t *testing.T) {
	for name, meddle := range map[string]func(f vfs.File) error{
		"cut": func(f vfs.File) error { return f.Truncate(100) },
		"grown": func(f vfs.File) error {
			st, err := f.Stat()
			if err == nil {
				_, err = f.WriteAt([]byte("# hello\n"), st.Size())
			}
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			m := vfs.NewMem()
			db, err := engine.Init(t.Context(), manifestName, nil, memOptions(m))
			if err != nil {
				t.Fatal(err)
			}
			defer db.Close()
			write(t, db, firstQuads(2))
			f, err := m.OpenWrite(journalName)
			if err != nil {
				t.Fatal(err)
			}
			defer f.Close()
			if err := meddle(f); err != nil {
				t.Fatal(err)
			}
			if _, err := db.Refresh(t.Context()); err == nil || !strings.Contains(err.Error(), "somebody else") {
				t.Errorf("got %v", err)
			}
			if _, err := db.Write(t.Context(), nil, func(tx *engine.Tx) error { return change(t.Context(), tx, model.Entry{Adds: []model.Quad{nthQuad(5)}}) }); err == nil {
				t.Error("a write is taken")
			}
			if got := visible(t, snapshot(t, db)); len(got) != 2 { // readers go on
				t.Errorf("there are %v", got)
			}
		})
	}
}

// An older copy of the manifest in the place of the newest is refused as far as the
// journal tells, and nothing is changed or removed.
func TestOlderManifest(t *testing.T) {
	for name, unsealed := range map[string]bool{"journal with changes": true, "empty journal": false} {
		t.Run(name, func(t *testing.T) {
			m := vfs.NewMem()
			db := initDB(t, m)
			write(t, db, firstQuads(1))
			seal(t, db)
			old, err := vfs.ReadFile(m, manifestName, 1<<20)
			if err != nil {
				t.Fatal(err)
			}
			write(t, db, firstQuads(2))
			seal(t, db)
			if unsealed {
				write(t, db, firstQuads(3))
			}
			closeDB(t, db)
			now, err := vfs.ReadFile(m, manifestName, 1<<20)
			if err != nil {
				t.Fatal(err)
			}
			put := func(b []byte) {
				if _, err := vfs.WriteFile(m, manifestName, b, m.Rename); err != nil {
					t.Fatal(err)
				}
			}
			put(old)
			before := listDir(t, m)
			for range 2 {
				if _, err := engine.Open(t.Context(), manifestName, memOptions(m)); err == nil || !strings.Contains(err.Error(), "older copy") {
					t.Fatalf("got %v", err)
				}
			}
			if after := listDir(t, m); !slices.Equal(before, after) {
				t.Errorf("files before %v, after %v", before, after)
			}
			copied := m.CrashClone(vfs.CrashOptions{Data: vfs.LoseNone, Names: vfs.LoseNone})
			if r := check(t, copied, &engine.CheckOptions{}); r.OK {
				t.Error("fsck finds nothing")
			}
			if r := check(t, copied, &engine.CheckOptions{Adopt: true}); !r.OK {
				t.Errorf("adopted: %+v", r)
			}
			want := []model.Quad{nthQuad(0)} // what only the newer log has is not there
			if unsealed {
				want = append(want, nthQuad(2))
			}
			taken := openDB(t, copied)
			seal(t, taken)
			if got := visible(t, snapshot(t, taken)); !slices.Equal(got, want) {
				t.Errorf("adopted: %v", got)
			}
			put(now) // and all is well
			db = openDB(t, m)
			write(t, db, firstQuads(4))
			checkVisible(t, snapshot(t, db), model.Fold([]model.Entry{firstQuads(4)}))
		})
	}
}

// A manifest by a symbolic link is the file that it leads to: both names mean one
// journal and one history.
func TestSymlinkedManifest(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("links need a privilege there")
	}
	dir := t.TempDir()
	place := filepath.Join(dir, "the place, ü 图")
	if err := os.Mkdir(place, 0o777); err != nil {
		t.Fatal(err)
	}
	real, link := filepath.Join(place, manifestName), filepath.Join(dir, "link to it.json")
	db, err := engine.Init(t.Context(), real, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	closeDB(t, db)
	if err := os.Symlink(filepath.Join("the place, ü 图", manifestName), link); err != nil {
		t.Fatal(err)
	}
	if _, err := engine.Init(t.Context(), link, nil, nil); err == nil {
		t.Error("init goes over it")
	}
	for i, name := range []string{link, real, link} {
		db, err := engine.Open(t.Context(), name, nil)
		if err != nil {
			t.Fatal(err)
		}
		write(t, db, firstQuads(i+1))
		if i == 0 {
			seal(t, db)
		}
		checkVisible(t, snapshot(t, db), model.Fold([]model.Entry{firstQuads(i + 1)}))
		t.Cleanup(func() { closeDB(t, db) })
		if i < 2 {
			t.Run("owned", func(t *testing.T) {
				other, err := engine.Open(t.Context(), link, nil)
				if err != nil {
					t.Fatal(err)
				}
				defer other.Close()
				if err := other.Own(t.Context()); !errors.Is(err, engine.ErrOwned) {
					t.Errorf("got %v", err)
				}
			})
		}
		if err := db.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if st, err := os.Lstat(link); err != nil || st.Mode()&os.ModeSymlink == 0 {
		t.Errorf("the link is gone: %v", err)
	}
	if list, err := os.ReadDir(dir); err != nil || len(list) != 2 {
		t.Errorf("next to the link there are %v, %v", list, err)
	}
}

// Where nothing can be written everything can be read, and each change says why not.
func TestReadOnlyPlace(t *testing.T) {
	m := vfs.NewMem()
	db := initDB(t, m)
	addDB(t, db, engine.Step{Adds: quads(firstQuads(1).Adds)})
	write(t, db, firstQuads(2))
	closeDB(t, db)
	ro := vfs.NewFault(m, func(c vfs.Call) error {
		if c.Mutates() || c.Op == vfs.OpLock {
			return syscall.EROFS
		}
		return nil
	})
	before := listDir(t, m)
	db = openDB(t, ro)
	checkVisible(t, snapshot(t, db), model.Fold([]model.Entry{firstQuads(2)}))
	if note := db.Owner(); note != nil {
		t.Errorf("it is owned by %v", note)
	}
	ctx := t.Context()
	for name, f := range map[string]func() error{
		"own": func() error { return db.Own(ctx) },
		"write": func() error {
			_, err := db.Write(ctx, nil, func(tx *engine.Tx) error { return change(ctx, tx, firstQuads(3)) })
			return err
		},
		"seal":    func() error { _, err := db.Seal(ctx, nil); return err },
		"compact": func() error { _, err := db.Compact(ctx, nil); return err },
		"add":     func() error { _, err := db.Add(ctx, []engine.Step{{Adds: quads(firstQuads(3).Adds)}}, nil); return err },
		"revert":  func() error { _, err := db.Revert(ctx, 1, nil); return err },
		"collect": func() error {
			_, err := db.Collect(ctx, &engine.CollectOptions{Keep: 1, Yes: true})
			return err
		},
	} {
		if err := f(); name == "compact" && errors.Is(err, engine.ErrCompact) {
			continue
		} else if !errors.Is(err, syscall.EROFS) {
			t.Errorf("%s: got %v", name, err)
		}
	}
	checkVisible(t, snapshot(t, db), model.Fold([]model.Entry{firstQuads(2)}))
	if after := listDir(t, m); !slices.Equal(before, after) {
		t.Errorf("files before %v, after %v", before, after)
	}
}

// A clock that goes back makes nothing younger go, and commits go on.
func TestClockGoesBack(t *testing.T) {
	m := vfs.NewMem()
	db := initDB(t, m)
	now := time.Date(2030, 1, 2, 3, 4, 5, 0, time.UTC)
	clock := func() time.Time { return now }
	for i := range 4 {
		if _, err := db.Add(t.Context(), []engine.Step{{Adds: quads([]model.Quad{nthQuad(i)})}},
			&engine.AddOptions{CommitOptions: manifest.CommitOptions{Now: clock}}); err != nil {
			t.Fatal(err)
		}
		now = now.Add(-1000 * time.Hour)
	}
	if _, err := db.Compact(t.Context(), &engine.CompactOptions{CommitOptions: manifest.CommitOptions{Now: clock}}); err != nil {
		t.Fatal(err)
	}
	for range 3 { // the mark comes from the future, then from the past
		c, err := db.Collect(t.Context(), &engine.CollectOptions{Keep: 1, Yes: true, Now: clock})
		if err != nil || c.Deleted > 0 {
			t.Fatalf("got %+v, %v", c, err)
		}
		now = now.Add(-time.Hour)
		if _, err := db.Add(t.Context(), []engine.Step{{Adds: quads([]model.Quad{nthQuad(9)})}},
			&engine.AddOptions{CommitOptions: manifest.CommitOptions{Now: clock}}); err != nil {
			t.Fatal(err)
		}
	}
	list, err := db.Log(t.Context(), 0)
	if err != nil || int64(len(list)) != db.Manifest().Generation {
		t.Errorf("got %v, %v", list, err)
	}
	checkVisible(t, snapshot(t, db), apply(model.Fold([]model.Entry{firstQuads(4)}), model.Entry{Adds: []model.Quad{nthQuad(9)}}))
}

// A reader of an old generation goes on while its files are collected; one that
// comes later is told that they are gone.
func TestCollectWhileReading(t *testing.T) {
	dir := filepath.Join(t.TempDir(), manifestName)
	db, err := engine.Init(t.Context(), dir, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	for i := range 3 {
		write(t, db, model.Entry{Adds: []model.Quad{nthQuad(i)}})
		seal(t, db)
	}
	reader, err := engine.Open(t.Context(), dir, &engine.Options{ReadOnly: true})
	if err != nil {
		t.Fatal(err)
	}
	defer reader.Close()
	old, err := reader.At(t.Context(), 3)
	if err != nil {
		t.Fatal(err)
	}
	defer old.Close()
	later, err := engine.Open(t.Context(), dir, &engine.Options{ReadOnly: true}) // has read the manifest alone
	if err != nil {
		t.Fatal(err)
	}
	defer later.Close()
	if _, err := db.Compact(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	deleted := 0
	for i := range 3 {
		write(t, db, model.Entry{Adds: []model.Quad{nthQuad(10 + i)}})
		seal(t, db)
		c, err := db.Collect(t.Context(), &engine.CollectOptions{Keep: 1, Grace: time.Nanosecond, Yes: true})
		if err != nil {
			t.Fatal(err)
		}
		deleted += c.Deleted
	}
	if deleted < 3 {
		t.Fatalf("%d files were deleted", deleted)
	}
	checkVisible(t, old, model.Fold([]model.Entry{firstQuads(2)}))
	if _, err := later.Snapshot(t.Context()); !errors.Is(err, engine.ErrExpired) {
		t.Errorf("a late reader: got %v", err)
	}
	if _, err := later.Refresh(t.Context()); err != nil {
		t.Error(err)
	}
	if _, err := later.Snapshot(t.Context()); err != nil {
		t.Errorf("after a refresh: %v", err)
	}
	if _, err := reader.At(t.Context(), 3); !errors.Is(err, engine.ErrNoGeneration) {
		t.Errorf("got %v", err)
	}
}
