package journal_test

import (
	"math/rand/v2"
	"testing"

	"github.com/rete-go/rete/engine/internal/journal"
	"github.com/rete-go/rete/internal/vfs"
)

// halves reads the journal in two steps, once, and something happens between them: no
// system promises that a read of several pages is one of a single moment.
type halves struct {
	vfs.FS
	cut     int64
	between func() // nil: it has happened
}

type halvesFile struct {
	vfs.File
	h *halves
}

func (h *halves) Open(file string) (vfs.File, error) {
	f, err := h.FS.Open(file)
	if err != nil || file != name {
		return f, err
	}
	return &halvesFile{f, h}, nil
}

func (f *halvesFile) ReadAt(p []byte, off int64) (int, error) {
	at := f.h.cut - off
	if f.h.between == nil || at <= 0 || at >= int64(len(p)) {
		return f.File.ReadAt(p, off)
	}
	n, err := f.File.ReadAt(p[:at], off)
	if err != nil {
		return n, err
	}
	between := f.h.between
	f.h.between = nil
	between()
	m, err := f.File.ReadAt(p[at:], off+at)
	return n + m, err
}

// A reader that batches overtake sees the room where the first one is now, and after
// it one that says that the first is on disk. That is no damage.
func TestOvertakenRead(t *testing.T) {
	r := rand.New(rand.NewPCG(6, 8))
	between := 0
	for i := range 300 {
		m := vfs.NewMem()
		w := open(t, m, journal.Options{Generation: 1})
		for range 20 {
			appendBatch(t, w, 2)
		}
		known, _ := load(t, m)
		if r.IntN(2) == 0 {
			appendBatch(t, w, 2)
		}
		before := w.Last()
		h := &halves{FS: m, cut: w.Size() + int64(r.IntN(400)) - 50, between: func() {
			between++
			for range 1 + r.IntN(3) {
				appendBatch(t, w, 1+r.IntN(4))
			}
		}}
		read := known.Reload
		if i%2 == 0 {
			read = func(fsys vfs.FS) (*journal.Chain, error) { return journal.Load(fsys, name) }
		}
		c, err := read(h)
		if err != nil {
			t.Fatalf("round %d, read in two steps at %d: %v", i, h.cut, err)
		}
		if tail := c.Torn(); tail != nil && tail.Whole {
			t.Errorf("round %d, read in two steps at %d: %v", i, h.cut, tail.Cause)
		}
		if c.Last() < before {
			t.Errorf("round %d, read in two steps at %d: batch %d of %d", i, h.cut, c.Last(), before)
		}
		w.Close()
	}
	if between < 200 {
		t.Errorf("only %d reads were overtaken", between)
	}
}
