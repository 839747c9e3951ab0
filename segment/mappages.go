package segment

import (
	"bytes"
	"encoding/binary"
	"math"

	"github.com/rete-go/rete/tile"
)

// chunkRef is one dictionary chunk: where it lies and what is in it.
type chunkRef struct {
	start   uint32 // number of its first term, from 0
	key     []byte // not above its first term, above every term before
	off     uint64 // absolute
	length  uint32 // stored
	raw     uint32 // raw length, 0 if unknown
	terms   uint32
	sums    sums
	checked bool // sums are to be compared
}

// appendChunkRef encodes one entry of a chunk page. base is the offset behind
// the entry before it, prev that entry's key; both empty at the start of a page.
func appendChunkRef(dst []byte, r *chunkRef, base uint64, prev []byte) []byte {
	uv := binary.AppendUvarint
	dst = uv(dst, r.off-base)
	dst = uv(dst, uint64(r.length))
	dst = uv(dst, uint64(r.raw))
	dst = uv(dst, uint64(r.terms))
	k := commonPrefix(prev, r.key)
	dst = uv(dst, uint64(k))
	dst = appendStr(dst, r.key[k:])
	return r.sums.append(dst)
}

func commonPrefix(a, b []byte) int {
	n := min(len(a), len(b))
	for i := range n {
		if a[i] != b[i] {
			return i
		}
	}
	return n
}

// parseChunkPage decodes a page of n chunk entries; start is the number of terms
// before it. The keys are cut from one slab.
func parseChunkPage(b []byte, n, start uint64) ([]chunkRef, error) {
	c := &cursor{part: "map page of chunks", b: b}
	if n > uint64(len(b))/30 {
		c.fail("%d entries in %d bytes", n, len(b))
		return nil, c.err
	}
	refs := make([]chunkRef, n)
	var slab []byte
	base, prev := uint64(0), []byte(nil)
	for i := range refs {
		r := &refs[i]
		r.off = base + c.uv()
		r.length, r.raw, r.terms = c.u32(), c.u32(), c.u32()
		k := c.uv()
		if k > uint64(len(prev)) {
			c.fail("entry %d takes %d bytes from a key of %d", i, k, len(prev))
		}
		rest := c.str()
		r.sums, r.checked = c.sums(), true
		if c.err != nil {
			return nil, c.err
		}
		if len(slab) > maxPageKeys {
			c.fail("entry %d: more than %d bytes of keys before it", i, maxPageKeys)
			return nil, c.err
		}
		at := len(slab)
		slab = append(append(slab, prev[:k]...), rest...)
		r.key = slab[at:len(slab):len(slab)]
		if i > 0 && bytes.Compare(prev, r.key) >= 0 {
			c.fail("entry %d: key %q after %q", i, r.key, prev)
			return nil, c.err
		}
		if start+uint64(r.terms) > math.MaxUint32 || r.terms == 0 || r.length == 0 || r.off > 1<<62 {
			c.fail("entry %d: %d terms from term %d in %d bytes", i, r.terms, start, r.length)
			return nil, c.err
		}
		r.start = uint32(start)
		start += uint64(r.terms)
		base, prev = r.off+uint64(r.length), r.key
	}
	return refs, c.end()
}

// tileRef is one tile: its directory entry with an absolute offset, and its
// checksums.
type tileRef struct {
	tile.Entry
	start   uint64 // rows of the table before it, if the row counts are known
	sums    sums
	checked bool // sums are to be compared
}

// appendTileRef encodes one entry of a tile page; base is the offset behind the
// entry before it, minA that entry's MinA, both 0 at the start of a page.
func appendTileRef(dst []byte, r *tileRef, base uint64, minA uint32) []byte {
	uv := binary.AppendUvarint
	dst = uv(dst, uint64(r.Off)-base)
	for _, v := range [...]uint32{
		r.Len, r.RawLen, r.Rows,
		r.MinA - minA, r.MaxA - r.MinA, r.MinB, r.MaxB - r.MinB, r.MinC, r.MaxC - r.MinC,
	} {
		dst = uv(dst, uint64(v))
	}
	return r.sums.append(dst)
}

