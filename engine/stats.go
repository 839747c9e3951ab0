package engine

import (
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
	// Unsealed is the number of changes of the journal that are in no segment, in the state that
	// readers got last.
	Unsealed int64
	// Snapshots is the number of those that are open.
	Snapshots int

	// CacheBytes are kept in the cache, which may be shared with other databases; CacheHits were
	// answered from it, CacheMisses were not, CacheEvictions are units that were dropped to make room.
	CacheBytes                             int64
	CacheHits, CacheMisses, CacheEvictions uint64
	// Warmed is the number of units that were decoded before somebody asked for them, and
	// Warming says that this goes on.
	Warmed  int64
	Warming bool
}

// Stats returns the figures of now, also of a database that is closed.
func (db *DB) Stats() Stats {
	c, w := cache.StatsOf(db.cache), db.WarmStats()
	s := Stats{
		CacheBytes: c.Bytes, CacheHits: c.Hits, CacheMisses: c.Misses, CacheEvictions: c.Evictions,
		Warmed: w.Units, Warming: w.Running,
	}
	db.mu.Lock()
	defer db.mu.Unlock()
	s.Graph, s.Generation, s.Entries = db.manifest.Name, db.manifest.Generation, len(db.manifest.Log)
	db.manifest.Each(func(ref *manifest.SegmentRef) {
		s.Segments++
		s.SegmentBytes += ref.Size
	})
	if h := db.live; h != nil {
		s.Unsealed = h.changes
	}
	s.Snapshots = db.users - len(db.running)
	if !db.closed {
		s.Snapshots-- // the database itself
	}
	return s
}
