package journal

import "github.com/rete-go/rete/internal/vfs"

// Owner is the right to write a journal, which one process has at a time.
type Owner interface {
	// Check returns an error once another process may have the right.
	Check() error
	// Close gives it back.
	Close() error
}

// Lock is a journal in the hands of its owner.
type Lock struct {
	Owner
	fs   vfs.FS
	name string // of the journal
}

// Owned is the journal of a name, for its owner.
func Owned(fsys vfs.FS, name string, owner Owner) *Lock { return &Lock{owner, fsys, name} }