// parseTilePage decodes a page of n tile entries; start is the number of rows
// before it.
func parseTilePage(b []byte, n, start uint64) ([]tileRef, error) {
	c := &cursor{part: "map page of tiles", b: b}
	if n > uint64(len(b))/34 {
		c.fail("%d entries in %d bytes", n, len(b))
		return nil, c.err
	}
	refs := make([]tileRef, n)
	base, minA := uint64(0), uint32(0)
	for i := range refs {
		r := &refs[i]
		r.Off = int64((base + c.uv()) & (1<<62 - 1))
		r.Len, r.RawLen, r.Rows = c.u32(), c.u32(), c.u32()
		da, spanA := c.u32(), c.u32()
		minB, spanB, minC, spanC := c.u32(), c.u32(), c.u32(), c.u32()
		r.sums, r.checked = c.sums(), true
		r.MinA, r.MaxA = minA+da, minA+da+spanA
		r.MinB, r.MaxB = minB, minB+spanB
		r.MinC, r.MaxC = minC, minC+spanC
		r.HasSynopsis = true
		if c.err == nil && (r.MinA < minA || r.MaxA < r.MinA || r.MaxB < minB || r.MaxC < minC) {
			c.fail("entry %d: ids overflow 32 bits", i)
		}
		if c.err == nil && (r.Rows == 0 || r.Len == 0 || r.RawLen < r.Rows) {
			c.fail("entry %d: %d rows in %d bytes, %d raw", i, r.Rows, r.Len, r.RawLen)
		}
		if c.err != nil {
			return nil, c.err
		}
		r.start = start
		start += uint64(r.Rows)
		base, minA = uint64(r.Off)+uint64(r.Len), r.MinA
	}
	return refs, c.end()
}

// graphRef is one named graph.
type graphRef struct {
	name    []byte
	off     uint64 // of its container, absolute
	length  uint64 // of its container
	rows    uint64 // quads, if known
	tiles   uint32 // SPO tiles
	start   uint64 // SPO tiles of all graphs before it, the default graph not counted
	node    uint64 // what it also is: its place in the node space, predicates included; 0: none
	inline  bool   // the container is one unit
	sums    sums   // of the container, where inline
	checked bool   // sums are to be compared
}

// appendGraphRef encodes one entry of a graph page; base is the offset behind
// the container before it.
func appendGraphRef(dst []byte, g *graphRef, base uint64) []byte {
	uv := binary.AppendUvarint
	dst = appendStr(dst, g.name)
	dst = uv(dst, g.off-base)
	dst = uv(dst, g.length)
	dst = uv(dst, g.rows)
	dst = uv(dst, uint64(g.tiles))
	dst = uv(dst, g.node)
	if !g.inline {
		return append(dst, 0)
	}
	return g.sums.append(append(dst, 1))
}

// parseGraphPage decodes a page of n graph entries; start is the number of SPO
// tiles before it.
func parseGraphPage(b []byte, n, start uint64) ([]graphRef, error) {
	c := &cursor{part: "map page of graphs", b: b}
	if n > uint64(len(b))/7 {
		c.fail("%d entries in %d bytes", n, len(b))
		return nil, c.err
	}
	refs := make([]graphRef, n)
	base := uint64(0)
	for i := range refs {
		g := &refs[i]
		g.name = c.str()
		g.off = base + c.uv()
		g.length, g.rows, g.tiles, g.node = c.uv(), c.uv(), c.u32(), c.uv()
		switch kind := c.u8(); kind {
		case 0:
		case 1:
			g.inline, g.checked, g.sums = true, true, c.sums()
		default:
			c.fail("entry %d: unknown kind %d", i, kind)
		}
		if c.err != nil {
			return nil, c.err
		}
		if g.off > 1<<62 || g.length > 1<<62 {
			c.fail("entry %d: container of %d bytes at %d", i, g.length, g.off)
			return nil, c.err
		}
		g.start = start
		start += uint64(g.tiles)
		base = g.off + g.length
	}
	return refs, c.end()
}

// parseNodePage decodes the nodes of n predicates.
func parseNodePage(b []byte, n uint64) ([]uint64, error) {
	c := &cursor{part: "map page of nodes", b: b}
	if n > uint64(len(b)) {
		c.fail("%d entries in %d bytes", n, len(b))
		return nil, c.err
	}
	nodes := make([]uint64, n)
	for i := range nodes {
		nodes[i] = c.uv()
	}
	return nodes, c.end()
}
