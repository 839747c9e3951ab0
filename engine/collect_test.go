package engine_test

import (
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/rete-go/rete/engine"
	"github.com/rete-go/rete/internal/model"
	"github.com/rete-go/rete/internal/vfs"
)

func listDir(t *testing.T, m *vfs.Mem) (names []string) {
	t.Helper()
	entries, err := m.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

// Files go in two steps, with a commit and the grace period in between; what stays
// is what the generations that stay need.
func TestCollect(t *testing.T) {
	m := vfs.NewMem()
	db := initDB(t, m)
	quad := func(i byte) model.Quad {
		return model.Quad{"<http://ex/a>", "<http://ex/b>", "<http://ex/" + string(i) + ">", ""}
	}
	for i := range byte(4) {
		write(t, db, model.Entry{Adds: []model.Quad{quad('a' + i)}})
		seal(t, db)
	}
	if _, err := db.Compact(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	put := func(name string) {
		f, err := m.Create(name)
		if err != nil {
			t.Fatal(err)
		}
		f.Write([]byte("x"))
		f.Close()
	}
	put("g-g9-0123abcd-abcdef.rete")      // of a crash, never named
	put("g-g9-0123abcd-abcdef.rete.obao") // its hash tree
	put("g-g8-0123abcd-abcdef.rete.obao") // that of a segment that is gone
	live := db.Manifest().Log[0].Adds.URL + ".obao"
	put(live)
	put("given.rete") // somebody else's
	put("given.rete.obao")
	put("other-g9-0123abcd-abcdef.rete")   // of another manifest
	put("g-g9-0123abcd-abcdef.rete.other") // no name of ours
	now := time.Now()
	collect := func(keep int, yes bool) *engine.Collection {
		t.Helper()
		c, err := db.Collect(t.Context(), &engine.CollectOptions{Keep: keep, Yes: yes, Now: func() time.Time { return now }})
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
	before := listDir(t, m)
	if c := collect(1, false); len(c.Files) != 4+5+1+2 || c.Marked != 0 || !slices.Equal(listDir(t, m), before) {
		t.Errorf("a dry run: %+v", c)
	}
	if c := collect(0, false); len(c.Files) != 3 { // all generations stay
		t.Errorf("all stay: %+v", c)
	}
	if c := collect(1, true); c.Marked != 12 || c.Deleted != 0 {
		t.Errorf("marked: %+v", c)
	}
	now = now.Add(25 * time.Hour)
	if c := collect(1, true); c.Deleted != 0 { // no commit since
		t.Errorf("without a commit: %+v", c)
	}
	write(t, db, model.Entry{Adds: []model.Quad{quad('z')}})
	seal(t, db)
	now = now.Add(-2 * time.Hour)
	if c := collect(2, true); c.Deleted != 0 {
		t.Errorf("within the grace period: %+v", c)
	}
	now = now.Add(2 * time.Hour)
	if c := collect(2, true); c.Deleted != 4+5+1+2 || c.Oldest != db.Manifest().Generation-1 {
		t.Errorf("deleted: %+v", c)
	}
	for _, name := range []string{live, "given.rete", "other-g9-0123abcd-abcdef.rete", "g-g9-0123abcd-abcdef.rete.other", "given.rete.obao"} {
		if !slices.Contains(listDir(t, m), name) {
			t.Errorf("%s is gone", name)
		}
	}
	for _, name := range []string{"g-g9-0123abcd-abcdef.rete.obao", "g-g8-0123abcd-abcdef.rete.obao"} {
		if slices.Contains(listDir(t, m), name) {
			t.Errorf("%s is there, the hash tree of a segment that is gone", name)
		}
	}
	if got := visible(t, snapshot(t, db)); len(got) != 5 {
		t.Errorf("visible: %v", got)
	}
	if s, err := db.At(t.Context(), db.Manifest().Generation-1); err != nil {
		t.Error(err)
	} else {
		s.Close()
	}
	if _, err := db.At(t.Context(), 2); !errors.Is(err, engine.ErrNoGeneration) {
		t.Errorf("got %v, want no generation", err)
	}
	if c := collect(2, true); len(c.Files) != 0 {
		t.Errorf("once more: %+v", c)
	}
}

// Next to another graph of the same name only what the history shows to be written by this
// manifest's commits goes: the rest may be the other's.
func TestCollectSameName(t *testing.T) {
	for _, name := range []string{"g", "G"} { // the same on some file systems
		t.Run(name, func(t *testing.T) { collectBesideNamesake(t, name) })
	}
}

func collectBesideNamesake(t *testing.T, name string) {
	m := vfs.NewMem()
	db := initDB(t, m)
	other, err := engine.Init(t.Context(), "other", &engine.InitOptions{Name: name}, memOptions(m))
	if err != nil {
		t.Fatal(err)
	}
	defer closeDB(t, other)
	write(t, other, firstQuads(1))
	seal(t, other) // its own segment is not this manifest's to keep
	write(t, db, firstQuads(1))
	seal(t, db)
	mine := db.Manifest().Log[0].Adds.URL
	left := []string{"g-g9-0123abcd-abcdef.rete", "g-g9-0123abcd-abcdef.tomb.rete", vfs.TempName("g-g9-0123abcd-abcdef.rete")}
	for _, name := range left {
		putFile(t, m, name, []byte("x"))
	}
	lock, err := m.TryLock(left[2]) // somebody is writing it: no commit takes it for dead
	if err != nil {
		t.Fatal(err)
	}
	defer lock.Close()
	write(t, db, model.Entry{Adds: []model.Quad{nthQuad(5)}})
	seal(t, db)
	if _, err := db.Compact(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	now := time.Now()
	for range 2 {
		c, err := db.Collect(t.Context(), &engine.CollectOptions{Keep: 1, Yes: true, Now: func() time.Time { return now }})
		if err != nil {
			t.Fatal(err)
		}
		var kept []string
		for _, k := range c.Kept {
			kept = append(kept, k.Name)
			if k.Reason != "same-name" || k.For != "other" {
				t.Errorf("got %+v", k)
			}
		}
		slices.Sort(left)
		if !slices.Equal(kept, left) {
			t.Errorf("kept: %v, want %v", kept, left)
		}
		write(t, db, firstQuads(2))
		seal(t, db)
		now = now.Add(48 * time.Hour)
	}
	if list := listDir(t, m); slices.Contains(list, mine) || !slices.Contains(list, left[0]) {
		t.Errorf("left: %v", list)
	}
	closeDB(t, other)
	for _, name := range []string{"other", "other.g1"} {
		if err := m.Remove(name); err != nil {
			t.Fatal(err)
		}
	}
	for range 2 {
		if _, err := db.Collect(t.Context(), &engine.CollectOptions{Keep: 1, Yes: true, Now: func() time.Time { return now }}); err != nil {
			t.Fatal(err)
		}
		write(t, db, model.Entry{Dels: []model.Quad{nthQuad(0)}})
		seal(t, db)
		now = now.Add(48 * time.Hour)
	}
	if list := listDir(t, m); slices.Contains(list, left[0]) {
		t.Errorf("once the other is gone: %v", list)
	}
}

// An archive that goes does so no later than what it alone names: whatever generation is left can be
// read.
func TestArchivesGoWithTheirSegments(t *testing.T) {
	places(t, func(t *testing.T, name string, _ bool) {
		initRemote(t, name)
		db := openRemote(t, name, "")
		for i := range 3 {
			addDB(t, db, engine.Step{Adds: quads(numbers(i, i+1))})
		}
		if _, err := db.Compact(t.Context(), nil); err != nil {
			t.Fatal(err)
		}
		deleted := 0
		for i, after := range []time.Duration{30 * time.Hour, 31 * time.Hour, 60 * time.Hour} {
			addDB(t, db, engine.Step{Adds: quads(numbers(10+i, 11+i))})
			c, err := db.Collect(t.Context(), &engine.CollectOptions{Keep: 2, Yes: true, Now: func() time.Time { return time.Now().Add(after) }})
			if err != nil {
				t.Fatal(err)
			}
			deleted += c.Deleted
			for g := int64(1); g <= db.Manifest().Generation; g++ {
				s, err := db.At(t.Context(), g)
				if errors.Is(err, engine.ErrNoGeneration) {
					continue
				}
				if err != nil {
					t.Errorf("after %v, generation %d: %v", after, g, err)
					continue
				}
				visible(t, s)
				s.Close()
			}
		}
		if deleted < 6 {
			t.Errorf("%d files were deleted", deleted)
		}
	})
}
