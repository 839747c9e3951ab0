package engine

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/rete-go/rete/blob"
	"github.com/rete-go/rete/dataset"
	"github.com/rete-go/rete/engine/internal/journal"
	"github.com/rete-go/rete/engine/internal/rangecache"
	"github.com/rete-go/rete/engine/internal/segments"
	"github.com/rete-go/rete/internal/ctxsync"
	"github.com/rete-go/rete/internal/manifest"
	"github.com/rete-go/rete/internal/segment"
	"github.com/rete-go/rete/internal/syntax/prefixes"
)

// DB is a graph: a manifest and the segments that it names, or one segment by
// itself, which is read-only. It may be used by several goroutines at once.
//
// A DB knows manifest and journal as they were when it was opened, refreshed or last
// written to; [DB.Snapshot] gives that state to readers, which keep it as long as they
// need it; writes do not change it.
type DB struct {
	name string
	opt  Options
	file *manifest.File // nil of a single segment

	store    *segments.Store
	cache    *Cache
	ownCache bool
	journal  string        // its path, "" if there is none
	atOnce   bool          // there is none, and each write is a commit
	sealing  ctxsync.Mutex // held by a seal, and by what changes the log
	writing  ctxsync.Mutex // held by a write; guards own
	own      *owner        // nil until the first write
	note     *Note         // what the owner has announced; belongs to own
	opening  ctxsync.Mutex // held to open segments. Locks are taken in the order of the fields

	outcomes      outcomes
	journalWriter atomic.Pointer[journal.Writer] // of own; for a look that waits for nobody
	names         atomic.Pointer[prefixes.Set]   // that are not sealed yet; nil: not owned, or not read

	mu       sync.Mutex // guards what follows; nothing is read while it is held
	manifest *manifest.Manifest
	chain    *journal.Chain // as it was read with the manifest; nil once the journal is owned
	live     *head          // what readers get, nil until somebody asked for it
	previous *head          // what they got last, from which the next one goes on; live is nil
	segments map[string]*openSegment
	warmer   *warmer // nil without Options.Warm; set once
	users    int     // the DB itself, the snapshots that are open and the operations under way
	running  map[*operation]struct{}
	closed   bool

	oldest, newest     *Snapshot // of those that are open, in the order of their time
	seals, compactions work
	syncs              work  // of the journal
	spills             int64 // of transactions
}

// Open opens a manifest by its path or URL, or one segment if the name ends with
// .rete. Of a manifest nothing else is read; the headers and maps of its segments
// are when the first snapshot is taken.
func Open(ctx context.Context, name string, opt *Options) (*DB, error) {
	o := opt.withDefaults()
	if strings.HasSuffix(name, manifest.SegmentSuffix) {
		db, err := openSingle(ctx, name, o)
		if err == nil {
			db.startWarming()
		}
		return db, err
	}
	file, err := manifest.Open(name, o.mux())
	if err != nil {
		return nil, err
	}
	db, err := newDB(file.Name(), o, file.Store(), nil)
	if err != nil {
		return nil, err
	}
	db.bind(file)
	if db.chain, db.manifest, err = db.read(ctx); err == nil && o.Writer {
		err = db.Own(ctx)
	}
	if err != nil {
		db.Close()
		return nil, err
	}
	db.startWarming()
	return db, nil
}

func newDB(name string, o Options, mux *blob.Mux, m *manifest.Manifest) (*DB, error) {
	db := &DB{name: name, opt: o, manifest: m, chain: &journal.Chain{}, cache: o.Cache,
		segments: map[string]*openSegment{}, users: 1, running: map[*operation]struct{}{}}
	var err error
	if !strings.HasSuffix(name, manifest.SegmentSuffix) {
		if db.journal, err = o.journalName(name); err != nil {
			return nil, err
		}
		if db.atOnce = db.journal == "" && !o.ReadOnly; db.atOnce {
			db.opt.MaxBatchBytes = 1 // so that every batch is too large for a journal
		}
	}
	if db.cache == nil {
		db.cache, db.ownCache = NewCache(o.CacheBytes), true
	}
	db.store = &segments.Store{Mux: mux, Cache: db.cache, TrustUnverified: o.TrustUnverified}
	if o.CacheDir != "" {
		if db.store.Ranges, err = rangecache.Open(o.CacheDir, o.CacheDirBytes); err != nil {
			return nil, err
		}
	}
	return db, nil
}

