package vfs_test

import (
	"errors"
	"io/fs"
	"strings"
	"testing"

	"github.com/rete-go/rete/internal/vfs"
)

func TestFailAt(t *testing.T) {
	m := vfs.NewMem()
	for k := 1; ; k++ {
		fail, hit := vfs.FailAt(k, vfs.ErrNoSpace, vfs.Call.Mutates)
		_, err := vfs.WriteFile(vfs.NewFault(m, fail), "f", []byte("x"), m.Rename)
		if !hit() {
			if k != 5 { // create, write, sync, sync directory
				t.Errorf("the operations ended at k = %d, want 5", k)
			}
			must(t, err)
			break
		}
		if !errors.Is(err, vfs.ErrNoSpace) {
			t.Errorf("k = %d: got %v, want no space", k, err)
		}
	}
}

func TestShortWrite(t *testing.T) {
	m := vfs.NewMem()
	fail, _ := vfs.FailAt(1, vfs.ShortWrite{N: 3, Err: vfs.ErrNoSpace}, func(c vfs.Call) bool { return c.Op == vfs.OpWrite })
	f, err := vfs.NewFault(m, fail).Create("f")
	must(t, err)
	n, err := f.Write([]byte("hello"))
	if n != 3 || !errors.Is(err, vfs.ErrNoSpace) {
		t.Errorf("got %d, %v, want 3 and no space", n, err)
	}
	if got := content(t, m, "f"); got != "hel" {
		t.Errorf("got %q, want hel", got)
	}
}

func TestDone(t *testing.T) {
	m := vfs.NewMem()
	write(t, m, "a", "1")
	fail, _ := vfs.FailAt(1, vfs.Done{Err: vfs.ErrInjected}, nil)
	if err := vfs.NewFault(m, fail).Rename("a", "b"); !errors.Is(err, vfs.ErrInjected) {
		t.Errorf("got %v, want the injected error", err)
	}
	if got := content(t, m, "b"); got != "1" {
		t.Error("the rename was not made")
	}
}

// Every operation passes through the injector and every one can fail.
func TestFaultCoversAll(t *testing.T) {
	ops := map[vfs.Op]bool{}
	m := vfs.NewMem()
	failing := false
	f := vfs.NewFault(m, func(c vfs.Call) error {
		ops[c.Op] = true
		if failing {
			return vfs.ErrInjected
		}
		return nil
	})
	file, err := f.Create("f")
	must(t, err)
	l, err := f.TryLock("l")
	must(t, err)
	failing = true
	steps := map[string]func() error{
		"open":          func() error { _, err := f.Open("f"); return err },
		"create":        func() error { _, err := f.Create("g"); return err },
		"open to write": func() error { _, err := f.OpenWrite("f"); return err },
		"rename":        func() error { return f.Rename("f", "g") },
		"rename new":    func() error { return f.RenameNew("f", "g") },
		"remove":        func() error { return f.Remove("f") },
		"stat":          func() error { _, err := f.Stat("f"); return err },
		"list":          func() error { _, err := f.ReadDir("."); return err },
		"mkdir":         func() error { return f.MkdirAll("d") },
		"sync dir":      func() error { return f.SyncDir(".") },
		"lock":          func() error { _, err := f.Lock(t.Context(), "k"); return err },
		"read":          func() error { _, err := file.ReadAt(make([]byte, 1), 0); return err },
		"write":         func() error { _, err := file.Write([]byte("x")); return err },
		"write at":      func() error { _, err := file.WriteAt([]byte("x"), 0); return err },
		"sync":          func() error { return file.Sync() },
		"truncate":      func() error { return file.Truncate(0) },
		"stat of file":  func() error { _, err := file.Stat(); return err },
		"write note":    func() error { _, err := l.File().Write([]byte("x")); return err },
		"close":         func() error { return file.Close() },
	}
	for name, step := range steps {
		if err := step(); !errors.Is(err, vfs.ErrInjected) {
			t.Errorf("%s: got %v, want the injected error", name, err)
		}
	}
	for op := vfs.OpOpen; op <= vfs.OpClose; op++ {
		if !ops[op] {
			t.Errorf("operation %q was not asked about", op)
		}
	}
	if got := content(t, m, "f"); got != "" {
		t.Errorf("a failed operation changed the file: %q", got)
	}
	if _, err := m.Stat("g"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a failed rename happened: %v", err)
	}
}

func TestTrace(t *testing.T) {
	tr := vfs.NewTrace(vfs.NewMem())
	must(t, tr.MkdirAll("d"))
	_, err := vfs.WriteFile(tr, "d/f", []byte("x"), tr.Rename)
	must(t, err)
	f, err := tr.OpenWrite("d/f")
	must(t, err)
	for i := range 3 {
		_, err = f.WriteAt([]byte("y"), int64(i))
		must(t, err)
	}
	must(t, f.Truncate(1))
	must(t, f.Close())
	must(t, tr.Remove("d/f"))
	want := strings.TrimLeft(`
make directory
create f.tmp-*
lock f.tmp-*
write f.tmp-*
sync f.tmp-*
rename f.tmp-* to f
sync directory
open to write f
write f
truncate f to 1
remove f
`, "\n")
	if got := tr.String(); got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
	tr.Reset()
	if got := tr.String(); got != "" {
		t.Errorf("after Reset: %q", got)
	}
}
