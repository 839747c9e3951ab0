package engine

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/rete-go/rete/blob"
	"github.com/rete-go/rete/engine/internal/journal"
	"github.com/rete-go/rete/engine/internal/ownership"
	"github.com/rete-go/rete/internal/manifest"
	"github.com/rete-go/rete/internal/vfs"
)

// owner is a DB's ownership of its manifest and journal. It belongs to the holder of
// DB.writing.
type owner struct {
	journal *journal.Writer
	fs      vfs.FS // of the journal
	path    string // of the journal
	scratch string // the directory of a journal that lasts as long as the ownership; "" of others
	lock    *ownership.Lock
	head    *head // with every batch that was appended, on disk or not
	epoch   int   // of the journal, that head belongs to
	stale   bool  // the log has moved, or may have, and it was not read since

	pending []*head // that are not acknowledged yet, oldest first; guarded by DB.mu
}

// writable says why nothing can be written; nil if it can.
func (db *DB) writable() error {
	switch {
	case db.ReadOnly():
		return fmt.Errorf("%s: %w", db.name, blob.ErrReadOnly)
	case db.journal == "" && !db.atOnce:
		return fmt.Errorf("%s: it has no journal: %w", db.name, blob.ErrReadOnly)
	}
	return nil
}

// Own takes the ownership of the manifest and its journal, which the first write does by
// itself. If another process or database has it, the error is an [OwnedError]. It is
// given back by Close.
func (db *DB) Own(ctx context.Context) error {
	if err := db.writable(); err != nil {
		return err
	}
	if err := db.writing.Lock(ctx); err != nil {
		return err
	}
	defer db.writing.Unlock()
	_, err := db.owner(ctx)
	return err
}

// Announce tells processes that find the manifest owned where they can ask to write, and
// the secret that they must show there. The manifest must be owned.
func (db *DB) Announce(ctx context.Context, n Note) error {
	if err := db.writing.Lock(ctx); err != nil {
		return err
	}
	defer db.writing.Unlock()
	if err := db.open(); err != nil {
		return err
	}
	if db.own == nil {
		return fmt.Errorf("%s: it is not owned", db.name)
	}
	db.note = &n
	return db.own.lock.Announce(n)
}

// owner returns the ownership of the journal and takes it if need be: recovery
// saves a torn tail and cuts it off, and what a seal that was interrupted has left is
// dropped. Where a lock file was removed it is taken anew, unless another process has
// it by now. db.writing is held.
func (db *DB) owner(ctx context.Context) (*owner, error) {
	own, err := db.takeOwner(ctx)
	db.outcomes.note(ctx, &db.outcomes.write, err)
	return own, err
}

func (db *DB) takeOwner(ctx context.Context) (*owner, error) {
	if db.own != nil {
		if err := db.own.lock.Check(); err != nil {
			db.disown(err)
		}
	}
	if db.own != nil && db.file.Doubt() {
		db.own.stale = true // a seal or a compaction that may have happened
	}
	var from basis
	if db.own != nil && db.atOnce && !db.own.stale { // others commit, and wait for nobody
		m, err := db.file.Read(ctx)
		if err != nil {
			return nil, err
		}
		if db.own.stale = !db.own.head.st.manifest.Same(m); db.own.stale {
			from.known = m
		}
	}
	if db.own != nil && db.own.stale {
		return db.own, db.reloadFrom(ctx, nil, from)
	}
	if db.own != nil {
		db.reset(db.own)
		return db.own, nil
	}
	db.mu.Lock()
	closed := db.closed
	db.mu.Unlock()
	if closed {
		return nil, ErrClosed
	}
	own, err := db.newOwner()
	if err != nil {
		return nil, err
	}
	if own.lock, err = ownership.TakeWithin(ctx, own.fs, db.owned(), own.path, db.opt.OwnerWait); err != nil {
		return nil, errors.Join(err, own.remove())
	}
	if own.journal, err = db.openJournal(ctx, own); err != nil {
		own.lock.Close()
		return nil, errors.Join(err, own.remove())
	}
	db.setOwn(own)
	if err := db.reload(ctx); err != nil {
		db.setOwn(nil)
		own.journal.Close()
		return nil, errors.Join(err, own.remove())
	}
	if db.note != nil { // it was owned before
		if err := own.lock.Announce(*db.note); err != nil {
			db.opt.Logger.Warn("other commands cannot find the owner", "manifest", db.name, "error", err)
		}
	}
	return own, nil
}

