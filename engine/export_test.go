package engine

import (
	"errors"

	"github.com/rete-go/rete/internal/ctxsync"
)

// TileRows makes the layer's tiles hold n rows at most. It must be called before
// the layer is used.
func (m *MemLayer) TileRows(n int) *MemLayer {
	m.rows = n
	return m
}

// PlanCompaction is the policy of automatic compaction.
var PlanCompaction = planCompaction

// SharesTop reports whether two snapshots have the same dictionary of the journal: one
// was made of the other.
func SharesTop(a, b *Snapshot) bool {
	return a.top != nil && b.top != nil && a.top.dict == b.top.dict
}

// SetPool sets from how many graphs on a scan takes rows from the pool of the base, and
// after how many that it opened; the result undoes that.
func SetPool(graphs, after int) (undo func()) {
	g, a := poolGraphs, poolAfter
	poolGraphs, poolAfter = graphs, after
	return func() { poolGraphs, poolAfter = g, a }
}

// Excludes reports whether an operation is under way that Close waits for.
func (db *DB) Excludes() bool {
	for _, m := range []*ctxsync.Mutex{&db.sealing, &db.writing} {
		if !m.TryLock() {
			return true
		}
		m.Unlock()
	}
	return false
}

// ClearQuads is up to how many quads are deleted one by one when a graph is cleared.
const ClearQuads = clearQuads

// Ended reports whether Close has ended the operations under way.
func (db *DB) Ended() bool { return errors.Is(db.open(), ErrClosed) }
