package engine

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/rete-go/rete/engine/internal/journal"
	"github.com/rete-go/rete/engine/internal/segments"
	"github.com/rete-go/rete/internal/manifest"
	"github.com/rete-go/rete/internal/segment"
	"github.com/rete-go/rete/rdf"
)

// SealOptions are the choices of [DB.Seal]. The zero value and nil work.
type SealOptions struct {
	manifest.CommitOptions
	// Build is how the segments are written.
	Build segment.BuildOptions
}

// Seal moves the changes of the journal into one entry of the log and returns the
// manifest that has it. Readers and writers go on meanwhile, but for the moments in
// which the journal's file and the generation change; the graph does not change.
// Without changes the error is [ErrNothingToSeal].
//
// The journal's file is renamed first; it is removed when the new generation is
// on disk. After an interruption anywhere in between the changes are still there,
// once, in the one or in the other.
func (db *DB) Seal(ctx context.Context, opt *SealOptions) (*manifest.Manifest, error) {
	return changeLog(ctx, db, "rete.seal", func(ctx context.Context) (*manifest.Manifest, error) {
		start := time.Now()
		m, err := db.sealJournal(ctx, opt)
		db.worked(ctx, &db.seals, err, time.Since(start))
		return m, err
	})
}

func (db *DB) sealJournal(ctx context.Context, opt *SealOptions) (*manifest.Manifest, error) {
	var o SealOptions
	if opt != nil {
		o = *opt
	}
	if err := db.writable(); err != nil {
		return nil, err
	}
	if err := db.sealing.Lock(ctx); err != nil {
		return nil, err
	}
	defer db.sealing.Unlock()
	if err := db.open(); err != nil {
		return nil, err
	}
	h, err := db.rotateJournal(ctx)
	if err != nil {
		return nil, err
	}
	defer db.unref(h.st)
	m, entry, err := db.sealHead(ctx, h, &o)
	if err != nil {
		return nil, err
	}
	ctx = context.WithoutCancel(ctx) // already committed: the caller must learn of it
	next := db.prepare(ctx, basis{head: h, sealed: entry})
	if err := db.writing.Lock(ctx); err != nil {
		if next != nil {
			db.unref(next.st)
		}
		return nil, err
	}
	defer db.writing.Unlock()
	return m.Clone(), db.sealed(ctx, m, next, basis{head: h, sealed: entry})
}

// rotateJournal rotates the journal and returns the state up to there, with a use for the
// caller: a compaction may take its place before it is sealed.
func (db *DB) rotateJournal(ctx context.Context) (*head, error) {
	if err := db.writing.Lock(ctx); err != nil {
		return nil, err
	}
	defer db.writing.Unlock()
	own, err := db.owner(ctx)
	if err != nil {
		return nil, err
	}
	h, err := db.rotate(own)
	if err != nil {
		return nil, err
	}
	db.mu.Lock()
	defer db.mu.Unlock()
	h.st.uses++
	return h, nil
}

// rotate is rotateJournal with db.writing held.
func (db *DB) rotate(own *owner) (*head, error) {
	if err := own.journal.Tail().Wait(); err != nil {
		return nil, db.outcome(err)
	}
	db.reset(own)
	if own.head.changes == 0 {
		return nil, fmt.Errorf("%s: %w", db.journal, ErrNothingToSeal)
	}
	if err := own.journal.Rotate(own.head.st.manifest.Generation); err != nil {
		return nil, err
	}
	own.epoch = own.journal.Epoch()
	return own.head, nil
}

// sealHead commits the changes of a state of the journal as one entry, which it returns.
func (db *DB) sealHead(ctx context.Context, h *head, o *SealOptions) (*manifest.Manifest, *manifest.Entry, error) {
	w, err := db.newMaker(h.st.manifest, o.Build, nil)
	if err != nil {
		return nil, nil, err
	}
	m, entry, err := db.commitSeal(ctx, w, h, o)
	if err != nil {
		w.Undo(ctx, err)
		return nil, nil, err
	}
	db.opt.Logger.Info("sealed", "manifest", db.name, "generation", m.Generation, "batch", h.batch, "changes", h.changes)
	return m, entry, nil
}

