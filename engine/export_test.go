package engine

import (
	"bytes"
	"encoding/hex"
	"errors"
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
func (db *DB) Excludes() bool { return len(db.sealing) == 0 || len(db.writing) == 0 }

// ClearQuads is up to how many quads are deleted one by one when a graph is cleared.
const ClearQuads = clearQuads

// SelfPlace returns where the digits of a manifest's self are; ok is false without a
// valid one.
func SelfPlace(src []byte) (digits int, ok bool) {
	r := &manifestReader{src: src, m: new(Manifest)}
	err := parseJSON(src, r.read)
	return r.self.digits, err == nil && r.self.valid
}

// Sign gives a manifest that has a valid self the digest of its bytes.
func Sign(src []byte) []byte {
	at, ok := SelfPlace(src)
	if !ok {
		panic("no valid self in " + string(src))
	}
	out := bytes.Clone(src)
	digest := selfDigest(src, at)
	hex.Encode(out[at:], digest[:])
	return out
}

// SelfHolds reports whether a manifest was read with a self that holds.
func SelfHolds(m *Manifest) bool { return m.self == selfHolds }

// SelfKept reports whether a manifest was read with a self that another program has kept.
func SelfKept(m *Manifest) bool { return m.self == selfKept }

// HashOf is blake3_16 of a manifest.
var HashOf = hashOf

// Ended reports whether Close has ended the operations under way.
func (db *DB) Ended() bool { return errors.Is(db.open(), ErrClosed) }
