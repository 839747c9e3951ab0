package scratch

import (
	"errors"
	"fmt"

	"github.com/rete-go/rete/internal/vfs"
)

// ErrFull matches the errors of files for which there is no room: the disk is full, or the
// bound of the folder is reached.
var ErrFull = errors.New("no room for temporary files")

// fullError says how much room there was and how much is needed. It matches [ErrFull].
type fullError struct {
	Dir    string // where the files lie
	Used   int64  // bytes that were written
	Needed int64  // bytes in all, about; 0 if that is not known
	Least  bool   // more than Needed may be needed
	Limit  int64  // the bound that was reached; 0: it is the disk's
	Err    error  // of the disk, or nil
}

// Error implements error.
func (e *fullError) Error() string {
	s := fmt.Sprintf("%v in %s: ", ErrFull, e.Dir)
	if why := vfs.Full(e.Err); why != "" {
		s += why + ": "
	}
	s += mebibytes(e.Used) + " are written"
	switch {
	case e.Needed <= e.Used:
		s += ", more are needed"
	case e.Least:
		s += fmt.Sprintf(", at least %s are needed", mebibytes(e.Needed))
	default:
		s += fmt.Sprintf(", about %s are needed", mebibytes(e.Needed))
	}
	if e.Limit > 0 {
		return s + fmt.Sprintf(", %s are allowed", mebibytes(e.Limit))
	}
	return s + "; another folder may have them"
}

func mebibytes(n int64) string { return fmt.Sprintf("%.1f MiB", float64(n)/(1<<20)) }

// Is makes errors.Is(err, ErrFull) true.
func (e *fullError) Is(target error) bool { return target == ErrFull }

// Unwrap gives the error of the disk.
func (e *fullError) Unwrap() error { return e.Err }

// full is the error of a folder without room. mu is held.
func (f *Folder) full(limit int64, err error) error {
	return &fullError{Dir: f.parent, Used: f.used, Needed: f.needed, Least: f.least, Limit: limit, Err: err}
}

// explain says more of the error of a full disk. mu is held.
func (f *Folder) explain(err error) error {
	if vfs.Full(err) != "" {
		return f.full(0, err)
	}
	return fmt.Errorf("temporary file: %w", err)
}
