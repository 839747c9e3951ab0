package view

import (
	"context"
	"errors"
	"slices"

	"github.com/rete-go/rete/dataset"
	"github.com/rete-go/rete/engine/internal/folds"
	"github.com/rete-go/rete/engine/internal/idspace"
	"github.com/rete-go/rete/engine/internal/pattern"
	"github.com/rete-go/rete/tile"
	"github.com/rete-go/rete/tombstone"
)

const (
	// promoteShare is the share of a layer that must have been asked for before
	// it is taken into memory whole.
	promoteShare = 16
	// promoteRows is how many rows must have been asked for at least, so that a
	// point query does not translate a tiny layer.
	promoteRows = 64
)

// changes opens what the layers other than the base, and rows of the base with other
// spellings, say of the rows that match q in a graph: what is placed in the order in which
// the base is read, and a source of the rest, nil if there is none. If the base does not
// store the order of q, that has the inserts, too.
func (q *query) changes(ctx context.Context, graph uint32) (*folds.Placed, folds.Source, error) {
	v := q.v
	if err := q.promoteAsked(ctx, false); err != nil {
		return nil, nil, err
	}
	read := v.readOrder(q.Order)
	placed, levels, found, err := q.known(ctx, graph, read)
	if err != nil {
		return nil, nil, err
	}
	var room [4]folds.Source
	srcs, err := levels.Sources(ctx, q.Order, q.Lo, q.Hi, room[:0])
	if err != nil {
		return nil, nil, err
	}
	if read != q.Order && len(placed.Inserts()) > 0 {
		rows, err := q.resortedInserts(ctx, placed)
		if err != nil {
			return nil, nil, err
		}
		srcs = append(srcs, folds.Slice(rows, true))
	}
	for _, m := range found {
		if err := q.translateMatch(ctx, m); err != nil {
			return nil, nil, err
		}
		if m.src != nil {
			srcs = append(srcs, m.src)
		}
	}
	if v.top != nil {
		if srcs, err = v.top.sources(ctx, q, graph, placed.Below(), srcs); err != nil {
			return nil, nil, err
		}
	}
	if len(srcs) == 0 {
		return placed, nil, nil
	}
	return placed, folds.Merge(srcs), nil
}

// known returns what is placed in the order in which the base is read, what the delta holds
// that is not, and the rows of other layers.
func (q *query) known(ctx context.Context, graph uint32, read tile.Order) (*folds.Placed, folds.Levels, []*match, error) {
	v := q.v
	for try := 0; ; try++ {
		before, _ := q.names.delta.cur.Load().graph(graph).placed(v, read)
		found, err := q.matches(ctx, graph, before)
		if err != nil {
			return nil, nil, nil, err
		}
		if try == 0 {
			if done, err := q.placeLarge(ctx, graph, found); err != nil {
				return nil, nil, nil, err
			} else if done {
				continue
			}
		}
		if read != q.Order {
			if err := q.placeRead(ctx, graph); err != nil {
				return nil, nil, nil, err
			}
		}
		d := q.names.delta.cur.Load()
		placed, levels := d.graph(graph).placed(v, read)
		has := func(l *idspace.Layer) bool { return d.has(l) || placed.Covers(l.Index) }
		if slices.ContainsFunc(v.Layers, func(l *idspace.Layer) bool { return before.Covers(l.Index) && !has(l) }) {
			continue // what was placed was dropped meanwhile
		}
		found = slices.DeleteFunc(found, func(m *match) bool { return has(m.l) })
		return placed, levels, found, nil
	}
}

// matches finds the rows of the layers that are neither in the delta nor covered by what is
// placed. Layers of which most was asked for are taken into the delta.
func (q *query) matches(ctx context.Context, graph uint32, placed *folds.Placed) ([]*match, error) {
	v := q.v
	var found []*match
	var whole []*idspace.Layer
	for _, l := range v.Layers {
		if q.names.delta.cur.Load().has(l) || placed.Covers(l.Index) {
			continue
		}
		if rows, err := q.AliasMatch(ctx, l, graph); err != nil {
			return nil, err
		} else if len(rows) > 0 {
			found = append(found, &match{l: l, src: folds.Slice(rows, true)})
		}
		if l == v.Base {
			continue
		}
		m, err := q.match(ctx, l, graph)
		if err != nil {
			return nil, err
		}
		if m == nil {
			continue
		}
		if found = append(found, m); m.whole {
			whole = append(whole, l)
		}
	}
	if len(whole) == 0 {
		return found, nil
	}
	return found, v.promote(ctx, q.names, whole)
}

// share is how many rows of a layer must have been asked for before the whole is
// taken into memory.
func share(l *idspace.Layer) uint64 { return max(l.Sizes.Quads/promoteShare, promoteRows) }

// promoteAsked takes the layers into the delta of which enough was asked for; a
// pattern without a bound term asks for all. graphs says that q asks each of their graphs now.
func (q *query) promoteAsked(ctx context.Context, graphs bool) error {
	v, d := q.v, q.names.delta.cur.Load()
	var ready []*idspace.Layer
	for _, l := range v.Layers {
		asked := l.Asked.Load()
		if graphs {
			asked += uint64(l.Sizes.Graphs)
		}
		if l != v.Base && !d.has(l) && v.fits(d, l) && (q.Bound == [3]dataset.ID{} || asked >= share(l)) {
			ready = append(ready, l)
		}
	}
	if len(ready) == 0 {
		return nil
	}
	return v.promote(ctx, q.names, ready)
}

// match is the rows of one layer that match a query.
type match struct {
	l     *idspace.Layer
	src   folds.Source // nil: local has the rows
	local [][3]uint32  // as (s, p, o), by the layer's ids
	whole bool         // the layer should be taken into memory
}

// match finds the rows of one layer that match q, nil if there are none.
func (q *query) match(ctx context.Context, l *idspace.Layer, graph uint32) (*match, error) {
	v := q.v
	lg, ok := q.names.LocalGraph(l, graph)
	if !ok {
		return nil, nil
	}
	o, lo, hi, _, ok, err := q.LocalPattern(ctx, l)
	if err != nil || !ok {
		return nil, err
	}
	local, err := pattern.Collect(ctx, l, lg, o, lo, hi, int64(v.match))
	if errors.Is(err, pattern.ErrTooLarge) {
		l.Asked.Add(uint64(v.match))
		src, err := q.Window(ctx, l, lg)
		if err != nil || src == nil {
			return nil, err
		}
		return &match{l: l, src: src}, nil
	}
	if err != nil {
		return nil, err
	}
	asked := l.Asked.Add(uint64(len(local)) + 1)
	if len(local) == 0 {
		return nil, nil
	}
	whole := asked >= share(l) && len(local) > promoteRows && v.fits(q.names.delta.cur.Load(), l)
	return &match{l: l, local: local, whole: whole}, nil
}

// translateMatch makes a source of rows by the layer's ids.
func (q *query) translateMatch(ctx context.Context, m *match) error {
	if m.local == nil {
		return nil
	}
	rows, err := pattern.ToKeys(ctx, &q.v.IDs, &q.names.Names, m.l, q.Order, m.local)
	if err != nil {
		return err
	}
	if rows, err = tombstone.Net(ctx, rows); err != nil {
		return err
	}
	if rows = tombstone.Range(rows, q.Lo, q.Hi); len(rows) > 0 {
		m.src = folds.Slice(rows, true)
	}
	return nil
}
