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
