//go:build unix

package blob

import "golang.org/x/sys/unix"

// openFileLimit is how many files the process may have open.
func openFileLimit() uint64 {
	var r unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_NOFILE, &r); err != nil {
		return 0
	}
	return uint64(r.Cur)
}
