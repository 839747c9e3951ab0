package engine

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"sync"
	"time"

	"github.com/rete-go/rete/blob"
	"github.com/rete-go/rete/engine/internal/ownership"
	"github.com/rete-go/rete/internal/manifest"
	"github.com/rete-go/rete/internal/vfs"
)

// outcomes are how the last attempts ended; nil errors of those that went well.
type outcomes struct {
	mu      sync.Mutex
	open    error  // of a snapshot
	write   error  // of getting ready to write
	refresh error  // of reading manifest and journal again
	seen    string // what the files looked like when Ready last made an attempt
	at      time.Time
}

// note records an outcome. One that the caller's context or the end of the database
// brought about says nothing.
func (o *outcomes) note(ctx context.Context, which *error, err error) {
	if err != nil && (ctx.Err() != nil || errors.Is(err, ErrClosed)) {
		return
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	*which = err
}

func (o *outcomes) last() error {
	o.mu.Lock()
	defer o.mu.Unlock()
	for _, err := range []error{o.refresh, o.write, o.open} {
		if err != nil {
			return err
		}
	}
	return nil
}

// due reports whether it is time for another attempt: the files have changed since the
// last one, or some time has passed. If it is, the attempt counts as made.
func (o *outcomes) due(seen string) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	if seen == o.seen && time.Since(o.at) < readyPause {
		return false
	}
	o.seen, o.at = seen, time.Now()
	return true
}

// readyPause is the time between two attempts of Ready while no file changes.
const readyPause = time.Second

// Ready returns nil if a query would be answered now and, where the database can be
// written to, a write carried out; else what they would meet: a manifest or a segment that
// is not there or not the right one, a journal that takes no more writes, another owner.
//
// It goes by the outcomes of the last attempts of snapshots, writes and refreshes, and by
// the descriptions of the files, which it does not open. Only where nothing was opened yet,
// or the last attempt failed, and at most once a second as long as no file changes, it
// makes an attempt itself, as a query would. Of remote names the outcomes alone are known.
// A segment whose file is open is readable, whatever its name leads to by now. That a disk
// is full is met by the next write alone.
func (db *DB) Ready(ctx context.Context) error {
	_, err := operate(ctx, db, func(ctx context.Context) (struct{}, error) { return struct{}{}, db.isReady(ctx) })
	return err
}

func (db *DB) isReady(ctx context.Context) error {
	seen, err := db.statFiles(ctx)
	if err != nil {
		return err
	}
	if w := db.journalWriter.Load(); w != nil {
		if err := w.Err(); err != nil {
			return fmt.Errorf("%s: %w", db.journal, err)
		}
	}
	db.mu.Lock()
	live := db.live != nil
	db.mu.Unlock()
	last := db.outcomes.last()
	if last == nil && live || last != nil && !db.outcomes.due(seen) {
		return last
	}
	if last != nil {
		if err := db.tryAgain(ctx); err != nil {
			return err
		}
	}
	snap, err := db.Snapshot(ctx)
	if err != nil {
		return err
	}
	return errors.Join(db.outcomes.last(), snap.Close())
}

// tryAgain makes another attempt of what failed last: reading manifest and journal, and
// getting ready to write. Another owner is not contended with.
func (db *DB) tryAgain(ctx context.Context) error {
	if _, err := db.Refresh(ctx); err != nil {
		return err
	}
	db.outcomes.mu.Lock()
	werr := db.outcomes.write
	db.outcomes.mu.Unlock()
	switch {
	case werr == nil:
	case !errors.Is(werr, ErrOwned):
		return db.Own(ctx)
	case db.atOnce || ownership.Owner(db.opt.FS, db.owned(), db.journal) == nil:
		db.outcomes.note(ctx, &db.outcomes.write, nil) // it can be owned now
	}
	return nil
}

// statFiles describes the files that a request would use, and returns an error if one of them
// is not what it must be.
func (db *DB) statFiles(ctx context.Context) (seen string, err error) {
	var b strings.Builder
	note := func(st fs.FileInfo) { fmt.Fprintf(&b, "%s %d %d\n", st.Mode(), st.Size(), st.ModTime().UnixNano()) }
	if db.file != nil && !blob.IsRemote(db.name) {
		st, err := db.stat(db.name)
		if err != nil {
			return "", err
		}
		note(st)
	}
	if db.journal != "" {
		switch st, err := db.stat(db.journal); {
		case err == nil:
			note(st)
		case !errors.Is(err, blob.ErrNotFound): // a journal is made when it is needed
			return "", err
		}
	}
	for _, r := range db.refs() {
		switch {
		case blob.IsRemote(r.full):
		case r.open != nil:
			err = r.open.File.Check(ctx)
		default:
			var st fs.FileInfo
			if st, err = db.stat(r.full); err == nil {
				note(st)
				if st.Size() != r.ref.Size {
					err = fmt.Errorf("%s: %w: it has %d bytes, its pin says %d", r.full, ErrWrongSegment, st.Size(), r.ref.Size)
				}
			}
			err = db.store.Gone(ctx, r.ref, err)
		}
		if err != nil {
			return "", err
		}
	}
	return b.String(), nil
}

// stat describes a regular file.
func (db *DB) stat(name string) (fs.FileInfo, error) {
	st, err := db.opt.FS.Stat(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%s: %w", name, blob.ErrNotFound)
	}
	if err == nil {
		err = vfs.Regular(name, st)
	}
	return st, err
}

// named is a segment of the known manifest.
type named struct {
	ref  *manifest.SegmentRef
	full string
	open *openSegment // nil if it is not open
}

// refs lists the segments of the known manifest.
func (db *DB) refs() (list []named) {
	db.mu.Lock()
	defer db.mu.Unlock()
	for _, e := range db.manifest.Log {
		for _, ref := range []*manifest.SegmentRef{e.Dels, e.Adds} {
			if ref == nil {
				continue
			}
			full, err := db.store.Mux.Resolve(ref.URL)
			if err != nil {
				continue // opening it tells
			}
			n := named{ref: ref, full: full, open: db.segments[ref.Key(full)]}
			if n.open != nil && n.open.File.Lost() {
				n.open = nil
			}
			list = append(list, n)
		}
	}
	return list
}