// newOwner returns an owner that owns nothing yet. The journal of a database without one is
// in a temporary directory, and stays empty: each write is committed at once.
func (db *DB) newOwner() (own *owner, err error) {
	own = &owner{fs: db.opt.FS, path: db.journal}
	if db.atOnce {
		own.fs = vfs.OS()
		if own.scratch, err = os.MkdirTemp("", "rete-writer-*"); err != nil {
			return nil, err
		}
		own.path = filepath.Join(own.scratch, "changes")
	}
	return own, nil
}

// remove removes the directory of a journal that lasts as long as the ownership.
func (own *owner) remove() error {
	if own.scratch == "" {
		return nil
	}
	return os.RemoveAll(own.scratch)
}

// setOwn sets the ownership. db.writing is held.
func (db *DB) setOwn(own *owner) {
	db.own = own
	db.names.Store(nil)
	if own == nil {
		db.journalWriter.Store(nil)
		return
	}
	db.journalWriter.Store(own.journal)
	if names, err := db.readNames(); err == nil {
		db.names.Store(&names)
	}
}

// disown lets go of an ownership that another process may have taken: the database
// reads like any other again. db.writing is held.
func (db *DB) disown(cause error) {
	db.opt.Logger.Error("ownership lost", "manifest", db.name, "error", cause)
	db.own.journal.Close() // batches that wait are not written, and are told so
	db.own.remove()        // best effort: it is a temporary one
	db.setOwn(nil)
	db.mu.Lock()
	defer db.mu.Unlock()
	db.chain = &journal.Chain{} // what is known of it is read anew
}

func (db *DB) openJournal(ctx context.Context, own *owner) (*journal.Writer, error) {
	read := func() (journal.Log, error) {
		m, err := db.file.Read(ctx)
		if err != nil {
			return journal.Log{}, err
		}
		return logOf(m), nil
	}
	return journal.Recover(journal.Owned(own.fs, own.path, own.lock), read, journal.Options{
		Mode: db.opt.Sync, Interval: db.opt.SyncEvery, Logger: db.opt.Logger,
		Done: func(last int64) { db.acknowledged(own, last) },
		Synced: func(took time.Duration, err error) {
			db.mu.Lock()
			defer db.mu.Unlock()
			db.syncs.add(err, took)
		},
	})
}

// acknowledged shows batches up to a number to readers.
func (db *DB) acknowledged(own *owner, last int64) {
	db.mu.Lock()
	defer db.mu.Unlock()
	n := 0
	for n < len(own.pending) && own.pending[n].batch <= last {
		n++
	}
	if n > 0 {
		db.publish(own.pending[n-1])
		own.pending = slices.Delete(own.pending, 0, n)
	}
}

// publish makes h what readers get. The use of a new state goes over to it. db.mu
// is held.
func (db *DB) publish(h *head) {
	if db.live != nil && db.live.st != h.st {
		db.releaseState(db.live.st)
	}
	if db.live == nil || db.live.st != h.st {
		db.warmer.nudge()
	}
	db.dropPrevious()
	db.live, db.manifest, db.chain = h, h.st.manifest, nil
}

// reload reads manifest and journal again and shows them to readers. It waits for
// the batches that are on their way. db.writing is held, and the journal
// owned.
func (db *DB) reload(ctx context.Context) error { return db.reloadFrom(ctx, nil, basis{}) }

// reloadFrom is reload with a head that [DB.prepare] has made, or nil: if it is of
// the right generation, only the batches after it are applied. Its use of a state
// goes over. If it is of no use, one is made that goes on from a basis.
func (db *DB) reloadFrom(ctx context.Context, h *head, from basis) error {
	err := db.readOwned(ctx, h, from)
	db.outcomes.note(ctx, &db.outcomes.write, err)
	return err
}

