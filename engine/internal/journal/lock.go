package journal

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"

	"github.com/rete-go/rete/internal/vfs"
)

// ErrOwned: another process, or another database of this one, owns the journal.
var ErrOwned = errors.New("journal is owned by another process")

// Note is what the owner of a journal leaves for those who find it locked.
type Note struct {
	PID int `json:"pid"`
	// Address is where the owner can be asked to write, "" if it does not listen.
	Address string `json:"address,omitempty"`
	// Token is a secret that is valid at that address only, as long as the owner
	// lives. The lock file is readable by its user alone.
	Token string `json:"token,omitempty"`
	// Certificate is the SHA-256 of the certificate that the owner shows at an https
	// address, in hexadecimal digits: it may be one that nobody has signed.
	Certificate string `json:"certificate,omitempty"`
}

// OwnedError says who owns a journal. It matches [ErrOwned].
type OwnedError struct {
	Journal string
	Note    *Note // nil if the owner left none that can be read
}

func (e *OwnedError) Error() string {
	who := ""
	switch {
	case e.Note != nil && e.Note.Address != "":
		who = fmt.Sprintf(" (process %d, which serves it at %s)", e.Note.PID, e.Note.Address)
	case e.Note != nil:
		who = fmt.Sprintf(" (process %d)", e.Note.PID)
	}
	return fmt.Sprintf("%s: %v%s", e.Journal, ErrOwned, who)
}

// Unwrap gives [ErrOwned].
func (e *OwnedError) Unwrap() error { return ErrOwned }

// Lock is the ownership of a journal. The lock lies on a file of its own, for
// journal files are swapped.
type Lock struct {
	fs   vfs.FS
	name string // of the journal
	held vfs.Locked
}

const (
	lockSuffix = ".lock"
	maxNote    = 1 << 16
)

// Own takes the ownership of a journal, or fails with an [OwnedError].
func Own(fsys vfs.FS, name string) (*Lock, error) {
	held, err := fsys.TryLock(name + lockSuffix)
	if errors.Is(err, vfs.ErrLocked) {
		note, _ := ReadNote(fsys, name) // who it is, if he says so
		return nil, &OwnedError{name, note}
	}
	if err != nil {
		return nil, err
	}
	l := &Lock{fsys, name, held}
	if err := l.SetNote(Note{PID: os.Getpid()}); err != nil {
		held.Close()
		return nil, err
	}
	return l, nil
}

// SetNote replaces the note to others.
func (l *Lock) SetNote(n Note) error {
	text, err := json.Marshal(n)
	if err != nil {
		return err
	}
	f := l.held.File()
	if err := f.Truncate(0); err != nil {
		return err
	}
	return writeAt0(f, append(text, '\n'))
}

// writeAt0 writes a note whole, or leaves none. Where files are not opened for
// appending the handle's place must go back to the start.
func writeAt0(f vfs.File, text []byte) error {
	if s, ok := f.(interface {
		Seek(int64, int) (int64, error)
	}); ok {
		if _, err := s.Seek(0, 0); err != nil {
			return err
		}
	}
	if _, err := f.Write(text); err != nil {
		f.Truncate(0) // best effort: a torn note is no note
		return err
	}
	return nil
}

// ReadNote returns what the owner of a journal left; it may have gone since.
func ReadNote(fsys vfs.FS, name string) (*Note, error) {
	text, err := vfs.ReadFile(fsys, name+lockSuffix, maxNote)
	if err != nil {
		return nil, err
	}
	var n Note
	if err := json.Unmarshal(text, &n); err != nil {
		return nil, fmt.Errorf("%s: no note of an owner: %w", name+lockSuffix, err)
	}
	return &n, nil
}

// Close gives the ownership back, and takes the note away first. Closing twice is
// safe.
func (l *Lock) Close() error {
	l.held.File().Truncate(0) // best effort: the lock itself is what counts
	return l.held.Close()
}
