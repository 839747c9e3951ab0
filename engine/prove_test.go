package engine_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/rete-go/rete/engine"
	"github.com/rete-go/rete/internal/damage"
	"github.com/rete-go/rete/internal/longtest"
	"github.com/rete-go/rete/internal/segment"
	"github.com/rete-go/rete/internal/vfs"
	"github.com/rete-go/rete/rdf"
)

// faulty is a file system that damages a segment once it has its name: a byte at
// each place of places, of the file whose turn it is.
type faulty struct {
	vfs.FS
	places func(file []byte) []int64
	file   int    // which of the files, from 0
	seen   int    // files so far
	last   []byte // as it was written
}

func (f *faulty) RenameNew(from, to string) error {
	if err := f.FS.RenameNew(from, to); err != nil || !strings.HasSuffix(to, ".rete") {
		return err
	}
	f.seen++
	if f.places == nil || f.seen-1 != f.file {
		return nil
	}
	b, err := vfs.ReadFile(f.FS, to, 1<<30)
	if err != nil {
		return err
	}
	f.last = b
	w, err := f.FS.OpenWrite(to)
	if err != nil {
		return err
	}
	defer w.Close()
	for _, at := range f.places(b) {
		if _, err := w.WriteAt([]byte{b[at] ^ 0x40}, at); err != nil {
			return err
		}
	}
	return nil
}

// kinds are places in a file, one of each kind of thing that is read first.
func kinds(file []byte) map[string]int64 {
	h, err := segment.ParseHeader(file)
	if err != nil {
		panic(err)
	}
	at := map[string]int64{"magic": 0, "format": 4, "flags": 5, "hash": 9, "counts": 24, "codec": 42, "directory": 64 + 24 + 9, "footer": int64(len(file)) - 1}
	for _, s := range h.Sections {
		if s.Length == 0 {
			continue
		}
		at[s.Kind.String()] = int64(s.Offset)
		if s.Kind >= segment.KindDigests {
			at[s.Kind.String()+", middle"] = int64(s.Offset + s.Length/2)
			at[s.Kind.String()+", end"] = int64(s.Offset + s.Length - 1)
		}
	}
	return at
}

// commits are the ways in which a segment comes to be named, on a graph that has
// sealed changes and others.
var commits = map[string]func(t *testing.T, db *engine.DB) error{
	"add": func(t *testing.T, db *engine.DB) error {
		_, err := db.Add(t.Context(), []engine.Step{{Adds: doc("<x:new> <x:p> \"new\" ."), Dels: doc("<x:s> <x:p> \"base\" .")}}, nil)
		return err
	},
	"seal": func(t *testing.T, db *engine.DB) error {
		_, err := db.Seal(t.Context(), nil)
		return err
	},
	"compact": func(t *testing.T, db *engine.DB) error {
		_, err := db.Compact(t.Context(), nil)
		return err
	},
	"compact the end": func(t *testing.T, db *engine.DB) error {
		_, err := db.Compact(t.Context(), &engine.CompactOptions{First: 1})
		return err
	},
	"revert": func(t *testing.T, db *engine.DB) error {
		_, err := db.Revert(t.Context(), 1, nil)
		return err
	},
	"a large write": func(t *testing.T, db *engine.DB) error {
		_, err := db.Write(t.Context(), nil, func(tx *engine.Tx) error {
			var quads []rdf.Quad
			for i := range 50 {
				quads = append(quads, rdf.Quad{S: rdf.IRI("x:s"), P: rdf.IRI("x:p"), O: rdf.Integer(int64(i))})
			}
			if err := tx.Delete(t.Context(), []rdf.Quad{{S: rdf.IRI("x:s"), P: rdf.IRI("x:p"), O: rdf.String("base")}}...); err != nil {
				return err
			}
			return tx.Insert(t.Context(), quads...)
		})
		return err
	},
}

