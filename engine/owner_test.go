package engine_test

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/rete-go/rete/engine"
	"github.com/rete-go/rete/internal/model"
	"github.com/rete-go/rete/internal/vfs"
)

// A manifest has one owner, whatever journal each of them names.
func TestOneOwnerWhateverTheJournal(t *testing.T) {
	for name, journals := range map[string][2]string{
		"another":            {"", "elsewhere.changes"},
		"the one next to it": {"elsewhere.changes", ""},
		"two others":         {"one.changes", "two.changes"},
		"the same":           {"one.changes", "one.changes"},
		"the same, spelled":  {"", "./" + manifestName + ".changes"},
	} {
		t.Run(name, func(t *testing.T) {
			m := vfs.NewMem()
			initDB(t, m)
			var dbs [2]*engine.DB
			for i, j := range journals {
				opt := memOptions(m)
				opt.Journal = j
				db, err := engine.Open(t.Context(), manifestName, opt)
				if err != nil {
					t.Fatal(err)
				}
				t.Cleanup(func() { db.Close() })
				dbs[i] = db
			}
			write(t, dbs[0], firstQuads(1))
			files := names(t, m)
			_, err := dbs[1].Write(t.Context(), nil, func(*engine.Tx) error { t.Error("it runs"); return nil })
			var owned *engine.OwnedError
			if !errors.As(err, &owned) || !errors.Is(err, engine.ErrOwned) || !owned.Self || !strings.Contains(err.Error(), "this process") {
				t.Errorf("got %v, want that another database of this process owns it", err)
			}
			if now := names(t, m); len(now) != len(files) {
				t.Errorf("the attempt leaves files: %v", now)
			}
			closeDB(t, dbs[0])
			if err := dbs[1].Own(t.Context()); err != nil {
				t.Error(err)
			}
		})
	}
}

// All names of one manifest have one owner.
func TestOneOwnerWhateverTheName(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("links need a privilege there")
	}
	dir := t.TempDir()
	place := filepath.Join(dir, "place")
	if err := os.MkdirAll(filepath.Join(place, "below"), 0o777); err != nil {
		t.Fatal(err)
	}
	real := filepath.Join(place, manifestName)
	owner, err := engine.Init(t.Context(), real, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { closeDB(t, owner) })
	for from, to := range map[string]string{"linked": "place", "link.json": filepath.Join("linked", manifestName), "links.json": "link.json"} {
		if err := os.Symlink(to, filepath.Join(dir, from)); err != nil {
			t.Fatal(err)
		}
	}
	write(t, owner, firstQuads(1))
	t.Chdir(place)
	for _, name := range []string{
		real, manifestName, "./" + manifestName, "below/../" + manifestName, "../linked/" + manifestName,
		filepath.Join(dir, "linked", manifestName), "../link.json", filepath.Join(dir, "links.json"), dir + "//place/./" + manifestName,
	} {
		db, err := engine.Open(t.Context(), name, nil)
		if err != nil {
			t.Fatal(err)
		}
		if err := db.Own(t.Context()); !errors.Is(err, engine.ErrOwned) {
			t.Errorf("%s: got %v, want that it is owned", name, err)
		}
		if got := db.Owner(); got == nil || !got.Self {
			t.Errorf("%s: its owner is %+v", name, got)
		}
		checkVisible(t, snapshot(t, db), model.Fold([]model.Entry{firstQuads(1)}))
		closeDB(t, db)
	}
}

// A second name of a manifest by a hard link is a second graph with a history of its own:
// nothing that is acknowledged under one of them is changed by the other.
func TestHardLinkedManifest(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("hard links are not told there")
	}
	dir := t.TempDir()
	var dbs [2]*engine.DB
	for i, name := range []string{manifestName, "other.rete-manifest.json"} {
		name = filepath.Join(dir, name)
		var err error
		if i == 0 {
			dbs[0], err = engine.Init(t.Context(), name, nil, nil)
		} else if err = os.Link(dbs[0].Name(), name); err == nil {
			dbs[i], err = engine.Open(t.Context(), name, nil)
		}
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { closeDB(t, dbs[i]) })
	}
	for n := range 3 {
		for i, db := range dbs {
			write(t, db, model.Entry{Adds: []model.Quad{nthQuad(2*n + i)}})
			if n == 1 {
				seal(t, db)
			}
		}
	}
	for i, db := range dbs {
		want := model.Entry{Adds: []model.Quad{nthQuad(i), nthQuad(2 + i), nthQuad(4 + i)}}
		checkVisible(t, snapshot(t, db), model.Fold([]model.Entry{want}))
		closeDB(t, db)
		r, err := engine.Check(t.Context(), db.Name(), nil, nil)
		if err != nil || !r.OK {
			t.Errorf("%v, %v", r, err)
		}
	}
}

// A copy of the folder by hard links, such as some backups are, is written to without
// changing the original, and the other way round.
func TestHardLinkedFolder(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("hard links are not told there")
	}
	dir := t.TempDir()
	one, two := filepath.Join(dir, "one"), filepath.Join(dir, "two")
	if err := errors.Join(os.Mkdir(one, 0o777), os.Mkdir(two, 0o777)); err != nil {
		t.Fatal(err)
	}
	db, err := engine.Init(t.Context(), filepath.Join(one, manifestName), nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	write(t, db, firstQuads(1))
	closeDB(t, db)
	files, err := os.ReadDir(one)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		if strings.HasSuffix(f.Name(), ".lock") {
			continue // with it the two would share the lock too
		}
		if err := os.Link(filepath.Join(one, f.Name()), filepath.Join(two, f.Name())); err != nil {
			t.Fatal(err)
		}
	}
	var dbs []*engine.DB
	for i, place := range []string{one, two} {
		db, err := engine.Open(t.Context(), filepath.Join(place, manifestName), nil)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { closeDB(t, db) })
		write(t, db, model.Entry{Adds: []model.Quad{nthQuad(1 + i)}})
		dbs = append(dbs, db)
	}
	for i, db := range dbs {
		write(t, db, model.Entry{Adds: []model.Quad{nthQuad(3 + i)}})
		closeDB(t, db)
		if db, err = engine.Open(t.Context(), db.Name(), nil); err != nil {
			t.Fatal(err)
		}
		checkVisible(t, snapshot(t, db), model.Fold([]model.Entry{{Adds: []model.Quad{nthQuad(0), nthQuad(1 + i), nthQuad(3 + i)}}}))
		closeDB(t, db)
	}
	for _, db := range dbs { // the mark of the journal is of each alone too
		if db, err = engine.Open(t.Context(), db.Name(), nil); err != nil {
			t.Fatal(err)
		}
		closeDB(t, db)
	}
}
