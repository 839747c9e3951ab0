//go:build unix

package outfile

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
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
		if info, err := os.Stat(at(name)); err != nil {
			t.Error(err)
		} else if info.Mode().Perm() != mode {
			t.Errorf("%s: %v; want %v", name, info.Mode(), mode)
		}
	}
	do := func(name, s string) {
		t.Helper()
		if err := Whole(at(name), text(s)); err != nil {
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
		if err := Whole(at(name), func(w io.Writer) error { return errors.Join(text("half")(w), failure) }); !errors.Is(err, failure) {
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

	// Links of folders count before "..", in a name and in a link.
	for _, dir := range []string{"a/b", "c"} {
		if err := os.MkdirAll(at(dir), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for link, to := range map[string]string{"folder": "a/b", "a/b/up": "../above", "c/far": "../folder/../beside"} {
		if err := os.Symlink(to, at(link)); err != nil {
			t.Fatal(err)
		}
	}
	for range 2 { // new, and then there
		for name, to := range map[string]string{"folder/up": "a/above", "c/far": "a/beside", "folder/../plain": "a/plain"} {
			if err := Whole(dir+"/"+name, text(name)); err != nil { // at would shorten it
				t.Fatal(err)
			}
			is(to, name, 0o640)
		}
	}
	long := strings.Repeat("é", 127)
	do(long, "9")
	is(long, "9", 0o640)

	// Nobody may read what is to be private while it is written.
	for name, mode := range map[string]fs.FileMode{"private": 0o600, "shared": 0o664, "fresh": 0o640} {
		if err := Whole(at(name), func(w io.Writer) error {
			for _, tmp := range temporary(t, dir) {
				if tmp.Mode().Perm() != mode {
					t.Errorf("%s is written with %v", name, tmp.Mode())
				}
			}
			return text("10")(w)
		}); err != nil {
			t.Fatal(err)
		}
		is(name, "10", mode)
	}

	// What is open is written to by the name of its descriptor, after what it has, also
	// through links; other files below /dev are files like others.
	open, err := os.OpenFile(at("open"), os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	defer open.Close()
	if _, err := os.Stat(fmt.Sprintf("/dev/fd/%d", open.Fd())); err == nil {
		if err := os.Symlink(fmt.Sprintf("/dev/fd/%d", open.Fd()), at("descriptor")); err != nil {
			t.Fatal(err)
		}
		for _, name := range []string{fmt.Sprintf("/dev/fd/%d", open.Fd()), at("descriptor")} {
			if err := Whole(name, text("+")); err != nil {
				t.Error(err)
			}
		}
		is("open", "++", 0o600)
		if info, err := os.Stat(at("open")); err != nil {
			t.Error(err)
		} else if same, err := open.Stat(); err != nil || !os.SameFile(info, same) {
			t.Error("what is open was replaced")
		}
		if err := os.Remove(at("descriptor")); err != nil {
			t.Error(err)
		}
	}
	if shm, err := os.MkdirTemp("/dev/shm", "rete"); err == nil {
		defer os.RemoveAll(shm)
		for _, s := range []string{"first", "2nd"} {
			if err := Whole(filepath.Join(shm, "rows"), text(s)); err != nil {
				t.Fatal(err)
			}
			if b, err := os.ReadFile(filepath.Join(shm, "rows")); err != nil || string(b) != s {
				t.Errorf("%q, %v", b, err)
			}
		}
	}
	if err := os.Symlink("loop", at("loop")); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"loop", ".", "no/where"} {
		if err := Whole(at(name), text("x")); err == nil {
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
	err = errors.Join(text("before ")(out), Whole(at("out"), text("7")), text(" after")(out))
	os.Stdout = stdout
	if err != nil {
		t.Error(err)
	}
	is("out", "before 7 after", 0o600)

	if left := temporary(t, dir); len(left) > 0 {
		t.Errorf("temporary files are left: %v", left)
	}
	if err := Whole(os.DevNull, text("8")); err != nil {
		t.Error(err)
	}
}

// temporary returns the temporary files below a folder.
func temporary(t *testing.T, dir string) (list []fs.FileInfo) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, ".tmp") {
			return err
		}
		info, err := e.Info()
		list = append(list, info)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return list
}
