package backup

import (
	"errors"
)

// ErrNoJournal: the graph has been written through a journal, and it is not where the
// database was opened with it: its changes would be missing in the copy. A database that
// was opened with [engine.Options.SealedOnly] is copied without them.
var ErrNoJournal = errors.New("there is no journal, though the manifest has sealed changes of one")

// errGone marks a segment that is not there: it was collected, or it is lost.
var errGone = errors.New("a segment is gone")

// ErrBusy: another backup is made into the same place.
var ErrBusy = errors.New("another backup is being made there")

// ErrNone: the place has no backup, or not the one that was asked for.
var ErrNone = errors.New("no such backup")
