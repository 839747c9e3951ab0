package vfs_test

import (
	"context"
	"errors"
	"io/fs"
	"path/filepath"
	"sync"
	"testing"

	"github.com/rete-go/rete/internal/vfs"
)

// each runs a test on the operating system's files and on those in memory:
// the contract is one.
func each(t *testing.T, test func(t *testing.T, fsys vfs.FS, dir string)) {
	t.Run("os", func(t *testing.T) { test(t, vfs.OS(), t.TempDir()) })
	t.Run("mem", func(t *testing.T) {
		m := vfs.NewMem()
		must(t, m.MkdirAll("/a/b"))
		test(t, m, "/a/b")
	})
	t.Run("fault without faults", func(t *testing.T) {
		test(t, vfs.NewFault(vfs.OS(), func(vfs.Call) error { return nil }), t.TempDir())
	})
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func write(t testing.TB, fsys vfs.FS, name, text string) {
	t.Helper()
	f, err := fsys.Create(name)
	must(t, err)
	_, err = f.Write([]byte(text))
	must(t, err)
	must(t, f.Close())
}

// content returns the file's text, or "-" if there is none.
func content(t testing.TB, fsys vfs.FS, name string) string {
	t.Helper()
	b, err := vfs.ReadFile(fsys, name, 1<<20)
	if errors.Is(err, fs.ErrNotExist) {
		return "-"
	}
	must(t, err)
	return string(b)
}

func TestFiles(t *testing.T) {
	each(t, func(t *testing.T, fsys vfs.FS, dir string) {
		name := filepath.Join(dir, "x")
		write(t, fsys, name, "hello")
		if _, err := fsys.Create(name); !errors.Is(err, fs.ErrExist) {
			t.Errorf("second Create: got %v, want ErrExist", err)
		}
		f, err := fsys.OpenWrite(name)
		must(t, err)
		_, err = f.WriteAt([]byte(" world"), 5)
		must(t, err)
		must(t, f.Sync())
		p := make([]byte, 5)
		_, err = f.ReadAt(p, 6)
		must(t, err)
		if string(p) != "world" {
			t.Errorf("got %q, want world", p)
		}
		must(t, f.Truncate(4))
		_, err = f.WriteAt([]byte("!"), 4)
		must(t, err)
		st, err := f.Stat()
		must(t, err)
		if st.Size() != 5 || st.Name() != "x" {
			t.Errorf("got %d bytes of %q, want 5 of x", st.Size(), st.Name())
		}
		must(t, f.Close())
		if got := content(t, fsys, name); got != "hell!" {
			t.Errorf("got %q, want hell!", got)
		}
		f, err = fsys.OpenWrite(filepath.Join(dir, "y"))
		must(t, err)
		for _, part := range []struct {
			text string
			at   int64
		}{{"abcdef", 0}, {"XY", 1}, {"Zgh", 5}, {"end", 10}} {
			n, err := f.WriteAt([]byte(part.text), part.at)
			must(t, err)
			if n != len(part.text) {
				t.Errorf("%d bytes of %q are written", n, part.text)
			}
		}
		if _, err := f.WriteAt([]byte("x"), -1); err == nil {
			t.Error("written before the beginning")
		}
		must(t, f.Close())
		if _, err := f.WriteAt([]byte("x"), 0); err == nil {
			t.Error("written to a closed file")
		}
		if got := content(t, fsys, filepath.Join(dir, "y")); got != "aXYdeZgh\x00\x00end" {
			t.Errorf("got %q", got)
		}
		var long *vfs.TooLongError
		if _, err := vfs.ReadFile(fsys, name, 4); !errors.As(err, &long) {
			t.Errorf("got %v, want TooLongError", err)
		}
	})
}

func TestNames(t *testing.T) {
	each(t, func(t *testing.T, fsys vfs.FS, dir string) {
		p := func(n string) string { return filepath.Join(dir, n) }
		for _, n := range []string{"missing", "no/such/dir"} {
			if _, err := fsys.Open(p(n)); !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("Open %s: got %v, want ErrNotExist", n, err)
			}
			if err := fsys.Rename(p(n), p("z")); !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("Rename %s: got %v, want ErrNotExist", n, err)
			}
			if err := fsys.Remove(p(n)); !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("Remove %s: got %v, want ErrNotExist", n, err)
			}
		}
		if _, err := fsys.Create(p("no/such")); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("Create in a missing directory: got %v, want ErrNotExist", err)
		}
		must(t, fsys.MkdirAll(p("d/e")))
		must(t, fsys.MkdirAll(p("d/e")))
		write(t, fsys, p("one"), "1")
		write(t, fsys, p("two"), "2")
		if err := fsys.RenameNew(p("one"), p("two")); !errors.Is(err, fs.ErrExist) {
			t.Errorf("RenameNew to a taken name: got %v, want ErrExist", err)
		}
		must(t, fsys.RenameNew(p("one"), p("three")))
		must(t, fsys.Rename(p("three"), p("two")))
		must(t, fsys.SyncDir(dir))
		if got := content(t, fsys, p("two")); got != "1" {
			t.Errorf("after the rename: got %q, want 1", got)
		}
		list, err := fsys.ReadDir(dir)
		must(t, err)
		if len(list) != 2 || list[0].Name() != "d" || !list[0].IsDir() || list[1].Name() != "two" {
			t.Errorf("got %v, want d/ and two", list)
		}
	})
}

