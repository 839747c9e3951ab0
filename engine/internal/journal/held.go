package journal

import (
	"errors"

	"github.com/rete-go/rete/internal/vfs"
)

// Held returns what the owner of a journal left for others, nil if nobody owns it
// now or the owner left nothing that can be read. It takes no ownership.
func Held(fsys vfs.FS, name string) *Note {
	if _, err := fsys.Stat(name + lockSuffix); err != nil {
		return nil // it was never owned; a try would make the file
	}
	held, err := fsys.TryLock(name + lockSuffix)
	if err == nil {
		held.Close()
		return nil
	}
	if !errors.Is(err, vfs.ErrLocked) {
		return nil
	}
	note, err := ReadNote(fsys, name)
	if err != nil {
		return nil
	}
	return note
}
