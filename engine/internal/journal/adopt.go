package journal

import (
	"fmt"
	"path/filepath"

	"github.com/rete-go/rete/internal/vfs"
)

// Adopt takes a journal over for a manifest that it was not begun for: the whole batches
// after sealed, those that the manifest does not have in its log, go into one file with a
// new id and the manifest's lineage, which replaces the current one; what was rotated
// and the torn tail are kept under names of their own.
func Adopt(lock *Lock, c *Chain, sealed int64, lineage string, generation int64) error {
	if c.Torn() != nil {
		f := c.Files[len(c.Files)-1]
		if _, err := saveAs(lock.fs, lock.name+tornSuffix, f.tail()); err != nil {
			return err
		}
	}
	return rewrite(lock, c, sealed, lineage, generation)
}

// rewrite replaces the files of a chain by one that has the batches after a number.
func rewrite(lock *Lock, c *Chain, sealed int64, lineage string, generation int64) error {
	id, err := randomID()
	if err != nil {
		return err
	}
	f := &File{Name: lock.name, data: c.Rewrite(sealed, Header{ID: id, Lineage: lineage, Base: generation})}
	f.parse()
	// The mark knows the old journal: it would say of the new one that it is another.
	if err := removeMark(lock.fs, lock.name); err != nil {
		return err
	}
	if _, err := vfs.WriteFile(lock.fs, lock.name, f.data, lock.fs.Rename); err != nil {
		return err
	}
	if len(f.Batches) > 0 {
		if err := writeMark(lock.fs, lock.name, Mark{ID: id, Lineage: lineage, Batch: f.next() - 1, Hash: f.hash}); err != nil {
			return err
		}
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
