package ownership_test

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rete-go/rete/engine/internal/ownership"
	"github.com/rete-go/rete/internal/vfs"
)

const (
	manifest  = "m.json"
	beside    = "m.json.changes"
	elsewhere = "j.changes"
)

// Which pairs of manifest and journal keep each other out.
func TestTakeExcludes(t *testing.T) {
	type pair struct{ manifest, journal string }
	for name, c := range map[string]struct {
		first, second pair
		free          bool
	}{
		"same":                              {first: pair{manifest, beside}, second: pair{manifest, beside}},
		"another journal of the manifest":   {first: pair{manifest, beside}, second: pair{manifest, elsewhere}},
		"the journal beside it":             {first: pair{manifest, elsewhere}, second: pair{manifest, beside}},
		"the same journal elsewhere":        {first: pair{manifest, elsewhere}, second: pair{manifest, elsewhere}},
		"two manifests with one journal":    {first: pair{manifest, elsewhere}, second: pair{"n.json", elsewhere}},
		"another manifest's own journal":    {first: pair{manifest, beside}, second: pair{"n.json", beside}},
		"remote manifests with one journal": {first: pair{"", elsewhere}, second: pair{"", elsewhere}},
		"remote with a local one's journal": {first: pair{manifest, elsewhere}, second: pair{"", elsewhere}},
		"other manifest, other journal":     {first: pair{manifest, beside}, second: pair{"n.json", "n.json.changes"}, free: true},
		"remote, other journals":            {first: pair{"", elsewhere}, second: pair{"", "k.changes"}, free: true},
	} {
		t.Run(name, func(t *testing.T) {
			m := vfs.NewMem()
			first := take(t, m, c.first.manifest, c.first.journal)
			second, err := ownership.Take(m, c.second.manifest, c.second.journal)
			if c.free {
				if err != nil {
					t.Fatal(err)
				}
				second.Close()
				return
			}
			var owned *ownership.OwnedError
			if !errors.As(err, &owned) || !errors.Is(err, ownership.ErrOwned) || !owned.Self {
				t.Fatalf("got %v, want that this process owns it", err)
			}
			if err := first.Close(); err != nil {
				t.Error(err)
			}
			take(t, m, c.second.manifest, c.second.journal) // nothing is left of the attempt
		})
	}
}

func take(t *testing.T, fsys vfs.FS, manifest, journal string) *ownership.Lock {
	t.Helper()
	l, err := ownership.Take(fsys, manifest, journal)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	return l
}

// The secret is in a file of its own and in no other, and goes with its owner.
func TestNote(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, manifest)
	l := take(t, vfs.OS(), name, name+".changes")
	note := ownership.Note{PID: 17, Host: "elsewhere", Address: "http://[::1]:7878", Token: "secret", Certificate: "ab"}
	if err := l.Announce(note); err != nil {
		t.Fatal(err)
	}
	if got := ownership.Owner(vfs.OS(), name, name+".changes"); got == nil || *got.Note != note || got.Name != name {
		t.Errorf("got %+v, want %+v", got, note)
	}
	private, public := name+".changes.owner", name+".changes.lock"
	if st, err := os.Stat(private); err != nil || st.Mode().Perm() != 0o600 && os.PathSeparator == '/' {
		t.Errorf("the note: %v, %v, want 0600", st.Mode(), err)
	}
	text, err := os.ReadFile(public)
	if err != nil || strings.Contains(string(text), "secret") || !strings.Contains(string(text), note.Address) {
		t.Errorf("the lock file: %s, %v", text, err)
	}
	if err := l.Close(); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(private); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the note is left: %v", err)
	}
	if got := ownership.Owner(vfs.OS(), name, name+".changes"); got != nil {
		t.Errorf("got %+v of an owner that has gone", got)
	}
}

// What owners that died have left is taken for nobody's.
func TestStaleNote(t *testing.T) {
	old := vfs.NewMem()
	dead, err := ownership.Take(old, manifest, beside)
	if err != nil {
		t.Fatal(err)
	}
	if err := dead.Announce(ownership.Note{PID: 17, Address: "http://[::1]:1", Token: "old"}); err != nil {
		t.Fatal(err)
	}
	m := old.CrashClone(vfs.CrashOptions{Data: vfs.LoseNone, Names: vfs.LoseNone})
	if got := ownership.Owner(m, manifest, beside); got != nil {
		t.Errorf("no owner: got %+v", got)
	}
	l := take(t, m, manifest, elsewhere)
	if _, err := m.Stat(beside + ".owner"); err == nil {
		t.Error("the next owner leaves the note of one that died")
	}
	// One that it cannot remove, or that comes back from a backup.
	text, err := vfs.ReadFile(old, beside+".owner", 1<<16)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := vfs.WriteFile(m, beside+".owner", text, m.Rename); err != nil {
		t.Fatal(err)
	}
	got := ownership.Owner(m, manifest, beside)
	if got == nil || got.Serves() || got.Note.Token != "" || !got.Self {
		t.Errorf("an owner with another's note: got %+v", got)
	}
	if err := l.Announce(ownership.Note{Address: "http://[::1]:2", Token: "new"}); err != nil {
		t.Fatal(err)
	}
	if got := ownership.Owner(m, manifest, beside); got == nil || got.Note.Token != "new" || got.Note.PID != os.Getpid() {
		t.Errorf("got %+v, want the new note", got)
	}
}

