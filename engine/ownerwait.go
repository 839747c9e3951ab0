package engine

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/rete-go/rete/engine/internal/journal"
)

// lockJournal locks the journal, and waits as Options.OwnerWait says.
func (db *DB) lockJournal(ctx context.Context) (*journal.Lock, error) {
	for until := time.Now().Add(db.opt.OwnerWait); ; {
		lock, err := journal.Own(db.opt.FS, db.journal)
		var owned *OwnedError
		if !errors.As(err, &owned) || owned.Note != nil && owned.Note.Address != "" || time.Now().After(until) {
			return lock, err
		}
		timer := time.NewTimer(20*time.Millisecond + rand.N(180*time.Millisecond))
		select {
		case <-timer.C:
		case <-ctx.Done():
			timer.Stop()
			return nil, fmt.Errorf("%w: %w", context.Cause(ctx), err)
		}
	}
}

// keepJournal looks after the file of an owned journal, unless somebody writes now.
func (db *DB) keepJournal() error {
	select {
	case <-db.writing:
	default:
		return nil
	}
	defer give(db.writing)
	if db.own == nil {
		return nil
	}
	return db.own.journal.Keep()
}
