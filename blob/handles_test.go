package blob_test

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/rete-go/rete/blob"
	"github.com/rete-go/rete/internal/damage"
	"github.com/rete-go/rete/internal/vfs"
)

// content is what the i-th file holds.
func content(i int) []byte { return bytes.Repeat([]byte{byte(i), byte(i >> 8)}, 50+i%7) }

// openFiles writes n files and opens them.
func openFiles(t testing.TB, fsys vfs.FS, dir string, n int) (list []blob.Object) {
	t.Helper()
	s := blob.NewLocal(fsys, dir)
	for i := range n {
		name := fmt.Sprint("f", i)
		if _, err := s.Put(t.Context(), name, content(i), blob.Cond{}); err != nil {
			t.Fatal(err)
		}
		o, err := s.Open(t.Context(), name)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { o.Close() })
		list = append(list, o)
	}
	return list
}

func readFile(t testing.TB, o blob.Object, i int) error {
	got := make([]byte, o.Size())
	if err := blob.ReadAt(t.Context(), o, got, 0); err != nil {
		return err
	}
	if !bytes.Equal(got, content(i)) {
		return fmt.Errorf("file %d: other bytes", i)
	}
	return nil
}

// Any number of objects is read with a few open files.
func TestManyObjectsFewHandles(t *testing.T) {
	const objects, readers, most = 200, 8, 5
	open, undo := blob.SetHandles(most)
	defer undo()
	m := vfs.NewMem()
	var atOnce, peak atomic.Int64
	fsys := vfs.NewFault(m, func(c vfs.Call) error {
		switch c.Op {
		case vfs.OpOpen:
			for n := atOnce.Add(1); n > peak.Load(); n = atOnce.Load() {
				peak.Store(n)
			}
		case vfs.OpClose:
			if strings.HasPrefix(filepath.Base(c.Name), "f") && !vfs.IsTemp(c.Name) {
				atOnce.Add(-1)
			}
		}
		return nil
	})
	list := openFiles(t, fsys, "", objects)
	if n := open(); n > most {
		t.Errorf("%d files are open, at most %d may be", n, most)
	}
	var wg sync.WaitGroup
	for r := range readers {
		wg.Go(func() {
			rnd := rand.New(rand.NewPCG(uint64(r), 1))
			for range 2000 {
				i := rnd.IntN(objects)
				if err := readFile(t, list[i], i); err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	wg.Wait()
	if n := peak.Load(); n > most+readers {
		t.Errorf("%d files were open at a time, at most %d may be", n, most+readers)
	}
	for _, o := range list {
		if err := errors.Join(o.Close(), o.Close()); err != nil {
			t.Error(err)
		}
	}
	if err := readFile(t, list[0], 0); !errors.Is(err, fs.ErrClosed) {
		t.Errorf("read after close: got %v", err)
	}
	if n := atOnce.Load(); n != 0 {
		t.Errorf("%d files are left open", n)
	}
}

// What was read last stays open.
func TestHandlesOfUse(t *testing.T) {
	_, undo := blob.SetHandles(4)
	defer undo()
	opened := map[string]int{}
	fsys := vfs.NewFault(vfs.NewMem(), func(c vfs.Call) error {
		if c.Op == vfs.OpOpen {
			opened[filepath.Base(c.Name)]++
		}
		return nil
	})
	list := openFiles(t, fsys, "", 20)
	for i := range list {
		for j := range 2 {
			if err := errors.Join(readFile(t, list[j], j), readFile(t, list[i], i)); err != nil {
				t.Fatal(err)
			}
		}
	}
	if opened["f0"]+opened["f1"] > 8 || opened["f19"] > 2 {
		t.Errorf("opened %v: those that are read all the time are closed", opened)
	}
}

// A file whose handle was given back is opened again only if it is the same, and else is
// an error that names it.
func TestReplacedFile(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("names of open files are not free there")
	}
	aside := func(name string) error { return os.Rename(name, name+".aside") }
	write := func(name string, b []byte) error { return os.WriteFile(name, b, 0o666) }
	at := time.Now().Add(-time.Hour)
	for name, c := range map[string]struct {
		do   func(name string) error
		want error // nil: it is read
	}{
		"untouched":      {func(string) error { return nil }, nil},
		"mode":           {func(name string) error { return os.Chmod(name, 0o400) }, nil},
		"another name":   {func(name string) error { return os.Link(name, name+".link") }, nil},
		"moved and back": {func(name string) error { return errors.Join(aside(name), os.Rename(name+".aside", name)) }, nil},
		"link to it":     {func(name string) error { return errors.Join(aside(name), os.Symlink(name+".aside", name)) }, nil},
		"other file":     {func(name string) error { return errors.Join(aside(name), write(name, []byte("other"))) }, blob.ErrChanged},
		"same bytes": {func(name string) error {
			return errors.Join(aside(name), write(name, content(0)), os.Chtimes(name, at, at))
		}, blob.ErrChanged},
		"other, same length": {func(name string) error { return errors.Join(aside(name), write(name, make([]byte, len(content(0))))) }, blob.ErrChanged},
		"other, same time": {func(name string) error {
			st, err := os.Stat(name)
			if err != nil {
				return err
			}
			return errors.Join(aside(name), write(name, make([]byte, len(content(0)))), os.Chtimes(name, st.ModTime(), st.ModTime()))
		}, blob.ErrChanged},
		"cut":   {func(name string) error { return os.Truncate(name, 3) }, blob.ErrChanged},
		"grown": {func(name string) error { return os.Truncate(name, 1000) }, blob.ErrChanged},
		"written over": {func(name string) error {
			return errors.Join(write(name, make([]byte, len(content(0)))), os.Chtimes(name, at, at))
		}, blob.ErrChanged},
		"touched":    {func(name string) error { return os.Chtimes(name, at, at) }, blob.ErrChanged},
		"removed":    {os.Remove, blob.ErrNotFound},
		"moved away": {aside, blob.ErrNotFound},
		"a folder":   {func(name string) error { return errors.Join(aside(name), os.Mkdir(name, 0o777)) }, vfs.ErrNotRegular},
	} {
		t.Run(name, func(t *testing.T) {
			_, undo := blob.SetHandles(1)
			defer undo()
			dir := t.TempDir()
			list := openFiles(t, vfs.OS(), dir, 2) // the second takes the place of the first
			if err := c.do(filepath.Join(dir, "f0")); err != nil {
				t.Fatal(err)
			}
			err := readFile(t, list[0], 0)
			if !errors.Is(err, c.want) || c.want != nil && !strings.Contains(err.Error(), filepath.Join(dir, "f0")) {
				t.Errorf("got %v, want %v", err, c.want)
			}
			if errors.Is(c.want, blob.ErrChanged) && !errors.Is(err, damage.Err) {
				t.Errorf("%v is no damage", err)
			}
			if err := readFile(t, list[1], 1); err != nil {
				t.Error(err)
			}
		})
	}
}

// With too many files open in the process those that are idle are closed; with none the
// error says what to do.
func TestTooManyOpenFiles(t *testing.T) {
	for _, errno := range []syscall.Errno{syscall.EMFILE, syscall.ENFILE} {
		_, undo := blob.SetHandles(1000)
		defer undo()
		limit, open := 10, 0
		fsys := vfs.NewFault(vfs.NewMem(), func(c vfs.Call) error {
			switch {
			case c.Op == vfs.OpOpen && open >= limit:
				return errno
			case c.Op == vfs.OpOpen:
				open++
			case c.Op == vfs.OpClose && !vfs.IsTemp(c.Name):
				open--
			}
			return nil
		})
		list := openFiles(t, fsys, "", 100)
		for i, o := range list {
			if err := readFile(t, o, i); err != nil {
				t.Fatal(err)
			}
		}
		limit = 0
		for _, o := range list[1:] {
			o.Close()
		}
		if err := readFile(t, list[0], 0); !errors.Is(err, errno) || !strings.Contains(err.Error(), "ulimit -n") {
			t.Errorf("got %v, want the remedy", err)
		}
	}
}

func TestMostHandles(t *testing.T) {
	for limit, want := range map[uint64]int{0: 8, 10: 8, 256: 128, 1024: 512, 1 << 20: 4096, 1<<64 - 1: 4096} {
		if got := blob.MostHandles(limit); got != want {
			t.Errorf("limit %d: got %d, want %d", limit, got, want)
		}
	}
}
