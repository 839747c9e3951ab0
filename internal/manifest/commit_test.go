package manifest_test

import (
	"bytes"
	"context"
	"errors"
	"math/rand/v2"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/rete-go/rete/blob"
	"github.com/rete-go/rete/internal/manifest"
	"github.com/rete-go/rete/internal/manifesttest"
	"github.com/rete-go/rete/internal/vfs"
)

const manifestName = "g.rete-manifest.json"

func openFile(t testing.TB, fsys vfs.FS) *manifest.File {
	t.Helper()
	return manifesttest.Open(t, fsys, manifestName)
}

// fixed makes runs repeat: a clock that stands still and ids from a seed.
func fixed() *manifest.CommitOptions {
	return &manifest.CommitOptions{
		Rand: rand.NewChaCha8([32]byte{1}),
		Now:  func() time.Time { return time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC) },
	}
}

func initManifest(t testing.TB, fsys vfs.FS) *manifest.File {
	t.Helper()
	f := openFile(t, fsys)
	if _, err := f.Init(t.Context(), nil, &manifest.Manifest{Name: "g"}); err != nil {
		t.Fatal(err)
	}
	return f
}

// add returns a change that appends an entry of its own.
func add(n int64) manifest.Change {
	return func(cur *manifest.Manifest) (*manifest.Manifest, error) {
		cur.Log = append(cur.Log, manifest.Entry{Adds: ref(n)})
		return cur, nil
	}
}

// sizes are the entries of a log, which tests tell apart by their size.
func sizes(m *manifest.Manifest) []int64 {
	var out []int64
	for _, e := range m.Log {
		out = append(out, e.Adds.Size)
	}
	return out
}

func TestCommit(t *testing.T) {
	m := vfs.NewMem()
	f := initManifest(t, m)
	opt := &manifest.CommitOptions{Note: "first"}
	got, err := f.Commit(t.Context(), opt, add(7))
	if err != nil {
		t.Fatal(err)
	}
	cur := manifesttest.CheckHistory(t, f)
	if cur.Generation != 2 || got.Generation != 2 || !slices.Equal(sizes(cur), []int64{7}) || cur.Note != "first" || cur.At.IsZero() {
		t.Errorf("got %+v", cur)
	}
	old, _ := vfs.ReadFile(m, manifestName+".g1", 1<<20)
	if cur.Previous.URL != manifestName+".g1" || cur.Previous.Size != int64(len(old)) {
		t.Errorf("previous: got %+v, want g1 of %d bytes", cur.Previous, len(old))
	}

	same, err := f.Commit(t.Context(), nil, func(*manifest.Manifest) (*manifest.Manifest, error) { return nil, nil })
	if err != nil || same.Generation != 2 {
		t.Errorf("nothing to commit: got generation %v, %v", same, err)
	}
	boom := errors.New("boom")
	if _, err := f.Commit(t.Context(), nil, func(*manifest.Manifest) (*manifest.Manifest, error) { return nil, boom }); err != boom {
		t.Errorf("got %v, want boom", err)
	}
	invalid := func(cur *manifest.Manifest) (*manifest.Manifest, error) {
		cur.Log = append(cur.Log, manifest.Entry{})
		return cur, nil
	}
	if _, err := f.Commit(t.Context(), nil, invalid); err == nil {
		t.Error("an invalid manifest was committed")
	}
	if cur := manifesttest.CheckHistory(t, f); cur.Generation != 2 {
		t.Errorf("got generation %d, want 2", cur.Generation)
	}
}

func TestInitRefuses(t *testing.T) {
	m := vfs.NewMem()
	f := initManifest(t, m)
	before, _ := vfs.ReadFile(m, manifestName, 1<<20)
	if _, err := f.Init(t.Context(), nil, &manifest.Manifest{Name: "g"}); !errors.Is(err, blob.ErrExists) {
		t.Errorf("got %v, want ErrExists", err)
	}
	if after, _ := vfs.ReadFile(m, manifestName, 1<<20); !bytes.Equal(before, after) {
		t.Error("init changed a manifest that was there")
	}
	if _, err := f.Commit(t.Context(), nil, add(1)); err != nil {
		t.Fatal(err)
	}
	if err := m.Remove(manifestName); err != nil {
		t.Fatal(err)
	}
	if _, err := f.Init(t.Context(), nil, &manifest.Manifest{Name: "g"}); !errors.Is(err, manifest.ErrTwoHistories) {
		t.Errorf("got %v, want manifest.ErrTwoHistories", err)
	}
	if _, err := openFile(t, vfs.NewMem()).Init(t.Context(), nil, &manifest.Manifest{Name: "a/b"}); err == nil {
		t.Error("a bad name was taken")
	}
}

