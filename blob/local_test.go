package blob_test

import (
	"bytes"
	"errors"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/rete-go/rete/blob"
	"github.com/rete-go/rete/blob/blobtest"
	"github.com/rete-go/rete/internal/damage"
	"github.com/rete-go/rete/internal/vfs"
)

func TestLocalRead(t *testing.T) {
	dir := t.TempDir()
	data := pattern(5000)
	name := filepath.Join(dir, "x")
	if err := os.WriteFile(name, data, 0o666); err != nil {
		t.Fatal(err)
	}
	s := blob.NewLocal(vfs.OS(), dir)
	for _, n := range []string{"x", "./x", name} {
		o := open(t, s, n)
		if o.Size() != 5000 {
			t.Errorf("got %d bytes, want 5000", o.Size())
		}
		checkRead(t, o, data, 4000, 1000, 0, 5000, 10, 0, 3, 4)
		if _, err := read(t, o, 4000, 1001); !errors.Is(err, damage.Err) {
			t.Errorf("after the end: got %v, want damage", err)
		}
	}
	o := open(t, s, "x")
	if err := os.Truncate(name, 100); err != nil {
		t.Fatal(err)
	}
	if _, err := read(t, o, 4000, 10); !errors.Is(err, blob.ErrChanged) || !strings.Contains(err.Error(), name) {
		t.Errorf("cut while open: got %v, want ErrChanged with the name", err)
	}
	if _, err := s.Open(t.Context(), "missing"); !errors.Is(err, blob.ErrNotFound) {
		t.Errorf("got %v, want ErrNotFound", err)
	}
	if _, err := s.Open(t.Context(), "."); err == nil {
		t.Error("a directory was opened")
	}
}

