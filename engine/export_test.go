package engine

import (
	"errors"
	"reflect"

	"github.com/rete-go/rete/internal/ctxsync"
)

// PlanCompaction is the policy of automatic compaction.
var PlanCompaction = planCompaction

// SharesTop reports whether two snapshots have the same dictionary of the journal: one
// was made of the other.
func SharesTop(a, b *Snapshot) bool {
	dict := func(s *Snapshot) uintptr {
		top := reflect.ValueOf(s.head.view).Elem().FieldByName("top")
		if top.IsNil() {
			return 0
		}
		return top.Elem().FieldByName("dict").Pointer()
	}
	return dict(a) != 0 && dict(a) == dict(b)
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
