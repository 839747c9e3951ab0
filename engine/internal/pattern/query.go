// Package pattern makes a triple pattern ready for one order of a view: bounds as merge keys,
// what it is called in the base and in other layers, and the rows of one layer that match it.
package pattern

import (
	"context"

	"github.com/rete-go/rete/dataset"
	"github.com/rete-go/rete/engine/internal/idspace"
	"github.com/rete-go/rete/engine/internal/layers"
	"github.com/rete-go/rete/internal/ids"
	"github.com/rete-go/rete/tile"
	"github.com/rete-go/rete/tombstone"
)

// Columns of a quad, as indexes.
const (
	colS = int(dataset.S)
	colP = int(dataset.P)
	colO = int(dataset.O)
)

// Query is a triple pattern made ready for one order: keys instead of ids.
type Query struct {
	space *idspace.IDs
	table *idspace.Names
	batch int           // how many rows of a layer a window translates and sorts at once
	Bound [3]dataset.ID // s, p, o; 0 free
	rank  uint32        // of the bound predicate
	Order tile.Order
	Cols  [3]int        // the order's columns
	Lead  int           // how many bound columns lead the order
	Lo    tombstone.Key // included
	Hi    tombstone.Key // excluded
	Empty bool          // surely matches nothing
}

// NewQuery resolves the pattern's predicate and the bounds of the order. A window holds about
// batch rows of a layer at once.
func NewQuery(ctx context.Context, v *idspace.IDs, n *idspace.Names, batch int, p dataset.Pattern, o tile.Order, opt *dataset.ScanOptions) (Query, error) {
	q := Query{space: v, table: n, batch: batch, Bound: p.Columns(), Order: o, Cols: o.Columns(), Hi: tombstone.MaxKey}
	for _, id := range q.Bound {
		if id != 0 && v.Owner(id) == nil {
			q.Empty = true // made by the query, or by another view
			return q, nil
		}
	}
	if p.P != 0 {
		rank, err := v.PredicateRank(ctx, n, p.P)
		if err != nil {
			return q, err
		}
		q.rank, q.Empty = rank, rank == 0
	}
	for q.Lead < 3 && q.Bound[q.Cols[q.Lead]] != 0 {
		q.Lo[q.Lead] = q.BoundKey(q.Cols[q.Lead])
		q.Lead++
	}
	if q.Lead > 0 {
		q.Hi = q.Lo.After(q.Lead)
	}
	if opt == nil {
		return q, nil
	}
	if opt.From != nil {
		from, err := q.KeyOf(ctx, opt.From)
		if err != nil {
			return q, err
		}
		q.Raise(from)
	}
	if opt.To != nil {
		to, err := q.KeyOf(ctx, opt.To)
		if err != nil {
			return q, err
		}
		q.Lower(to)
	}
	return q, nil
}

// BoundKey returns the merge key of a bound column.
func (q *Query) BoundKey(col int) uint64 {
	if col == colP {
		return uint64(q.rank)
	}
	return uint64(q.Bound[col])
}

// Raise and lower narrow the bounds.
func (q *Query) Raise(lo tombstone.Key) {
	if q.Lo.Compare(lo) < 0 {
		q.Lo = lo
	}
}

func (q *Query) Lower(hi tombstone.Key) {
	if q.Hi.Compare(hi) > 0 {
		q.Hi = hi
	}
}

// KeyOf turns ids in the order's columns into the first key that is not below
// them. Columns that are not given are open.
func (q *Query) KeyOf(ctx context.Context, list []dataset.ID) (tombstone.Key, error) {
	var k tombstone.Key
	for i, id := range list {
		if i == 3 {
			break
		}
		if q.Cols[i] != colP || id == 0 {
			k[i] = uint64(id)
			continue
		}
		rank, exact, err := rankBound(ctx, q.space, q.table, id)
		if err != nil {
			return k, err
		}
		k[i] = uint64(rank)
		if !exact {
			break // every row with this rank is after the key
		}
	}
	return k, nil
}

// rankBound returns the rank of a predicate, or the rank before which the term
// would stand.
func rankBound(ctx context.Context, v *idspace.IDs, n *idspace.Names, id dataset.ID) (rank uint32, exact bool, err error) {
	if rank, err = v.PredicateRank(ctx, n, id); err != nil || rank > 0 {
		return rank, true, err
	}
	if v.Owner(id) == nil {
		return uint32(len(n.Preds.Surfaces)) + 1, false, nil
	}
	var terms ids.Terms
	if err := v.Decode(ctx, []dataset.ID{id}, &terms); err != nil {
		return 0, false, err
	}
	return n.Preds.Bound(terms.At(0)), false, nil
}

// LocalPattern returns what the pattern is called in a layer: the order that has
// all bound columns in front, and the rows' bounds in it. ok is false if the
// layer lacks one of the terms.
func (q *Query) LocalPattern(ctx context.Context, l *idspace.Layer) (o tile.Order, lo, hi [3]uint32, lead int, ok bool, err error) {
	var local [3]uint32
	for col, id := range q.Bound {
		if id == 0 {
			continue
		}
		if col == colP {
			p, found := q.table.Preds.Local(l, uint64(q.rank))
			if !found {
				return 0, lo, hi, 0, false, nil
			}
			local[col] = p
			continue
		}
		r, err := q.space.RolesOf(ctx, l, id)
		if err != nil {
			return 0, lo, hi, 0, false, err
		}
		if local[col] = r.Subject; col == colO {
			local[col] = r.Object
		}
		if local[col] == 0 {
			return 0, lo, hi, 0, false, nil
		}
	}
	o = tile.Choose(local[0] != 0, local[1] != 0, local[2] != 0)
	lo = o.Permute(local)
	for lead < 3 && lo[lead] != 0 {
		lead++
	}
	return o, lo, layers.AfterPrefix(lo, lead), lead, true, nil
}

// Whole returns the pattern of all rows in an order, from lo on.
func (q *Query) Whole(o tile.Order, lo tombstone.Key) Query {
	return Query{space: q.space, table: q.table, batch: q.batch, Order: o, Cols: o.Columns(), Lo: lo, Hi: tombstone.MaxKey}
}
