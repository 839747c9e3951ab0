package engine_test

import (
	"fmt"
	"path"
	"slices"
	"sync"
	"testing"

	"github.com/rete-go/rete/dataset"
	"github.com/rete-go/rete/engine"
	"github.com/rete-go/rete/engine/internal/view/viewtest"
	"github.com/rete-go/rete/internal/model"
	"github.com/rete-go/rete/internal/vfs"
	"github.com/rete-go/rete/rdf"
)

// TestDifferenceReadsChangedRows counts what a difference of two versions reads of a base
// that both have, with an empty cache: no tile or chunk of a dictionary but those that a
// look-up of the changed rows reads, also where entries below the changes are compacted.
func TestDifferenceReadsChangedRows(t *testing.T) {
	const base, entries, changed = 60_000, 6, 10
	fsys := &readFS{FS: vfs.NewMem()}
	initDB(t, fsys).Close()
	open := func() *engine.DB {
		db, err := engine.Open(t.Context(), manifestName, &engine.Options{FS: fsys, Cache: engine.NewCache(64 << 20)})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { closeDB(t, db) })
		return db
	}
	db := open()
	var all []model.Quad
	for i := range base {
		all = append(all, model.Quad(viewtest.LazyQuad(i)))
	}
	addDB(t, db, engine.Step{Adds: quads(all)})
	fsys.follow(db.Manifest().Log[0].Adds.URL)
	first := db.Manifest().Generation
	var steps [][]model.Quad // the rows that each entry changes
	for e := range entries {
		var m model.Entry
		for i := range changed {
			m.Adds = append(m.Adds, model.Quad{fmt.Sprintf("<urn:new/%d/%d>", e, i), "<urn:p>", "<urn:o>"})
			m.Dels = append(m.Dels, all[e*base/entries+i])
		}
		addDB(t, db, engine.Step{Adds: quads(m.Adds), Dels: quads(m.Dels)})
		steps = append(steps, slices.Concat(m.Adds, m.Dels))
	}
	last := db.Manifest().Generation
	compacted, err := db.Compact(t.Context(), &engine.CompactOptions{First: 1, Count: 2})
	if err != nil {
		t.Fatal(err)
	}
	whole := fsys.reads(func() {
		var b dataset.Batch
		viewtest.ScanAll(t, snapshot(t, open()).View, dataset.Pattern{}, dataset.SPO, &b)
	})
	for _, c := range []struct {
		from, to int64
		rows     int
		asked    []model.Quad // that are compared
	}{
		{last - 1, last, 2 * changed, steps[entries-1]},
		{last, last - 2, 4 * changed, slices.Concat(steps[entries-2:]...)},
		{first, last, 2 * entries * changed, slices.Concat(steps...)},
		{last, compacted.Generation, 0, slices.Concat(steps...)},
	} {
		rows := 0
		got := fsys.reads(func() {
			err := eachChange(open().Diff(t.Context(), c.from, c.to), func(bool, *rdf.RawQuad) error { rows++; return nil })
			if err != nil {
				t.Fatal(err)
			}
		})
		want := fsys.reads(func() {
			s := snapshot(t, open())
			for _, q := range c.asked {
				lookUp(t, s.View, q)
			}
		})
		if rows != c.rows {
			t.Errorf("%d..%d: %d rows, want %d", c.from, c.to, rows, c.rows)
		}
		beyond := 0
		for at := range got {
			if !want[at] {
				beyond++
			}
		}
		if beyond > 0 {
			t.Errorf("%d..%d: %d of %d reads are not those of the changed rows", c.from, c.to, beyond, len(got))
		}
		if c.from == last-1 && len(got) >= len(whole) {
			t.Errorf("%d..%d: %d reads, by a scan %d", c.from, c.to, len(got), len(whole))
		}
	}
}

// lookUp asks for one quad of the default graph.
func lookUp(t *testing.T, v engine.View, q model.Quad) {
	t.Helper()
	terms, id := make([]rdf.Term, 3), make([]dataset.ID, 3)
	for i := range terms {
		terms[i] = rdf.FromSurface(q[i])
	}
	if err := v.Lookup(t.Context(), terms, id); err != nil {
		t.Fatal(err)
	}
	if slices.Contains(id, 0) {
		return
	}
	if _, err := v.Count(t.Context(), dataset.Pattern{S: id[0], P: id[1], O: id[2]}); err != nil {
		t.Fatal(err)
	}
}

// readFS notes the places of one file that are read.
type readFS struct {
	vfs.FS
	mu   sync.Mutex // guards the rest
	name string
	seen map[int64]bool
}

func (f *readFS) follow(name string) { f.name = path.Base(name) }

// reads returns the places that are read while do runs.
func (f *readFS) reads(do func()) map[int64]bool {
	f.mu.Lock()
	f.seen = map[int64]bool{}
	f.mu.Unlock()
	do()
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.seen
}

func (f *readFS) Open(name string) (vfs.File, error) {
	file, err := f.FS.Open(name)
	if err == nil && path.Base(name) == f.name {
		file = &readFile{file, f}
	}
	return file, err
}

type readFile struct {
	vfs.File
	fs *readFS
}

func (f *readFile) ReadAt(p []byte, off int64) (int, error) {
	f.fs.mu.Lock()
	f.fs.seen[off] = true
	f.fs.mu.Unlock()
	return f.File.ReadAt(p, off)
}
