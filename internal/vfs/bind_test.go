package vfs_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/rete-go/rete/internal/vfs"
)

// A bound name is absolute, follows the links of its directories as the operating
// system does, and keeps its last part.
func TestBind(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for _, sub := range []string{"a/b", "c"} {
		if err := os.MkdirAll(filepath.Join(dir, filepath.FromSlash(sub)), 0o777); err != nil {
			t.Fatal(err)
		}
	}
	for link, to := range map[string]string{"l": "a/b", "c/f": "../a/f"} {
		if err := os.Symlink(filepath.FromSlash(to), filepath.Join(dir, filepath.FromSlash(link))); err != nil {
			t.Skip(err)
		}
	}
	t.Chdir(filepath.Join(dir, "c"))
	full := func(name string) string { return filepath.Join(dir, filepath.FromSlash(name)) }
	for name, want := range map[string]string{
		"":               full("c"),
		".":              full("c"),
		"..":             dir,
		"x":              full("c/x"),
		"./x":            full("c/x"),
		"x/":             full("c/x"),
		"no/such/x":      full("c/no/such/x"),
		"f":              full("c/f"), // a link itself
		"../l":           full("l"),
		"../l/":          full("a/b"),
		"../l/x":         full("a/b/x"),
		"../l/../x":      full("a/x"), // not c/x
		full("l/x"):      full("a/b/x"),
		full("l") + "/.": full("a/b"),
		full("a/b"):      full("a/b"),
		"../l/..":        full("a"),
	} {
		if got, err := vfs.OS().Bind(filepath.FromSlash(name)); err != nil || got != want {
			t.Errorf("%q: got %q, %v, want %q", name, got, err, want)
		}
	}
	t.Chdir(full("l"))
	t.Setenv("PWD", full("l"))
	if got, err := vfs.OS().Bind("x"); err != nil || got != full("a/b/x") {
		t.Errorf("below a link: got %q, %v", got, err)
	}
}