func TestWriteFile(t *testing.T) {
	each(t, func(t *testing.T, fsys vfs.FS, dir string) {
		name := filepath.Join(dir, "x")
		for _, text := range []string{"one", "two"} {
			out, err := vfs.WriteFile(fsys, name, []byte(text), fsys.Rename)
			must(t, err)
			if out != vfs.Renamed || content(t, fsys, name) != text {
				t.Errorf("got outcome %v and %q, want renamed and %q", out, content(t, fsys, name), text)
			}
		}
		out, err := vfs.WriteFile(fsys, name, []byte("three"), fsys.RenameNew)
		if out != vfs.NotRenamed || !errors.Is(err, fs.ErrExist) || content(t, fsys, name) != "two" {
			t.Errorf("got %v, %v and %q, want nothing done and ErrExist", out, err, content(t, fsys, name))
		}
		if list, _ := fsys.ReadDir(dir); len(list) != 1 {
			t.Errorf("temporary files left: %v", list)
		}
	})
}

func TestTempName(t *testing.T) {
	a, b := vfs.TempName("/x/y.rete"), vfs.TempName("/x/y.rete")
	if a == b || filepath.Dir(a) != filepath.Dir("/x/y.rete") {
		t.Errorf("got %q and %q, want two names in /x", a, b)
	}
	for name, want := range map[string]bool{a: true, "y.rete": false, ".tmp-ABCDEFGHIJKLMNOP": false, "y.tmp-1": false} {
		if vfs.IsTemp(name) != want {
			t.Errorf("IsTemp(%q): got %v, want %v", name, !want, want)
		}
	}
}

func TestLock(t *testing.T) {
	each(t, func(t *testing.T, fsys vfs.FS, dir string) {
		name := filepath.Join(dir, "lock")
		l, err := fsys.TryLock(name)
		must(t, err)
		_, err = l.File().Write([]byte("note"))
		must(t, err)
		if _, err := fsys.TryLock(name); !errors.Is(err, vfs.ErrLocked) {
			t.Errorf("second TryLock: got %v, want ErrLocked", err)
		}
		ctx, cancel := context.WithCancelCause(t.Context())
		cancel(errors.New("enough"))
		if _, err := fsys.Lock(ctx, name); err == nil || !errors.Is(err, context.Cause(ctx)) {
			t.Errorf("Lock with an ended context: got %v, want its cause", err)
		}
		if got := content(t, fsys, name); got != "note" {
			t.Errorf("note: got %q, want note", got)
		}
		must(t, l.Close())
		must(t, l.Close())
		l, err = fsys.Lock(t.Context(), name)
		must(t, err)
		must(t, l.Close())
	})
}

func TestLockExcludes(t *testing.T) {
	each(t, func(t *testing.T, fsys vfs.FS, dir string) {
		var wg sync.WaitGroup
		n := 0 // guarded by the lock; the race detector cannot see files, so read it inside
		var mu sync.Mutex
		for range 8 {
			wg.Go(func() {
				for range 5 {
					l, err := fsys.Lock(t.Context(), filepath.Join(dir, "lock"))
					if err != nil {
						t.Error(err)
						return
					}
					if !mu.TryLock() {
						t.Error("two holders at once")
					} else {
						n++
						mu.Unlock()
					}
					l.Close()
				}
			})
		}
		wg.Wait()
		if n != 40 {
			t.Errorf("got %d turns, want 40", n)
		}
	})
}
