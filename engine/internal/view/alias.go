package view

import (
	"context"
	"slices"

	"github.com/rete-go/rete/engine/internal/layers"
	"github.com/rete-go/rete/tile"
	"github.com/rete-go/rete/tombstone"
)

// aliasRows are the rows of a layer in which a node stands that is another
// spelling of a term: by the layer's graphs, in view keys, SPO, but with its own
// predicates. They are few, or the segment would have been copied.
type aliasRows map[uint32][]tombstone.Row

// setAliases asks a layer for nodes that are other spellings.
func (l *layer) setAliases() {
	if a, ok := l.Layer.(interface{ Aliases() map[uint64]uint64 }); ok {
		l.alias = a.Aliases()
	}
}

// hasAlias reports whether a row, given as (s, p, o), has another spelling in it.
func (l *layer) hasAlias(r [3]uint32) bool {
	if len(l.alias) == 0 {
		return false
	}
	_, s := l.alias[uint64(r[0])]
	_, o := l.alias[l.counts.ObjectNode(r[2])]
	return s || o
}

// first returns the node that stands for a node's term.
func (l *layer) first(node uint64) uint64 {
	if f, ok := l.alias[node]; ok {
		return f
	}
	return node
}

// aliased returns the rows of a layer with other spellings, by the nodes that
// stand for them. Of the base, whose own rows are handed out as they are, the
// originals are there too, as deletes.
func (v *view) aliased(ctx context.Context, n *viewNames, l *layer) (aliasRows, error) {
	rows, err := l.aliasRows.Get(ctx, func(ctx context.Context) (*aliasRows, error) {
		out := aliasRows{}
		for g := range l.counts.Graphs + 1 {
			local, err := l.collectAliased(ctx, g)
			if err != nil {
				return nil, err
			}
			if out[g], err = v.aliasKeys(ctx, n, l, local); err != nil {
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
func (l *layer) collectAliased(ctx context.Context, graph uint32) ([][3]uint32, error) {
	var out [][3]uint32
	nodes := make([]uint64, 0, len(l.alias))
	for node := range l.alias {
		nodes = append(nodes, node)
	}
	slices.Sort(nodes)
	for _, node := range nodes {
		r := l.ownRoles(node)
		for o, id := range map[Order]uint32{tile.SPO: r.subject, tile.OSP: r.object} {
			if id == 0 {
				continue
			}
			lo := [3]uint32{id}
			rows, err := l.collect(ctx, graph, o, lo, layers.AfterPrefix(lo, 1), 1<<62)
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
func (v *view) aliasKeys(ctx context.Context, n *viewNames, l *layer, local [][3]uint32) ([]tombstone.Row, error) {
	nodes := make([]uint64, 0, 2*len(local))
	for _, r := range local {
		nodes = append(nodes, l.first(uint64(r[0])), l.first(l.counts.ObjectNode(r[2])))
	}
	if err := v.translate(ctx, n, l, nodes); err != nil {
		return nil, err
	}
	var rows []tombstone.Row
	for _, r := range local {
		s, o := uint64(r[0]), l.counts.ObjectNode(r[2])
		key := tombstone.Key{uint64(l.remap.get(l.first(s))), uint64(r[1]), uint64(l.remap.get(l.first(o)))}
		if key[0] != uint64(noTerm) && key[2] != uint64(noTerm) {
			rows = append(rows, tombstone.Row{Key: key, Weight: l.weight})
		}
		if l == v.base {
			// Heavier than the base, lighter than the next entry's dels.
			rows = append(rows, tombstone.Row{Key: tombstone.Key{uint64(l.id(s)), key[1], uint64(l.id(o))}, Weight: l.weight + 1})
		}
	}
	return tombstone.Net(ctx, rows)
}

// aliasMatch returns the rows of a layer with other spellings that match q.
func (q *query) aliasMatch(ctx context.Context, l *layer, graph uint32) ([]tombstone.Row, error) {
	if len(l.alias) == 0 {
		return nil, nil
	}
	all, err := q.v.aliased(ctx, q.names, l)
	if err != nil {
		return nil, err
	}
	lg, ok := q.names.localGraph(l, graph)
	if !ok {
		return nil, nil
	}
	var out []tombstone.Row
rows:
	for _, r := range all[lg] {
		row := tombstone.Row{Weight: r.Weight}
		if r.Key[colP] = uint64(q.names.preds.ranks[l.index][r.Key[colP]-1]); r.Key[colP] == 0 {
			continue
		}
		for i, col := range q.cols {
			if q.bound[col] != 0 && q.boundKey(col) != r.Key[col] {
				continue rows
			}
			row.Key[i] = r.Key[col]
		}
		out = append(out, row)
	}
	out, err = tombstone.Net(ctx, out)
	return tombstone.Range(out, q.lo, q.hi), err
}
