//go:build unix

package server

import (
	"syscall"

	"golang.org/x/sys/unix"
)

// canPeek says that a connection can be looked at without reading from it.
const canPeek = true

// gone reports whether the other side of a connection has closed it, or it is broken.
// What has arrived and was not read hides that.
func gone(c syscall.RawConn) (yes bool) {
	err := c.Control(func(fd uintptr) {
		var b [1]byte
		n, _, err := unix.Recvfrom(int(fd), b[:], unix.MSG_PEEK|unix.MSG_DONTWAIT)
		yes = n == 0 && err == nil || err != nil && err != unix.EAGAIN && err != unix.EINTR
	})
	return yes || err != nil
}
