package vfs

import (
	"os"

	"golang.org/x/sys/unix"
)

func renameNew(oldname, newname string) error {
	err := unix.Renameat2(unix.AT_FDCWD, oldname, unix.AT_FDCWD, newname, unix.RENAME_NOREPLACE)
	switch err {
	case nil:
		return nil
	case unix.EINVAL, unix.ENOSYS, unix.ENOTSUP: // not on this file system
		return linkNew(oldname, newname)
	}
	return &os.LinkError{Op: "rename", Old: oldname, New: newname, Err: err}
}
