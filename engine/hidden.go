package engine

import (
	"cmp"
	"context"
	"io"
	"slices"

	"github.com/rete-go/rete/tile"
	"github.com/rete-go/rete/tombstone"
)

// placedRow is a row of a layer other than the base, and where the layer has it.
type placedRow struct {
	key    key3 // SPO
	weight uint32
	id     tombstone.QuadID // of adds layers
}

// Hidden returns the rows of the adds layers that the fold does not show, by layer
// number, SPO tile and row: rows that a later entry deletes, and those of a quad
// that an earlier layer holds too. What is left are the visible quads, each once,
// under the id of its first holder.
//
// It reads the layers other than the base whole, and of the base the tiles that
// their rows touch; memory is some 50 bytes for each row that is not the base's.
func (v *View) Hidden(ctx context.Context) (*tombstone.Set, error) {
	n, err := v.table(ctx)
	if err != nil {
		return nil, err
	}
	hidden := new(tombstone.Set)
	for g := range uint32(len(n.graphs.surfaces) + 1) {
		var rows []placedRow
		for _, l := range v.layers {
			if rows, err = v.appendPlaced(ctx, n, l, g, rows); err != nil {
				return nil, err
			}
		}
		slices.SortFunc(rows, func(a, b placedRow) int {
			if c := a.key.compare(b.key); c != 0 {
				return c
			}
			return cmp.Compare(a.weight, b.weight)
		})
		if err := v.hideRows(ctx, n, g, rows, hidden); err != nil {
			return nil, err
		}
	}
	return hidden, nil
}

// appendPlaced appends the rows of a graph of a layer, of the base only those with
// other spellings.
func (v *View) appendPlaced(ctx context.Context, n *viewNames, l *layer, graph uint32, rows []placedRow) ([]placedRow, error) {
	lg, ok := n.localGraph(l, graph)
	if !ok || l == v.base && len(l.alias) == 0 {
		return rows, nil
	}
	runs, err := l.Scan(ctx, lg, tile.SPO, [3]uint32{}, endLocal)
	if err != nil {
		return nil, err
	}
	ranks := n.preds.ranks[l.index]
	var local [][3]uint32
	for {
		run, err := runs.Next(ctx)
		if err == io.EOF {
			return rows, nil
		}
		if err != nil {
			return nil, err
		}
		local = local[:0]
		pos := posOf(run.Tile, run.Lo)
		for i := run.Lo; i < run.Hi; i++ {
			pos = moveTo(run.Tile, pos, i)
			local = append(local, keyAt(run.Tile, pos))
		}
		if err := v.translateFirst(ctx, n, l, local); err != nil {
			return nil, err
		}
		for i, r := range local {
			if l == v.base && !l.hasAlias(r) {
				continue
			}
			key := key3{
				uint64(l.remap.get(l.first(uint64(r[0])))), uint64(ranks[r[1]-1]),
				uint64(l.remap.get(l.first(l.counts.objectNode(r[2])))),
			}
			if key[0] == uint64(noTerm) || key[1] == 0 || key[2] == uint64(noTerm) {
				continue
			}
			row := placedRow{key: key, weight: l.weight}
			if l.isAdds() {
				row.id = tombstone.QuadID{Layer: uint32(l.number), Tile: uint32(run.Number), Row: uint32(run.Lo + i)}
			}
			rows = append(rows, row)
		}
	}
}

// translateFirst makes sure that the nodes that stand for the nodes of rows are
// known; of the base only those of rows with other spellings.
func (v *View) translateFirst(ctx context.Context, n *viewNames, l *layer, local [][3]uint32) error {
	var nodes []uint64
	for _, r := range local {
		if l == v.base && !l.hasAlias(r) {
			continue
		}
		for _, node := range [2]uint64{l.first(uint64(r[0])), l.first(l.counts.objectNode(r[2]))} {
			if l.remap.get(node) == 0 {
				nodes = append(nodes, node)
			}
		}
	}
	return v.translate(ctx, n, l, nodes)
}

// hideRows decides quad by quad; rows are sorted by quad, oldest entry first.
func (v *View) hideRows(ctx context.Context, n *viewNames, graph uint32, rows []placedRow, hidden *tombstone.Set) error {
	q := &query{v: v, names: n, cols: Order(tile.SPO).Columns(), hi: maxKey}
	probe := &baseProbe{q: q}
	if v.base != nil {
		if lg, ok := n.localGraph(v.base, graph); ok {
			runs, err := v.base.Scan(ctx, lg, tile.SPO, [3]uint32{}, endLocal)
			if err != nil {
				return err
			}
			probe.runs = runs
		}
	}
	for len(rows) > 0 {
		k := 1
		for k < len(rows) && rows[k].key == rows[0].key {
			k++
		}
		group := rows[:k]
		rows = rows[k:]
		has, err := probe.has(ctx, group[0].key)
		if err != nil {
			return err
		}
		if has {
			at := placedRow{key: group[0].key, weight: v.base.weight, id: tombstone.QuadID{
				Layer: uint32(v.base.number), Tile: uint32(probe.run.Number), Row: uint32(probe.pos.row)}}
			i, _ := slices.BinarySearchFunc(group, at, func(a, b placedRow) int { return cmp.Compare(a.weight, b.weight) })
			group = slices.Insert(slices.Clone(group), i, at)
		}
		visible := group[len(group)-1].weight&1 == 1
		for _, r := range group {
			if r.weight&1 == 0 {
				continue
			}
			if !visible {
				hidden.Add(r.id)
			}
			visible = false // of several holders the first shows the quad
		}
	}
	return nil
}
