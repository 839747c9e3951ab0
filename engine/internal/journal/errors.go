package journal

import (
	"errors"
)

// ErrShort: a journal lacks batches that were on disk. It comes as damage.
var ErrShort = errors.New("journal lacks batches that were on disk")

// ErrForeign: the journal belongs to another manifest or to a later state of it.
var ErrForeign = errors.New("journal of another manifest")

// ErrRetired: the journal was given up by `fsck --retire`, so that nothing more of it comes to
// the log.
var ErrRetired = errors.New("retired journal")

// errMoved says that files were renamed, or written to, while they were read.
var errMoved = errors.New("journal files changed while they were read")

// The ways in which an appended batch can fail.
var (
	// ErrNotWritten: the batch is not in the journal and will not come back.
	ErrNotWritten = errors.New("not written to the journal")
	// ErrUnknown: the batch may or may not be in the journal after a restart.
	ErrUnknown = errors.New("may or may not be in the journal")
	// ErrPoisoned: after a failure that it could not undo the journal takes no
	// more batches until it is opened anew.
	ErrPoisoned = errors.New("journal must be opened anew after a failed write")
)
