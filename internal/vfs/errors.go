package vfs

import (
	"errors"
)

// ErrLocked is returned by TryLock while the lock is held elsewhere.
var ErrLocked = errors.New("locked by another process")

// ErrLockLost is returned by [Locked.Held] once another process can take the lock.
var ErrLockLost = errors.New("the lock file was removed or replaced while it was locked")

// ErrNotRegular is returned where a file is wanted and a directory, a named pipe, a
// socket or a device has the name. It is found out without opening that.
var ErrNotRegular = errors.New("not a regular file")

// room is an error of a system that has no room for a write.
type room struct {
	err  error
	says string
}

// Full says why there is no room for what was to be written, as in "the disk is full"; "" of an
// error that has another reason.
func Full(err error) string {
	for _, r := range noRoom {
		if errors.Is(err, r.err) {
			return r.says
		}
	}
	return ""
}

const (
	diskFull  = "the disk is full"
	quotaUsed = "the quota of the disk is used up"
	fileLarge = "a file would be larger than files may be there"
)
