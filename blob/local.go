package blob

import (
	"cmp"
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"

	"lukechampine.com/blake3"

	"github.com/rete-go/rete/internal/vfs"
)

type (
	// FS is a file system. Programs leave it nil, which is that of the operating system, or wrap one
	// for a test.
	//
	// As it is declared:
	//
	//	type FS interface {
	//	    // Bind returns the name that a file has wherever the process goes: absolute,
	//	    // with the symbolic links of its directories followed as they lead now. The
	//	    // last part is kept as it is, and need not exist; a name that ends in a
	//	    // separator is all directory, and "" is the working directory.
	//	    Bind(name string) (string, error)
	//	    // Open opens a file for reading.
	//	    Open(name string) (File, error)
	//	    // Create makes a new file for writing and reading; a file that is there
	//	    // already is an error that matches [fs.ErrExist].
	//	    Create(name string) (File, error)
	//	    // CreatePrivate is Create of a file that its user alone may read.
	//	    CreatePrivate(name string) (File, error)
	//	    // OpenWrite opens a file for reading and for writing at any place, by
	//	    // WriteAt, and makes it if it is missing.
	//	    OpenWrite(name string) (File, error)
	//	    // Rename gives a file another name, atomically replacing what had it.
	//	    Rename(oldname, newname string) error
	//	    // RenameNew is Rename for a name that must be free: if newname exists
	//	    // the error matches [fs.ErrExist] and nothing changes. The check and the
	//	    // rename are one step; a crash may leave the file with both names.
	//	    RenameNew(oldname, newname string) error
	//	    // Remove deletes a file or an empty directory.
	//	    Remove(name string) error
	//	    // Stat describes a file or a directory.
	//	    Stat(name string) (fs.FileInfo, error)
	//	    // ReadDir lists a directory in the order of names.
	//	    ReadDir(name string) ([]fs.DirEntry, error)
	//	    // MkdirAll makes a directory and its parents.
	//	    MkdirAll(name string) error
	//	    // SyncDir makes the names in a directory durable. Where the operating
	//	    // system cannot do that it does nothing.
	//	    SyncDir(name string) error
	//	    // Lock takes the exclusive lock on the named file, which is made if it is
	//	    // missing and is left behind when the lock is given back by Close; it
	//	    // waits until the lock is free or ctx ends. The lock is advisory, holds
	//	    // against other processes and against this one, and is given back by the
	//	    // operating system when the process dies. A holder may use [Locked.File]
	//	    // to leave a note in the file, which every user may read that the umask lets.
	//	    Lock(ctx context.Context, name string) (Locked, error)
	//	    // TryLock is Lock without waiting; a lock that is held is [ErrLocked].
	//	    TryLock(name string) (Locked, error)
	//	}
	FS = vfs.FS
	// File is an open file of an [FS].
	//
	// As it is declared:
	//
	//	type File interface {
	//	    io.ReaderAt
	//	    io.WriterAt
	//	    io.Writer
	//	    io.Closer
	//	    // Sync makes the file's data durable.
	//	    Sync() error
	//	    // Truncate changes the size of the file.
	//	    Truncate(size int64) error
	//	    // Stat describes the file.
	//	    Stat() (fs.FileInfo, error)
	//	}
	File = vfs.File
	// Locked is a lock of an [FS] that is held.
	//
	// As it is declared:
	//
	//	type Locked interface {
	//	    io.Closer
	//	    // Held returns nil while the lock keeps others out, and an error that matches
	//	    // [ErrLockLost] once the file has lost its name: others then lock another file.
	//	    Held() error
	//	    // File is the lock's own file, for a note to those that find it locked.
	//	    // It is valid until Close.
	//	    File() File
	//	}
	Locked = vfs.Locked
)

// NewLocal returns the store of a directory, in the file system of the operating system if fsys
// is nil. Names are relative to dir, with
// slashes, or absolute paths, which stand for themselves. An empty dir is the
// working directory as it is now: a later change of it moves nothing.
//
// The validator of ReadAll is a hash of the bytes, never a time or an inode
// number. Put with [IfMatch] takes the lock file NAME.lock next to the object,
// reads the object again and compares; without a condition or with [IfAbsent]
// no lock is needed, because the rename itself decides.
func NewLocal(fsys FS, dir string) Store {
	if fsys == nil {
		fsys = vfs.OS()
	}
	return newLocal(fsys, dir)
}

func newLocal(fsys vfs.FS, dir string) *local {
	l := &local{fs: fsys}
	l.dir, l.unbound = fsys.Bind(cmp.Or(dir, ".") + string(filepath.Separator))
	return l
}

type local struct {
	fs      vfs.FS
	dir     string
	unbound error // why dir is not known
}

// path returns the full path of an object.
func (l *local) path(name string) (string, error) {
	p := filepath.FromSlash(name)
	if filepath.IsAbs(p) {
		return p, nil
	}
	if l.unbound != nil {
		return "", fmt.Errorf("%s: its directory is not known: %w", name, l.unbound)
	}
	return filepath.Join(l.dir, p), nil
}

func (l *local) Open(ctx context.Context, name string) (Object, error) {
	if err := context.Cause(ctx); err != nil {
		return nil, err
	}
	p, err := l.path(name)
	if err != nil {
		return nil, err
	}
	o, err := openLocal(l.fs, p)
	if err != nil {
		return nil, err
	}
	return o, nil
}

func (l *local) ReadAll(ctx context.Context, name string, max int64) ([]byte, string, error) {
	if err := context.Cause(ctx); err != nil {
		return nil, "", err
	}
	p, err := l.path(name)
	if err != nil {
		return nil, "", err
	}
	b, err := vfs.ReadFile(l.fs, p, max)
	if err != nil {
		return nil, "", notFound(p, err)
	}
	return b, contentValidator(b), nil
}

func (l *local) Remove(ctx context.Context, name string) error {
	if err := context.Cause(ctx); err != nil {
		return err
	}
	p, err := l.path(name)
	if err != nil {
		return err
	}
	return notFound(p, l.fs.Remove(p))
}

func (l *local) List(ctx context.Context, prefix string) ([]Info, error) {
	if err := context.Cause(ctx); err != nil {
		return nil, err
	}
	at := strings.LastIndexByte(filepath.ToSlash(prefix), '/') + 1
	dir, err := l.path(cmp.Or(prefix[:at], "."))
	if err != nil {
		return nil, err
	}
	base := prefix[at:]
	entries, err := l.fs.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var out []Info
	for _, e := range entries {
		if e.IsDir() || !strings.HasPrefix(e.Name(), base) {
			continue
		}
		st, err := e.Info()
		if errors.Is(err, fs.ErrNotExist) {
			continue // removed since the directory was read
		}
		if err != nil {
			return nil, err
		}
		out = append(out, Info{prefix[:at] + e.Name(), st.Size(), st.ModTime()})
	}
	return out, nil
}

// contentValidator is a hash of the bytes: two equal objects are one.
func contentValidator(b []byte) string {
	h := blake3.Sum256(b)
	return `"b3-` + hex.EncodeToString(h[:16]) + `"`
}

// notFound turns the file system's answer into ErrNotFound and names the
// object.
func notFound(name string, err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%s: %w", name, ErrNotFound)
	}
	return err
}
