package engine_test

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"

	"github.com/rete-go/rete/blob"
	"github.com/rete-go/rete/engine"
	"github.com/rete-go/rete/internal/damage"
	"github.com/rete-go/rete/internal/vfs"
)

// opens counts the files that are opened in a file system.
func opens(base vfs.FS) (vfs.FS, *atomic.Int64) {
	var n atomic.Int64
	return vfs.NewFault(base, func(c vfs.Call) error {
		if c.Op == vfs.OpOpen || c.Op == vfs.OpOpenWrite {
			n.Add(1)
		}
		return nil
	}), &n
}

// spare is a copy of a file system whose store is not checked when the test ends.
func spare(m *vfs.Mem) *vfs.Mem {
	return m.CrashClone(vfs.CrashOptions{Data: vfs.LoseNone, Names: vfs.LoseNone})
}

// checkReady looks whether Ready says what a query, and a write of a database that owns its
// journal, then meet.
func checkReady(t *testing.T, db *engine.DB, want error) {
	t.Helper()
	err := db.Ready(t.Context())
	if !errors.Is(err, want) || (err == nil) != (want == nil) {
		t.Errorf("got %v, want %v", err, want)
	}
}

// What comes to the files of a graph, whether requests then fail, and that it is told
// again when the cause is gone.
func TestReady(t *testing.T) {
	aside := func(name string) func(m *vfs.Mem) error {
		return func(m *vfs.Mem) error { return m.Rename(name, name+".aside") }
	}
	back := func(name string) func(m *vfs.Mem) error {
		return func(m *vfs.Mem) error { return m.Rename(name+".aside", name) }
	}
	var good []byte
	spoil := func(name string, with func([]byte) []byte) func(m *vfs.Mem) error {
		return func(m *vfs.Mem) (err error) {
			if good, err = vfs.ReadFile(m, name, 1<<20); err == nil {
				_, err = vfs.WriteFile(m, name, with(append([]byte(nil), good...)), m.Rename)
			}
			return err
		}
	}
	restore := func(name string) func(m *vfs.Mem) error {
		return func(m *vfs.Mem) error { _, err := vfs.WriteFile(m, name, good, m.Rename); return err }
	}
	const segment = "SEGMENT" // stands for the file of the first segment
	cut := func(b []byte) []byte { return b[:len(b)/2] }
	flip := func(b []byte) []byte { b[len(b)/2] ^= 1; return b }
	any := errors.New("any") // of whatever kind
	for name, c := range map[string]struct {
		file  string
		spoil func(name string) func(m *vfs.Mem) error
		mend  func(name string) func(m *vfs.Mem) error
		fresh error // of a reader that has opened nothing yet
		open  error // of one that has
		owner error // of the owner
	}{
		"nothing":          {manifestName, func(string) func(*vfs.Mem) error { return func(*vfs.Mem) error { return nil } }, nil, nil, nil, nil},
		"manifest away":    {manifestName, aside, back, blob.ErrNotFound, blob.ErrNotFound, blob.ErrNotFound},
		"manifest damaged": {manifestName, func(n string) func(*vfs.Mem) error { return spoil(n, cut) }, restore, any, any, any},
		"segment away":     {segment, aside, back, engine.ErrMissingSegment, nil, nil}, // it is open
		"segment cut":      {segment, func(n string) func(*vfs.Mem) error { return spoil(n, cut) }, restore, engine.ErrWrongSegment, nil, nil},
		"segment damaged": {segment, func(n string) func(*vfs.Mem) error {
			return spoil(n, func(b []byte) []byte { b[20] ^= 1; return b })
		}, restore, damage.Err, nil, nil},
		"journal damaged": {journalName, func(n string) func(*vfs.Mem) error { return spoil(n, flip) }, restore, damage.Err, nil, nil}, // read already
		"journal away":    {journalName, aside, back, damage.Err, damage.Err, nil},                                                     // its owner writes it again
	} {
		for _, who := range []string{"fresh", "open", "owner"} {
			t.Run(name+"/"+who, func(t *testing.T) {
				m := vfs.NewMem()
				file := sealed(t, m)
				if c.file != segment {
					file = c.file
				}
				setup := openDB(t, m)
				write(t, setup, one(2))
				closeDB(t, setup)
				m = spare(m)
				db := openDB(t, m)
				want := c.fresh
				switch who {
				case "open":
					checkReady(t, db, nil)
					want = c.open
				case "owner":
					if err := db.Own(t.Context()); err != nil {
						t.Fatal(err)
					}
					want = c.owner
				}
				if err := c.spoil(file)(m); err != nil {
					t.Fatal(err)
				}
				if who != "fresh" { // as a server does twice a second
					db.Refresh(t.Context())
				} else if c.file != segment {
					fresh, err := engine.Open(t.Context(), manifestName, memOptions(m))
					if (err == nil) != (c.fresh == nil) {
						t.Errorf("it is opened: %v", err)
					}
					if err == nil {
						fresh.Close()
					}
					return
				}
				if err := db.Ready(t.Context()); (err == nil) != (want == nil) || want != any && !errors.Is(err, want) {
					t.Errorf("got %v, want %v", err, want)
				}
				snap, err := db.Snapshot(t.Context())
				if err == nil {
					snap.Close()
				}
				if who == "fresh" && (err == nil) != (want == nil) {
					t.Errorf("a query meets %v", err)
				}
				if c.mend == nil {
					return
				}
				if err := c.mend(file)(m); err != nil {
					t.Fatal(err)
				}
				if err := db.Ready(t.Context()); err != nil {
					t.Errorf("the cause is gone, and it says %v", err)
				}
			})
		}
	}
}

