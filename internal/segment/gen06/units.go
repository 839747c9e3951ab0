package gen06

import (
	"github.com/rete-go/rete/internal/segment/format"
)

// Leaf is one leaf of a directory, as the root has it.
type Leaf struct {
	Entries     int
	Off, Length uint64 // in the section of leaves
	first       uint64 // the first run of a leaf of chunks
	at          uint64 // where its first unit lies: in the data of its table, or in the section
	last        uint64 // the end of a leaf, in the section
}

// leaf reads what all leaves begin with.
func leaf(c *format.Cursor) Leaf {
	l := Leaf{Entries: int(c.U32()), Off: c.Uv(), Length: c.Uv()}
	if l.last = l.Off + l.Length; c.Err == nil && (l.last < l.Off || l.Entries <= 0) {
		c.Fail("a leaf of %d entries, %d bytes at %d", l.Entries, l.Length, l.Off)
	}
	return l
}

// DictRoot is the root of the directory of chunks of a dictionary section.
type DictRoot struct {
	Terms  uint32
	R      int // length of a run
	Leaves []Leaf
	chunks uint32
	off    uint64 // of its chunks, in the section of the dictionary
	size   uint64
}

// dict reads the roots of the four sections.
func (r *Root) dict(c *format.Cursor) {
	for i := range r.Dict {
		d := &r.Dict[i]
		d.Terms = c.U32()
		run := c.U32()
		d.R = int(min(run, 1<<31-1))
		d.chunks, d.off, d.size = c.U32(), c.Uv(), c.Uv()
		sum := uint64(0)
		for range c.Count(6) {
			l := leaf(c)
			l.first, l.at = c.Uv(), c.Uv()
			c.Str() // its first key
			sum += uint64(l.Entries)
			d.Leaves = append(d.Leaves, l)
		}
		if c.Err == nil && (sum != uint64(d.chunks) || (d.chunks == 0) != (d.Terms == 0) || d.Terms > 0 && run == 0) {
			c.Fail("leaves of %d chunks, there are %d of %d terms in runs of %d", sum, d.chunks, d.Terms, run)
		}
	}
}

// TileRoot is the root of the directory of tiles of an order.
type TileRoot struct {
	Leaves []Leaf
	there  bool
	tiles  uint32
	off    uint64 // of its tiles, in the section of the index
	size   uint64
}

// index reads the roots of the orders of the default graph.
func (r *Root) index(c *format.Cursor) {
	for range c.Count(5) {
		t := slot(c, &r.Orders)
		if t == nil {
			return
		}
		t.tiles, t.off, t.size = c.U32(), c.Uv(), c.Uv()
		for range c.Count(6) {
			l := leaf(c)
			c.U32() // the least and the greatest id
			c.U32()
			l.at = c.Uv()
			t.Leaves = append(t.Leaves, l)
		}
		t.covered(c)
	}
}

// slot reads which order comes, and returns its place.
func slot(c *format.Cursor, all *[orders]TileRoot) *TileRoot {
	o := c.Uv()
	if c.Err == nil && (o >= orders || all[o].there) {
		c.Fail("order %d, or an order twice", o)
	}
	if c.Err != nil {
		return nil
	}
	all[o].there = true
	return &all[o]
}

// covered checks that the leaves have all tiles.
func (t *TileRoot) covered(c *format.Cursor) {
	sum := uint64(0)
	for _, l := range t.Leaves {
		sum += uint64(l.Entries)
	}
	if c.Err == nil && sum != uint64(t.tiles) {
		c.Fail("leaves of %d tiles, there are %d", sum, t.tiles)
	}
}

// QuadRoot is the root of the index of named graphs: the list of graphs and, for each order, the
// tiles that they share.
type QuadRoot struct {
	Graphs uint64
	Quads  uint64
	Orders [orders]TileRoot
	List   uint64 // bytes of the list of graphs, at the begin of the section of leaves
	blocks []byte // where its blocks lie
	each   uint64 // graphs of a block
}

func parseQuads(c *format.Cursor) *QuadRoot {
	q := &QuadRoot{Graphs: c.Uv(), Quads: c.Uv(), each: c.Uv(), blocks: c.Str(), List: c.Uv()}
	for range c.Count(3) {
		t := slot(c, &q.Orders)
		if t == nil {
			return nil
		}
		t.tiles = c.U32()
		for range c.Count(8) {
			l := leaf(c)
			for range 4 {
				c.U32() // the first and the last graph and id
			}
			l.at = c.Uv()
			t.Leaves = append(t.Leaves, l)
		}
		t.covered(c)
	}
	if c.Err == nil && (q.Graphs > q.Quads || q.Graphs > 0 && q.each == 0) {
		c.Fail("%d graphs of %d quads in blocks of %d", q.Graphs, q.Quads, q.each)
	}
	return q
}

// TextRoot is the root of the text index.
type TextRoot struct {
	Tokens uint32
	Leaves []Leaf
}

func parseText(c *format.Cursor) *TextRoot {
	c.Str() // which literals it covers: the header says whether it is all of the default graph
	t := &TextRoot{Tokens: c.U32()}
	sum := uint64(0)
	for range c.Count(4) {
		l := leaf(c)
		c.Str() // its first token
		sum += uint64(l.Entries)
		t.Leaves = append(t.Leaves, l)
	}
	if c.Err == nil && sum != uint64(t.Tokens) {
		c.Fail("leaves of %d tokens, there are %d", sum, t.Tokens)
	}
	return t
}
