package blob

import (
	"fmt"
	"time"
)

// settled is how old the times of a file must be before they are trusted: a file
// that was written a moment ago may be written again within the same tick of
// the file system's clock.
const settled = 5 * time.Second

// Identity returns a string that is the same as long as the file behind the
// object was not touched: path, device, inode, size and both times. It is "" where
// the operating system does not tell, and for a file that was changed in the last
// few seconds.
func (o *localObject) Identity() string {
	f, err := o.acquire()
	if err != nil {
		return ""
	}
	defer o.release()
	fi, err := f.Stat()
	if err != nil {
		return ""
	}
	id, changed, ok := fileID(fi)
	if !ok || time.Since(fi.ModTime()) < settled || time.Since(changed) < settled {
		return ""
	}
	return fmt.Sprintf("%s\x00%s %d %d %d", o.name, id, fi.Size(), fi.ModTime().UnixNano(), changed.UnixNano())
}