// openSingle makes a database of one segment: a log of one entry without a
// manifest file. The segment is pinned as it is now.
func openSingle(ctx context.Context, name string, o Options) (*DB, error) {
	dir, file := blob.Split(name)
	mux, err := blob.NewMux(dir, o.mux())
	if err != nil {
		return nil, err
	}
	url := file
	if blob.IsRemote(name) {
		url = name // its query would be lost in the parts
	}
	full, err := mux.Resolve(url)
	if err != nil {
		return nil, err
	}
	obj, err := mux.Open(ctx, url)
	if err != nil {
		return nil, err
	}
	pin, err := segment.StatedPin(ctx, obj)
	if err != nil {
		return nil, errors.Join(err, obj.Close())
	}
	if blob.IsRemote(name) {
		url = full // without a password
	}
	ref := &manifest.SegmentRef{FileRef: manifest.FileRef{URL: url, Size: pin.Size, Hash: pin.Hash}, Extra: pin.Extra}
	m := &manifest.Manifest{Name: strings.TrimSuffix(file, manifest.SegmentSuffix), Log: []manifest.Entry{{Adds: ref}}}
	db, err := newDB(full, o, mux, m)
	if err != nil {
		return nil, errors.Join(err, obj.Close())
	}
	db.store.Give(obj)
	return db, nil
}

// Tracer is that of the options; nil: none.
func (db *DB) Tracer() dataset.Tracer { return db.opt.Tracer }

// Name is the full name of the manifest or the segment.
func (db *DB) Name() string { return db.name }

// Manifest returns the manifest that the DB knows; it is the caller's to change.
func (db *DB) Manifest() *manifest.Manifest {
	db.mu.Lock()
	defer db.mu.Unlock()
	return db.manifest.Clone()
}

// ReadOnly reports whether the database is a single segment, or was opened for reading.
// Whether the store of a remote one can be written to shows at the first commit.
func (db *DB) ReadOnly() bool { return db.file == nil || db.opt.ReadOnly }

// manifestFile returns the manifest's file; a single segment has none.
func (db *DB) manifestFile() (*manifest.File, error) {
	if db.file == nil {
		return nil, fmt.Errorf("%s is a single segment, not a manifest: %w", db.name, blob.ErrReadOnly)
	}
	return db.file, nil
}

// open returns ErrClosed once the database is closed.
func (db *DB) open() error {
	db.mu.Lock()
	defer db.mu.Unlock()
	if db.closed {
		return ErrClosed
	}
	return nil
}

// Refresh reads manifest and journal again and reports whether they have moved. The
// owner of the journal puts its file back where somebody has removed it, and its lock.
// Snapshots that are open keep what they have.
func (db *DB) Refresh(ctx context.Context) (bool, error) { return operate(ctx, db, db.refresh) }

func (db *DB) refresh(ctx context.Context) (bool, error) {
	moved, err := db.readAgain(ctx)
	db.outcomes.note(ctx, &db.outcomes.refresh, err)
	return moved, err
}

func (db *DB) readAgain(ctx context.Context) (bool, error) {
	if db.file == nil {
		return false, db.open()
	}
	lost := db.store.Lost.Swap(false)
	kept := db.keepOwned(ctx, lost)
	db.mu.Lock()
	owned, old, closed := db.chain == nil, db.manifest, db.closed
	db.mu.Unlock()
	switch {
	case closed:
		return false, ErrClosed
	case !owned:
		chain, m, err := db.read(ctx)
		if err != nil {
			return false, err
		}
		moved := db.adopt(chain, m)
		if lost && !moved {
			if err := db.reopen(ctx); err != nil {
				db.store.Lost.Store(true)
				return moved, errors.Join(kept, err)
			}
		}
		return moved, kept
	case kept != nil:
		return false, kept
	}
	m, err := db.file.Read(ctx)
	if err != nil || old.Same(m) {
		return false, err
	}
	return true, db.install(ctx, m, basis{})
}

