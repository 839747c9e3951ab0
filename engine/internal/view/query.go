package view

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
	colG = int(dataset.G)
)

// query is a triple pattern made ready for one order: keys instead of ids.
type query struct {
	v     *view
	names *viewNames
	bound [3]dataset.ID // s, p, o; 0 free
	rank  uint32        // of the bound predicate
	order tile.Order
	cols  [3]int        // the order's columns
	lead  int           // how many bound columns lead the order
	lo    tombstone.Key // included
	hi    tombstone.Key // excluded
	empty bool          // surely matches nothing
}

// newQuery resolves the pattern's predicate and the bounds of the order.
func (v *view) newQuery(ctx context.Context, n *viewNames, p dataset.Pattern, o tile.Order, opt *dataset.ScanOptions) (*query, error) {
	q := &query{v: v, names: n, bound: p.Columns(), order: o, cols: o.Columns(), hi: tombstone.MaxKey}
	for _, id := range q.bound {
		if id != 0 && v.Owner(id) == nil {
			q.empty = true // made by the query, or by another view
			return q, nil
		}
	}
	if p.P != 0 {
		rank, err := v.PredicateRank(ctx, &n.Names, p.P)
		if err != nil {
			return nil, err
		}
		q.rank, q.empty = rank, rank == 0
	}
	for q.lead < 3 && q.bound[q.cols[q.lead]] != 0 {
		q.lo[q.lead] = q.boundKey(q.cols[q.lead])
		q.lead++
	}
	if q.lead > 0 {
		q.hi = q.lo.After(q.lead)
	}
	if opt == nil {
		return q, nil
	}
	if opt.From != nil {
		from, err := q.keyOf(ctx, opt.From)
		if err != nil {
			return nil, err
		}
		q.raise(from)
	}
	if opt.To != nil {
		to, err := q.keyOf(ctx, opt.To)
		if err != nil {
			return nil, err
		}
		q.lower(to)
	}
	return q, nil
}

// boundKey returns the merge key of a bound column.
func (q *query) boundKey(col int) uint64 {
	if col == colP {
		return uint64(q.rank)
	}
	return uint64(q.bound[col])
}

// raise and lower narrow the bounds.
func (q *query) raise(lo tombstone.Key) {
	if q.lo.Compare(lo) < 0 {
		q.lo = lo
	}
}

func (q *query) lower(hi tombstone.Key) {
	if q.hi.Compare(hi) > 0 {
		q.hi = hi
	}
}

// keyOf turns ids in the order's columns into the first key that is not below
// them. Columns that are not given are open.
func (q *query) keyOf(ctx context.Context, list []dataset.ID) (tombstone.Key, error) {
	var k tombstone.Key
	for i, id := range list {
		if i == 3 {
			break
		}
		if q.cols[i] != colP || id == 0 {
			k[i] = uint64(id)
			continue
		}
		rank, exact, err := q.v.rankBound(ctx, q.names, id)
		if err != nil {
			return k, err
		}
		k[i] = uint64(rank)
		if !exact {
			break // every row with this rank is behind the key
		}
	}
	return k, nil
}

// rankBound returns the rank of a predicate, or the rank before which the term
// would stand.
func (v *view) rankBound(ctx context.Context, n *viewNames, id dataset.ID) (rank uint32, exact bool, err error) {
	if rank, err = v.PredicateRank(ctx, &n.Names, id); err != nil || rank > 0 {
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

// localPattern returns what the pattern is called in a layer: the order that has
// all bound columns in front, and the rows' bounds in it. ok is false if the
// layer lacks one of the terms.
func (q *query) localPattern(ctx context.Context, l *idspace.Layer) (o tile.Order, lo, hi [3]uint32, lead int, ok bool, err error) {
	var local [3]uint32
	for col, id := range q.bound {
		if id == 0 {
			continue
		}
		if col == colP {
			p, found := q.names.Preds.Local(l, uint64(q.rank))
			if !found {
				return 0, lo, hi, 0, false, nil
			}
			local[col] = p
			continue
		}
		r, err := q.v.RolesOf(ctx, l, id)
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
