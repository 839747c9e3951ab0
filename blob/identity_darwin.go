package blob

import (
	"fmt"
	"io/fs"
	"syscall"
	"time"
)

// fileID returns device and inode of a file, and when its inode last changed.
func fileID(fi fs.FileInfo) (id string, changed time.Time, ok bool) {
	st, ok := fi.Sys().(*syscall.Stat_t)
	if !ok {
		return "", time.Time{}, false
	}
	return fmt.Sprintf("%d:%d", st.Dev, st.Ino), time.Unix(st.Ctimespec.Unix()), true
}
