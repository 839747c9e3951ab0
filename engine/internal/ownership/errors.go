package ownership

import (
	"errors"
	"fmt"
)

// ErrOwned: another process, or another database of this one, owns the manifest or the
// journal.
var ErrOwned = errors.New("owned by another writer")

// OwnedError says which process owns a manifest or a journal. It matches [ErrOwned].
type OwnedError struct {
	Name string // of the manifest; of the journal if that is another's
	// Self is true if it is another database of this process.
	Self bool
	Note *Note // nil if the owner left none that can be read
	// Unread is why the part of the note that is not for everybody cannot be read.
	Unread error
}

func (e *OwnedError) Error() string {
	if e.Self {
		return e.Name + ": owned by another database of this process: write through that one, or close it first"
	}
	text := e.Name + ": owned by another process"
	if e.Note == nil {
		return text
	}
	text += fmt.Sprintf(" (process %d", e.Note.PID)
	if e.Note.Host != "" && e.Note.Host != hostname() {
		text += " on " + e.Note.Host
	}
	if e.Note.Address != "" {
		text += ", which serves it at " + e.Note.Address
	}
	text += ")"
	if e.Unread != nil {
		text += fmt.Sprintf("; only its user can hand work over to it: %v", e.Unread)
	}
	return text
}

// Serves reports whether the owner stays: it can be asked to write.
func (e *OwnedError) Serves() bool { return e.Note != nil && e.Note.Address != "" }

// Unwrap gives [ErrOwned].
func (e *OwnedError) Unwrap() error { return ErrOwned }
