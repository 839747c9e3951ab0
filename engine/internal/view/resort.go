package view

import (
	"context"
	"slices"

	"github.com/rete-go/rete/engine/internal/folds"
	"github.com/rete-go/rete/engine/internal/layers"
	"github.com/rete-go/rete/internal/cancel"
	"github.com/rete-go/rete/tile"
	"github.com/rete-go/rete/tombstone"
)

// readOrder returns the order in which the base's rows are read for an order.
func (v *view) readOrder(o tile.Order) tile.Order {
	if v.stores(o) {
		return o
	}
	return layers.LeadOrder(o)
}

// reading returns a query in the order in which the base's rows of q are read, for q's rows
// and others with the same leading ids.
func (q *query) reading() *query {
	o := layers.LeadOrder(q.Order)
	r := &query{q.Whole(o, tombstone.Key{q.Lo[0]}), q.v, q.names}
	if q.Hi[0] < tombstone.MaxKey[0] {
		r.Hi = tombstone.Key{q.Hi[0]}
		if q.Hi != r.Hi {
			r.Hi[0]++
		}
	}
	return r
}

// placeRead places the changes of the log in the order in which the base's rows are read,
// once as many were asked for as there are.
func (q *query) placeRead(ctx context.Context, graph uint32) error {
	_, err := q.reading().placedLog(ctx, graph)
	return err
}

// resortedInserts returns the inserts that match q, in its order, of what is placed in the
// order in which the base's rows are read.
func (q *query) resortedInserts(ctx context.Context, placed *folds.Placed) ([]tombstone.Row, error) {
	r := q.reading()
	rows := slices.Clone(tombstone.Range(placed.Inserts(), r.Lo, r.Hi))
	for i := range rows {
		if err := cancel.Check(ctx, i); err != nil {
			return nil, err
		}
		k := &rows[i].Key
		k[1], k[2] = k[2], k[1]
	}
	if err := cancel.Sort(ctx, rows, tombstone.CompareRows); err != nil {
		return nil, err
	}
	return tombstone.Range(rows, q.Lo, q.Hi), nil
}