// A server whose next write cannot be carried out says so, also while its queries go on.
func TestReadyToWrite(t *testing.T) {
	m := vfs.NewMem()
	var armed, broken atomic.Bool // once a manifest is in place, segments cannot be opened
	fsys := vfs.NewFault(m, func(c vfs.Call) error {
		switch {
		case broken.Load() && c.Op == vfs.OpOpen && strings.HasSuffix(c.Name, ".rete"):
			return syscall.EIO
		case c.Op == vfs.OpRename && c.To == manifestName:
			broken.Store(armed.Load())
		}
		return nil
	})
	db := initDB(t, fsys)
	write(t, db, one(0))
	checkReady(t, db, nil)
	armed.Store(true)
	if _, err := db.Seal(t.Context(), nil); err == nil {
		t.Fatal("the new segment was opened")
	}
	if snap, err := db.Snapshot(t.Context()); err != nil {
		t.Error(err)
	} else {
		snap.Close()
	}
	if _, err := db.Write(t.Context(), nil, func(*engine.Tx) error { return nil }); !errors.Is(err, syscall.EIO) {
		t.Fatalf("a write ends with %v", err)
	}
	checkReady(t, db, syscall.EIO)
	broken.Store(false)
	if _, err := db.Refresh(t.Context()); err != nil {
		t.Error(err)
	}
	checkReady(t, db, nil)
	write(t, db, one(1))
}

// A journal that takes no more writes says so until the database is opened anew.
func TestReadyWithoutJournal(t *testing.T) {
	m := vfs.NewMem()
	sealed(t, m)
	m = spare(m)
	db, err := engine.Open(t.Context(), manifestName, memOptions(m))
	if err != nil {
		t.Fatal(err)
	}
	write(t, db, one(2))
	checkReady(t, db, nil)
	f, err := m.OpenWrite(journalName)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(f.Truncate(10), f.Close()); err != nil {
		t.Fatal(err)
	}
	if _, err := db.Refresh(t.Context()); err == nil {
		t.Error("a journal that was cut is not noticed")
	}
	if _, err := db.Refresh(t.Context()); err != nil { // it was told
		t.Error(err)
	}
	checkReady(t, db, damage.Err)
	db.Close()
}