// proveDB is a graph with two entries, and changes in the journal.
func proveDB(t *testing.T, fsys vfs.FS) *engine.DB {
	t.Helper()
	opt := memOptions(fsys)
	opt.MaxBatchLines = 40
	base := &engine.InitOptions{Bases: []engine.Source{*doc("<x:s> <x:p> \"base\" .\n<x:s> <x:p> \"second\" .\n_:b <x:p> \"3\" .")}}
	db, err := engine.Init(t.Context(), manifestName, base, opt)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { closeDB(t, db) })
	write := func(add, del string) {
		_, err := db.Write(t.Context(), nil, func(tx *engine.Tx) error {
			quad := func(o string) []rdf.Quad {
				return []rdf.Quad{{S: rdf.IRI("x:s"), P: rdf.IRI("x:p"), O: rdf.String(o)}, {S: rdf.IRI("x:s"), P: rdf.IRI("x:p"), O: rdf.Integer(int64(len(o))), G: rdf.IRI("x:" + o)}}
			}
			if err := tx.Delete(t.Context(), quad(del)...); err != nil {
				return err
			}
			return tx.Insert(t.Context(), quad(add)...)
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	write("sealed", "second")
	seal(t, db)
	write("waits", "sealed")
	return db
}

// segmentFiles lists the segments in a file system.
func segmentFiles(t *testing.T, fsys vfs.FS) (names []string) {
	t.Helper()
	entries, err := fsys.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if strings.HasSuffix(e.Name(), ".rete") {
			names = append(names, e.Name())
		}
	}
	return names
}

// TestDamagedSegmentIsNotNamed damages what a commit has written before it names it,
// in each place of a kind: the commit fails, nothing is lost, and done again it is
// done.
func TestDamagedSegmentIsNotNamed(t *testing.T) {
	for name, commit := range commits {
		t.Run(name, func(t *testing.T) {
			for file := 0; file < 2; file++ {
				made := 0
				fsys := &faulty{FS: vfs.NewMem(), file: -1}
				db := proveDB(t, fsys)
				fsys.seen, fsys.file, fsys.places = 0, file, func([]byte) []int64 { return nil }
				before := fmt.Sprint(visible(t, snapshot(t, db)))
				if err := commit(t, db); err != nil {
					t.Fatal(err)
				}
				after := fmt.Sprint(visible(t, snapshot(t, db)))
				if made = fsys.seen; made <= file {
					continue
				}
				for place, at := range kinds(fsys.last) {
					if !longtest.On() && (int(at)+file+len(name))%2 > 0 { // another half in each commit
						continue
					}
					fsys := &faulty{FS: vfs.NewMem(), file: -1}
					db := proveDB(t, fsys)
					files := segmentFiles(t, fsys)
					generation := db.Manifest().Generation
					fsys.seen, fsys.file, fsys.places = 0, file, func([]byte) []int64 { return []int64{at} }
					err := commit(t, db)
					if !errors.Is(err, damage.Err) && !errors.As(err, new(*segment.UnsupportedError)) || !strings.Contains(err.Error(), "not committed") {
						t.Errorf("file %d, %s: error %v", file, place, err)
						continue
					}
					fsys.places = nil
					// A revert seals first, in a commit of its own.
					if now := db.Manifest().Generation; now != generation && name != "revert" {
						t.Errorf("file %d, %s: generation %d, it was %d", file, place, now, generation)
					}
					if got := fmt.Sprint(visible(t, snapshot(t, db))); got != before {
						t.Errorf("file %d, %s: %s, want %s", file, place, got, before)
					}
					if now := segmentFiles(t, fsys); len(now) > len(files) && name != "revert" {
						t.Errorf("file %d, %s: %q are left, there were %q", file, place, now, files)
					}
					if again := openDBWith(t, fsys); fmt.Sprint(visible(t, snapshot(t, again))) != before {
						t.Errorf("file %d, %s: opened again it is another graph", file, place)
					}
					if err := commit(t, db); err != nil {
						t.Errorf("file %d, %s: once more: %v", file, place, err)
					}
					if got := fmt.Sprint(visible(t, snapshot(t, db))); got != after {
						t.Errorf("file %d, %s: once more: %s, want %s", file, place, got, after)
					}
				}
			}
		})
	}
}

// openDBWith opens the graph for reading while its owner lives.
func openDBWith(t *testing.T, fsys vfs.FS) *engine.DB {
	t.Helper()
	opt := memOptions(fsys)
	opt.ReadOnly = true
	db, err := engine.Open(t.Context(), manifestName, opt)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { closeDB(t, db) })
	return db
}

// TestDamagedBaseIsNotNamed: no manifest comes into being.
func TestDamagedBaseIsNotNamed(t *testing.T) {
	base := &engine.InitOptions{Bases: []engine.Source{*doc("<x:s> <x:p> \"base\" .\n<x:s> <x:p> \"second\" .")}}
	whole := &faulty{FS: vfs.NewMem(), places: func([]byte) []int64 { return nil }}
	db, err := engine.Init(t.Context(), manifestName, base, memOptions(whole))
	if err != nil {
		t.Fatal(err)
	}
	closeDB(t, db)
	for place, at := range kinds(whole.last) {
		fsys := &faulty{FS: vfs.NewMem(), places: func([]byte) []int64 { return []int64{at} }}
		base.Bases[0] = *doc("<x:s> <x:p> \"base\" .\n<x:s> <x:p> \"second\" .")
		if _, err := engine.Init(t.Context(), manifestName, base, memOptions(fsys)); err == nil {
			t.Errorf("%s: no error", place)
		}
		if _, err := fsys.Stat(manifestName); err == nil {
			t.Errorf("%s: there is a manifest", place)
		}
		if left := segmentFiles(t, fsys); len(left) > 0 {
			t.Errorf("%s: %q are left", place, left)
		}
	}
}

// TestDamagedClearIsNotNamed: nor does a graph that was cleared lose what it had.
func TestDamagedClearIsNotNamed(t *testing.T) {
	var text strings.Builder
	for i := range engine.ClearQuads + 1 {
		fmt.Fprintf(&text, "<x:s> <x:p> \"%d\" .\n", i)
	}
	fsys := &faulty{FS: vfs.NewMem(), file: -1}
	db := initDB(t, fsys)
	addDB(t, db, engine.Step{Adds: doc(text.String())})
	clear := func() error {
		_, err := db.Write(t.Context(), nil, func(tx *engine.Tx) error {
			if err := tx.Clear(t.Context()); err != nil {
				return err
			}
			return tx.Insert(t.Context(), []rdf.Quad{{S: rdf.IRI("x:s"), P: rdf.IRI("x:p"), O: rdf.IRI("x:o")}}...)
		})
		return err
	}
	for _, place := range []string{"magic", "map root, middle", "digest list", "index"} {
		fsys.seen, fsys.file, fsys.places = 0, 0, func(file []byte) []int64 { return []int64{kinds(file)[place]} }
		if err := clear(); !errors.Is(err, damage.Err) {
			t.Errorf("%s: error %v", place, err)
		}
		if n, err := snapshot(t, db).Len(t.Context()); n != engine.ClearQuads+1 || err != nil {
			t.Errorf("%s: %d quads, %v", place, n, err)
		}
	}
	fsys.places = nil
	if err := clear(); err != nil {
		t.Fatal(err)
	}
	if got := visible(t, snapshot(t, db)); len(got) != 1 {
		t.Errorf("%d quads", len(got))
	}
}
