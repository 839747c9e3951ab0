package journal_test

import (
	"testing"

	"github.com/rete-go/rete/engine/internal/journal"
	"github.com/rete-go/rete/internal/vfs"
)

// crashed calls f with what a machine may find after the power went before each of the
// operations of do.
func crashed(t *testing.T, m *vfs.Mem, do func(fsys vfs.FS), f func(state *vfs.Mem)) {
	t.Helper()
	var states []*vfs.Mem
	do(vfs.NewFault(m, func(vfs.Call) error {
		for range 16 {
			seed := uint64(len(states))
			states = append(states, m.CrashClone(vfs.CrashOptions{Data: vfs.LoseSome, Names: vfs.LoseSome, Seed: seed}))
		}
		return nil
	}))
	if len(states) < 16*4 {
		t.Errorf("only %d states", len(states))
	}
	for _, s := range states {
		f(s)
	}
}

// twoRotated makes a journal of five batches, of which four are in two rotated files.
func twoRotated(t *testing.T, m *vfs.Mem) {
	t.Helper()
	w := open(t, m, journal.Options{Generation: 1})
	for range 2 {
		appendBatch(t, w, 1)
		appendBatch(t, w, 1)
		if err := w.Rotate(1); err != nil {
			t.Fatal(err)
		}
	}
	appendBatch(t, w, 1)
	w.Close()
}

// A rotation does not get its names to the disk, and its process ends. The owner that goes on
// with what is to be seen then may lose none of it to a power cut.
func TestNamesOfTheDead(t *testing.T) {
	for seed := range uint64(30) {
		m := vfs.NewMem()
		armed := false
		w := open(t, vfs.NewFault(m, func(c vfs.Call) error {
			if armed && c.Op == vfs.OpSyncDir {
				return vfs.ErrInjected
			}
			return nil
		}), journal.Options{Generation: 1})
		appendBatch(t, w, 1)
		appendBatch(t, w, 1)
		armed = true
		if err := w.Rotate(1); err == nil {
			t.Fatal("the rotation did not fail")
		}
		w.Close()
		w = open(t, m, journal.Options{Generation: 1})
		appendBatch(t, w, 1)
		lost := m.CrashClone(vfs.CrashOptions{Data: vfs.LoseSome, Names: vfs.LoseSome, Seed: seed})
		w.Close()
		if c, all := load(t, lost); c.Last() != 3 || len(all) != 3 {
			t.Fatalf("seed %d: batch %d, %d lines", seed, c.Last(), len(all))
		}
	}
}

// The power goes while files that are sealed are removed: what is left has no gap.
func TestDropCrash(t *testing.T) {
	m := vfs.NewMem()
	twoRotated(t, m)
	crashed(t, m, func(fsys vfs.FS) {
		w := open(t, fsys, journal.Options{Generation: 1})
		if err := w.Drop(4); err != nil {
			t.Fatal(err)
		}
		w.Close()
	}, func(state *vfs.Mem) {
		if c, _ := load(t, state); c.Last() != 5 {
			t.Fatalf("read to batch %d", c.Last())
		}
	})
}

// The power goes while an old copy of a journal gives way to a new one.
func TestOldCopyCrash(t *testing.T) {
	m := vfs.NewMem()
	twoRotated(t, m)
	sealed := journal.Options{Generation: 1, Sealed: 9}
	crashed(t, m, func(fsys vfs.FS) { open(t, fsys, sealed).Close() }, func(state *vfs.Mem) {
		w := open(t, state, sealed)
		if w.Last() != 0 {
			t.Fatalf("it goes on at batch %d", w.Last())
		}
		w.Close()
	})
}
