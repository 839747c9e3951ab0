package engine

import "github.com/rete-go/rete/engine/internal/journal"

// Owner returns what the process that owns the journal left for others: where it
// can be asked to write. It is nil if nobody owns it, or this DB itself does.
func (db *DB) Owner() *Note {
	if db.writable() != nil {
		return nil
	}
	note := journal.Held(db.opt.FS, db.journal)
	db.mu.Lock()
	defer db.mu.Unlock()
	if db.own != nil {
		return nil
	}
	return note
}
