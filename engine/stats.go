package engine

import (
	"context"
	"errors"
	"time"

	"github.com/rete-go/rete/blob"
	"github.com/rete-go/rete/internal/cache"
	"github.com/rete-go/rete/internal/manifest"
)

// Stats are figures of a database as it knows itself: nothing is read for them.
type Stats struct {
	Graph      string // its name, as the manifest has it
	Generation int64
	// Entries and Segments are those of the log; SegmentBytes is the size of its segments.
	Entries, Segments int
	SegmentBytes      int64
	// DeletionSegments and DeletionBytes are those of segments that delete, among the above.
	DeletionSegments int
	DeletionBytes    int64
	// JournalBytes is the size of the journal, if this process owns it.
	JournalBytes int64
	// Unsealed is the number of changes of the journal that are in no segment, in the state that
	// readers got last.
	Unsealed int64
	// UnsealedAge is how long ago the oldest of these came, or was found; 0 if there is none,
	// or another process owns the journal.
	UnsealedAge time.Duration
	// Snapshots is the number of those that are open, OldestSnapshot the age of the oldest one.
	Snapshots      int
	OldestSnapshot time.Duration
	// Seals, Compactions and Syncs of the journal are what this process did, by policy or because
	// it was told to, SealFailures, CompactionFailures and SyncFailures what it tried in vain. What had nothing to
	// do, came second to another process or was broken off counts as neither. SealTime, CompactionTime and
	// SyncTime are what those took that were done, in all.
	Seals, Compactions, Syncs                      int64
	SealFailures, CompactionFailures, SyncFailures int64
	SealTime, CompactionTime, SyncTime             time.Duration
	// WriteSpills is how often transactions wrote changes to segments because there was no memory
	// for them, or because they were too many for the journal.
	WriteSpills int64

	// CacheBytes are kept in the cache, which may be shared with other databases; CacheHits were
	// answered from it, CacheMisses were not, CacheEvictions are units that were dropped to make room.
	CacheBytes                             int64
	CacheHits, CacheMisses, CacheEvictions uint64
	// Warmed is the number of units that were decoded before somebody asked for them, and
	// Warming says that this goes on.
	Warmed  int64
	Warming bool
}

// work is how often something was done, and how long it took in all, and how often it failed.
type work struct {
	done, failed int64
	took         time.Duration
}

// add counts one that ended with an error or nil.
func (w *work) add(err error, took time.Duration) {
	if err != nil {
		w.failed++
		return
	}
	w.done++
	w.took += took
}

// worked counts a seal or a compaction.
func (db *DB) worked(ctx context.Context, which *work, err error, took time.Duration) {
	for _, none := range []error{ErrNothingToSeal, ErrCompact, ErrConflict, ErrClosed, blob.ErrReadOnly} {
		if errors.Is(err, none) {
			return
		}
	}
	if err != nil && ctx.Err() != nil {
		return
	}
	db.mu.Lock()
	defer db.mu.Unlock()
	which.add(err, took)
}

// Stats returns the figures of now, also of a database that is closed.
func (db *DB) Stats() Stats {
	c, w := cache.StatsOf(db.cache), db.WarmStats()
	s := Stats{
		CacheBytes: c.Bytes, CacheHits: c.Hits, CacheMisses: c.Misses, CacheEvictions: c.Evictions,
		Warmed: w.Units, Warming: w.Running,
	}
	if w := db.journalWriter.Load(); w != nil {
		s.JournalBytes = w.Size()
	}
	db.mu.Lock()
	defer db.mu.Unlock()
	s.Seals, s.SealFailures, s.SealTime = db.seals.done, db.seals.failed, db.seals.took
	s.Compactions, s.CompactionFailures, s.CompactionTime = db.compactions.done, db.compactions.failed, db.compactions.took
	s.Syncs, s.SyncFailures, s.SyncTime = db.syncs.done, db.syncs.failed, db.syncs.took
	s.WriteSpills = db.spills
	s.Graph, s.Generation, s.Entries = db.manifest.Name, db.manifest.Generation, len(db.manifest.Log)
	db.manifest.Each(func(ref *manifest.SegmentRef) {
		s.Segments++
		s.SegmentBytes += ref.Size
	})
	for _, e := range db.manifest.Log {
		if e.Dels != nil {
			s.DeletionSegments++
			s.DeletionBytes += e.Dels.Size
		}
	}
	if h := db.live; h != nil {
		s.Unsealed = h.changes
		if h.changes > 0 && !h.since.IsZero() {
			s.UnsealedAge = time.Since(h.since)
		}
	}
	if db.oldest != nil {
		s.OldestSnapshot = time.Since(db.oldest.at)
	}
	s.Snapshots = db.users - len(db.running)
	if !db.closed {
		s.Snapshots-- // the database itself
	}
	return s
}
