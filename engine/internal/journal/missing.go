package journal

import (
	"errors"
	"fmt"
	"io/fs"

	"github.com/rete-go/rete/internal/damage"
	"github.com/rete-go/rete/internal/vfs"
)

// Keep looks whether the file is still where it was. One that somebody has removed
// is written again, from the open file. One that has another length is somebody
// else's or was cut: the journal takes no more batches.
func (w *Writer) Keep() error {
	w.fileMu.Lock()
	defer w.fileMu.Unlock()
	if err := w.Err(); err != nil {
		return nil // it was told already
	}
	if err := w.lock.Check(); err != nil {
		return err
	}
	name := w.lock.name
	st, err := w.fs.Stat(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return w.restore()
	case err != nil:
		return err
	case st.Size() != w.length:
		return w.poisonWith(damage.In(name, damage.New("", "it has %d bytes, and should have %d: somebody else writes it, or cuts it", st.Size(), w.length)))
	}
	return nil
}

// restore writes the file again under its name. fileMu is held.
func (w *Writer) restore() error {
	name := w.lock.name
	data := make([]byte, w.size.Load())
	if n, err := w.file.ReadAt(data, 0); int64(n) < w.size.Load() {
		return w.poisonWith(fmt.Errorf("%s was removed, and cannot be read: %w", name, err))
	}
	if _, err := vfs.WriteFile(w.fs, name, data, w.fs.RenameNew); err != nil {
		return fmt.Errorf("%s was removed, and cannot be written again: %w", name, err)
	}
	file, err := w.fs.OpenWrite(name)
	if err != nil {
		return w.poisonWith(err)
	}
	w.file.Close()
	w.file, w.length = file, w.size.Load()
	w.opt.Logger.Warn("the journal had been removed, and is written again", "journal", name, "bytes", w.size.Load())
	return nil
}
