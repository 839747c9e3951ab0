package input_test

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/rete-go/rete/cmd/rete/internal/input"
)

// TestStoreFull: a folder on a full disk keeps nothing, and hinders nothing.
func TestStoreFull(t *testing.T) {
	dir := t.TempDir()
	full := filepath.Join(dir, "full")
	if err := os.Mkdir(full, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mount("tmpfs", full, "tmpfs", 0, "size=4k"); err != nil {
		t.Skipf("a small file system cannot be mounted: %v", err)
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(full, 0); err != nil {
			t.Error(err)
		}
	})
	a := filepath.Join(dir, "a.nt")
	write(t, a, document(1, 5000))
	store := &input.Store{Dir: filepath.Join(full, "cache"), MaxBytes: 1 << 20, TempDir: dir}
	path, done, err := store.Segment(t.Context(), setOf(t, a))
	if err != nil {
		t.Fatal(err)
	}
	if n, _ := quadsIn(t, path); n != 5000 {
		t.Errorf("%d quads", n)
	}
	done()
	for _, folder := range []string{store.Dir, dir} {
		if left, _ := filepath.Glob(filepath.Join(folder, "*.rete")); len(left) > 0 {
			t.Errorf("%v is left", left)
		}
	}
	if left, _ := os.ReadDir(store.Dir); len(left) > 0 {
		t.Errorf("%v is left", left)
	}
}
