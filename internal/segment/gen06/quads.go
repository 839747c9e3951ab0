package gen06

import (
	"math"

	"github.com/rete-go/rete/internal/segment/format"
	"github.com/rete-go/rete/tile"
)

// Graph is a named graph: the subject id of its name, and how many triples it has.
type Graph struct {
	Name uint32
	Rows uint64
}

// Listed reads the list of graphs, by the ids of their names. unpack returns the content of a
// block, which is packed unless raw.
func (q *QuadRoot) Listed(b []byte, unpack func(stored []byte, raw bool) ([]byte, error)) ([]Graph, error) {
	const part = "list of graphs"
	c := &format.Cursor{Part: part, B: q.blocks}
	var list []Graph
	first, quads := uint64(0), uint64(0)
	blocks := c.Count(2)
	if want := (q.Graphs + q.each - min(q.each, 1)) / max(q.each, 1); c.Err == nil && uint64(blocks) != want {
		return nil, damaged(part, "%d blocks of %d graphs, there are %d", blocks, q.each, q.Graphs)
	}
	for range blocks {
		step, packed := c.Uv(), c.Uv()
		if size := packed >> 1; c.Err != nil || size > uint64(len(b)) {
			c.Fail("a block of %d bytes, %d are left", size, len(b))
			return nil, c.Err
		}
		raw, err := unpack(b[:packed>>1], packed&1 != 0)
		if err != nil {
			return nil, err
		}
		b = b[packed>>1:]
		first += step
		in := &format.Cursor{Part: part, B: raw}
		id := first
		for k := range min(q.each, q.Graphs-uint64(len(list))) {
			d, rows := in.Uv(), in.Uv()
			if in.Err != nil {
				return nil, in.Err
			}
			id += d
			if n := len(list); (d == 0) != (k == 0) || d > math.MaxUint32 || id == 0 || id > math.MaxUint32 || rows == 0 ||
				n > 0 && id <= uint64(list[n-1].Name) {
				return nil, damaged(part, "graph %d: name %d with %d triples", n, id, rows)
			}
			quads += rows
			list = append(list, Graph{uint32(id), rows})
		}
		if err := in.End(); err != nil {
			return nil, err
		}
	}
	if err := c.End(); err != nil {
		return nil, err
	}
	if uint64(len(list)) != q.Graphs || quads != q.Quads || len(b) > 0 {
		return nil, damaged(part, "%d graphs of %d triples, the root says %d of %d", len(list), quads, q.Graphs, q.Quads)
	}
	return list, nil
}

// QuadTile is a tile that graphs share: rows in the order of the graphs and then by the columns.
type QuadTile struct {
	First, Last   uint32 // graphs, by name
	FirstA, LastA uint32 // the least id of the first graph and the greatest of the last
	Raw           bool   // it is stored as it is
	Entry         tile.Entry
}

// QuadTiles reads the directory of an order of the named graphs, whose tiles lie in the section
// data, in any sequence.
func (t *TileRoot) QuadTiles(data Section, unpack Unpack) ([]QuadTile, error) {
	const part = "directory of shared tiles"
	var tiles []QuadTile
	for i := range t.Leaves {
		l := &t.Leaves[i]
		raw, err := unpack(l)
		if err != nil {
			return nil, err
		}
		c := &format.Cursor{Part: part, B: raw}
		at, graph := l.at, uint64(0)
		for range l.Entries {
			graph += c.Uv()
			first, more, last, packed := c.U32(), c.U32(), c.U32(), c.Uv()
			q := QuadTile{First: uint32(graph), FirstA: first, Last: uint32(graph + uint64(more)), LastA: last, Raw: packed&1 != 0}
			bounds(c, &q.Entry)
			if elsewhere := c.Uv(); elsewhere > 0 {
				at = elsewhere - 1
			}
			if c.Err != nil {
				return nil, c.Err
			}
			if graph == 0 || graph > math.MaxUint32 || graph+uint64(more) > math.MaxUint32 || q.FirstA == 0 || q.LastA == 0 ||
				more == 0 && q.FirstA > q.LastA {
				return nil, damaged(part, "tile %d: graphs %d to %d", len(tiles), graph, graph+uint64(more))
			}
			if n := len(tiles); n > 0 && (q.First < tiles[n-1].Last || q.First == tiles[n-1].Last && q.FirstA < tiles[n-1].LastA) {
				return nil, damaged(part, "tile %d begins before the end of the one before", n)
			}
			size := packed >> 1
			if size == 0 || size > math.MaxUint32 || at > data.Length || size > data.Length-at {
				return nil, damaged(part, "tile %d of %d bytes at %d of %d", len(tiles), size, at, data.Length)
			}
			q.Entry.Off, q.Entry.Len = int64(data.Offset+at), uint32(size)
			tiles = append(tiles, q)
			at += size
		}
		if err := c.End(); err != nil {
			return nil, err
		}
	}
	return tiles, nil
}

// Shared is the content of a tile that graphs share.
type Shared struct {
	raw   []byte
	parts []graphPart
}

// graphPart is the rows of one graph.
type graphPart struct {
	graph, firstA uint32
	from, to      int
}

// ParseShared finds the graphs in the content of a tile, of which first is the first. It keeps raw.
func ParseShared(raw []byte, first uint32) (*Shared, error) {
	c := &format.Cursor{Part: "shared tile", B: raw}
	n := c.Count(7)
	t := &Shared{raw: raw, parts: make([]graphPart, 0, n)}
	graph, firstA := uint64(first), int64(0)
	for i := range n {
		step := c.Uv()
		firstA += zigzag(c.Uv())
		body := c.Str()
		if graph += step; c.Err == nil && ((step == 0) != (i == 0) || step > math.MaxUint32 || graph > math.MaxUint32 ||
			firstA <= 0 || firstA > math.MaxUint32) {
			c.Fail("part %d: graph %d from %d on", i, graph, firstA)
		}
		if c.Err != nil {
			return nil, c.Err
		}
		t.parts = append(t.parts, graphPart{uint32(graph), uint32(firstA), c.P - len(body), c.P})
	}
	if n == 0 {
		c.Fail("no graphs")
	}
	return t, c.End()
}

// zigzag returns the number, positive or negative, that an unsigned one stands for.
func zigzag(u uint64) int64 { return int64(u>>1) ^ -int64(u&1) }

// Bytes returns what the tile takes in memory.
func (t *Shared) Bytes() int64 { return int64(cap(t.raw)) + 32*int64(cap(t.parts)) + 64 }