// Versions before this one lock the same file and keep their note in it.
func TestOlderVersion(t *testing.T) {
	m := vfs.NewMem()
	held, err := m.TryLock(beside + ".lock")
	if err != nil {
		t.Fatal(err)
	}
	fmt.Fprintln(held.File(), `{"pid":17,"address":"http://[::1]:1","token":"old"}`)
	for _, journal := range []string{beside, elsewhere} {
		_, err = ownership.Take(m, manifest, journal)
		var owned *ownership.OwnedError
		if !errors.As(err, &owned) || owned.Self || owned.Note == nil || owned.Note.Token != "old" {
			t.Errorf("%s: got %+v", journal, err)
		}
	}
	if got := ownership.Owner(m, manifest, elsewhere); got == nil || got.Note.Token != "old" {
		t.Errorf("got %+v, want the older note", got)
	}
	held.Close() // it dies
	take(t, m, manifest, beside)
	if _, err := m.TryLock(beside + ".lock"); !errors.Is(err, vfs.ErrLocked) {
		t.Errorf("an older version: got %v, want that it is locked", err)
	}

	// With a journal elsewhere an older version locks that alone.
	if held, err = m.TryLock(elsewhere + ".lock"); err != nil {
		t.Fatal(err)
	}
	defer held.Close()
	fmt.Fprintln(held.File(), `{"pid":17,"address":"http://[::1]:1","token":"old"}`)
	_, err = ownership.Take(m, "n.json", elsewhere)
	var owned *ownership.OwnedError
	if !errors.As(err, &owned) || owned.Name != elsewhere || owned.Serves() || owned.Note.PID != 17 {
		t.Errorf("got %+v, want the journal's owner, which is not to be asked: it may serve another manifest", err)
	}
}

// A lock file that is removed, or replaced, is noticed by its owner, which leaves what is
// another's alone.
func TestLockFileRemoved(t *testing.T) {
	for name, lose := range map[string]func(m *vfs.Mem) error{
		"removed": func(m *vfs.Mem) error { return m.Remove(beside + ".lock") },
		"renamed": func(m *vfs.Mem) error { return m.Rename(beside+".lock", "old") },
		"replaced": func(m *vfs.Mem) error {
			_, err := vfs.WriteFile(m, beside+".lock", nil, m.Rename)
			return err
		},
		"of the journal": func(m *vfs.Mem) error { return m.Remove(elsewhere + ".lock") },
	} {
		t.Run(name, func(t *testing.T) {
			m := vfs.NewMem()
			l := take(t, m, manifest, elsewhere)
			if err := l.Check(); err != nil {
				t.Fatal(err)
			}
			if err := lose(m); err != nil {
				t.Fatal(err)
			}
			if err := l.Check(); !errors.Is(err, vfs.ErrLockLost) {
				t.Errorf("got %v, want that it is lost", err)
			}
			if err := l.Announce(ownership.Note{Address: "http://[::1]:1"}); !errors.Is(err, vfs.ErrLockLost) {
				t.Errorf("announcing: got %v, want that it is lost", err)
			}
			if name == "of the journal" {
				return
			}
			next := take(t, m, manifest, beside)
			if err := next.Announce(ownership.Note{Address: "http://[::1]:2", Token: "new"}); err != nil {
				t.Fatal(err)
			}
			l.Close()
			if got := ownership.Owner(m, manifest, beside); got == nil || got.Note.Token != "new" {
				t.Errorf("the next owner's note after the first has gone: %+v", got)
			}
		})
	}
}

// A user who may not read the note is told what serves the manifest, and that he cannot
// hand work over to it.
func TestUnreadableNote(t *testing.T) {
	m := vfs.NewMem()
	l := take(t, m, manifest, beside)
	if err := l.Announce(ownership.Note{PID: 17, Host: "far", Address: "http://[::1]:7878", Token: "secret"}); err != nil {
		t.Fatal(err)
	}
	other := vfs.NewFault(m, func(c vfs.Call) error {
		if c.Op == vfs.OpOpen && c.Name == beside+".owner" {
			return fs.ErrPermission
		}
		return nil
	})
	got := ownership.Owner(other, manifest, beside)
	if got == nil || !got.Serves() || got.Note.Token != "" || !errors.Is(got.Unread, fs.ErrPermission) {
		t.Fatalf("got %+v", got)
	}
	got.Self = false
	for _, want := range []string{manifest, "process 17 on far", "http://[::1]:7878", "only its user"} {
		if !strings.Contains(got.Error(), want) {
			t.Errorf("%q does not have %q", got.Error(), want)
		}
	}
}

// A user who may not write the lock file is told so by its name.
func TestUnwritableLock(t *testing.T) {
	m := vfs.NewMem()
	fsys := vfs.NewFault(m, func(c vfs.Call) error {
		if c.Op == vfs.OpWrite {
			return fs.ErrPermission
		}
		return nil
	})
	_, err := ownership.Take(fsys, manifest, beside)
	if !errors.Is(err, fs.ErrPermission) || !strings.Contains(err.Error(), beside+".lock") {
		t.Errorf("got %v", err)
	}
	take(t, m, manifest, beside)
}