// A store is of the directory that its name led to when it was made.
func TestLocalIsBound(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	mux, err := blob.NewMux("", blob.MuxOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir("sub", 0o777); err != nil {
		t.Fatal(err)
	}
	stores := map[string]blob.Store{"": blob.NewLocal(vfs.OS(), ""), ".": blob.NewLocal(vfs.OS(), "."), "sub": blob.NewLocal(vfs.OS(), "sub"), "mux": mux}
	t.Chdir(t.TempDir())
	for name, s := range stores {
		if _, err := s.Put(t.Context(), "x"+name, []byte("data"), blob.IfAbsent()); err != nil {
			t.Fatal(err)
		}
		if b, _, err := s.ReadAll(t.Context(), "x"+name, 10); err != nil || string(b) != "data" {
			t.Errorf("%q: %q, %v", name, b, err)
		}
		if list, err := s.List(t.Context(), "x"); err != nil || !slices.ContainsFunc(list, func(i blob.Info) bool { return filepath.Base(i.Name) == "x"+name }) {
			t.Errorf("%q: %v, %v", name, list, err)
		}
	}
	for _, want := range []string{"x", "x.", "sub/xsub", "xmux"} {
		if _, err := os.Stat(filepath.Join(dir, filepath.FromSlash(want))); err != nil {
			t.Error(err)
		}
	}
	if left, err := os.ReadDir("."); err != nil || len(left) > 0 {
		t.Errorf("in the other directory: %v, %v", left, err)
	}
}

func TestLocalPut(t *testing.T) {
	s := blob.NewLocal(vfs.OS(), t.TempDir())
	ctx := t.Context()
	v1, err := s.Put(ctx, "m", []byte("one"), blob.IfAbsent())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Put(ctx, "m", []byte("two"), blob.IfAbsent()); !errors.Is(err, blob.ErrExists) {
		t.Errorf("got %v, want ErrExists", err)
	}
	v2, err := s.Put(ctx, "m", []byte("two"), blob.IfMatch(v1))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Put(ctx, "m", []byte("three"), blob.IfMatch(v1)); !errors.Is(err, blob.ErrConditionFailed) {
		t.Errorf("stale: got %v, want ErrConditionFailed", err)
	}
	if _, err := s.Put(ctx, "gone", []byte("x"), blob.IfMatch(v1)); !errors.Is(err, blob.ErrConditionFailed) {
		t.Errorf("missing: got %v, want ErrConditionFailed", err)
	}
	b, v, err := s.ReadAll(ctx, "m", 10)
	if err != nil || string(b) != "two" || v != v2 {
		t.Errorf("got %q, %s, %v, want two, %s", b, v, err, v2)
	}
	if _, _, err := s.ReadAll(ctx, "m", 2); err == nil {
		t.Error("more than the limit was read")
	}
}

// Of many writers that replace one version exactly one wins.
func TestLocalPutRace(t *testing.T) {
	s := blob.NewLocal(vfs.OS(), t.TempDir())
	match, err := s.Put(t.Context(), "m", []byte("start"), blob.IfAbsent())
	if err != nil {
		t.Fatal(err)
	}
	for _, cond := range []blob.Cond{blob.IfMatch(match), blob.IfAbsent()} {
		name := "m"
		if cond.Absent() {
			name = "n"
		}
		var won, lost atomic.Int64
		var wg sync.WaitGroup
		for i := range 8 {
			wg.Go(func() {
				_, err := s.Put(t.Context(), name, []byte{byte(i)}, cond)
				switch {
				case err == nil:
					won.Add(1)
				case errors.Is(err, blob.ErrConditionFailed) || errors.Is(err, blob.ErrExists):
					lost.Add(1)
				default:
					t.Error(err)
				}
			})
		}
		wg.Wait()
		if won.Load() != 1 || lost.Load() != 7 {
			t.Errorf("%s: %d won and %d lost, want 1 and 7", name, won.Load(), lost.Load())
		}
	}
}

func TestLocalWriter(t *testing.T) {
	m := vfs.NewMem()
	s := blob.NewLocal(m, "")
	w, err := s.Create(t.Context(), "x")
	if err != nil {
		t.Fatal(err)
	}
	w.Write([]byte("hello "))
	w.Write([]byte("world"))
	if _, err := s.Open(t.Context(), "x"); !errors.Is(err, blob.ErrNotFound) {
		t.Errorf("visible before Commit: %v", err)
	}
	if err := w.Commit(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := w.Abort(); err != nil {
		t.Errorf("Abort after Commit: %v", err)
	}
	if w.Commit(t.Context()) == nil {
		t.Error("second Commit did not fail")
	}
	after := blob.NewLocal(m.CrashClone(vfs.CrashOptions{}), "") // everything unsynced lost
	if b, _, err := after.ReadAll(t.Context(), "x", 100); string(b) != "hello world" {
		t.Errorf("after a crash: got %q, %v", b, err)
	}
	// The name is taken: the second writer loses, and leaves nothing.
	w, _ = s.Create(t.Context(), "x")
	if err := w.Commit(t.Context()); !errors.Is(err, blob.ErrExists) {
		t.Errorf("got %v, want ErrExists", err)
	}
	w, _ = s.Create(t.Context(), "x")
	w.SetName("z")
	if err := w.Commit(t.Context()); err != nil {
		t.Error(err)
	}
	if err := s.Remove(t.Context(), "z"); err != nil {
		t.Errorf("under its second name: %v", err)
	}
	w, _ = s.Create(t.Context(), "y")
	if err := w.Abort(); err != nil {
		t.Error(err)
	}
	list, err := s.List(t.Context(), "")
	if err != nil || len(list) != 1 || list[0].Name != "x" || list[0].Size != 11 {
		t.Errorf("got %v, %v, want x alone", list, err)
	}
}

// Whatever operation fails, the object is there whole or not at all, the error
// is reported, and only the failed sync of the directory leaves it unknown. A lock that fails is as on
// a file system without locks.
func TestLocalFaults(t *testing.T) {
	for _, injected := range []error{vfs.ErrInjected, vfs.ShortWrite{N: 2, Err: vfs.ErrNoSpace}, vfs.Done{Err: vfs.ErrInjected}} {
		for k := 1; ; k++ {
			m := vfs.NewMem()
			fail, hit := vfs.FailAt(k, injected, func(c vfs.Call) bool { return c.Op != vfs.OpLock && c.Op != vfs.OpFileStat })
			s := blob.NewLocal(vfs.NewFault(m, fail), "")
			w, err := s.Create(t.Context(), "x")
			if err == nil {
				_, err = w.Write([]byte("hello"))
				if err == nil {
					_, err = w.Write([]byte(" world"))
				}
				if cerr := w.Commit(t.Context()); err == nil || cerr == nil {
					err = cerr // a Commit after a failed Write must fail too
				}
			}
			if !hit() {
				break
			}
			if err == nil {
				t.Errorf("k = %d: no error", k)
			}
			b, _, rerr := blob.NewLocal(m, "").ReadAll(t.Context(), "x", 100)
			if rerr == nil && string(b) != "hello world" {
				t.Errorf("k = %d: half an object: %q", k, b)
			}
			if rerr == nil && !errors.Is(err, blob.ErrUnknownOutcome) {
				t.Errorf("k = %d: the object is there, the error says it is not: %v", k, err)
			}
			if k > 100 {
				t.Fatal("no end")
			}
		}
	}
}

func TestCounting(t *testing.T) {
	data := pattern(100)
	c := blobtest.Counting(blob.Bytes("x", data))
	checkRead(t, c, data, 0, 10, 90, 10)
	checkRead(t, c, data, 5, 5)
	if c.Calls() != 2 || c.Ranges() != 3 || c.BytesRead() != 25 {
		t.Errorf("got %d calls, %d ranges, %d bytes, want 2, 3, 25", c.Calls(), c.Ranges(), c.BytesRead())
	}
	if _, err := read(t, c, 99, 2); !errors.Is(err, damage.Err) {
		t.Errorf("after the end: got %v, want damage", err)
	}
	if err := c.ReadRanges(t.Context(), []blob.Range{{Off: 0, Len: 3}}, [][]byte{make([]byte, 2)}); err == nil {
		t.Error("a buffer of another length was taken")
	}
}

func TestMux(t *testing.T) {
	dir := t.TempDir()
	put := func(name string) {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(name), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	put("a b%20.rete")
	put("x")
	web := newWeb(t, []byte("web"))
	var path string
	web.broken = func(w http.ResponseWriter, r *http.Request) bool { path = r.URL.EscapedPath(); return false }

	local, err := blob.NewMux(dir, blob.MuxOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"x", "./x", filepath.Join(dir, "x")} {
		if b, _, err := local.ReadAll(t.Context(), name, 10); string(b) != "x" {
			t.Errorf("%s: got %q, %v, want x", name, b, err)
		}
	}
	if b, _, err := local.ReadAll(t.Context(), web.URL+"/q", 10); string(b) != "web" {
		t.Errorf("web name under a local place: got %q, %v", b, err)
	}
	list, err := local.List(t.Context(), "")
	var names []string
	for _, i := range list {
		names = append(names, filepath.Base(i.Name))
	}
	if err != nil || !slices.Equal(names, []string{"a b%20.rete", "x"}) {
		t.Errorf("list: got %v, %v", names, err)
	}

	remote, err := blob.NewMux(web.URL+"/dir/?token=1", blob.MuxOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{
		"x":           "/dir/x",
		"../y":        "/y",
		"/etc/passwd": "/etc/passwd",
		"a b%20.rete": "/dir/a%20b%2520.rete",
		"a?b#c":       "/dir/a%3Fb%23c",
	} {
		if _, _, err := remote.ReadAll(t.Context(), name, 10); err != nil || path != want {
			t.Errorf("%s: asked for %s, %v, want %s", name, path, err, want)
		}
	}
	for _, name := range []string{"s3://bucket/key", "gopher://h/x", ""} {
		if _, err := local.Open(t.Context(), name); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: got %v, want an error with the name", name, err)
		}
	}
	if _, err := blob.NewMux("s3://bucket/dir/", blob.MuxOptions{}); err == nil {
		t.Error("a place without a store was taken")
	}
}

func TestSplit(t *testing.T) {
	for name, want := range map[string][2]string{
		"m.json":                     {".", "m.json"},
		"a/b/m.json":                 {filepath.FromSlash("a/b"), "m.json"},
		"http://h/a/m.json":          {"http://h/a/", "m.json"},
		"http://h/a/m%20n.json?tok":  {"http://h/a/", "m n.json"},
		"https://h/m.rete-manifest":  {"https://h/", "m.rete-manifest"},
		"http://u:p@h:1/a/b/m.json#": {"http://u:p@h:1/a/b/", "m.json"},
	} {
		if dir, file := blob.Split(name); dir != want[0] || file != want[1] {
			t.Errorf("%s: got %q, %q, want %q", name, dir, file, want)
		}
	}
	if !blob.IsRemote("S3://b/k") || blob.IsRemote(`C:\x`) || blob.IsRemote("a/b://c") {
		t.Error("IsRemote is wrong")
	}
}

func TestBytes(t *testing.T) {
	o := blob.Bytes("name", []byte("hello"))
	p := make([]byte, 3)
	if err := blob.ReadAt(t.Context(), o, p, 2); err != nil || !bytes.Equal(p, []byte("llo")) {
		t.Errorf("got %q, %v, want llo", p, err)
	}
}

// A conditional write whose lock file is removed under it writes nothing.
func TestLocalLockRemoved(t *testing.T) {
	m := vfs.NewMem()
	armed := false
	fsys := vfs.NewFault(m, func(c vfs.Call) error {
		if armed && c.Op == vfs.OpSync {
			return m.Remove("o.lock")
		}
		return nil
	})
	s := blob.NewLocal(fsys, "")
	v, err := s.Put(t.Context(), "o", []byte("1"), blob.Cond{})
	if err != nil {
		t.Fatal(err)
	}
	armed = true
	if _, err := s.Put(t.Context(), "o", []byte("2"), blob.IfMatch(v)); !errors.Is(err, blob.ErrBusy) {
		t.Errorf("got %v, want busy", err)
	}
	armed = false
	if _, err := s.Put(t.Context(), "o", []byte("3"), blob.IfMatch(v)); err != nil {
		t.Error(err)
	}
}

// TestLocalOfTheSystem: without a file system the store is in that of the operating system.
func TestLocalOfTheSystem(t *testing.T) {
	s := blob.NewLocal(nil, t.TempDir())
	if _, err := s.Open(t.Context(), "missing"); !errors.Is(err, blob.ErrNotFound) {
		t.Errorf("got %v, want that it is not found", err)
	}
}