// A manifest that cannot be read is never written over.
func TestCommitKeepsWhatItCannotRead(t *testing.T) {
	for _, text := range []string{"", "{", `{"rete_manifest":2}`, `{"rete_manifest":1,"name":"x","generation":1,"log":[],"name":"y"}`} {
		m := vfs.NewMem()
		f, _ := m.Create(manifestName)
		f.Write([]byte(text))
		_, err := openFile(t, m).Commit(t.Context(), nil, add(1))
		if err == nil || !strings.Contains(err.Error(), manifestName) {
			t.Errorf("%q: got %v, want an error that names the file", text, err)
		}
		if list, _ := m.ReadDir("."); len(list) != 1 {
			t.Errorf("%q: files were made: %v", text, list)
		}
		if b, _ := vfs.ReadFile(m, manifestName, 1<<20); string(b) != text {
			t.Errorf("%q: it was changed to %q", text, b)
		}
	}
}

func TestCommitIfGeneration(t *testing.T) {
	f := initManifest(t, vfs.NewMem())
	one, two := int64(1), int64(2)
	if _, err := f.Commit(t.Context(), &manifest.CommitOptions{IfGeneration: &one}, add(1)); err != nil {
		t.Fatal(err)
	}
	_, err := f.Commit(t.Context(), &manifest.CommitOptions{IfGeneration: &one}, add(2))
	if !errors.Is(err, manifest.ErrConflict) || !strings.Contains(err.Error(), "generation 1") || !strings.Contains(err.Error(), "at 2") {
		t.Errorf("got %v, want a conflict with both generations", err)
	}
	// Another commit between reading and swapping makes it fail, not rebase.
	once := true
	_, err = f.Commit(t.Context(), &manifest.CommitOptions{IfGeneration: &two}, func(cur *manifest.Manifest) (*manifest.Manifest, error) {
		if once {
			once = false
			if _, err := commitBeside(t, f, add(3)); err != nil {
				t.Error(err)
			}
		}
		return add(4)(cur)
	})
	if !errors.Is(err, manifest.ErrConflict) {
		t.Errorf("got %v, want a conflict", err)
	}
	if cur := manifesttest.CheckHistory(t, f); !slices.Equal(sizes(cur), []int64{1, 3}) {
		t.Errorf("got %v, want 1 and 3", sizes(cur))
	}
}

// commitBeside commits as another process would, in the middle of f's commit.
func commitBeside(t *testing.T, f *manifest.File, change manifest.Change) (*manifest.Manifest, error) {
	return manifest.SecondFile(f).Commit(t.Context(), nil, change)
}

func TestCommitRebases(t *testing.T) {
	f := initManifest(t, vfs.NewMem())
	calls := int64(0)
	m, err := f.Commit(t.Context(), nil, func(cur *manifest.Manifest) (*manifest.Manifest, error) {
		if calls++; calls < 4 {
			if _, err := commitBeside(t, f, add(calls)); err != nil {
				t.Error(err)
			}
		}
		return add(100)(cur)
	})
	if err != nil || calls != 4 || !slices.Equal(sizes(m), []int64{1, 2, 3, 100}) {
		t.Errorf("got %v after %d calls, %v", sizes(m), calls, err)
	}
	manifesttest.CheckHistory(t, f)
}

func TestCommitGivesUp(t *testing.T) {
	f := initManifest(t, vfs.NewMem())
	_, err := f.Commit(t.Context(), &manifest.CommitOptions{Attempts: 3}, func(cur *manifest.Manifest) (*manifest.Manifest, error) {
		if _, err := commitBeside(t, f, add(1)); err != nil {
			t.Error(err)
		}
		return add(100)(cur)
	})
	var ce *manifest.CommitError
	if !errors.Is(err, manifest.ErrConflict) || errors.Is(err, manifest.ErrUnknownOutcome) || !errors.As(err, &ce) || ce.Attempts != 3 || len(ce.ID) != 32 {
		t.Errorf("got %v, want a conflict after 3 attempts with the id", err)
	}
	if cur := manifesttest.CheckHistory(t, f); !slices.Equal(sizes(cur), []int64{1, 1, 1}) {
		t.Errorf("got %v, want the other's three", sizes(cur))
	}
}

