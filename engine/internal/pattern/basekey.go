package pattern

import (
	"github.com/rete-go/rete/engine/internal/idspace"
	"github.com/rete-go/rete/tombstone"
)

// BaseHas reports whether the base has all bound terms, in their columns.
func (q *Query) BaseHas() bool {
	for i, col := range q.Cols {
		if q.Bound[col] != 0 {
			if _, exact := q.BaseID(i, q.BoundKey(col)); !exact {
				return false
			}
		}
	}
	return true
}

// BaseID returns the base's id of a merge key in column i of the order, or the
// first one after it.
func (q *Query) BaseID(i int, key uint64) (id uint32, exact bool) {
	b := q.space.Base
	if q.Cols[i] == colP {
		return q.table.BasePredicate(key)
	}
	switch n := int64(key>>idspace.LocalBits) - int64(b.Number); {
	case n < 0:
		return 0, false
	case n > 0:
		return 1<<32 - 1, false
	}
	c, node := &b.Sizes, key&uint64(idspace.LocalMask)
	if q.Cols[i] == colS {
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

// clamp returns an id of 1 to n, or n+1.
func clamp(id, n uint64) (uint32, bool) {
	if id > n {
		return uint32(min(n+1, 1<<32-1)), false
	}
	return uint32(id), id > 0
}

// BaseKey returns a key in the base's ids, or the first row after it.
func (q *Query) BaseKey(k tombstone.Key) (local [3]uint32, exact bool) {
	for i := range k {
		if local[i], exact = q.BaseID(i, k[i]); !exact {
			return local, false
		}
	}
	return local, true
}

// ViewKey returns the merge key of a row of the base.
func (q *Query) ViewKey(local [3]uint32) (k tombstone.Key) {
	for i, id := range local {
		k[i] = q.ViewPart(i, id)
	}
	return k
}

// ViewPart returns the merge key of an id of the base in column i of the order.
func (q *Query) ViewPart(i int, id uint32) uint64 {
	b := q.space.Base
	switch q.Cols[i] {
	case colS:
		return uint64(b.ID(uint64(id)))
	case colP:
		return uint64(q.table.Preds.Ranks[b.Index][id-1])
	}
	return uint64(b.ID(b.Sizes.ObjectNode(id)))
}
