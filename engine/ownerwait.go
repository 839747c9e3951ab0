package engine

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/rete-go/rete/engine/internal/ownership"
)

// takeOwnership takes the ownership of manifest and journal, and waits as
// Options.OwnerWait says.
func (db *DB) takeOwnership(ctx context.Context) (*ownership.Lock, error) {
	for until := time.Now().Add(db.opt.OwnerWait); ; {
		lock, err := ownership.Take(db.opt.FS, db.owned(), db.journal)
		var owned *OwnedError
		if !errors.As(err, &owned) || owned.Serves() || time.Now().After(until) {
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

// keepOwned sees to it that an owned journal is still where it was, and its lock, unless
// a write goes on. An ownership that was announced and lost is taken again. With lost, the
// segments that were lost are opened again.
func (db *DB) keepOwned(ctx context.Context, lost bool) error {
	if !db.writing.TryLock() {
		if lost {
			db.lost.Store(true) // the next one sees to it
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
			db.lost.Store(true)
			return err
		}
	}
	return own.journal.Keep()
}
