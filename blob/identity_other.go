//go:build !linux && !darwin

package blob

import (
	"io/fs"
	"time"
)

// fileID tells nothing here: files are hashed anew in each process and for each
// opening.
func fileID(fs.FileInfo) (id string, changed time.Time, ok bool) { return "", time.Time{}, false }
