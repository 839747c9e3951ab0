package view

import (
	"context"
	"io"

	"github.com/rete-go/rete/dataset"
	"github.com/rete-go/rete/engine/internal/layers"
	"github.com/rete-go/rete/tile"
)

const (
	// distinctRows is the least number of rows for which tiles are read to guess the number of
	// distinct ids; below, one id a row is near enough.
	distinctRows = 2048
	// distinctTiles is how many tiles are read for one column.
	distinctTiles = 3
)

// distinct guesses how many ids each column has: of a free pattern from the sizes
// of the dictionaries, else from the share of new ids in a few tiles of an order in
// which the column follows the bound ones.
func (v *view) distinct(ctx context.Context, q *query, c *dataset.Cardinality, p dataset.Pattern, graphs []uint32) error {
	v.distinctAtMost(c, p, uint64(len(graphs)))
	if c.Guess < distinctRows || v.Base == nil || q.Lead != 1 {
		return nil
	}
	for col, id := range p.Columns() {
		if id != 0 {
			continue
		}
		share, ok, err := q.distinctShare(ctx, col, graphs)
		if err != nil {
			return err
		}
		if ok {
			c.Distinct[col] = min(c.Distinct[col], max(1, uint64(share*float64(c.Guess))))
		}
	}
	return nil
}

// distinctAtMost says how many ids each column of rows in some graphs has at most.
func (v *view) distinctAtMost(c *dataset.Cardinality, p dataset.Pattern, graphs uint64) {
	if c.Guess == 0 || v.Base == nil {
		return
	}
	var all [3]uint64
	for _, l := range v.Adds {
		all[colS] += uint64(l.Sizes.Shared) + uint64(l.Sizes.Subjects)
		all[colP] = max(all[colP], uint64(l.Sizes.Predicates))
		all[colO] += uint64(l.Sizes.Shared) + uint64(l.Sizes.Objects)
	}
	for col, id := range p.Columns() {
		c.Distinct[col] = max(1, min(c.Guess, all[col]))
		if id != 0 {
			c.Distinct[col] = 1
		}
	}
	if p.G.Mode == dataset.Each {
		c.Distinct[colG] = max(1, min(c.Guess, graphs))
	}
}

// distinctShare returns how many ids of a column there are for a row, by a few
// tiles of the base; ok is false if the base says nothing.
func (q *query) distinctShare(ctx context.Context, col int, graphs []uint32) (share float64, ok bool, err error) {
	b := q.v.Base
	if !q.BaseHas() {
		return 0, false, nil
	}
	lead := q.Cols[0] // the one bound column
	o := orderOf(lead, col)
	if !q.v.stores(o) {
		return 0, false, nil
	}
	id, _ := q.BaseID(0, q.BoundKey(lead))
	for _, g := range graphs {
		lg, found := q.names.LocalGraph(b, g)
		if !found {
			continue
		}
		entries, err := b.Tiles(ctx, lg, o, id)
		if err != nil {
			return 0, false, err
		}
		if len(entries) == 0 {
			continue
		}
		if b.Distant() {
			if share, ok = guessDistinct(entries, id); ok {
				return share, true, nil
			}
			continue
		}
		ids, rows := 0, 0
		for i := range min(distinctTiles, len(entries)) {
			e := &entries[i*len(entries)/min(distinctTiles, len(entries))]
			lo := max3([3]uint32{id}, layers.MinRow(e))
			runs, err := b.Scan(ctx, lg, o, lo, layers.AfterPrefix([3]uint32{id}, 1))
			if err != nil {
				return 0, false, err
			}
			run, err := runs.Next(ctx)
			if err == io.EOF {
				continue
			}
			if err != nil {
				return 0, false, err
			}
			rows += run.Hi - run.Lo
			ids += layers.PosOf(run.Tile, run.Hi-1).B - layers.PosOf(run.Tile, run.Lo).B + 1
		}
		if rows > 0 {
			return float64(ids) / float64(rows), true, nil
		}
	}
	return 0, false, nil
}

// orderOf returns the order that begins with two columns.
func orderOf(first, second int) tile.Order {
	for o := tile.Order(0); ; o++ {
		if cols := o.Columns(); cols[0] == first && cols[1] == second {
			return o
		}
	}
}

// max3 returns the greater key.
func max3(a, b [3]uint32) [3]uint32 {
	if layers.Compare(a, b) < 0 {
		return b
	}
	return a
}

// guessDistinct guesses how many ids a row the column after the first has, for those that
// begin with id: not more than there are numbers between the least and the greatest.
func guessDistinct(entries []tile.Entry, id uint32) (share float64, ok bool) {
	var ids, rows float64
	for i := range entries {
		e := &entries[i]
		if e.HasSynopsis && e.MinA == id && e.MaxA == id {
			rows += float64(e.Rows)
			ids += min(float64(e.Rows), float64(e.MaxB-e.MinB)+1)
		}
	}
	return ids / max(rows, 1), rows > 0
}
