package engine

import (
	"context"

	"github.com/rete-go/rete/blob"
	"github.com/rete-go/rete/engine/internal/ownership"
)

// ErrOwned: the manifest, or its journal, belongs to another process, or to another
// database of this one. The error is an [OwnedError].
var ErrOwned = ownership.ErrOwned

// OwnedError says which process owns a manifest, and where it can be asked to write. It
// carries [ErrOwned].
//
// As it is declared:
//
//	type OwnedError struct {
//	    Name string // of the manifest; of the journal if that is another's
//	    // Self is true if it is another database of this process.
//	    Self bool
//	    Note *Note // nil if the owner left none that can be read
//	    // Unread is why the part of the note that is not for everybody cannot be read.
//	    Unread error
//	}
//
//	func (e *OwnedError) Error() string
//
//	// Serves reports whether the owner stays: it can be asked to write.
//	func (e *OwnedError) Serves() bool
//
//	// Unwrap gives [ErrOwned].
//	func (e *OwnedError) Unwrap() error
type OwnedError = ownership.OwnedError

// Note is what the owner of a manifest leaves for others; see [DB.Announce].
//
// As it is declared:
//
//	type Note struct {
//	    PID  int    `json:"pid"`
//	    Host string `json:"host,omitempty"` // where the process id means something
//	    // Address is where the owner can be asked to write, "" if it does not listen.
//	    Address string `json:"address,omitempty"`
//	    // Token is a secret that is valid at that address only, as long as the owner
//	    // lives. "" if this user may not know it.
//	    Token string `json:"token,omitempty"`
//	    // Certificate is the SHA-256 of the certificate that the owner shows at an https
//	    // address, in hexadecimal digits: it may be one that nobody has signed.
//	    Certificate string `json:"certificate,omitempty"`
//	}
type Note = ownership.Note

// Owner says which process owns the manifest and where it can be asked to write. It is
// nil if the manifest has no owner, or this DB itself is it.
func (db *DB) Owner() *OwnedError {
	if db.writable() != nil || db.atOnce {
		return nil
	}
	owned := ownership.Owner(db.opt.FS, db.owned(), db.journal)
	db.mu.Lock()
	defer db.mu.Unlock()
	if db.own != nil {
		return nil
	}
	return owned
}

// owned is the manifest as ownership knows it: of a remote one its writers own their
// journals.
func (db *DB) owned() string {
	if blob.IsRemote(db.name) {
		return ""
	}
	return db.name
}

// keepOwned sees to it that an owned journal is still where it was, and its lock, unless
// a write goes on. An ownership that was announced and lost is taken again. With lost, the
// segments that were lost are opened again.
func (db *DB) keepOwned(ctx context.Context, lost bool) error {
	if !db.writing.TryLock() {
		if lost {
			db.store.Lost.Store(true) // the next one sees to it
		}
		return nil
	}
	defer db.writing.Unlock()
	if db.own == nil && db.note == nil {
		return nil
	}
	own, err := db.owner(ctx)
	if err != nil {
		return err
	}
	if lost {
		if err := db.reload(ctx); err != nil {
			db.store.Lost.Store(true)
			return err
		}
	}
	return own.journal.Keep()
}
