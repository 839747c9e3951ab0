package journal_test

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"github.com/rete-go/rete/engine/internal/journal"
	"github.com/rete-go/rete/internal/vfs"
)

// dropTail drops what is damaged of a journal, as its owner.
func dropTail(fsys vfs.FS, sealed int64) (kept string, lost *journal.Dropped, err error) {
	lock, err := own(fsys, name)
	if err != nil {
		return "", nil, err
	}
	defer lock.Close()
	c, lost, err := journal.LoadWhole(fsys, name)
	if err != nil {
		return "", nil, err
	}
	kept, err = journal.DropTail(lock, c, sealed, lineage, 1)
	return kept, lost, err
}

// What is damaged of a journal, and all after it, is moved to a file; what is before it
// stays, under a new id, and the journal goes on.
func TestDropTail(t *testing.T) {
	base := vfs.NewMem()
	w := open(t, base, journal.Options{Generation: 1})
	for i := range 3 {
		for range 2 {
			appendBatch(t, w, i+1)
		}
		if i < 2 {
			if err := w.Rotate(1); err != nil {
				t.Fatal(err)
			}
		}
	}
	id := w.ID()
	w.Close()
	_, all := load(t, base)
	change := func(file, old, with string) func(t *testing.T, m *vfs.Mem) {
		return func(t *testing.T, m *vfs.Mem) {
			data := contents(t, m, file)
			if !bytes.Contains(data, []byte(old)) {
				t.Fatalf("no %q in %s", old, file)
			}
			rewrite(t, m, file, bytes.Replace(data, []byte(old), []byte(with), 1))
		}
	}
	remove := func(file string) func(t *testing.T, m *vfs.Mem) {
		return func(t *testing.T, m *vfs.Mem) {
			if err := m.Remove(file); err != nil {
				t.Fatal(err)
			}
		}
	}
	for _, c := range []struct {
		what   string
		change func(t *testing.T, m *vfs.Mem)
		sealed int64
		left   []string // lines of all
		lost   string
	}{
		{"the last batch", change(name, "ex/s6", "ex/sX"), 0, all[:9], "3 changes, 1 commit line"},
		{"a file that was rotated", change(name+".3", "ex/s4", "ex/sX"), 0, all[:4], "8 changes, 3 commit lines"},
		{"the oldest file", change(name+".1", "ex/s1", "ex/sX"), 0, nil, "12 changes, 6 commit lines"},
		{"the header", change(name, "# journal", "# jornal"), 0, all[:6], "6 changes, 2 commit lines"},
		{"the header of a file that was rotated", change(name+".3", "base=1", "base=x"), 0, all[:2], "10 changes, 4 commit lines"},
		{"with sealed batches", change(name, "ex/s6", "ex/sX"), 3, all[4:9], "3 changes, 1 commit line"},
		{"sealed batches", change(name+".1", "ex/s2", "ex/sX"), 3, nil, "11 changes, 5 commit lines"},
		{"a file is gone", remove(name + ".3"), 0, all[:2], "6 changes, 2 commit lines"},
		{"the newest file is gone", remove(name), 0, all[:6], ""},
		{"another journal's file", change(name, "# journal "+id, "# journal "+strings.Repeat("0", 32)), 0, all[:6], "6 changes, 2 commit lines"},
		{"a mark of more", func(t *testing.T, m *vfs.Mem) {
			mark := *readMark(t, m)
			mark.Batch = 99
			rewrite(t, m, journal.MarkName(name), mark.Encode())
		}, 0, all, ""},
	} {
		t.Run(c.what, func(t *testing.T) {
			m := base.CrashClone(vfs.CrashOptions{})
			c.change(t, m)
			sealed := map[string]int64{id: c.sealed}
			if _, err := look(m, sealed); err == nil {
				t.Fatal("no damage")
			}
			kept, lost, err := dropTail(m, c.sealed)
			if err != nil {
				t.Fatal(err)
			}
			if c.lost == "" && (lost != nil || kept != "") || c.lost != "" && (lost == nil || !strings.Contains(lost.String(), c.lost)) {
				t.Errorf("dropped %v to %q, want %q", lost, kept, c.lost)
			}
			if c.lost != "" && int64(len(contents(t, m, kept))) != lost.Bytes {
				t.Errorf("%d bytes in %s, want %d", len(contents(t, m, kept)), kept, lost.Bytes)
			}
			w := open(t, m, journal.Options{Generation: 1})
			if w.ID() == id {
				t.Error("it has the id that it had")
			}
			appendBatch(t, w, 1)
			w.Close()
			got, err := look(m, sealed)
			if err != nil || len(got) != len(c.left)+1 || !sameChanges(got[:len(c.left)], c.left) {
				t.Errorf("left are %q, %v", got, err)
			}
		})
	}
}

// sameChanges compares lines without the numbers of their batches.
func sameChanges(a, b []string) bool {
	return slices.EqualFunc(a, b, func(a, b string) bool {
		_, a, _ = strings.Cut(a, " ")
		_, b, _ = strings.Cut(b, " ")
		return a == b
	})
}

// The power goes while a tail is dropped, at every moment: the damage is there still, or
// the journal without it, and the bytes are in one of the files.
func TestDropTailCrash(t *testing.T) {
	m, data, all := written(t, 1, 1, 2)
	tail := []byte("<http://ex/sX>")
	rewrite(t, m, name, bytes.Replace(data, []byte("<http://ex/s3>"), tail, 1))
	m = m.CrashClone(vfs.CrashOptions{Data: vfs.LoseNone, Names: vfs.LoseNone})
	crashed(t, m, func(fsys vfs.FS) {
		if _, _, err := dropTail(fsys, 0); err != nil {
			t.Fatal(err)
		}
	}, func(state *vfs.Mem) {
		found := false
		for _, file := range journalFiles(t, state) {
			found = found || bytes.Contains(contents(t, state, file), tail)
		}
		if !found {
			t.Fatal("the bytes are gone")
		}
		got, err := look(state, nil)
		if err != nil {
			if _, _, err := dropTail(state, 0); err != nil {
				t.Fatal(err)
			}
			got, err = look(state, nil)
		}
		if err != nil || !sameChanges(got, all[:2]) {
			t.Fatalf("%q, %v", got, err)
		}
	})
}

// A torn tail is no damage.
func TestDropTailTorn(t *testing.T) {
	_, data, _ := written(t, 1, 2)
	m := put(t, name, data[:len(data)-5])
	if _, lost, err := journal.LoadWhole(m, name); lost != nil || err != nil {
		t.Error(lost, err)
	}
	if c, lost, err := journal.LoadWhole(vfs.NewMem(), name); lost != nil || err != nil || len(c.Files) != 0 {
		t.Error(lost, err)
	}
}
