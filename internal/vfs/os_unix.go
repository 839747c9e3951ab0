//go:build unix

package vfs

import (
	"errors"
	"io/fs"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

var noRoom = []room{{unix.ENOSPC, diskFull}, {unix.EDQUOT, quotaUsed}, {unix.EFBIG, fileLarge}}

func syncDir(name string) error {
	d, err := os.Open(name)
	if err != nil {
		return err
	}
	err = d.Sync()
	// Some file systems cannot sync a directory and say so; there is nothing
	// more that can be done on them.
	if errors.Is(err, unix.EINVAL) || errors.Is(err, unix.ENOTSUP) {
		err = nil
	}
	if cerr := d.Close(); err == nil {
		err = cerr
	}
	return err
}

// linked reports whether a file has several names.
func linked(st fs.FileInfo) bool {
	sys, ok := st.Sys().(*syscall.Stat_t)
	return ok && sys.Nlink > 1
}

// linkNew makes a name by a hard link, which fails if the name is taken, and
// then removes the old name. A crash between the two leaves both.
func linkNew(oldname, newname string) error {
	if err := os.Link(oldname, newname); err != nil {
		return err
	}
	os.Remove(oldname) // newname is there; callers bear with both
	return nil
}

func rename(oldname, newname string) error { return os.Rename(oldname, newname) }
