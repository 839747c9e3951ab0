package engine_test

import (
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/rete-go/rete/engine"
	"github.com/rete-go/rete/internal/manifest"
	"github.com/rete-go/rete/internal/model"
	"github.com/rete-go/rete/internal/vfs"
	"github.com/rete-go/rete/rdf/rdfio"
)

// A manifest that comes, or changes, between the look and the deletion is seen.
func TestCollectLooksAgain(t *testing.T) {
	m := vfs.NewMem()
	db := initDB(t, m)
	write(t, db, firstQuads(1))
	seal(t, db)
	ref := *db.Manifest().Log[0].Adds
	write(t, db, firstQuads(2))
	seal(t, db)
	if _, err := db.Compact(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	naming := func(log []manifest.Entry) []byte {
		return (&manifest.Manifest{Name: "b", Generation: 1, Log: log}).Encode()
	}
	putFile(t, m, "changed", naming(nil))
	now := time.Now()
	collect := func(fsys vfs.FS) *engine.Collection {
		t.Helper()
		now = now.Add(48 * time.Hour)
		gc, err := engine.Open(t.Context(), manifestName, memOptions(fsys))
		if err != nil {
			t.Fatal(err)
		}
		defer closeDB(t, gc)
		c, err := gc.Collect(t.Context(), &engine.CollectOptions{Keep: 1, Yes: true, Now: func() time.Time { return now }})
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
	collect(m)
	for _, name := range []string{"new", "changed"} {
		write(t, db, model.Entry{Adds: []model.Quad{nthQuad(len(name))}})
		seal(t, db)
		once := sync.OnceFunc(func() {
			if _, err := vfs.WriteFile(m, name, naming([]manifest.Entry{{Adds: &ref}}), m.Rename); err != nil {
				t.Error(err)
			}
		})
		c := collect(vfs.NewFault(m, func(c vfs.Call) error {
			if c.Op == vfs.OpLock {
				once()
			}
			return nil
		}))
		if len(c.Kept) != 1 || c.Kept[0].For != name {
			t.Errorf("%s: kept %+v", name, c.Kept)
		}
		if _, err := m.Stat(ref.URL); err != nil {
			t.Fatal(err)
		}
		if _, err := vfs.WriteFile(m, name, naming(nil), m.Rename); err != nil {
			t.Fatal(err)
		}
	}
	for i := range 2 { // it is marked anew
		collect(m)
		write(t, db, model.Entry{Adds: []model.Quad{nthQuad(10 + i)}})
		seal(t, db)
	}
	if slices.Contains(listDir(t, m), ref.URL) {
		t.Error("once nobody names it, it stays")
	}
}

// A segment that a collection deletes before the commit that was to name it is not
// committed: neither what an add has just written, nor what it was given.
func TestCollectBesideAdd(t *testing.T) {
	m := vfs.NewMem()
	db := initDB(t, m)
	n, now := 0, time.Now()
	commit := func() {
		write(t, db, model.Entry{Adds: []model.Quad{nthQuad(n)}})
		n++
		seal(t, db)
	}
	collect := func() {
		for range 2 {
			now = now.Add(48 * time.Hour)
			if _, err := db.Collect(t.Context(), &engine.CollectOptions{Keep: 1, Grace: 1, Yes: true, Now: func() time.Time { return now }}); err != nil {
				t.Error(err)
			}
			commit()
		}
	}
	commit()
	// The source is read after the segment before it was written, or opened.
	slow := func() *engine.Source {
		once := sync.OnceFunc(collect)
		return &engine.Source{Name: "doc", Format: rdfio.NQuads, Reader: readerFunc(func(p []byte) (int, error) {
			once()
			return 0, io.EOF
		})}
	}
	_, err := db.Add(t.Context(), []engine.Step{{Adds: quads(firstQuads(9).Adds)}, {Adds: slow()}}, nil)
	if err == nil || !strings.Contains(err.Error(), "nothing was committed") {
		t.Errorf("a segment of its own: got %v", err)
	}
	if len(db.Manifest().Log) > 10 {
		t.Error("committed")
	}
	commit()
	given := db.Manifest().Log[len(db.Manifest().Log)-1].Adds.URL
	commit()
	if _, err := db.Compact(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	other, err := engine.Init(t.Context(), "b", &engine.InitOptions{Bases: []engine.Source{{Name: given}, *slow()}}, memOptions(m))
	if err == nil || !strings.Contains(err.Error(), "nothing was committed") {
		t.Errorf("a segment of another graph: got %v", err)
		closeDB(t, other)
	}
	checkVisible(t, snapshot(t, db), model.Fold([]model.Entry{firstQuads(n)}))
}

// Collections and commits that name what is about to go exclude each other: a graph that
// is made from a dropped segment has it, or is not made.
func TestCollectBesideInit(t *testing.T) {
	m := vfs.NewMem()
	db := initDB(t, m)
	now := time.Now()
	made := 0
	for i := range 60 {
		write(t, db, model.Entry{Adds: []model.Quad{nthQuad(i % 20)}, Dels: []model.Quad{nthQuad((i + 10) % 20)}})
		seal(t, db)
		log := db.Manifest().Log
		given := log[len(log)-1].Adds.URL
		if _, err := db.Compact(t.Context(), nil); err != nil && !errors.Is(err, engine.ErrCompact) {
			t.Fatal(err)
		}
		opt := &engine.CollectOptions{Keep: 1, Grace: 1, Yes: true, Now: func() time.Time { return now }}
		if _, err := db.Collect(t.Context(), opt); err != nil {
			t.Fatal(err)
		}
		write(t, db, model.Entry{Adds: []model.Quad{{"<http://ex/s>", "<http://ex/p>", fmt.Sprintf("\"n%d\"", i), ""}}})
		seal(t, db)
		now = now.Add(48 * time.Hour)
		var other *engine.DB
		var w sync.WaitGroup
		w.Go(func() {
			other, _ = engine.Init(t.Context(), fmt.Sprintf("b%d", i), &engine.InitOptions{Bases: []engine.Source{{Name: given}}}, memOptions(m))
		})
		if _, err := db.Collect(t.Context(), opt); err != nil {
			t.Error(err)
		}
		w.Wait()
		if other == nil {
			continue
		}
		made++
		s, err := other.Snapshot(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		s.Close()
		closeDB(t, other)
	}
	t.Logf("%d of 60 were made", made)
}

// Each manifest and archive is read once, and the manifest itself once more before the
// deletion.
func TestCollectReadsOnce(t *testing.T) {
	m := vfs.NewMem()
	db := initDB(t, m)
	write(t, db, firstQuads(1))
	seal(t, db)
	for range 50 {
		addDB(t, db, engine.Step{Adds: quads(firstQuads(2).Adds)})
	}
	ref := *db.Manifest().Log[0].Adds
	for i := range 100 {
		text := (&manifest.Manifest{Name: "b", Generation: 1, Log: []manifest.Entry{{Adds: &ref}}, Note: strings.Repeat("x", 10_000)}).Encode()
		putFile(t, m, fmt.Sprintf("b%d", i), text)
		putFile(t, m, fmt.Sprintf("data%d.json", i), []byte(`{"x": "`+strings.Repeat("y", 10_000)+`"}`))
	}
	opened := map[string]int{}
	var mu sync.Mutex
	gc := openDB(t, vfs.NewFault(m, func(c vfs.Call) error {
		mu.Lock()
		defer mu.Unlock()
		if c.Op == vfs.OpOpen {
			opened[c.Name]++
		}
		return nil
	}))
	for _, yes := range []bool{false, true} {
		clear(opened)
		if _, err := gc.Collect(t.Context(), &engine.CollectOptions{Keep: 3, Yes: yes}); err != nil {
			t.Fatal(err)
		}
		for name, n := range opened {
			if n > 1 && (name != manifestName || n > 2) {
				t.Errorf("%s was opened %d times", name, n)
			}
			if strings.HasSuffix(name, ".rete") {
				t.Errorf("%s was opened", name)
			}
		}
		if len(opened) < 250 {
			t.Errorf("%d files were opened", len(opened))
		}
	}
}

// What a compaction wrote into another folder goes, what was given from there stays, and
// what a manifest there needs too.
func TestCollectElsewhere(t *testing.T) {
	for _, later := range []bool{false, true} { // after the archives that show it are gone
		m := vfs.NewMem()
		for _, dir := range []string{"big", "theirs"} {
			if err := m.MkdirAll(dir); err != nil {
				t.Fatal(err)
			}
		}
		theirs, err := engine.Init(t.Context(), "theirs/"+manifestName, nil, memOptions(m)) // of the same name
		if err != nil {
			t.Fatal(err)
		}
		write(t, theirs, firstQuads(3))
		seal(t, theirs)
		given := "theirs/" + theirs.Manifest().Log[0].Adds.URL
		closeDB(t, theirs)
		db := initDB(t, m)
		now := time.Now()
		n := 0
		commit := func() {
			t.Helper()
			write(t, db, model.Entry{Adds: []model.Quad{nthQuad(n % 20)}})
			n++
			seal(t, db)
		}
		collect := func() (c *engine.Collection) {
			t.Helper()
			for range 2 {
				now = now.Add(48 * time.Hour)
				if c, err = db.Collect(t.Context(), &engine.CollectOptions{Keep: 1, Yes: true, Now: func() time.Time { return now }}); err != nil {
					t.Fatal(err)
				}
				commit()
			}
			return c
		}
		var big []string
		commit()
		for range 2 {
			commit()
			c, err := db.Compact(t.Context(), &engine.CompactOptions{Dir: "big"})
			if err != nil {
				t.Fatal(err)
			}
			big = append(big, c.Log[0].Adds.URL)
		}
		addDB(t, db, engine.Step{Adds: &engine.Source{Name: given}})
		if later {
			collect()
		}
		ref := *db.Manifest().Log[0].Adds
		ref.URL = filepath.Base(ref.URL)
		putFile(t, m, "big/schema.json", (&manifest.Manifest{Name: "b", Generation: 1, Log: []manifest.Entry{{Adds: &ref}}}).Encode())
		commit()
		if _, err := db.Compact(t.Context(), nil); err != nil {
			t.Fatal(err)
		}
		c := collect()
		if len(c.Kept) != 1 || c.Kept[0].Name != big[1] || c.Kept[0].For != "big/schema.json" {
			t.Errorf("kept: %+v", c.Kept)
		}
		for name, want := range map[string]bool{big[0]: false, big[1]: true, given: true} {
			if _, err := m.Stat(name); (err == nil) != want {
				t.Errorf("%s: %v, want it there: %v", name, err, want)
			}
		}
		if err := m.Remove("big/schema.json"); err != nil {
			t.Fatal(err)
		}
		collect()
		if _, err := m.Stat(big[1]); err == nil {
			t.Errorf("%s is left", big[1])
		}
	}
}
