package journal

import (
	"fmt"
	"path/filepath"

	"github.com/rete-go/rete/internal/vfs"
)

// Adopt takes a journal over for a manifest that it was not begun for: all batches
// that are whole are written into one file with a new name and the manifest's
// lineage, which replaces the current one; what was put aside and the torn tail are
// kept under names of their own.
func Adopt(lock *Lock, c *Chain, lineage string, generation int64) error {
	id, err := randomID()
	if err != nil {
		return err
	}
	out := c.Rewrite(0, Header{ID: id, Lineage: lineage, Base: generation})
	w := &Writer{fs: lock.fs, lock: lock}
	if t := c.Torn(); t != nil {
		f := c.Files[len(c.Files)-1]
		if _, err := w.aside(f.tail()); err != nil {
			return err
		}
	}
	if _, err := vfs.WriteFile(lock.fs, lock.name, out, lock.fs.Rename); err != nil {
		return err
	}
	// From here on all is in the new file; the old ones no longer belong to it.
	for _, f := range c.Files {
		if f.Name == lock.name {
			continue
		}
		for n := 1; ; n++ {
			err := lock.fs.RenameNew(f.Name, fmt.Sprintf("%s.adopted-%d", lock.name, n))
			if err == nil {
				break
			}
			if n > 1000 {
				return err
			}
		}
	}
	return lock.fs.SyncDir(filepath.Dir(lock.name))
}
