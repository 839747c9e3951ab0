package view

import (
	"github.com/rete-go/rete/engine/internal/idspace"
	"github.com/rete-go/rete/tombstone"
)

// baseHas reports whether the base has all bound terms, in their columns.
func (q *query) baseHas() bool {
	for i, col := range q.cols {
		if q.bound[col] != 0 {
			if _, exact := q.baseID(i, q.boundKey(col)); !exact {
				return false
			}
		}
	}
	return true
}

// baseID returns the base's id of a merge key in column i of the order, or the
// first one after it.
func (q *query) baseID(i int, key uint64) (id uint32, exact bool) {
	b := q.v.Base
	if q.cols[i] == colP {
		return q.names.BasePredicate(key)
	}
	switch n := int64(key>>idspace.LocalBits) - int64(b.Number); {
	case n < 0:
		return 0, false
	case n > 0:
		return 1<<32 - 1, false
	}
	c, node := &b.Sizes, key&uint64(idspace.LocalMask)
	if q.cols[i] == colS {
		return clamp(node, uint64(c.Shared)+uint64(c.Subjects))
	}
	switch {
	case node <= uint64(c.Shared):
		return uint32(node), node > 0
	case node <= uint64(c.Shared)+uint64(c.Subjects):
		return c.Shared + 1, false
	}
	return clamp(node-uint64(c.Subjects), uint64(c.Shared)+uint64(c.Objects))
}

// clamp returns an id of 1 to n, or the first one behind.
func clamp(id, n uint64) (uint32, bool) {
	if id > n {
		return uint32(min(n+1, 1<<32-1)), false
	}
	return uint32(id), id > 0
}

// baseKey returns a key in the base's ids, or the first row after it.
func (q *query) baseKey(k tombstone.Key) (local [3]uint32, exact bool) {
	for i := range k {
		if local[i], exact = q.baseID(i, k[i]); !exact {
			return local, false
		}
	}
	return local, true
}

// viewKey returns the merge key of a row of the base.
func (q *query) viewKey(local [3]uint32) (k tombstone.Key) {
	for i, id := range local {
		k[i] = q.viewPart(i, id)
	}
	return k
}

// viewPart returns the merge key of an id of the base in column i of the order.
func (q *query) viewPart(i int, id uint32) uint64 {
	b := q.v.Base
	switch q.cols[i] {
	case colS:
		return uint64(b.ID(uint64(id)))
	case colP:
		return uint64(q.names.Preds.Ranks[b.Index][id-1])
	}
	return uint64(b.ID(b.Sizes.ObjectNode(id)))
}