// install makes a manifest that was just committed, or found, the known one.
func (db *DB) install(ctx context.Context, m *manifest.Manifest, from basis) error {
	var next *head
	db.mu.Lock()
	owned := db.chain == nil
	db.mu.Unlock()
	if owned {
		next = db.prepare(ctx, from)
	}
	if err := db.writing.Lock(ctx); err != nil {
		if next != nil {
			db.unref(next.st)
		}
		return err
	}
	defer db.writing.Unlock()
	if db.own == nil {
		if next != nil {
			db.unref(next.st)
		}
		db.mu.Lock()
		chain := db.chain
		db.mu.Unlock()
		db.adopt(chain, m)
		return nil
	}
	return db.reloadFrom(ctx, next, from)
}

// adopt makes m and the journal the known state unless a later one is known
// already, and reports whether it is another one.
func (db *DB) adopt(chain *journal.Chain, m *manifest.Manifest) bool {
	db.mu.Lock()
	defer db.mu.Unlock()
	old := db.manifest
	if db.closed || old.Lineage == m.Lineage && old.Generation > m.Generation || db.chain == nil ||
		old.Same(m) && sameEnd(chain, db.chain) {
		return false
	}
	db.manifest, db.chain = m, chain
	if old.Same(m) && db.live != nil {
		db.dropPrevious()
		db.previous, db.live = db.live, nil
	} else if !old.Same(m) && db.live != nil {
		db.dropPrevious()
		db.previous, db.live = db.live, nil
	}
	return true
}

// sameEnd reports whether two journals have the same batches: the last one may have
// been cut off and replaced by another one.
func sameEnd(a, b *journal.Chain) bool {
	x, _ := a.Hash(a.Last())
	y, _ := b.Hash(b.Last())
	return a.ID() == b.ID() && a.Last() == b.Last() && x == y
}

// dropLive releases the live state and the one that it was made of. db.mu is held.
func (db *DB) dropLive() {
	db.dropPrevious()
	if db.live != nil {
		db.releaseState(db.live.st)
		db.live = nil
	}
}

func (db *DB) dropPrevious() {
	if db.previous != nil {
		db.releaseState(db.previous.st)
		db.previous = nil
	}
}

// Close lets go of the database, and of its journal once the writes that are on
// their way are done. Other operations under way end with [ErrClosed], unless they
// are done already; Close does not wait for them. Snapshots that are still open can be
// read on; the last of them to be closed closes the files. Closing twice is safe.
func (db *DB) Close() error {
	db.warming().stop()
	ctx := context.Background() // which never ends: there is no error
	_ = db.sealing.Lock(ctx)
	defer db.sealing.Unlock()
	_ = db.writing.Lock(ctx)
	defer db.writing.Unlock()
	db.mu.Lock()
	closed := db.closed
	db.closed = true
	db.endOperations()
	db.mu.Unlock()
	if closed {
		return nil
	}
	err := db.store.Close()
	if db.file != nil {
		db.file.Finish()
	}
	if db.own != nil {
		err = errors.Join(err, db.own.journal.Close(), db.own.remove())
		db.setOwn(nil)
	}
	db.mu.Lock()
	db.dropLive()
	db.dropUser()
	return err
}

// Cache returns the cache of the database, which others may share or borrow from.
func (db *DB) Cache() *Cache { return db.cache }

// dropUser drops one user; the last one ends the cache and waits for its loads, which have no
// other waiter then. db.mu is held, and released before that: a load may be slow.
func (db *DB) dropUser() {
	db.users--
	last := db.users == 0
	db.mu.Unlock()
	if last && db.ownCache {
		db.cache.Close()
	}
}