func (db *DB) commitSeal(ctx context.Context, w *segments.Maker, h *head, o *SealOptions) (*manifest.Manifest, *manifest.Entry, error) {
	entries, err := w.Entries(ctx, h.step(ctx))
	if err != nil {
		return nil, nil, err
	}
	m, err := w.Commit(ctx, manifest.Keeping(o.Naming(entries...)), func(cur *manifest.Manifest) (*manifest.Manifest, error) {
		switch err := h.seal(cur); {
		case errors.Is(err, errSealed):
			return nil, nil // together with a large write
		case err != nil:
			return nil, fmt.Errorf("%s: %w", w.Name, err)
		}
		cur.Log = append(cur.Log, entries...)
		db.foldNames(cur)
		return cur, nil
	})
	return m, firstOf(entries), err
}

// firstOf returns the first entry of a list, nil if there is none.
func firstOf(entries []manifest.Entry) *manifest.Entry {
	if len(entries) == 0 {
		return nil
	}
	return &entries[0]
}

// step is the changes of the journal as an entry to make. Those of a quad that is
// there already, or is not there, stay in: another writer's entry may come between.
func (h *head) step(ctx context.Context) []Step {
	return []Step{{
		Adds: segments.Stored(h.view.Changed(ctx, true)),
		Dels: segments.Stored(h.view.Changed(ctx, false)),
	}}
}

// errSealed: a manifest has the batches in its log already.
var errSealed = errors.New("sealed meanwhile")

// seal records in a manifest that its log has the batches of h.
func (h *head) seal(cur *manifest.Manifest) error {
	_, retired := cur.Retired[h.journal]
	switch at := cur.Sealed[h.journal]; {
	case h.st.manifest.Lineage != "" && cur.Lineage != h.st.manifest.Lineage:
		return fmt.Errorf("%w: the manifest is another one than the journal's", ErrConflict)
	case retired:
		return fmt.Errorf("%w: journal %s; `fsck --adopt` takes its changes over under a new id", journal.ErrRetired, h.journal)
	case at >= h.batch:
		return errSealed
	case at != h.sealed:
		return fmt.Errorf("%w: batches up to %d of the journal were sealed, not up to %d", ErrConflict, at, h.sealed)
	}
	if cur.Sealed == nil {
		cur.Sealed = map[string]int64{}
	}
	cur.Sealed[h.journal] = h.batch
	return nil
}

// sealed shows a generation with a seal to readers and drops the journal files that
// it covers. next is what [DB.prepare] has made, or nil: then from is what the generation
// goes on from. db.writing is held.
func (db *DB) sealed(ctx context.Context, m *manifest.Manifest, next *head, from basis) error {
	if db.own == nil {
		if next != nil {
			db.unref(next.st)
		}
		return ErrClosed
	}
	if db.atOnce { // no journal may have gone on; what others have committed since shows to the next write
		from.known = m.Clone()
	}
	if err := db.reloadFrom(ctx, next, from); err != nil {
		db.own.stale = true
		return err
	}
	db.dropNames(m.Prefixes)
	if err := db.own.journal.Drop(m.Sealed[db.own.journal.ID()]); err != nil {
		db.opt.Logger.Warn("a sealed journal file is left", "journal", db.journal, "error", err)
	}
	return nil
}

