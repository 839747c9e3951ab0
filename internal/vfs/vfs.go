// Package vfs is the file system as rete needs it, and nothing more, so that a
// test can put another one below the engine.
//
// [OS] is the real one. [Mem] lives in memory and can be crash-cloned: the
// clone holds what a machine would find on its disk after the power went, with
// unsynced file data and unsynced directory entries lost wholly or in part.
// [Fault] makes the k-th operation fail, [Trace] writes down creates, syncs
// and renames for golden files. All are safe for concurrent use, and so are
// their files.
//
// # What is assumed of a disk
//
//   - A file's data is durable after Sync of the file.
//   - A name (created, renamed, removed) is durable after SyncDir of its
//     directory; before that each change may or may not survive a crash, and
//     a new name may survive without the data of its file.
//   - A rename is atomic: a crash leaves the old or the new file under the
//     name, never none and never a mixture.
package vfs

import (
	"context"
	"fmt"
	"io"
	"io/fs"
)

// Regular returns nil for the description of a regular file, and an error that
// matches [ErrNotRegular] and says what it is for any other.
func Regular(name string, st fs.FileInfo) error {
	mode, kind := st.Mode(), "something else"
	switch {
	case mode.IsRegular():
		return nil
	case mode.IsDir():
		kind = "a directory"
	case mode&fs.ModeNamedPipe != 0:
		kind = "a named pipe"
	case mode&fs.ModeSocket != 0:
		kind = "a socket"
	case mode&fs.ModeDevice != 0:
		kind = "a device"
	}
	return &fs.PathError{Op: "open", Path: name, Err: fmt.Errorf("it is %s, %w", kind, ErrNotRegular)}
}

// FS is a file system. Names are paths as the operating system spells them.
// Errors are *fs.PathError or *os.LinkError and match [fs.ErrNotExist] and
// [fs.ErrExist] where those apply. Open, OpenWrite and the locks take regular files
// alone, see [ErrNotRegular].
type FS interface {
	// Bind returns the name that a file has wherever the process goes: absolute,
	// with the symbolic links of its directories followed as they lead now. The
	// last part is kept as it is, and need not exist; a name that ends in a
	// separator is all directory, and "" is the working directory.
	Bind(name string) (string, error)
	// Open opens a file for reading.
	Open(name string) (File, error)
	// Create makes a new file for writing and reading; a file that is there
	// already is an error that matches [fs.ErrExist].
	Create(name string) (File, error)
	// CreatePrivate is Create of a file that its user alone may read.
	CreatePrivate(name string) (File, error)
	// OpenWrite opens a file for reading and for writing at any place, by
	// WriteAt, and makes it if it is missing.
	OpenWrite(name string) (File, error)
	// Rename gives a file another name, atomically replacing what had it.
	Rename(oldname, newname string) error
	// RenameNew is Rename for a name that must be free: if newname exists
	// the error matches [fs.ErrExist] and nothing changes. The check and the
	// rename are one step; a crash may leave the file with both names.
	RenameNew(oldname, newname string) error
	// Remove deletes a file or an empty directory.
	Remove(name string) error
	// Stat describes a file or a directory.
	Stat(name string) (fs.FileInfo, error)
	// ReadDir lists a directory in the order of names.
	ReadDir(name string) ([]fs.DirEntry, error)
	// MkdirAll makes a directory and its parents.
	MkdirAll(name string) error
	// SyncDir makes the names in a directory durable. Where the operating
	// system cannot do that it does nothing.
	SyncDir(name string) error
	// Lock takes the exclusive lock on the named file, which is made if it is
	// missing and is left behind when the lock is given back by Close; it
	// waits until the lock is free or ctx ends. The lock is advisory, holds
	// against other processes and against this one, and is given back by the
	// operating system when the process dies. A holder may use [Locked.File]
	// to leave a note in the file, which every user may read that the umask lets.
	Lock(ctx context.Context, name string) (Locked, error)
	// TryLock is Lock without waiting; a lock that is held is [ErrLocked].
	TryLock(name string) (Locked, error)
}

// File is an open file.
type File interface {
	io.ReaderAt
	io.WriterAt
	io.Writer
	io.Closer
	// Sync makes the file's data durable.
	Sync() error
	// Truncate changes the size of the file.
	Truncate(size int64) error
	// Stat describes the file.
	Stat() (fs.FileInfo, error)
}

// Locked is a lock that is held. Close gives it back; closing twice is safe.
type Locked interface {
	io.Closer
	// Held returns nil while the lock keeps others out, and an error that matches
	// [ErrLockLost] once the file has lost its name: others then lock another file.
	Held() error
	// File is the lock's own file, for a note to those that find it locked.
	// It is valid until Close.
	File() File
}
