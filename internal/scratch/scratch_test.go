package scratch

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rete-go/rete/internal/damage"
	"github.com/rete-go/rete/internal/vfs"
)

func names(t *testing.T, dir string) (list []string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		list = append(list, e.Name())
	}
	return list
}

// fill writes streams of random records and returns what is in them.
func fill(t *testing.T, f *Folder) (streams []*Stream, want [][]byte) {
	t.Helper()
	r := rand.New(rand.NewPCG(3, 4))
	file, err := f.Create()
	if err != nil {
		t.Fatal(err)
	}
	for range 4 {
		streams, want = append(streams, file.NewStream(64)), append(want, nil)
	}
	streams, want = append(streams, Memory()), append(want, nil)
	for i := range 500 {
		k := i % len(streams)
		rec := bytes.Repeat([]byte{byte(i)}, r.IntN(100))
		if err := streams[k].Add(rec); err != nil {
			t.Fatal(err)
		}
		want[k] = append(want[k], rec...)
	}
	for _, s := range streams {
		if err := s.Finish(); err != nil {
			t.Fatal(err)
		}
	}
	return streams, want
}

func TestStreams(t *testing.T) {
	dir := t.TempDir()
	f := New(vfs.OS(), dir, 0)
	if len(names(t, dir)) > 0 {
		t.Error("a folder without files is on disk")
	}
	streams, want := fill(t, f)
	for i, s := range streams {
		for range 2 {
			if got, err := io.ReadAll(struct{ io.Reader }{s.Reader()}); err != nil || !bytes.Equal(got, want[i]) {
				t.Errorf("stream %d: %d bytes of %d, %v", i, len(got), len(want[i]), err)
			}
			var out bytes.Buffer
			if _, err := io.Copy(&out, s.Reader()); err != nil || !bytes.Equal(out.Bytes(), want[i]) {
				t.Errorf("stream %d copied: %d bytes of %d, %v", i, out.Len(), len(want[i]), err)
			}
		}
	}
	if err := errors.Join(f.Close(), f.Close()); err != nil || len(names(t, dir)) > 0 {
		t.Errorf("left: %v, %v", names(t, dir), err)
	}
}

// TestDamagedFile: whatever byte of a file changes, and wherever it is cut off, reading it is an
// error that names the file.
func TestDamagedFile(t *testing.T) {
	f := New(vfs.OS(), t.TempDir(), 0)
	defer f.Close()
	streams, _ := fill(t, f)
	name := streams[0].file.name
	whole, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	read := func() (err error) {
		for _, s := range streams {
			_, rerr := io.Copy(io.Discard, s.Reader())
			err = errors.Join(err, rerr)
		}
		return err
	}
	check := func(what string) {
		t.Helper()
		if err := read(); !errors.Is(err, damage.Err) || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: %v", what, err)
		}
	}
	for i := 0; i < len(whole); i += 97 {
		other := bytes.Clone(whole)
		other[i] ^= 4
		if err := os.WriteFile(name, other, 0o600); err != nil {
			t.Fatal(err)
		}
		check(fmt.Sprintf("byte %d changed", i))
		if err := os.WriteFile(name, whole[:i], 0o600); err != nil {
			t.Fatal(err)
		}
		check(fmt.Sprintf("cut at %d", i))
	}
}

// TestRewrite: a piece has other bytes in its place, as many, and takes no more room.
func TestRewrite(t *testing.T) {
	f := New(vfs.OS(), t.TempDir(), 8)
	defer f.Close()
	file, err := f.Create()
	if err != nil {
		t.Fatal(err)
	}
	a, aerr := file.Write([]byte("abcd"))
	b, berr := file.Write([]byte("efgh"))
	if err := errors.Join(aerr, berr); err != nil {
		t.Fatal(err)
	}
	if a, err = file.Rewrite(a, []byte("ABCD")); err != nil {
		t.Fatal(err)
	}
	if _, err := file.Rewrite(b, []byte("too long")); err == nil {
		t.Error("a piece became longer")
	}
	for k, want := range map[Piece]string{a: "ABCD", b: "efgh"} {
		if got, err := file.Read(k, nil); err != nil || string(got) != want {
			t.Errorf("%q, want %q, %v", got, want, err)
		}
	}
}

