package journal_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/rete-go/rete/engine/internal/journal"
	"github.com/rete-go/rete/internal/vfs"
)

// counting counts the bytes that are read of journal files.
func counting(base vfs.FS) (fsys vfs.FS, read func() int) {
	n := 0
	fsys = vfs.NewFault(base, func(c vfs.Call) error {
		if c.Op == vfs.OpRead && strings.HasPrefix(c.Name, name) {
			n += c.Size
		}
		return nil
	})
	return fsys, func() (sum int) { sum, n = n, 0; return sum }
}

// compare reloads a chain and loads the same files, which must be the same thing.
func compare(t *testing.T, known *journal.Chain, fsys vfs.FS) *journal.Chain {
	t.Helper()
	got, err := known.Reload(fsys)
	want, werr := journal.Load(fsys, name)
	if fmt.Sprint(err) != fmt.Sprint(werr) {
		t.Fatalf("reload: %v; load: %v", err, werr)
	}
	if err != nil {
		return known
	}
	a, aerr := lines(got)
	b, berr := lines(want)
	if fmt.Sprint(aerr) != fmt.Sprint(berr) || !slices.Equal(a, b) {
		t.Fatalf("reload: %v, %v; load: %v, %v", a, aerr, b, berr)
	}
	x, xok := got.Hash(got.Last())
	y, yok := want.Hash(want.Last())
	if x != y || xok != yok || got.Last() != want.Last() || got.Lines(2) != want.Lines(2) || len(got.Files) != len(want.Files) ||
		(got.Torn() == nil) != (want.Torn() == nil) {
		t.Fatalf("reload: batch %d, tail %+v; load: batch %d, tail %+v", got.Last(), got.Torn(), want.Last(), want.Torn())
	}
	if g, w := got.Torn(), want.Torn(); g != nil && (g.Offset != w.Offset || g.Size != w.Size || g.Whole != w.Whole || g.Cause.Error() != w.Cause.Error()) {
		t.Fatalf("reload: tail %+v; load: %+v", g, w)
	}
	return got
}

// What is read of a journal that goes on, and is rotated, is what is new in it.
func TestReloadReadsOn(t *testing.T) {
	m := vfs.NewMem()
	w := open(t, m, journal.Options{Generation: 1})
	defer w.Close()
	for range 5_000 {
		appendBatch(t, w, 2)
	}
	fsys, read := counting(m)
	c, before := load(t, fsys)
	if n := read(); n < 500_000 {
		t.Fatalf("%d bytes", n)
	}
	first := c
	for i := range 40 {
		appendBatch(t, w, 1)
		if i%10 == 9 {
			if err := w.Rotate(1); err != nil {
				t.Fatal(err)
			}
			appendBatch(t, w, 1)
		}
		if i == 25 {
			if err := w.Drop(5_020); err != nil {
				t.Fatal(err)
			}
		}
		next, err := c.Reload(fsys)
		if err != nil {
			t.Fatal(err)
		}
		if n := read(); n > 2_000+journal.MostRoom {
			t.Fatalf("step %d: %d bytes were read", i, n)
		}
		c = compare(t, next, m)
	}
	if got, err := lines(first); err != nil || !slices.Equal(got, before) {
		t.Errorf("the first one has changed: %d lines, %v", len(got), err)
	}
}

// One chain is read on by several goroutines.
func TestReloadTogether(t *testing.T) {
	m := vfs.NewMem()
	w := open(t, m, journal.Options{Generation: 1})
	defer w.Close()
	appendBatch(t, w, 1)
	c, _ := load(t, m)
	for range 20 {
		appendBatch(t, w, 3)
		var all [3]*journal.Chain
		var wg sync.WaitGroup
		for i := range all {
			wg.Go(func() {
				var err error
				if all[i], err = c.Reload(m); err != nil {
					t.Error(err)
				}
			})
		}
		wg.Wait()
		if t.Failed() {
			return
		}
		for _, a := range all {
			compare(t, a, m)
		}
		c = all[w.Last()%3]
	}
}

// A byte of the last batches is damaged, or cut off, wherever: Reload says what Load
// says, also after the journal was mended and goes on.
func TestReloadDamage(t *testing.T) {
	m, data, _ := written(t, 1, 1, 2)
	known, _ := load(t, m)
	w := open(t, m, journal.Options{Generation: 2})
	appendBatch(t, w, 1)
	appendBatch(t, w, 1)
	w.Close()
	longer, err := vfs.ReadFile(m, name, 1<<20)
	if err != nil {
		t.Fatal(err)
	}
	last := bytes.LastIndex(data, []byte("# commit"))
	for at := last; at < len(longer); at++ {
		bad := bytes.Clone(longer)
		bad[at] ^= 1
		for _, text := range [][]byte{bad, longer[:at]} {
			m := put(t, name, text)
			c := compare(t, known, m)
			w, err := tryOpen(m, journal.Options{Generation: 2})
			if err != nil {
				continue // damage that nobody mends
			}
			compare(t, c, m)
			appendBatch(t, w, 2)
			w.Close()
			compare(t, compare(t, known, m), m)
			compare(t, c, m)
		}
	}
}

// The last batch is cut off, and another one takes its number.
func TestReloadOtherBatch(t *testing.T) {
	m, data, _ := written(t, 1, 1)
	known, _ := load(t, m)
	cut := bytes.LastIndex(data, []byte("+ "))
	m = put(t, name, data[:cut])
	w := open(t, m, journal.Options{Generation: 2})
	defer w.Close()
	appendBatch(t, w, 3)
	compare(t, known, m)
	a, _ := known.Hash(2)
	if b, ok := compare(t, known, m).Hash(2); !ok || a == b {
		t.Errorf("hash %x twice", a)
	}
}

// Whatever happens to a journal between two looks, Reload says what Load says.
func TestReloadModel(t *testing.T) {
	for seed := range uint64(30) {
		r := rand.New(rand.NewPCG(seed, 1))
		m := vfs.NewMem()
		w := open(t, m, journal.Options{Generation: 1})
		c, _ := load(t, m)
		for range 60 {
			switch r.IntN(8) {
			case 0:
				if err := w.Rotate(1); err != nil {
					t.Fatal(err)
				}
			case 1:
				if err := w.Drop(w.Last() - r.Int64N(4)); err != nil {
					t.Fatal(err)
				}
			case 2: // the process dies in the middle of a write
				w.Close()
				data, err := vfs.ReadFile(m, name, 1<<20)
				if err != nil {
					t.Fatal(err)
				}
				data = append(data, "+ <http://ex/torn> <http://"[:r.IntN(20)]...)
				if _, err := vfs.WriteFile(m, name, data, m.Rename); err != nil {
					t.Fatal(err)
				}
				if r.IntN(2) == 0 {
					c = compare(t, c, m)
				}
				w = open(t, m, journal.Options{Generation: 1})
			default:
				appendBatch(t, w, r.IntN(3))
			}
			if r.IntN(3) > 0 {
				c = compare(t, c, m)
			}
		}
		w.Close()
	}
}
