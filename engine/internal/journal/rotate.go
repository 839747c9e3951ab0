package journal

import (
	"fmt"
	"path/filepath"

	"github.com/rete-go/rete/internal/vfs"
)

// Rotate marks how far the journal is on disk, renames the current file after the
// number of its first batch, and begins a new one, for a seal: what was appended so far
// is then in files that do not change any more. It waits for what is on its way. Without
// a batch in the current file nothing happens. Nothing may be appended meanwhile.
// generation is that of the manifest.
//
// The new file is made and synced under a temporary name first; then two renames
// and one sync of the directory follow. A crash between the renames leaves no
// current file, which the next owner makes.
func (w *Writer) Rotate(generation int64) error {
	if err := w.Tail().Wait(); err != nil {
		return err
	}
	w.fileMu.Lock()
	defer w.fileMu.Unlock()
	if err := w.lock.Check(); err != nil {
		return err
	}
	if err := w.sync(); err != nil {
		return err
	}
	w.mu.Lock()
	at, poison := w.done, w.poison
	w.mu.Unlock()
	if poison != nil || at.last < w.header.First {
		return poison
	}
	w.mark(at)
	name := w.lock.name
	h := Header{ID: w.header.ID, Lineage: w.opt.Lineage, Base: generation, First: at.last + 1, After: at.hash, HasAfter: true}
	line := h.append(nil)
	temp := vfs.TempName(name)
	if err := w.prepare(temp, line); err != nil {
		return err
	}
	w.file.Close() // synced; some systems rename no open file
	err := w.fs.RenameNew(name, rotated(name, w.header.First))
	if err != nil {
		// Nothing happened, or the reply was lost.
		if _, serr := w.fs.Stat(name); serr == nil {
			w.fs.Remove(temp)
			return w.reopen(err)
		}
	}
	if err = w.fs.Rename(temp, name); err == nil {
		err = w.fs.SyncDir(filepath.Dir(name))
	}
	if err == nil {
		err = w.begin(h, line)
	}
	if err != nil {
		return w.poisonWith(err)
	}
	return nil
}

// reopen goes on with the current file, after a rotation that did not happen.
func (w *Writer) reopen(cause error) error {
	file, err := w.fs.OpenWrite(w.lock.name)
	if err != nil {
		return w.poisonWith(err)
	}
	w.file = file
	return cause
}

func (w *Writer) poisonWith(err error) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.epoch++
	w.poison = fmt.Errorf("%w: %w", ErrPoisoned, err)
	return w.poison
}

// prepare writes a header under a temporary name.
func (w *Writer) prepare(temp string, line []byte) error {
	f, err := w.fs.Create(temp)
	if err != nil {
		return err
	}
	_, err = f.Write(line)
	if err == nil {
		err = f.Sync()
	}
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	if err != nil {
		w.fs.Remove(temp)
	}
	return err
}

// Drop removes the files that were rotated and hold no batch after a number,
// which a manifest on disk says is sealed.
func (w *Writer) Drop(sealed int64) error {
	if err := w.lock.Check(); err != nil {
		return err
	}
	names, err := list(w.fs, w.lock.name)
	if err != nil {
		return err
	}
	for i, n := range names {
		if n == w.lock.name || i+1 == len(names) {
			break
		}
		next, err := firstOf(w.fs, names[i+1])
		if err != nil {
			return err
		}
		if next-1 > sealed {
			break
		}
		if err := w.remove(n); err != nil {
			return err
		}
	}
	return nil
}

// remove takes the oldest file away. It is gone for good before the next one is, without
// which the chain would have a gap.
func (w *Writer) remove(name string) error {
	if err := w.fs.Remove(name); err != nil {
		return err
	}
	return w.fs.SyncDir(filepath.Dir(name))
}

// firstOf reads the number of a file's first batch.
func firstOf(fsys vfs.FS, name string) (int64, error) {
	f, err := fsys.Open(name)
	if err != nil {
		return 0, err
	}
	defer f.Close()
	var buf [maxLine]byte
	n, _ := f.ReadAt(buf[:], 0)
	h, ok := parseHeader(lineAt(buf[:n], 0))
	if !ok {
		return 0, fmt.Errorf("%s: no header", name)
	}
	return h.First, nil
}