// One that another process writes in the place of says so, and is well again after it.
func TestReadyToOwn(t *testing.T) {
	m := vfs.NewMem()
	db := initDB(t, m)
	if err := db.Own(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := db.Announce(t.Context(), engine.Note{Address: "http://127.0.0.1:1"}); err != nil {
		t.Fatal(err)
	}
	if err := m.Remove(lockName); err != nil {
		t.Fatal(err)
	}
	other := openDB(t, m)
	write(t, other, one(0))
	db.Refresh(t.Context())
	checkReady(t, db, engine.ErrOwned)
	third := openDB(t, m)
	third.Own(t.Context())
	checkReady(t, third, engine.ErrOwned)
	write(t, other, one(1))
	closeDB(t, other)
	if err := third.Ready(t.Context()); err != nil {
		t.Errorf("nobody owns it: %v", err)
	}
	if _, err := db.Refresh(t.Context()); err != nil {
		t.Fatal(err)
	}
	checkReady(t, db, nil)
}

// Ready opens nothing where all is well, and where it is not only what has changed.
func TestReadyIsLight(t *testing.T) {
	m := vfs.NewMem()
	file := sealed(t, m)
	m = spare(m)
	fsys, n := opens(m)
	db := openDB(t, fsys)
	checkReady(t, db, nil) // which opens what a query would
	n.Store(0)
	for range 100 {
		checkReady(t, db, nil)
	}
	if n.Load() > 0 {
		t.Errorf("%d files were opened", n.Load())
	}
	b, err := vfs.ReadFile(m, file, 1<<20)
	if err != nil {
		t.Fatal(err)
	}
	b[20] ^= 1
	if _, err := vfs.WriteFile(m, file, b, m.Rename); err != nil {
		t.Fatal(err)
	}
	db = openDB(t, fsys)
	checkReady(t, db, damage.Err)
	n.Store(0)
	checkReady(t, db, damage.Err)
	if n.Load() > 8 {
		t.Errorf("%d files were opened", n.Load())
	}
	first := n.Load()
	for range 3 {
		checkReady(t, db, damage.Err)
	}
	if got := n.Load(); got > 3*8+first {
		t.Errorf("%d files were opened for an error that is known", got)
	}
}

// A single segment, and a graph on a web server, are told by what is known of them.
func TestReadyElsewhere(t *testing.T) {
	m := vfs.NewMem()
	file := sealed(t, m)
	m = spare(m)
	if err := m.Rename(file, "single.rete"); err != nil {
		t.Fatal(err)
	}
	single, err := engine.Open(t.Context(), "single.rete", memOptions(m))
	if err != nil {
		t.Fatal(err)
	}
	defer single.Close()
	if err := m.Rename("single.rete", "aside"); err != nil {
		t.Fatal(err)
	}
	checkReady(t, single, engine.ErrMissingSegment)
	if err := m.Rename("aside", "single.rete"); err != nil {
		t.Fatal(err)
	}
	checkReady(t, single, nil)
	if err := m.Remove("single.rete"); err != nil { // it is open
		t.Fatal(err)
	}
	checkReady(t, single, nil)
	evict(t)
	checkReady(t, single, engine.ErrMissingSegment)

	dir := t.TempDir()
	local, err := engine.Init(t.Context(), filepath.Join(dir, manifestName), nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	write(t, local, one(0))
	seal(t, local)
	closeDB(t, local)
	var down atomic.Bool
	files := fileServer(dir)
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if down.Load() {
			w.WriteHeader(http.StatusForbidden)
			return
		}
		files.ServeHTTP(w, r)
	}))
	defer srv.Close()
	db, err := engine.Open(t.Context(), srv.URL+"/"+manifestName, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	checkReady(t, db, nil)
	down.Store(true)
	checkReady(t, db, nil) // nothing is asked
	if _, err := db.Refresh(t.Context()); err == nil {
		t.Fatal("it can be reached")
	}
	if err := db.Ready(t.Context()); err == nil {
		t.Error("ready, and the server cannot be reached")
	}
	down.Store(false)
	if _, err := db.Refresh(t.Context()); err != nil {
		t.Fatal(err)
	}
	checkReady(t, db, nil)
	closeDB(t, local)
	checkReady(t, local, engine.ErrClosed)
}

func fileServer(dir string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("ETag", `"fixed"`)
		http.FileServer(http.Dir(dir)).ServeHTTP(w, r)
	})
}