// appendEntry commits a transaction that is too large for the journal as entries of its
// own. db.writing is held.
func (db *DB) appendEntry(ctx context.Context, tx *Tx, o *manifest.CommitOptions, entries []manifest.Entry) (*Done, error) {
	m, err := db.appendLog(ctx, tx.spilled.maker, o, false, entries)
	for errors.Is(err, errSealed) { // a seal that runs may come between
		m, err = db.appendLog(ctx, tx.spilled.maker, o, false, entries)
	}
	tx.committed = m != nil
	if err != nil {
		return nil, err
	}
	return &Done{Generation: m.Generation, State: db.own.head.name()}, nil
}

// appendLog commits entries after the changes of the journal, which are sealed in
// the same commit, so that the order of the log is that of time; with noSeal it
// fails if there are any. The new generation is shown to readers; an error that
// comes with a manifest says that this failed, and the manifest is committed. The
// db.writing is held.
func (db *DB) appendLog(ctx context.Context, w *segments.Maker, o *manifest.CommitOptions, noSeal bool, entries []manifest.Entry) (*manifest.Manifest, error) {
	h, err := db.unsealed(ctx)
	if err != nil {
		return nil, err
	}
	var before []manifest.Entry
	if h != nil {
		if noSeal {
			return nil, fmt.Errorf("%s: %w: its journal has %d changes that are not sealed", db.name, ErrConflict, h.changes)
		}
		if h, err = db.rotate(db.own); err != nil {
			return nil, err
		}
		if before, err = w.Entries(ctx, h.step(ctx)); err != nil {
			return nil, err
		}
	}
	m, err := w.Commit(ctx, o.Naming(append(before, entries...)...), func(cur *manifest.Manifest) (*manifest.Manifest, error) {
		if len(entries) == 0 {
			return nil, nil
		}
		if h != nil {
			if err := h.seal(cur); err != nil {
				return nil, fmt.Errorf("%s: %w", db.name, err)
			}
			db.foldNames(cur)
		}
		cur.Log = append(append(cur.Log, before...), entries...)
		return cur, nil
	})
	switch {
	case errors.Is(err, errSealed):
		if rerr := db.reload(ctx); rerr != nil {
			return nil, rerr
		}
		return nil, err
	case err != nil:
		return nil, err
	case db.own != nil:
		if err := db.sealed(context.WithoutCancel(ctx), m, nil, basis{head: h, sealed: firstOf(before)}); err != nil {
			return m, fmt.Errorf("%s: generation %d is committed, but could not be opened: %w", db.name, m.Generation, err)
		}
		return m, nil
	}
	db.mu.Lock()
	chain := db.chain
	db.mu.Unlock()
	db.adopt(chain, m)
	return m, nil
}

// unsealed returns the state of the journal if it has changes, which then is owned.
func (db *DB) unsealed(ctx context.Context) (*head, error) {
	if db.journal == "" {
		return nil, nil
	}
	if db.own == nil {
		chain, m, err := db.read(ctx)
		if err != nil || chain.Lines(m.Sealed[chain.ID()]) == 0 {
			return nil, err
		}
	}
	if _, err := db.owner(ctx); err != nil {
		return nil, err
	}
	if err := db.own.journal.Tail().Wait(); err != nil {
		return nil, db.outcome(err)
	}
	if err := db.own.journal.Err(); err != nil {
		// It may have a batch that is not known here, and would come after what is
		// committed now.
		return nil, fmt.Errorf("%s: %w", db.journal, err)
	}
	db.reset(db.own)
	if db.own.head.changes == 0 {
		return nil, nil
	}
	return db.own.head, nil
}

// Changed is the quads that a transaction adds or takes away.
func (tx *Tx) changed(add bool) *Source {
	return segments.Stored(&txReader{tx.order, add})
}

type txReader struct {
	rows []*txRow
	add  bool
}

// Read implements [rdf.Reader].
func (r *txReader) Read(q *rdf.RawQuad) error {
	for len(r.rows) > 0 {
		row := r.rows[0]
		r.rows = r.rows[1:]
		if row.now != row.was && row.now == r.add {
			*q = row.quad.Raw()
			return nil
		}
	}
	return io.EOF
}
