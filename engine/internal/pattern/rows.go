package pattern

import (
	"context"
	"errors"
	"io"

	"github.com/rete-go/rete/engine/internal/idspace"
	"github.com/rete-go/rete/engine/internal/layers"
	"github.com/rete-go/rete/internal/cancel"
	"github.com/rete-go/rete/tile"
	"github.com/rete-go/rete/tombstone"
)

// errTooLarge says that a layer has more rows than it claimed.
var ErrTooLarge = errors.New("engine: layer is larger than stated")

// Collect reads rows of a layer as (s, p, o), by its own ids; more than limit of
// them are errTooLarge.
func Collect(ctx context.Context, l *idspace.Layer, graph uint32, o tile.Order, lo, hi [3]uint32, limit int64) ([][3]uint32, error) {
	runs, err := l.Scan(ctx, graph, o, lo, hi)
	if err != nil {
		return nil, err
	}
	var rows [][3]uint32
	for {
		run, err := runs.Next(ctx)
		if err == io.EOF {
			return rows, nil
		}
		if err != nil {
			return nil, err
		}
		if int64(len(rows)+run.Hi-run.Lo) > limit {
			return nil, ErrTooLarge
		}
		pos := layers.PosOf(run.Tile, run.Lo)
		for i := run.Lo; i < run.Hi; i++ {
			pos = layers.MoveTo(run.Tile, pos, i)
			rows = append(rows, o.Restore(layers.KeyAt(run.Tile, pos)))
		}
	}
}

// ToKeys translates rows of a layer, given as (s, p, o), into keys of an order.
// Rows with a term that the view does not have are dropped: only a dels layer
// has such. So are rows with other spellings, which aliasMatch delivers.
func ToKeys(ctx context.Context, v *idspace.IDs, n *idspace.Names, l *idspace.Layer, o tile.Order, local [][3]uint32) ([]tombstone.Row, error) {
	if len(local) == 0 {
		return nil, nil
	}
	if err := translateRows(ctx, v, n, l, local); err != nil {
		return nil, err
	}
	cols, ranks := o.Columns(), n.Preds.Ranks[l.Index]
	rows := make([]tombstone.Row, 0, len(local))
	err := cancel.Blocks(ctx, len(local), func(from, to int) {
		for _, r := range local[from:to] {
			if row, ok := toKey(l, cols, ranks, r); ok {
				rows = append(rows, row)
			}
		}
	})
	return rows, err
}

// translateRows makes sure that the nodes of rows are known.
func translateRows(ctx context.Context, v *idspace.IDs, n *idspace.Names, l *idspace.Layer, local [][3]uint32) error {
	var nodes []uint64
	err := cancel.Blocks(ctx, len(local), func(from, to int) {
		for _, r := range local[from:to] {
			if s := uint64(r[0]); l.Remap.Get(s) == 0 {
				nodes = append(nodes, s)
			}
			if o := l.Sizes.ObjectNode(r[2]); l.Remap.Get(o) == 0 {
				nodes = append(nodes, o)
			}
		}
	})
	if err != nil {
		return err
	}
	return v.Translate(ctx, n, l, nodes)
}

// toKey translates one row whose nodes are known; ok is false if the view does not
// have one of its terms, or the row has another spelling in it.
func toKey(l *idspace.Layer, cols [3]int, ranks []uint32, r [3]uint32) (row tombstone.Row, ok bool) {
	if l.HasAlias(r) {
		return row, false
	}
	spo := tombstone.Key{uint64(l.Remap.Get(uint64(r[0]))), uint64(ranks[r[1]-1]), uint64(l.Remap.Get(l.Sizes.ObjectNode(r[2])))}
	if spo[0] == uint64(idspace.NoTerm) || spo[1] == 0 || spo[2] == uint64(idspace.NoTerm) {
		return row, false
	}
	return tombstone.Row{Key: tombstone.Key{spo[cols[0]], spo[cols[1]], spo[cols[2]]}, Weight: l.Weight}, true
}
