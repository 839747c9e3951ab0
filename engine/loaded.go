package engine

import (
	"github.com/rete-go/rete/dataset"
	"github.com/rete-go/rete/internal/cache"
)

var _ dataset.Loader = (*Snapshot)(nil)

// Loaded returns the units of segments (tiles, chunks of dictionaries, pages of
// directories) that were decoded so far by all users of the database's cache, and
// their decoded bytes.
func (s *Snapshot) Loaded() (units, bytes uint64) {
	t := cache.StatsOf(s.db.cache)
	return t.Loads, t.LoadedBytes
}