// TestDeadRuns: the folder of a run whose lock nobody holds is removed by the next run, that of
// a run at work is not.
func TestDeadRuns(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "other.lock"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	alive, dead := New(vfs.OS(), dir, 0), New(vfs.OS(), dir, 0)
	streams, want := fill(t, alive)
	fill(t, dead)
	dead.lock.Close() // as the system does when a process dies
	gone := filepath.Join(dir, folderPrefix+"OF-A-DEAD-RUN")
	if err := os.WriteFile(gone+lockSuffix, nil, 0o600); err != nil { // killed with its folder not made yet
		t.Fatal(err)
	}
	next := New(vfs.OS(), dir, 0)
	fill(t, next)
	for _, n := range names(t, dir) {
		if !strings.HasPrefix(n, filepath.Base(alive.dir)) && !strings.HasPrefix(n, filepath.Base(next.dir)) && n != "other.lock" {
			t.Errorf("%s is left", n)
		}
	}
	for i, s := range streams {
		if got, err := io.ReadAll(s.Reader()); err != nil || !bytes.Equal(got, want[i]) {
			t.Errorf("the run at work lost stream %d: %v", i, err)
		}
	}
	if err := errors.Join(alive.Close(), next.Close()); err != nil || len(names(t, dir)) != 1 {
		t.Errorf("left: %v, %v", names(t, dir), err)
	}
}

// TestFull: a full disk, a quota that is used up, files that may not be so large, and the bound of a
// folder are errors that say how much is needed.
func TestFull(t *testing.T) {
	for _, c := range []struct {
		disk  error
		limit int64
		least bool
		says  string
	}{
		{vfs.ErrNoSpace, 0, false, "the disk is full"},
		{vfs.ErrNoSpace, 0, true, "the disk is full"},
		{vfs.ErrQuota, 0, false, "the quota of the disk is used up"},
		{vfs.ErrTooLarge, 0, false, "larger than files may be"},
		{nil, 1000, false, "0.0 MiB are allowed"},
	} {
		dir := t.TempDir()
		written := 0
		disk := vfs.NewFault(vfs.OS(), func(call vfs.Call) error {
			if call.Op != vfs.OpWrite {
				return nil
			}
			if written += call.Size; written > 1000 {
				return c.disk
			}
			return nil
		})
		f := New(disk, dir, c.limit)
		f.Expect(5<<20, c.least)
		file, err := f.Create()
		if err != nil {
			t.Fatal(err)
		}
		s := file.NewStream(100)
		for i := 0; err == nil && i < 100; i++ {
			err = s.Add(make([]byte, 90))
		}
		needed := map[bool]string{false: "about 5.0 MiB are needed", true: "at least 5.0 MiB are needed"}[c.least]
		if !errors.Is(err, ErrFull) || c.disk != nil && !errors.Is(err, c.disk) {
			t.Errorf("%v: %v", c, err)
		}
		for _, part := range []string{dir, c.says, needed} {
			if err == nil || !strings.Contains(err.Error(), part) {
				t.Errorf("%v: %v, want %q", c, err, part)
			}
		}
		if err := f.Close(); err != nil || len(names(t, dir)) > 0 {
			t.Errorf("%v: left: %v, %v", c, names(t, dir), err)
		}
	}
}

// TestFaults: whatever operation fails, it is an error, and what is left the next run removes.
func TestFaults(t *testing.T) {
	for k := 1; ; k++ {
		dir := t.TempDir()
		fail, hit := vfs.FailAt(k, vfs.ErrInjected, nil)
		f := New(vfs.NewFault(vfs.OS(), fail), dir, 0)
		err := func() error {
			file, err := f.Create()
			if err != nil {
				return err
			}
			s := file.NewStream(10)
			if err := errors.Join(s.Add(make([]byte, 20)), s.Finish()); err != nil {
				return err
			}
			_, err = s.Blocks().Next()
			return err
		}()
		err = errors.Join(err, f.Close())
		if !hit() {
			if err != nil {
				t.Error(err)
			}
			return
		}
		if f.lock != nil {
			f.lock.Close()
		}
		if err == nil && len(names(t, dir)) > 0 {
			t.Errorf("operation %d: no error, and %v is left", k, names(t, dir))
		}
		if err := clean(vfs.OS(), dir); err != nil || len(names(t, dir)) > 0 {
			t.Errorf("operation %d: the next run leaves %v, %v", k, names(t, dir), err)
		}
	}
}
