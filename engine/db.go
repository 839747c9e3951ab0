package engine

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"

	"github.com/rete-go/rete/blob"
	"github.com/rete-go/rete/segment"
)

// ErrClosed: the database was closed.
var ErrClosed = errors.New("engine: database is closed")

// ErrExpired: a segment of the generation that was asked for is gone.
var ErrExpired = errors.New("snapshot has expired")

// DB is a graph: a manifest and the segments that it names, or one segment by
// itself, which is read-only. It may be used by several goroutines at once.
//
// A DB knows the manifest as it was when it was opened, refreshed or last
// committed to; [DB.Snapshot] gives that state to readers, who hold it as long as
// they want and are not disturbed by commits.
type DB struct {
	name string
	opt  Options
	file *ManifestFile // nil of a single segment
	mux  *blob.Mux     // finds objects by the names of the manifest

	cache    *Cache
	ownCache bool
	opening  chan struct{} // one token; its owner opens segments

	mu       sync.Mutex // guards what follows; nothing is read while it is held
	manifest *Manifest
	current  *state // of manifest, nil until somebody asked for it
	segments map[string]*openSegment
	users    int // the DB itself and the snapshots that are open
	closed   bool
}

// Open opens a manifest by its path or URL, or one segment if the name ends with
// .rete. Of a manifest nothing else is read; the headers and maps of its segments
// are when the first snapshot is taken.
func Open(ctx context.Context, name string, opt *Options) (*DB, error) {
	o := opt.withDefaults()
	if strings.HasSuffix(name, segmentSuffix) {
		return openSingle(ctx, name, o)
	}
	file, err := OpenManifestFile(name, o.mux())
	if err != nil {
		return nil, err
	}
	m, err := file.Read(ctx)
	if err != nil {
		return nil, err
	}
	db := newDB(file.Name(), o, file.Store(), m)
	db.file = file
	return db, nil
}

// segmentSuffix ends the file name of a segment.
const segmentSuffix = ".rete"

func newDB(name string, o Options, mux *blob.Mux, m *Manifest) *DB {
	db := &DB{name: name, opt: o, mux: mux, manifest: m, cache: o.Cache, opening: make(chan struct{}, 1),
		segments: map[string]*openSegment{}, users: 1}
	db.opening <- struct{}{}
	if db.cache == nil {
		db.cache, db.ownCache = NewCache(o.CacheBytes), true
	}
	return db
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
	defer obj.Close()
	pin, _, err := segment.PinOf(ctx, obj)
	if err != nil {
		return nil, err
	}
	ref := &SegmentRef{FileRef: FileRef{URL: url, Size: pin.Size, Hash: pin.Hash}, Extra: pin.Extra}
	m := &Manifest{Name: strings.TrimSuffix(file, segmentSuffix), Log: []LogEntry{{Adds: ref}}}
	return newDB(full, o, mux, m), nil
}

// Name is the full name of the manifest or the segment.
func (db *DB) Name() string { return db.name }

// Manifest returns the manifest that the DB knows; it is the caller's to change.
func (db *DB) Manifest() *Manifest {
	db.mu.Lock()
	defer db.mu.Unlock()
	return db.manifest.Clone()
}

// ReadOnly reports whether the database is a single segment or lies on a web
// server.
func (db *DB) ReadOnly() bool { return db.file == nil || blob.IsRemote(db.name) }

// manifestFile returns the manifest's file; a single segment has none.
func (db *DB) manifestFile() (*ManifestFile, error) {
	if db.file == nil {
		return nil, fmt.Errorf("%s is a single segment, not a manifest: %w", db.name, blob.ErrReadOnly)
	}
	return db.file, nil
}

// Refresh reads the manifest again and reports whether it has moved. Snapshots
// that are open keep what they have.
func (db *DB) Refresh(ctx context.Context) (bool, error) {
	if db.file == nil {
		return false, nil
	}
	m, err := db.file.Read(ctx)
	if err != nil {
		return false, err
	}
	return db.adopt(m), nil
}

// adopt makes m the known manifest unless a later one is known already, and
// reports whether it is another one.
func (db *DB) adopt(m *Manifest) bool {
	db.mu.Lock()
	defer db.mu.Unlock()
	old := db.manifest
	if old.Lineage == m.Lineage && old.Generation > m.Generation ||
		old.Generation == m.Generation && old.Commit == m.Commit && sameLog(old, m) {
		return false
	}
	db.manifest = m
	if db.current != nil {
		db.releaseState(db.current)
		db.current = nil
	}
	return true
}

func sameLog(a, b *Manifest) bool {
	if len(a.Log) != len(b.Log) {
		return false
	}
	for i := range a.Log {
		if !a.Log[i].Same(b.Log[i]) {
			return false
		}
	}
	return true
}

// Close lets go of the database. Snapshots that are still open can be read on;
// the last of them to be closed closes the files. Closing twice is safe.
func (db *DB) Close() error {
	db.mu.Lock()
	defer db.mu.Unlock()
	if db.closed {
		return nil
	}
	db.closed = true
	if db.current != nil {
		db.releaseState(db.current)
		db.current = nil
	}
	db.leave()
	return nil
}

// leave drops one user; the last one ends the cache. db.mu is held.
func (db *DB) leave() {
	if db.users--; db.users == 0 && db.ownCache {
		db.cache.Close() // ends loads that nobody waits for; they need no lock of ours
	}
}
