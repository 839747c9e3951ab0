package journal

import (
	"log/slog"
	"path/filepath"
	"time"

	"github.com/rete-go/rete/internal/damage"
	"github.com/rete-go/rete/internal/vfs"
)

// Load is [Load] for the owner, whose files do not move. A file that a copy of the folder
// shares by a hard link is parted from it: it is written in place.
func (l *Lock) Load() (*Chain, error) {
	if err := vfs.Unshare(l.fs, l.name, maxFile); err != nil {
		return nil, err
	}
	return Load(l.fs, l.name)
}

// Recover loads a journal, compares it with its manifest, which is read after it, opens it
// for appending as [NewWriter] does, and drops the files that are sealed.
func Recover(lock *Lock, read func() (Log, error), opt Options) (*Writer, error) {
	c, err := lock.Load() // anew: it will be changed
	if err != nil {
		return nil, err
	}
	m, err := read()
	if err != nil {
		return nil, err
	}
	if err := c.Fits(m); err != nil {
		return nil, err
	}
	opt.Lineage, opt.Generation, opt.Sealed = m.Lineage, m.Generation, m.Sealed[c.ID()]
	w, err := NewWriter(lock, c, opt)
	if err != nil {
		return nil, err
	}
	if err := w.Drop(m.Sealed[w.ID()]); err != nil {
		w.opt.Logger.Warn("a sealed journal file is left", "journal", lock.name, "error", err)
	}
	return w, nil
}

// NewWriter opens a journal for appending after what its owner has loaded: the
// torn tail is saved and cut off, a journal without commit lines gets them, a missing
// file is made. The chain must have passed [Chain.Check] and is not valid
// afterwards. The writer has the lock from now on; with an error it stays with
// the caller.
func NewWriter(lock *Lock, c *Chain, opt Options) (*Writer, error) {
	w := &Writer{fs: lock.fs, lock: lock, opt: opt}
	if w.opt.Logger == nil {
		w.opt.Logger = slog.New(slog.DiscardHandler)
	}
	if w.opt.Interval <= 0 {
		w.opt.Interval = 50 * time.Millisecond
	}
	if err := w.open(c); err != nil {
		return nil, err
	}
	w.mark(w.end) // after a crash the journal reaches further than its mark
	if w.opt.Mode == Interval {
		w.stop = make(chan struct{})
		w.idle.Add(1)
		go w.tick()
	}
	return w, nil
}

func (w *Writer) open(c *Chain) error {
	name := w.lock.name
	if n := len(c.Files); n > 0 {
		if err := w.mend(c.Files[n-1]); err != nil {
			return err
		}
	}
	if len(c.Files) == 1 && c.Files[0].Plain {
		if err := w.convert(c.Files[0]); err != nil {
			return err
		}
	}
	if n := len(c.Files); n > 0 && (c.Last() < w.opt.Sealed || n == 1 && c.foreign(w.opt.Lineage, w.opt.Generation)) {
		// An old copy, whose numbers are used up, or an empty one of another
		// manifest: it ends here.
		for _, f := range c.Files {
			if err := w.remove(f.Name); err != nil {
				return err
			}
		}
		c.Files = nil
	}
	if n := len(c.Files); n > 0 && c.Files[n-1].Name == name {
		return w.resume(c.Files[n-1])
	}
	h := Header{Lineage: w.opt.Lineage, Base: w.opt.Generation, First: 1}
	if n := len(c.Files); n > 0 {
		f := c.Files[n-1]
		h.ID, h.First, h.After, h.HasAfter = f.Header.ID, f.next(), f.hash, true
	} else {
		var err error
		if h.ID, err = randomID(); err != nil {
			return err
		}
	}
	return w.create(h)
}

// foreign reports whether an empty journal is not of a manifest's.
func (c *Chain) foreign(lineage string, generation int64) bool {
	h := c.Files[0].Header
	return len(c.Files[0].Batches) == 0 && (h.Lineage != lineage || h.Base > generation)
}

// mend moves what follows the last whole batch to a file of its own.
func (w *Writer) mend(f *File) error {
	if f.Torn == nil {
		return nil
	}
	to, err := saveAs(w.fs, w.lock.name+tornSuffix, f.tail())
	if err != nil {
		return err
	}
	file, err := w.fs.OpenWrite(f.Name)
	if err != nil {
		return err
	}
	defer file.Close()
	if err := file.Truncate(int64(f.good)); err != nil {
		return err
	}
	if err := file.Sync(); err != nil {
		return err
	}
	w.opt.Logger.Warn("torn tail of the journal saved and cut off", "journal", f.Name, "offset", f.good, "bytes", f.Torn.Size,
		"to", to, "error", f.Torn.Cause)
	f.data, f.Torn, f.room = f.data[:f.good], nil, 0
	return nil
}

// convert gives a file without commit lines a header and a commit line for each
// of its lines.
func (w *Writer) convert(f *File) error {
	id, err := randomID()
	if err != nil {
		return err
	}
	h := Header{ID: id, Lineage: w.opt.Lineage, Base: w.opt.Generation, First: 1}
	out := h.append(nil)
	line := out
	for _, b := range f.Batches {
		body := f.data[b.from:b.to]
		c := commit{number: b.Number, lines: 1, synced: b.Number - 1, hash: chainHash(line, body)}
		out = append(out, body...)
		start := len(out)
		out = c.append(out)
		line = out[start:]
	}
	if _, err := vfs.WriteFile(w.fs, f.Name, out, w.fs.Rename); err != nil {
		return err
	}
	*f = File{Name: f.Name, data: out}
	f.parse()
	return nil
}

// resume goes on with a file that is there.
func (w *Writer) resume(f *File) error {
	file, err := w.fs.OpenWrite(f.Name)
	if err != nil {
		return err
	}
	st, err := file.Stat()
	length := int64(f.good + f.room)
	if err == nil && st.Size() != length {
		err = damage.In(f.Name, damage.New("", "it has %d bytes, a moment ago it had %d: somebody writes it without owning it", st.Size(), length))
	}
	if err == nil {
		// What a process that died had written is not surely on disk yet, and
		// a process that reads on sees it. Nor are the names that it gave in a rotation.
		err = file.Sync()
	}
	if err == nil {
		err = w.fs.SyncDir(filepath.Dir(f.Name))
	}
	if err != nil {
		file.Close()
		return err
	}
	w.file, w.header, w.length = file, f.Header, length
	w.size.Store(int64(f.good))
	w.end = position{f.next() - 1, append([]byte(nil), f.last...), f.hash}
	w.done, w.synced = w.end, w.end.last
	return nil
}

// create makes the current file, which must not be there, or be empty.
func (w *Writer) create(h Header) error {
	name := w.lock.name
	line := h.append(nil)
	if _, err := vfs.WriteFile(w.fs, name, line, w.fs.Rename); err != nil {
		return err
	}
	return w.begin(h, line)
}

// begin opens a file that holds a header.
func (w *Writer) begin(h Header, line []byte) error {
	file, err := w.fs.OpenWrite(w.lock.name)
	if err != nil {
		return err
	}
	w.file, w.header, w.room = file, h, room{length: int64(len(line))}
	w.size.Store(int64(len(line)))
	w.mu.Lock()
	defer w.mu.Unlock()
	w.end = position{h.First - 1, line, h.After}
	w.done, w.synced = w.end, w.end.last
	return nil
}
