package made06

import (
	"bytes"
	"slices"

	"github.com/rete-go/rete/internal/codec"
	"github.com/rete-go/rete/tile"
)

// orders returns the orders that the file stores.
func (f *file) orders() []tile.Order {
	if f.opt.Three {
		return []tile.Order{tile.SPO, tile.POS, tile.OSP}
	}
	return []tile.Order{tile.SPO, tile.POS, tile.OSP, tile.SOP, tile.PSO, tile.OPS}
}

// span is the least and the greatest of some numbers.
type span struct{ lo, hi uint32 }

func spanOf[R any](rows []R, at func(R) uint32) span {
	s := span{^uint32(0), 0}
	for _, r := range rows {
		s.lo, s.hi = min(s.lo, at(r)), max(s.hi, at(r))
	}
	return s
}

// index writes the default graph.
func (f *file) index(triples [][3]uint32) {
	type entry struct {
		a, b, c    span
		at, length uint64
	}
	root := uv(nil, uint64(len(f.orders())))
	for _, o := range f.orders() {
		rows := make([][3]uint32, len(triples))
		for i, t := range triples {
			rows[i] = o.Permute(t)
		}
		slices.SortFunc(rows, func(x, y [3]uint32) int { return slices.Compare(x[:], y[:]) })
		if len(rows) == 0 {
			root = uv(root, uint64(o), 0, 0, 0, 0)
			continue
		}
		data := f.section(kindIndex, false)
		begin := uint64(len(data.b))
		var entries []entry
		for part := range slices.Chunk(rows, f.opt.Rows) {
			at, length := f.block(data, tile.AppendTile(nil, tileOf(part)))
			col := func(i int) span { return spanOf(part, func(r [3]uint32) uint32 { return r[i] }) }
			entries = append(entries, entry{col(0), col(1), col(2), at - begin, length})
		}
		leaves := f.section(kindIndexLeaves, true)
		groups := slices.Collect(slices.Chunk(entries, f.opt.Leaf))
		root = uv(root, uint64(o), uint64(len(entries)), begin, uint64(len(data.b))-begin, uint64(len(groups)))
		for _, group := range groups {
			var leaf []byte
			last := uint32(0)
			for _, e := range group {
				leaf = uv(leaf, uint64(e.a.lo-last), uint64(e.a.hi-e.a.lo), e.length)
				last = e.a.lo
			}
			for _, e := range group {
				leaf = uv(leaf, uint64(e.b.lo), uint64(e.b.hi-e.b.lo), uint64(e.c.lo), uint64(e.c.hi-e.c.lo))
			}
			off, length := f.block(leaves, leaf)
			root = uv(root, uint64(len(group)), off, length, uint64(group[0].a.lo), uint64(group[len(group)-1].a.hi), group[0].at)
		}
	}
	f.unit(tagIndex, root)
}

// tileOf groups sorted rows.
func tileOf(rows [][3]uint32) *tile.Tile {
	t := &tile.Tile{}
	for i, r := range rows {
		if i == 0 || r[0] != rows[i-1][0] {
			t.A, t.AEnd = append(t.A, r[0]), append(t.AEnd, 0)
		}
		if i == 0 || r[0] != rows[i-1][0] || r[1] != rows[i-1][1] {
			t.B, t.BEnd = append(t.B, r[1]), append(t.BEnd, 0)
		}
		t.C = append(t.C, r[2])
		t.AEnd[len(t.A)-1], t.BEnd[len(t.B)-1] = uint32(len(t.B)), uint32(len(t.C))
	}
	return t
}

// eachBlock is how many graphs a block of the list of graphs has.
const eachBlock = 1024

// quads writes the named graphs and returns how many there are.
func (f *file) quads(named [][4]uint32) int {
	if len(named) == 0 {
		return 0
	}
	slices.SortFunc(named, func(x, y [4]uint32) int { return slices.Compare(x[:], y[:]) })
	leaves := f.section(kindQuadLeaves, true)
	graphs, root := f.listGraphs(leaves, named)
	root = uv(root, uint64(len(leaves.b)), uint64(len(f.orders())))
	tiles := map[tile.Order][]sharedTile{}
	longest := 0
	for _, o := range f.orders() {
		tiles[o] = f.sharedTiles(named, o)
		longest = max(longest, len(tiles[o]))
	}
	f.place(tiles, longest)
	for _, o := range f.orders() {
		root = f.sharedLeaves(root, leaves, o, tiles[o])
	}
	f.unit(tagQuads, root)
	return graphs
}

// listGraphs writes the list of graphs and returns the begin of the root.
func (f *file) listGraphs(leaves *section, named [][4]uint32) (graphs int, root []byte) {
	var ids, counts []uint64
	for i, r := range named {
		if i == 0 || r[0] != named[i-1][0] {
			ids, counts = append(ids, uint64(r[0])), append(counts, 0)
		}
		counts[len(counts)-1]++
	}
	blocks := uv(nil, uint64((len(ids)+eachBlock-1)/eachBlock))
	first := uint64(0)
	for from := 0; from < len(ids); from += eachBlock {
		var b []byte
		last := ids[from]
		for i := from; i < min(from+eachBlock, len(ids)); i++ {
			b, last = uv(b, ids[i]-last, counts[i]), ids[i]
		}
		stored, raw := f.smaller(b)
		blocks = uv(blocks, ids[from]-first, uint64(len(stored))<<1|raw)
		first = ids[from]
		leaves.b, leaves.most = append(leaves.b, stored...), max(leaves.most, len(b))
	}
	return len(ids), str(uv(nil, uint64(len(ids)), uint64(len(named)), eachBlock), blocks)
}

