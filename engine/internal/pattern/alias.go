package pattern

import (
	"context"
	"slices"

	"github.com/rete-go/rete/engine/internal/idspace"
	"github.com/rete-go/rete/engine/internal/layers"
	"github.com/rete-go/rete/tile"
	"github.com/rete-go/rete/tombstone"
)

// Aliased returns the rows of a layer with other spellings, by the nodes that
// stand for them. Of the base, whose own rows are handed out as they are, the
// originals are there too, as deletes.
func Aliased(ctx context.Context, v *idspace.IDs, n *idspace.Names, l *idspace.Layer) (idspace.AliasRows, error) {
	rows, err := l.AliasRows.Get(ctx, func(ctx context.Context) (*idspace.AliasRows, error) {
		out := idspace.AliasRows{}
		for g := range l.Sizes.Graphs + 1 {
			local, err := collectAliased(ctx, l, g)
			if err != nil {
				return nil, err
			}
			if out[g], err = aliasKeys(ctx, v, n, l, local); err != nil {
				return nil, err
			}
		}
		return &out, nil
	})
	if err != nil {
		return nil, err
	}
	return *rows, nil
}

// collectAliased reads the rows of a graph that have another spelling in them.
func collectAliased(ctx context.Context, l *idspace.Layer, graph uint32) ([][3]uint32, error) {
	var out [][3]uint32
	nodes := make([]uint64, 0, len(l.Alias))
	for node := range l.Alias {
		nodes = append(nodes, node)
	}
	slices.Sort(nodes)
	for _, node := range nodes {
		r := l.OwnRoles(node)
		for o, id := range map[tile.Order]uint32{tile.SPO: r.Subject, tile.OSP: r.Object} {
			if id == 0 {
				continue
			}
			lo := [3]uint32{id}
			rows, err := Collect(ctx, l, graph, o, lo, layers.AfterPrefix(lo, 1), 1<<62)
			if err != nil {
				return nil, err
			}
			out = append(out, rows...)
		}
	}
	slices.SortFunc(out, layers.Compare)
	return slices.Compact(out), nil
}

// aliasKeys translates rows with other spellings.
func aliasKeys(ctx context.Context, v *idspace.IDs, n *idspace.Names, l *idspace.Layer, local [][3]uint32) ([]tombstone.Row, error) {
	nodes := make([]uint64, 0, 2*len(local))
	for _, r := range local {
		nodes = append(nodes, l.First(uint64(r[0])), l.First(l.Sizes.ObjectNode(r[2])))
	}
	if err := v.Translate(ctx, n, l, nodes); err != nil {
		return nil, err
	}
	var rows []tombstone.Row
	for _, r := range local {
		s, o := uint64(r[0]), l.Sizes.ObjectNode(r[2])
		key := tombstone.Key{uint64(l.Remap.Get(l.First(s))), uint64(r[1]), uint64(l.Remap.Get(l.First(o)))}
		if key[0] != uint64(idspace.NoTerm) && key[2] != uint64(idspace.NoTerm) {
			rows = append(rows, tombstone.Row{Key: key, Weight: l.Weight})
		}
		if l == v.Base {
			// Heavier than the base, lighter than the next entry's dels.
			rows = append(rows, tombstone.Row{Key: tombstone.Key{uint64(l.ID(s)), key[1], uint64(l.ID(o))}, Weight: l.Weight + 1})
		}
	}
	return tombstone.Net(ctx, rows)
}

// AliasMatch returns the rows of a layer with other spellings that match q.
func (q *Query) AliasMatch(ctx context.Context, l *idspace.Layer, graph uint32) ([]tombstone.Row, error) {
	if len(l.Alias) == 0 {
		return nil, nil
	}
	all, err := Aliased(ctx, q.space, q.table, l)
	if err != nil {
		return nil, err
	}
	lg, ok := q.table.LocalGraph(l, graph)
	if !ok {
		return nil, nil
	}
	var out []tombstone.Row
rows:
	for _, r := range all[lg] {
		row := tombstone.Row{Weight: r.Weight}
		if r.Key[colP] = uint64(q.table.Preds.Ranks[l.Index][r.Key[colP]-1]); r.Key[colP] == 0 {
			continue
		}
		for i, col := range q.Cols {
			if q.Bound[col] != 0 && q.BoundKey(col) != r.Key[col] {
				continue rows
			}
			row.Key[i] = r.Key[col]
		}
		out = append(out, row)
	}
	out, err = tombstone.Net(ctx, out)
	return tombstone.Range(out, q.Lo, q.Hi), err
}