func (db *DB) readOwned(ctx context.Context, h *head, from basis) error {
	own := db.own
	own.journal.Tail().Wait() // a failure is reported to its waiters
	db.reset(own)
	var known *journal.Chain
	if h != nil {
		known = h.reread
	}
	chain, m, err := &journal.Chain{}, from.known, error(nil)
	if m == nil {
		chain, m, err = db.readOn(ctx, known)
	}
	if errors.Is(err, journal.ErrRetired) {
		own.stale = true // so that the next write is told
	}
	if perr := own.journal.Err(); perr != nil {
		err = fmt.Errorf("%s: %w", db.journal, perr) // its end is not known
	}
	if h != nil && (err != nil || !h.st.manifest.Same(m) || h.batch < h.sealed) {
		db.unref(h.st)
		h = nil
	}
	if err != nil {
		return err
	}
	if h == nil {
		if h, err = db.openTop(ctx, m, chain, from); err != nil {
			return db.ofGeneration(m, err)
		}
	} else if err := h.follow(ctx, chain); err != nil {
		db.unref(h.st)
		return err
	}
	h.journal, h.reread = own.journal.ID(), nil
	db.mu.Lock()
	defer db.mu.Unlock()
	if h.since = time.Now(); own.head != nil && own.head.changes > 0 && own.head.journal == h.journal && own.head.sealed == h.sealed {
		h.since = own.head.since // the oldest change is the same: the log was compacted, say
	}
	own.head, own.epoch, own.pending, own.stale = h, own.journal.Epoch(), nil, false
	db.publish(h)
	return nil
}

// prepare makes the head of the newest generation while writers go on, so that they
// need not wait for it; see [DB.reloadFrom]. nil if that fails: it can be made later.
func (db *DB) prepare(ctx context.Context, from basis) *head {
	chain, m, err := db.read(ctx)
	if err != nil {
		return nil
	}
	h, err := db.openTop(ctx, m, chain, from)
	if err != nil {
		return nil
	}
	// That took its time: what was written meanwhile is applied now, so that
	// little is left for the moment in which writers wait.
	if chain, err = chain.Reload(db.opt.FS); err == nil && chain.ID() == h.journal {
		err = h.follow(ctx, chain)
		h.reread = chain
	}
	if err != nil {
		db.unref(h.st)
		return nil
	}
	return h
}

// openTop is openHead with a view that can be written on.
func (db *DB) openTop(ctx context.Context, m *manifest.Manifest, chain *journal.Chain, from basis) (*head, error) {
	if err := db.opening.Lock(ctx); err != nil {
		return nil, err
	}
	defer db.opening.Unlock()
	if from.head == nil {
		from.head = db.current()
		defer db.unrefHead(from.head)
	}
	h, err := db.openHead(ctx, m, chain, from)
	if err != nil {
		return nil, err
	}
	if h.view, err = h.top(ctx); err != nil {
		db.unref(h.st)
		return nil, err
	}
	return h, nil
}

// current returns what readers get, or got last, with a use for the caller; nil if there
// is nothing.
func (db *DB) current() *head {
	db.mu.Lock()
	defer db.mu.Unlock()
	h := db.live
	if h == nil {
		h = db.previous
	}
	if h != nil {
		h.st.uses++
	}
	return h
}

// unrefHead drops a use of the state of a head, which may be nil.
func (db *DB) unrefHead(h *head) {
	if h != nil {
		db.unref(h.st)
	}
}

// unref drops a use of a state.
func (db *DB) unref(st *state) {
	db.mu.Lock()
	defer db.mu.Unlock()
	db.releaseState(st)
}

// reset goes back to the last state that was acknowledged, if batches failed since.
// db.writing is held.
func (db *DB) reset(own *owner) {
	if own.head == nil || own.epoch == own.journal.Epoch() {
		return
	}
	db.mu.Lock()
	defer db.mu.Unlock()
	own.head, own.pending, own.epoch = db.live, nil, own.journal.Epoch()
	own.head.view.DropTerms()
}

// unjournalled refuses a place where a journal with changes lies, for a new
// manifest.
func (db *DB) unjournalled() error {
	if db.journal == "" {
		return nil
	}
	c, err := journal.Load(db.opt.FS, db.journal)
	if errors.Is(err, blob.ErrNotFound) {
		return nil // there is no directory yet
	}
	if err == nil && c.Lines(0) > 0 {
		err = fmt.Errorf("%s: %w: it has %d changes; move it away, or take it over with `fsck --adopt`", db.journal, journal.ErrForeign, c.Lines(0))
	}
	return err
}