// smaller packs a block if that makes it smaller, and says by 1 that it is stored as it is.
func (f *file) smaller(b []byte) (stored []byte, raw uint64) {
	if stored = f.pack(b); f.opt.Codec != codec.Raw && len(stored) < len(b) {
		return stored, 0
	}
	return bytes.Clone(b), 1
}

// sharedTile is a tile that graphs share.
type sharedTile struct {
	rows   [][4]uint32
	stored []byte
	raw    uint64
	at     uint64
	size   int
}

// sharedTiles cuts the rows of an order into tiles.
func (f *file) sharedTiles(named [][4]uint32, o tile.Order) (list []sharedTile) {
	rows := make([][4]uint32, len(named))
	for i, r := range named {
		abc := o.Permute([3]uint32{r[1], r[2], r[3]})
		rows[i] = [4]uint32{r[0], abc[0], abc[1], abc[2]}
	}
	slices.SortFunc(rows, func(x, y [4]uint32) int { return slices.Compare(x[:], y[:]) })
	for part := range slices.Chunk(rows, f.opt.Rows) {
		b := encodeShared(part, o)
		t := sharedTile{rows: part, size: len(b)}
		t.stored, t.raw = f.smaller(b)
		list = append(list, t)
	}
	return list
}

// place appends the tiles to their section: order by order, or one of each order in turn.
func (f *file) place(tiles map[tile.Order][]sharedTile, longest int) {
	data := f.section(kindQuads, false)
	put := func(t *sharedTile) {
		t.at = uint64(len(data.b))
		data.b, data.most = append(data.b, t.stored...), max(data.most, t.size)
	}
	if f.opt.Mixed {
		for i := range longest {
			for _, o := range f.orders() {
				if i < len(tiles[o]) {
					put(&tiles[o][i])
				}
			}
		}
		return
	}
	for _, o := range f.orders() {
		for i := range tiles[o] {
			put(&tiles[o][i])
		}
	}
}

// sharedLeaves writes the directory of an order and appends its root.
func (f *file) sharedLeaves(root []byte, leaves *section, o tile.Order, tiles []sharedTile) []byte {
	groups := slices.Collect(slices.Chunk(tiles, f.opt.Leaf))
	root = uv(root, uint64(o), uint64(len(tiles)), uint64(len(groups)))
	for _, group := range groups {
		var leaf []byte
		graph, next := uint32(0), group[0].at
		for _, t := range group {
			first, last := t.rows[0], t.rows[len(t.rows)-1]
			b := spanOf(t.rows, func(r [4]uint32) uint32 { return r[2] })
			c := spanOf(t.rows, func(r [4]uint32) uint32 { return r[3] })
			at := uint64(0)
			if t.at != next {
				at = t.at + 1
			}
			leaf = uv(leaf, uint64(first[0]-graph), uint64(first[1]), uint64(last[0]-first[0]), uint64(last[1]),
				uint64(len(t.stored))<<1|t.raw, uint64(b.lo), uint64(b.hi-b.lo), uint64(c.lo), uint64(c.hi-c.lo), at)
			graph, next = first[0], t.at+uint64(len(t.stored))
		}
		off, length := f.block(leaves, leaf)
		first, end := group[0].rows[0], group[len(group)-1].rows
		last := end[len(end)-1]
		root = uv(root, uint64(len(group)), off, length, uint64(first[0]), uint64(first[1]), uint64(last[0]), uint64(last[1]), group[0].at)
	}
	return root
}

// encodeShared returns the content of a tile: the rows of one graph after those of another.
func encodeShared(rows [][4]uint32, o tile.Order) []byte {
	groups := by(rows, 0)
	out := uv(nil, uint64(len(groups)))
	lastG, lastA := rows[0][0], uint32(0)
	for _, g := range groups {
		out = uv(out, uint64(g[0][0]-lastG), zigzag(int64(g[0][1])-int64(lastA)))
		lastG, lastA = g[0][0], g[0][1]
		out = str(out, encodeGraph(g, o))
	}
	return out
}

// encodeGraph returns the rows of one graph, whose first id stands before them.
func encodeGraph(rows [][4]uint32, o tile.Order) []byte {
	cols := o.Columns()
	var base [3]int64 // of columns with subjects: the first id of the group before
	number := func(out []byte, col, i int, v, last uint32) []byte {
		if i == 0 && cols[col] == 0 {
			d := int64(v) - base[col]
			base[col] = int64(v)
			return uv(out, zigzag(d))
		}
		return uv(out, uint64(v-last))
	}
	groups := by(rows, 1)
	out := uv(nil, uint64(len(groups)))
	lastA := rows[0][1]
	for i, g := range groups {
		if i > 0 {
			out = uv(out, uint64(g[0][1]-lastA))
		}
		lastA = g[0][1]
		pairs := by(g, 2)
		out = uv(out, uint64(len(pairs)))
		lastB := uint32(0)
		for j, p := range pairs {
			out = number(out, 1, j, p[0][2], lastB)
			lastB = p[0][2]
			out = uv(out, uint64(len(p)))
			lastC := uint32(0)
			for k, r := range p {
				out = number(out, 2, k, r[3], lastC)
				lastC = r[3]
			}
		}
	}
	return out
}

// by cuts sorted rows where a column changes.
func by(rows [][4]uint32, col int) (groups [][][4]uint32) {
	from := 0
	for i := range rows {
		if i+1 == len(rows) || rows[i+1][col] != rows[i][col] {
			groups = append(groups, rows[from:i+1])
			from = i + 1
		}
	}
	return groups
}

func zigzag(v int64) uint64 { return uint64(v<<1) ^ uint64(v>>63) }
