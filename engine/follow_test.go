package engine_test

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/rete-go/rete/engine"
	"github.com/rete-go/rete/internal/model"
	"github.com/rete-go/rete/internal/vfs"
)

// A reader of another process reads what is new in the journal, not all of it, and its
// older snapshots stay what they were.
func TestReaderFollowsByTheBatch(t *testing.T) {
	m := vfs.NewMem()
	db := initDB(t, m)
	for i := range 1000 {
		write(t, db, model.Entry{Adds: numbers(i*5, i*5+5)})
	}
	var read atomic.Int64
	other := openDB(t, vfs.NewFault(m, func(c vfs.Call) error {
		if c.Op == vfs.OpRead && strings.Contains(c.Name, ".changes") {
			read.Add(int64(c.Size))
		}
		return nil
	}))
	refresh := func() *engine.Snapshot {
		t.Helper()
		if _, err := other.Refresh(t.Context()); err != nil {
			t.Fatal(err)
		}
		return snapshot(t, other)
	}
	first := refresh()
	want := visible(t, first)
	if read.Load() < 300_000 || len(want) != 5000 {
		t.Fatalf("%d bytes, %d quads", read.Load(), len(want))
	}
	for i := range 30 {
		write(t, db, model.Entry{Adds: []model.Quad{{"<http://ex/new>", fmt.Sprintf("<http://ex/p%d>", i), quadNumber(i)[2], ""}},
			Dels: numbers(i, i+1)})
		read.Store(0)
		s := refresh()
		if read.Load() > 2_000+68<<10 { // with the room after the last batch
			t.Fatalf("step %d: %d bytes of the journal were read", i, read.Load())
		}
		if !engine.SharesTop(s, first) {
			t.Fatalf("step %d: the journal was applied anew", i)
		}
		if a, b := visible(t, s), visible(t, snapshot(t, db)); !slices.Equal(a, b) || s.State() != snapshot(t, db).State() || s.Unsealed() != 5000+2*int64(i+1) {
			t.Fatalf("step %d: the reader has %d quads, %d of them unsealed, the writer %d", i, len(a), s.Unsealed(), len(b))
		}
	}
	seal(t, db)
	write(t, db, model.Entry{Adds: numbers(5000, 5001)})
	s := refresh()
	if a, b := visible(t, s), visible(t, snapshot(t, db)); !slices.Equal(a, b) || engine.SharesTop(s, first) || s.Unsealed() != 1 {
		t.Errorf("after the seal the reader has %d quads, the writer %d", len(a), len(b))
	}
	if got := visible(t, first); !slices.Equal(got, want) {
		t.Errorf("the first snapshot has changed: %d quads", len(got))
	}
}

// Whatever the writer does, a reader that looks now and then sees what it sees.
func TestReaderFollowsModel(t *testing.T) {
	for seed := range uint64(10) {
		r := rand.New(rand.NewPCG(seed, 2))
		m := vfs.NewMem()
		db := initDB(t, m)
		other := openDB(t, m)
		for range 40 {
			switch r.IntN(10) {
			case 0:
				seal(t, db)
			case 1:
				if _, err := db.Compact(t.Context(), nil); err != nil && len(db.Manifest().Log) > 1 {
					t.Fatal(err)
				}
			case 2:
				closeDB(t, db)
				db = openDB(t, m)
			default:
				write(t, db, randomEntry(r, model.Shape{}))
			}
			if r.IntN(2) > 0 {
				continue
			}
			if _, err := other.Refresh(t.Context()); err != nil {
				t.Fatal(err)
			}
			if r.IntN(4) > 0 {
				if a, b := visible(t, snapshot(t, other)), visible(t, snapshot(t, db)); !slices.Equal(a, b) {
					t.Fatalf("seed %d: the reader has %v, the writer %v", seed, a, b)
				}
			}
		}
	}
}

// A batch that a reader saw before it was on disk is lost in a crash, and another one has
// its number: the reader sees the other one. Damage is an error, and the reader keeps what
// it has.
func TestReaderFollowsTheOtherBatch(t *testing.T) {
	m := vfs.NewMem()
	db := initDB(t, m)
	write(t, db, model.Entry{Adds: numbers(0, 3)})
	before, err := vfs.ReadFile(m, journalName, 1<<20)
	if err != nil {
		t.Fatal(err)
	}
	write(t, db, model.Entry{Adds: numbers(10, 12)})
	other := openDB(t, m)
	if got := visible(t, snapshot(t, other)); len(got) != 5 {
		t.Fatalf("got %v", got)
	}
	closeDB(t, db)
	rewriteFile(t, m, journalName, func([]byte) []byte { return before })
	if err := m.Remove(journalName + ".mark"); err != nil { // a crash writes none
		t.Fatal(err)
	}
	db = openDB(t, m)
	write(t, db, model.Entry{Adds: numbers(20, 21)})
	want := model.Fold([]model.Entry{{Adds: append(numbers(0, 3), quadNumber(20))}}).Sorted()
	if moved, err := other.Refresh(t.Context()); err != nil || !moved {
		t.Fatalf("%v, %v", moved, err)
	}
	if got := visible(t, snapshot(t, other)); !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	write(t, db, model.Entry{Dels: numbers(20, 21), Adds: numbers(40, 41)})
	write(t, db, model.Entry{Dels: numbers(40, 41), Adds: numbers(20, 21)})
	if _, err := other.Refresh(t.Context()); err != nil {
		t.Fatal(err)
	}
	closeDB(t, db)
	var whole []byte
	rewriteFile(t, m, journalName, func(b []byte) []byte {
		whole = bytes.Clone(b)
		return bytes.Replace(b[:len(b)-5], []byte("+ <http://ex/a>"), []byte("+ <http://ex/x>"), 1)
	})
	if _, err := other.Refresh(t.Context()); err == nil {
		t.Error("no error")
	}
	if got := visible(t, snapshot(t, other)); !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	rewriteFile(t, m, journalName, func([]byte) []byte { return whole })
	db = openDB(t, m)
	write(t, db, model.Entry{Adds: numbers(30, 31)})
	if _, err := other.Refresh(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := visible(t, snapshot(t, other)); len(got) != 5 {
		t.Errorf("got %v", got)
	}
}

// A reader next to a writer that writes, seals, compacts, stops and starts between any two
// of its operations sees no damage, whether it opens the graph or follows it.
func TestReaderFollowsBesideWriter(t *testing.T) {
	besideWriter(t, func(t *testing.T, what string, w *liveWriter, fsys vfs.FS) {
		db, err := engine.Open(t.Context(), manifestName, besideOptions(fsys))
		if err != nil {
			t.Fatalf("%s: %v", what, err)
		}
		defer db.Close()
		for range 3 {
			_, err := db.Refresh(t.Context())
			var s *engine.Snapshot
			if err == nil {
				s, err = db.Snapshot(t.Context())
			}
			switch {
			case errors.Is(err, engine.ErrExpired): // the segments are collected meanwhile
			case err != nil:
				t.Fatalf("%s: %v", what, err)
			default:
				s.Close()
			}
		}
	})
}
