package vfs

import (
	"errors"
	"io/fs"
	"os"
	"time"

	"golang.org/x/sys/windows"
)

var noRoom = []room{
	{windows.ERROR_DISK_FULL, diskFull}, {windows.ERROR_DISK_QUOTA_EXCEEDED, quotaUsed},
	{windows.ERROR_FILE_TOO_LARGE, fileLarge}, {windows.ERROR_HANDLE_DISK_FULL, diskFull},
}

// syncDir does nothing: Windows has no call that flushes a directory, and NTFS
// journals its names.
func syncDir(name string) error {
	_, err := os.Stat(name)
	return err
}

// linked would need the open file: hard links are rare here.
func linked(fs.FileInfo) bool { return false }

func renameNew(oldname, newname string) error {
	from, err := windows.UTF16PtrFromString(oldname)
	if err == nil {
		var to *uint16
		if to, err = windows.UTF16PtrFromString(newname); err == nil {
			// Without MOVEFILE_REPLACE_EXISTING a name that is taken fails.
			err = windows.MoveFileEx(from, to, windows.MOVEFILE_WRITE_THROUGH)
		}
	}
	if err != nil {
		return &os.LinkError{Op: "rename", Old: oldname, New: newname, Err: err}
	}
	return nil
}

// rename tries for a second: Windows refuses while a reader has newname open,
// which for a manifest is a moment.
func rename(oldname, newname string) error {
	for wait := time.Millisecond; ; wait *= 2 {
		err := os.Rename(oldname, newname)
		busy := errors.Is(err, windows.ERROR_SHARING_VIOLATION) || errors.Is(err, windows.ERROR_ACCESS_DENIED)
		if !busy || wait > time.Second/2 {
			return err
		}
		time.Sleep(wait)
	}
}

// lockByte is a byte far after every note in a lock file: Windows locks are
// mandatory, and a process that finds the file locked must be able to read the note.
const lockByte = 1 << 30

func tryLockFile(f *os.File) error {
	err := windows.LockFileEx(windows.Handle(f.Fd()),
		windows.LOCKFILE_EXCLUSIVE_LOCK|windows.LOCKFILE_FAIL_IMMEDIATELY,
		0, 1, 0, &windows.Overlapped{Offset: lockByte})
	if err == windows.ERROR_LOCK_VIOLATION || err == windows.ERROR_IO_PENDING {
		return ErrLocked
	}
	return err
}
