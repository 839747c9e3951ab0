//go:build unix

package main

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// TestWriteWhole looks at what stands where -o points, before and after.
func TestWriteWhole(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	text := func(s string) func(io.Writer) error {
		return func(w io.Writer) error {
			_, err := io.WriteString(w, s)
			return err
		}
	}
	is := func(name, want string, mode fs.FileMode) {
		t.Helper()
		b, err := os.ReadFile(at(name))
		if err != nil || string(b) != want {
			t.Errorf("%s is %q, %v; want %q", name, b, err, want)
		}
		if info, err := os.Stat(at(name)); err != nil || info.Mode().Perm() != mode {
			t.Errorf("%s: %v, %v; want %v", name, info.Mode(), err, mode)
		}
	}
	do := func(name, s string) {
		t.Helper()
		if err := writeWhole(at(name), text(s)); err != nil {
			t.Fatal(err)
		}
	}
	old := syscall.Umask(0o027)
	defer syscall.Umask(old)
	do("new", "1")
	is("new", "1", 0o640)

	for name, mode := range map[string]fs.FileMode{"private": 0o600, "shared": 0o664} {
		if err := errors.Join(os.WriteFile(at(name), []byte("old"), mode), os.Chmod(at(name), mode)); err != nil {
			t.Fatal(err)
		}
		do(name, "2")
		is(name, "2", mode)
		failure := errors.New("read")
		if err := writeWhole(at(name), func(w io.Writer) error { return errors.Join(text("half")(w), failure) }); !errors.Is(err, failure) {
			t.Errorf("%v", err)
		}
		is(name, "2", mode)
	}

	for link, to := range map[string]string{"link": "private", "chain": "link", "dangling": "made", "absolute": at("made too")} {
		if err := os.Symlink(to, at(link)); err != nil {
			t.Fatal(err)
		}
	}
	do("link", "3")
	do("chain", "4")
	is("private", "4", 0o600)
	do("dangling", "5")
	is("made", "5", 0o640)
	do("absolute", "6")
	is("made too", "6", 0o640)
	for _, link := range []string{"link", "chain", "dangling", "absolute"} {
		if info, err := os.Lstat(at(link)); err != nil || info.Mode()&fs.ModeSymlink == 0 {
			t.Errorf("%s is a link no more: %v", link, err)
		}
	}
	if err := os.Symlink("loop", at("loop")); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"loop", ".", "no/where"} {
		if err := writeWhole(at(name), text("x")); err == nil {
			t.Errorf("%s was written", name)
		}
	}

	// Standard output under another name is not replaced.
	out, err := os.OpenFile(at("out"), os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	defer out.Close()
	stdout := os.Stdout
	os.Stdout = out
	err = errors.Join(text("before ")(out), writeWhole(at("out"), text("7")), text(" after")(out))
	os.Stdout = stdout
	if err != nil {
		t.Error(err)
	}
	is("out", "before 7 after", 0o600)

	list, err := os.ReadDir(dir)
	if err != nil || len(list) != 11 {
		t.Errorf("%d names, %v: temporary files are left", len(list), err)
	}
	if err := writeWhole(os.DevNull, text("8")); err != nil {
		t.Error(err)
	}
}
