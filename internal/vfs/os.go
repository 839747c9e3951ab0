package vfs

import (
	"crypto/rand"
	"io/fs"
	"os"
	"path/filepath"
)

// OS returns the file system of the operating system.
func OS() FS { return osFS{} }

type osFS struct{}

func (osFS) Open(name string) (File, error) { return wrap(OpenRegular(name)) }

func (osFS) Create(name string) (File, error) {
	return wrap(os.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o666))
}

func (osFS) CreatePrivate(name string) (File, error) {
	return wrap(os.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600))
}

func (osFS) OpenWrite(name string) (File, error) {
	return wrap(openRegular(name, os.O_RDWR|os.O_CREATE))
}

// OpenRegular opens a regular file of the operating system for reading, see [ErrNotRegular].
func OpenRegular(name string) (*os.File, error) { return openRegular(name, os.O_RDONLY) }

// openRegular opens a file, and nothing else that has a name: opening a named pipe
// waits for its other end, opening a device can do anything.
func openRegular(name string, flag int) (*os.File, error) {
	if st, err := os.Stat(name); err == nil {
		if err := Regular(name, st); err != nil {
			return nil, err
		}
	}
	return os.OpenFile(name, flag, 0o666)
}

// wrap keeps a nil *os.File from becoming a File that is not nil.
func wrap(f *os.File, err error) (File, error) {
	if err != nil {
		return nil, err
	}
	return f, nil
}

func (osFS) Rename(oldname, newname string) error       { return rename(oldname, newname) }
func (osFS) RenameNew(oldname, newname string) error    { return renameNew(oldname, newname) }
func (osFS) Remove(name string) error                   { return os.Remove(name) }
func (osFS) Stat(name string) (fs.FileInfo, error)      { return os.Stat(name) }
func (osFS) ReadDir(name string) ([]fs.DirEntry, error) { return os.ReadDir(name) }
func (osFS) MkdirAll(name string) error                 { return os.MkdirAll(name, 0o777) }
func (osFS) SyncDir(name string) error                  { return syncDir(name) }

// Bind follows links before "..", as the operating system does.
func (osFS) Bind(name string) (string, error) {
	dir, base := filepath.Split(name)
	if base == "." || base == ".." {
		dir, base = name, ""
	}
	if dir == "" {
		dir = "."
	}
	if real, err := filepath.EvalSymlinks(dir); err == nil {
		dir = real
	}
	abs, err := filepath.Abs(dir)
	if err != nil {
		return "", err
	}
	if real, err := filepath.EvalSymlinks(abs); err == nil { // the working directory's own
		abs = real
	}
	return filepath.Join(abs, base), nil
}

// TempDir returns the place of temporary files that dir stands for, as [FS.Bind] of
// the operating system's file system does; "" is the system's.
func TempDir(dir string) string {
	if dir == "" {
		dir = os.TempDir()
	}
	if abs, err := filepath.Abs(dir); err == nil {
		return abs
	}
	return dir
}

// Target returns the name of the file that a symbolic link stands for, and the name
// itself of anything else.
func (osFS) Target(name string) string {
	if st, err := os.Lstat(name); err == nil && st.Mode()&fs.ModeSymlink != 0 {
		if real, err := filepath.EvalSymlinks(name); err == nil {
			return real
		}
	}
	return name
}

// TempName returns a fresh name next to name: the same directory, so that a
// rename to name is atomic, and 80 random bits, so that no two writers meet.
// The file is not created. See [IsTemp].
func TempName(name string) string { return name + tempMark + rand.Text()[:16] }

const tempMark = ".tmp-"
