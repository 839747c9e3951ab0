//go:build unix && !solaris

package vfs

import (
	"os"

	"golang.org/x/sys/unix"
)

// tryLockFile takes a flock: it belongs to the open file, so it also holds
// between two openers in one process.
func tryLockFile(f *os.File) error {
	for {
		switch err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB); err {
		case unix.EINTR:
		case unix.EWOULDBLOCK:
			return ErrLocked
		default:
			return err
		}
	}
}
