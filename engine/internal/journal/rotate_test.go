package journal_test

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"sync"
	"testing"

	"github.com/rete-go/rete/engine/internal/journal"
	"github.com/rete-go/rete/internal/damage"
	"github.com/rete-go/rete/internal/vfs"
)

// A chain runs on over files: what a seal has rotated, and what came later.
func TestRotate(t *testing.T) {
	m := vfs.NewMem()
	w := open(t, m, journal.Options{Generation: 1})
	if err := w.Rotate(1); err != nil {
		t.Fatal(err)
	}
	if c, _ := load(t, m); len(c.Files) != 1 {
		t.Errorf("an empty file was rotated")
	}
	appendBatch(t, w, 2)
	appendBatch(t, w, 1)
	if err := w.Rotate(1); err != nil {
		t.Fatal(err)
	}
	appendBatch(t, w, 1)
	if err := w.Rotate(1); err != nil {
		t.Fatal(err)
	}
	appendBatch(t, w, 1)
	c, all := load(t, m)
	if len(c.Files) != 3 || c.Last() != 4 || len(all) != 5 || c.Lines(2) != 2 {
		t.Errorf("%d files, %v", len(c.Files), all)
	}
	if err := w.Drop(2); err != nil {
		t.Fatal(err)
	}
	c, rest := load(t, m)
	if len(c.Files) != 2 || !slices.Equal(rest, all[3:]) || c.Joins(2) != nil || !errors.Is(c.Joins(1), damage.Err) {
		t.Errorf("%d files, %v", len(c.Files), rest)
	}
	w.Close()
	// The next owner goes on, also where a crash left no current file.
	if err := m.Rename(name, name+".4"); err != nil {
		t.Fatal(err)
	}
	w = open(t, m, journal.Options{Generation: 1, Sealed: 2})
	appendBatch(t, w, 1)
	if err := w.Drop(4); err != nil {
		t.Fatal(err)
	}
	if c, rest = load(t, m); len(c.Files) != 1 || c.Last() != 5 || len(rest) != 1 {
		t.Errorf("%d files, %v", len(c.Files), rest)
	}
	w.Close()
}

// An old copy of a journal, whose batches are all in the log, does not give its
// numbers away again.
func TestOldCopy(t *testing.T) {
	m, _, _ := written(t, 1, 1)
	w := open(t, m, journal.Options{Generation: 2, Sealed: 7})
	appendBatch(t, w, 1)
	c, got := load(t, m)
	if len(got) != 1 || c.Last() != 1 {
		t.Errorf("batch %d: %v", c.Last(), got)
	}
	w.Close()
}

// The machine stops before operation k of a rotation, for every k: no batch is lost,
// and the next owner goes on.
func TestRotateCrash(t *testing.T) {
	for _, links := range []bool{false, true} {
		t.Run(fmt.Sprintf("links=%t", links), func(t *testing.T) { rotateCrash(t, links) })
	}
}

// linking is a file system that renames to a free name by a link to the file and the
// removal of its old name, as some do: a crash between the two leaves both.
type linking struct {
	vfs.FS
	below *vfs.Mem
}

func (l linking) RenameNew(oldname, newname string) error {
	if _, err := l.below.Stat(newname); err == nil {
		return fs.ErrExist
	}
	data, err := vfs.ReadFile(l.below, oldname, 1<<20)
	if err != nil {
		return err
	}
	if _, err := vfs.WriteFile(l.below, newname, data, l.below.Rename); err != nil {
		return err
	}
	_ = l.FS.Remove(oldname)
	return nil
}

func rotateCrash(t *testing.T, links bool) {
	for k := 1; ; k++ {
		m := vfs.NewMem()
		armed, n := false, 0
		var states []*vfs.Mem
		var fsys vfs.FS = vfs.NewFault(m, func(c vfs.Call) error {
			if !armed || c.Op == vfs.OpClose {
				return nil
			}
			if n++; n < k {
				return nil
			}
			if n == k {
				for seed := range uint64(8) {
					states = append(states, m.CrashClone(vfs.CrashOptions{Data: vfs.LoseSome, Names: vfs.LoseSome, Seed: seed}))
				}
				states = append(states, m.CrashClone(vfs.CrashOptions{}),
					m.CrashClone(vfs.CrashOptions{Data: vfs.LoseNone, Names: vfs.LoseNone}))
			}
			return vfs.ErrInjected
		})
		if links {
			fsys = linking{fsys, m}
		}
		w := open(t, fsys, journal.Options{Generation: 1})
		appendBatch(t, w, 2)
		appendBatch(t, w, 1)
		armed = true
		err := w.Rotate(1)
		armed = false
		if n < k {
			if err != nil {
				t.Fatal(err)
			}
			if k < 8 {
				t.Errorf("only %d operations", k)
			}
			return
		}
		if err == nil {
			t.Fatalf("k = %d: no error", k)
		}
		for i, s := range states {
			if _, got := load(t, s); len(got) != 3 {
				t.Fatalf("k = %d, state %d: %v", k, i, got)
			}
			w := open(t, s, journal.Options{Generation: 1})
			appendBatch(t, w, 1)
			w.Close()
			if c, got := load(t, s.CrashClone(vfs.CrashOptions{})); c.Last() != 3 || len(got) != 4 {
				t.Fatalf("k = %d, state %d: afterwards %v", k, i, got)
			}
		}
		// The process lives on: the journal takes more, or says that it does not.
		if ticket, err := w.Append(w.Epoch(), 1, batch(3, 1)); err == nil {
			if err := ticket.Wait(); err != nil {
				t.Errorf("k = %d: %v", k, err)
			}
		} else if !errors.Is(err, journal.ErrPoisoned) {
			t.Errorf("k = %d: %v", k, err)
		}
	}
}

// Readers that load while files move see every batch that was there before.
func TestLoadWhileRotating(t *testing.T) {
	m := vfs.NewMem()
	w := open(t, m, journal.Options{Generation: 1})
	appendBatch(t, w, 1)
	stop := make(chan struct{})
	var wg sync.WaitGroup
	for range 2 {
		wg.Go(func() {
			last := int64(0)
			for {
				select {
				case <-stop:
					return
				default:
				}
				c, err := journal.Load(m, name)
				if err != nil {
					t.Error(err)
					return
				}
				if c.Last() < last {
					t.Errorf("batch %d after batch %d", c.Last(), last)
					return
				}
				last = c.Last()
			}
		})
	}
	for range 100 {
		appendBatch(t, w, 1)
		if err := w.Rotate(1); err != nil {
			t.Fatal(err)
		}
		appendBatch(t, w, 1)
		if err := w.Drop(w.Last() - 1); err != nil {
			t.Fatal(err)
		}
	}
	close(stop)
	wg.Wait()
	w.Close()
}

// A reader that has listed the files when one is rotated, and opens the new one
// under the old name, begins again.
func TestLoadAcrossRotation(t *testing.T) {
	m := vfs.NewMem()
	w := open(t, m, journal.Options{Generation: 1})
	defer w.Close()
	appendBatch(t, w, 1)
	rotated := false
	fsys := vfs.NewFault(m, func(c vfs.Call) error {
		if c.Op == vfs.OpOpen && c.Name == name && !rotated {
			rotated = true
			if err := w.Rotate(1); err != nil {
				return err
			}
			appendBatch(t, w, 1)
		}
		return nil
	})
	c, all := load(t, fsys)
	if !rotated || len(c.Files) != 2 || len(all) != 2 || c.Joins(0) != nil {
		t.Errorf("%d files, %v, %v", len(c.Files), all, c.Joins(0))
	}
}
