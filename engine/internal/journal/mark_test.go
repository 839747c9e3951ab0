package journal_test

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/rete-go/rete/engine/internal/journal"
	"github.com/rete-go/rete/internal/damage"
	"github.com/rete-go/rete/internal/vfs"
)

func readMark(t *testing.T, fsys vfs.FS) *journal.Mark {
	t.Helper()
	m, err := journal.ReadMark(fsys, name)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// marks counts the writes of the mark.
func marks(base vfs.FS) (fsys vfs.FS, count func() int) {
	n := 0
	return vfs.NewFault(base, func(c vfs.Call) error {
		if c.Op == vfs.OpWrite && c.Name == journal.MarkName(name) {
			n++
		}
		return nil
	}), func() int { return n }
}

// The mark is written at a rotation, at a clean stop, and when an owner finds a journal
// that reaches further, as after a crash: never with a batch, and not twice the same.
func TestMarkWrites(t *testing.T) {
	m := vfs.NewMem()
	fsys, count := marks(m)
	want := func(what string, writes int, batch int64) {
		t.Helper()
		var got int64
		if mark := readMark(t, m); mark != nil {
			got = mark.Batch
		}
		if count() != writes || got != batch {
			t.Errorf("%s: %d writes, batch %d; want %d, batch %d", what, count(), got, writes, batch)
		}
	}
	w := open(t, fsys, journal.Options{Generation: 1})
	for range 100 {
		appendBatch(t, w, 1)
	}
	want("100 batches", 0, 0)
	if err := w.Rotate(1); err != nil {
		t.Fatal(err)
	}
	want("a rotation", 1, 100)
	appendBatch(t, w, 1)
	dead := m.CrashClone(vfs.CrashOptions{})
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	want("a clean stop", 2, 101)
	c, _ := load(t, m)
	if mark, hash := readMark(t, m), must(c.Hash(101)); mark.ID != c.ID() || mark.Lineage != lineage || mark.Hash != hash {
		t.Errorf("the mark is %+v, the journal %s has the hash %x", mark, c.ID(), hash)
	}
	open(t, fsys, journal.Options{Generation: 1}).Close()
	want("an owner that writes nothing", 2, 101)

	m = dead
	fsys, count = marks(m)
	w = open(t, fsys, journal.Options{Generation: 1})
	want("after a crash", 1, 101)
	w.Close()
	want("and a stop", 1, 101)
	if err := m.Remove(journal.MarkName(name)); err != nil {
		t.Fatal(err)
	}
	open(t, fsys, journal.Options{Generation: 1}).Close()
	want("a mark that was removed", 2, 101)
}

func must(hash uint64, ok bool) uint64 {
	if !ok {
		panic("no hash")
	}
	return hash
}

// A mark that cannot be written is reported, and nothing fails for it.
func TestMarkFails(t *testing.T) {
	for _, op := range []vfs.Op{vfs.OpOpenWrite, vfs.OpWrite, vfs.OpSync, vfs.OpSyncDir} {
		m := vfs.NewMem()
		armed := false
		w := open(t, vfs.NewFault(m, func(c vfs.Call) error {
			if armed && c.Op == op && (c.Name == journal.MarkName(name) || op == vfs.OpSyncDir) {
				return vfs.ErrNoSpace
			}
			return nil
		}), journal.Options{Generation: 1})
		appendBatch(t, w, 1)
		armed = true
		if err := w.Close(); err != nil {
			t.Errorf("%v: %v", op, err)
		}
		if got, err := look(m, nil); err != nil || len(got) != 1 {
			t.Errorf("%v: %v, %v", op, got, err)
		}
	}
}

// The power goes at every moment of a life with rotations, seals and restarts: the mark
// that is found is never ahead of the journal that is.
func TestMarkCrash(t *testing.T) {
	m := vfs.NewMem()
	sealed := map[string]int64{} // as far as it is committed before the files are dropped
	crashed(t, m, func(fsys vfs.FS) {
		for _, mode := range []journal.Mode{journal.Never, journal.Always} {
			w := open(t, fsys, journal.Options{Generation: 1, Mode: mode})
			for range 2 {
				appendBatch(t, w, 2)
				if err := w.Rotate(1); err != nil {
					t.Fatal(err)
				}
				appendBatch(t, w, 1)
			}
			sealed[w.ID()] = 1
			if err := w.Drop(1); err != nil {
				t.Fatal(err)
			}
			w.Close()
		}
	}, func(state *vfs.Mem) {
		got, err := look(state, sealed)
		if err != nil {
			t.Fatal(err)
		}
		w := open(t, state, journal.Options{Generation: 1})
		appendBatch(t, w, 1)
		w.Close()
		if again, err := look(state, sealed); err != nil || len(again) != len(got)+1 {
			t.Fatalf("%d lines after %d: %v", len(again), len(got), err)
		}
	})
}

// A journal that does not reach to its mark is refused, unless what is missing is sealed,
// or the mark is of another manifest.
func TestShort(t *testing.T) {
	m, data, _ := written(t, 1, 1, 2)
	id := readMark(t, m).ID
	_, other, _ := written(t, 1, 1, 1, 1)
	cut := data[:bytes.Index(data, []byte("+ <http://ex/s3>"))]
	for _, c := range []struct {
		what   string
		data   []byte // nil: removed
		sealed int64
		want   string
	}{
		{"whole", data, 0, ""},
		{"cut between two batches", cut, 0, "its end is missing, batch 2 is the last"},
		{"cut, and part of it is sealed", cut, 2, "its end is missing"},
		{"cut, and all is sealed", cut, 3, ""},
		{"removed", nil, 0, "the journal is gone"},
		{"removed, and part of it was sealed", nil, 2, "the journal is gone"},
		{"removed, and all was sealed", nil, 3, ""},
		{"empty", []byte{}, 0, "the journal is gone"},
		{"another one", other, 0, "another journal is in its place"},
		{"another one, and it was sealed", other, 3, ""},
		{"lines by hand", []byte(line(1, 0)), 0, "another journal is in its place"},
	} {
		m := m.CrashClone(vfs.CrashOptions{})
		if c.data != nil {
			rewrite(t, m, name, c.data)
		} else if err := m.Remove(name); err != nil {
			t.Fatal(err)
		}
		chain, err := journal.Load(m, name)
		if err != nil {
			t.Fatal(err)
		}
		err = chain.Reaches(journal.Log{Lineage: lineage, Sealed: map[string]int64{id: c.sealed}})
		if c.want == "" && err != nil || c.want != "" && (!errors.Is(err, journal.ErrShort) || !errors.Is(err, damage.Err) || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s: got %v, want %q", c.what, err, c.want)
		}
		foreign := chain.ID() != id
		if err := chain.Reaches(journal.Log{Lineage: strings.Repeat("0", 32)}); foreign && (err != nil || !chain.ForeignMark(strings.Repeat("0", 32))) {
			t.Errorf("%s, for another manifest: %v", c.what, err)
		}
	}
	// An old copy that went on: the numbers are there, and are others.
	m2 := put(t, name, cut)
	w := open(t, m2, journal.Options{Generation: 2})
	appendBatch(t, w, 4)
	w.Close()
	rewrite(t, m2, journal.MarkName(name), contents(t, m, journal.MarkName(name)))
	if _, err := reaches(m2); !errors.Is(err, journal.ErrShort) || !strings.Contains(err.Error(), "batch 3 is another one") {
		t.Errorf("an old copy that went on: %v", err)
	}
}

func reaches(fsys vfs.FS) (*journal.Chain, error) {
	c, err := journal.Load(fsys, name)
	if err != nil {
		return nil, err
	}
	return c, c.Reaches(journal.Log{Lineage: lineage})
}

// What was on disk when the mark was written is no write that did not finish.
func TestTornBeforeMark(t *testing.T) {
	m, data, _ := written(t, 1, 2)
	for cut := len(data) - 1; cut > len(data)-commitLine; cut-- {
		rewrite(t, m, name, data[:cut])
		if _, err := journal.Load(m, name); !errors.Is(err, damage.Err) || !strings.Contains(err.Error(), "batch 2") || !strings.Contains(err.Error(), "it was on disk") {
			t.Errorf("cut at %d of %d: %v", cut, len(data), err)
		}
	}
}

// A mark that does not check is none.
func TestBadMark(t *testing.T) {
	m, _, _ := written(t, 1, 2)
	good := contents(t, m, journal.MarkName(name))
	if mark, ok := journal.ParseMark(good); !ok || len(good) != 512 || !bytes.Equal(mark.Encode(), good) {
		t.Fatalf("%d bytes: %q", len(good), good)
	}
	bad := [][]byte{nil, good[:511], append(bytes.Clone(good), '\n'), make([]byte, 512), bytes.ReplaceAll(good, []byte("\n"), []byte("\r\n"))}
	for at := range good {
		for bit := range 8 {
			b := bytes.Clone(good)
			b[at] ^= 1 << bit
			bad = append(bad, b)
		}
	}
	for _, b := range bad {
		rewrite(t, m, journal.MarkName(name), b)
		c, err := reaches(m)
		if err != nil || !c.BadMark() || readMark(t, m) != nil {
			t.Fatalf("%q: %v", b, err)
		}
	}
	open(t, m, journal.Options{Generation: 2}).Close()
	if !bytes.Equal(contents(t, m, journal.MarkName(name)), good) {
		t.Error("it is not written again")
	}
}

// FuzzParseMark: what is a mark has one spelling.
func FuzzParseMark(f *testing.F) {
	m, _, _ := written(f, 1)
	data, err := vfs.ReadFile(m, journal.MarkName(name), 1<<10)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(data)
	f.Add((&journal.Mark{ID: strings.Repeat("0", 32), Batch: 1<<62 - 1, Hash: 1<<64 - 1}).Encode())
	f.Add(data[:100])
	f.Fuzz(func(t *testing.T, data []byte) {
		if m, ok := journal.ParseMark(data); ok && !bytes.Equal(m.Encode(), data) {
			t.Fatalf("%+v is spelled %q, got %q", m, m.Encode(), data)
		}
	})
}

// stepping is a file system on which a writer makes a step, or none, before each operation
// of a reader.
func stepping(base vfs.FS, r *rand.Rand, step func()) vfs.FS {
	inside := false
	return vfs.NewFault(base, func(vfs.Call) error {
		if !inside && r.IntN(3) == 0 {
			inside = true
			step()
			inside = false
		}
		return nil
	})
}

// A reader concurrent with a writer that appends, rotates, seals, stops, starts and dies sees no
// damage, and never less than before.
func TestReadersBesideWriter(t *testing.T) {
	seeds := 150
	if testing.Short() {
		seeds = 40
	}
	for seed := range uint64(seeds) {
		r := rand.New(rand.NewPCG(seed, 42))
		m := vfs.NewMem()
		sealed := map[string]int64{} // the manifest
		opt := journal.Options{Generation: 1, Mode: journal.Mode(r.IntN(2) * 2)}
		w := open(t, m, opt)
		appendBatch(t, w, 1)
		rotated := int64(0) // the last batch in a file that was rotated
		step := func() {
			switch r.IntN(8) {
			case 0:
				if err := w.Rotate(1); err != nil {
					t.Fatal(err)
				}
				rotated = w.Last()
			case 1:
				sealed[w.ID()] = max(rotated, sealed[w.ID()])
				if err := w.Drop(rotated); err != nil {
					t.Fatal(err)
				}
			case 2, 3: // it stops, or is killed: what it leaves is the same but for the room and the mark
				mark := readMark(t, m)
				w.Close()
				if r.IntN(2) == 0 && mark != nil {
					rewrite(t, m, journal.MarkName(name), mark.Encode())
				}
				opt.Sealed = sealed[w.ID()]
				w = open(t, m, opt)
			default:
				appendBatch(t, w, 1+r.IntN(20))
			}
		}
		fsys := stepping(m, r, step)
		var known *journal.Chain
		for i := range 40 {
			least := w.Last()
			read := func() (*journal.Chain, error) { return journal.Load(fsys, name) }
			if known != nil && r.IntN(2) == 0 {
				read = func() (*journal.Chain, error) { return known.Reload(fsys) }
			}
			c, err := read()
			if err != nil {
				t.Fatalf("seed %d, reading %d: %v", seed, i, err)
			}
			err = errors.Join(c.Check(lineage, 1), c.Joins(sealed[c.ID()]), c.Reaches(journal.Log{Lineage: lineage, Sealed: sealed}))
			if last := max(c.Last(), sealed[c.ID()]); err != nil || last < least {
				t.Fatalf("seed %d, reading %d: up to batch %d of %d: %v", seed, i, last, least, err)
			}
			known = c
			step()
		}
		w.Close()
	}
}