func TestTwoHistories(t *testing.T) {
	m := vfs.NewMem()
	f := initManifest(t, m)
	a, _ := m.Create(manifestName + ".g1")
	a.Write([]byte("something else"))
	if _, err := f.Commit(t.Context(), nil, add(1)); !errors.Is(err, manifest.ErrTwoHistories) {
		t.Errorf("got %v, want manifest.ErrTwoHistories", err)
	}
	if cur, _ := f.Read(t.Context()); cur.Generation != 1 {
		t.Error("it was committed all the same")
	}
}

func TestReadGeneration(t *testing.T) {
	m := vfs.NewMem()
	f := initManifest(t, m)
	for n := range int64(5) {
		if _, err := f.Commit(t.Context(), nil, add(n)); err != nil {
			t.Fatal(err)
		}
	}
	for g := int64(1); g <= 6; g++ {
		if old, err := f.ReadGeneration(t.Context(), g); err != nil || len(old.Log) != int(g-1) {
			t.Errorf("generation %d: got %v, %v", g, old, err)
		}
	}
	m.Remove(manifestName + ".g3")
	for _, g := range []int64{-1, 0, 3, 7} {
		if _, err := f.ReadGeneration(t.Context(), g); !errors.Is(err, manifest.ErrNoGeneration) {
			t.Errorf("generation %d: got %v, want manifest.ErrNoGeneration", g, err)
		}
	}
	// An archive that is not what the manifest pins.
	b, _ := vfs.ReadFile(m, manifestName+".g5", 1<<20)
	m.Remove(manifestName + ".g5")
	a, _ := m.Create(manifestName + ".g5")
	a.Write(append(b, '\n'))
	if _, err := f.ReadGeneration(t.Context(), 5); err == nil {
		t.Error("a changed archive was read")
	}
}

func TestRecentIsBounded(t *testing.T) {
	f := initManifest(t, vfs.NewMem())
	for n := range int64(manifest.MaxRecent + 10) {
		if _, err := f.Commit(t.Context(), nil, add(n)); err != nil {
			t.Fatal(err)
		}
	}
	m, err := f.Read(t.Context())
	if err != nil || len(m.Recent) != manifest.MaxRecent || m.Recent[0].Generation != 12 {
		t.Errorf("got %d recent commits from %v on, %v", len(m.Recent), m.Recent[0], err)
	}
}

func TestCommitTrace(t *testing.T) {
	tr := vfs.NewTrace(vfs.NewMem())
	f := initManifest(t, tr)
	init := tr.String()
	tr.Reset()
	if _, err := f.Commit(t.Context(), nil, add(1)); err != nil {
		t.Fatal(err)
	}
	golden(t, "commit.trace", []byte("# init\n"+init+"# commit\n"+tr.String()))
	opt := fixed()
	f2 := openFile(t, vfs.NewMem())
	if _, err := f2.Init(t.Context(), opt, &manifest.Manifest{Name: "g"}); err != nil {
		t.Fatal(err)
	}
	m, err := f2.Commit(t.Context(), opt, add(1))
	if err != nil {
		t.Fatal(err)
	}
	golden(t, "commit.json", m.Encode())
}

// A manifest on a web server is read, and refused for writing.
func TestManifestOverHTTP(t *testing.T) {
	dir := t.TempDir()
	local, err := manifest.Open(filepath.Join(dir, manifestName), blob.MuxOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := local.Init(t.Context(), nil, &manifest.Manifest{Name: "g"}); err != nil {
		t.Fatal(err)
	}
	if _, err := local.Commit(t.Context(), nil, add(1)); err != nil {
		t.Fatal(err)
	}
	srv := httptest.NewServer(fileServer(dir))
	defer srv.Close()
	remote, err := manifest.Open(srv.URL+"/"+manifestName, blob.MuxOptions{})
	if err != nil {
		t.Fatal(err)
	}
	manifesttest.CheckHistory(t, remote)
	if _, err := remote.Commit(t.Context(), nil, add(2)); !errors.Is(err, blob.ErrReadOnly) {
		t.Errorf("got %v, want ErrReadOnly", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := remote.Read(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want canceled", err)
	}
}
