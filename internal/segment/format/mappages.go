package format

import (
	"bytes"
	"encoding/binary"
	"math"

	"github.com/cespare/xxhash/v2"
	"github.com/rete-go/rete/tile"
	"lukechampine.com/blake3"
)

// Digest16 returns the first half of the BLAKE3 of bytes.
func Digest16(b []byte) [16]byte {
	sum := blake3.Sum256(b)
	return [16]byte(sum[:16])
}

// SumsOf returns the checksums of stored bytes.
func SumsOf(stored []byte) Sums {
	sum := blake3.Sum256(stored)
	return Sums{Xx: xxhash.Sum64(stored), B3: [16]byte(sum[:16])}
}

// ChunkRef is one dictionary chunk: where it lies and what is in it.
type ChunkRef struct {
	Start   uint32 // number of its first term, from 0
	Key     []byte // not above its first term, above every term before
	Off     uint64 // absolute
	Length  uint32 // stored
	Raw     uint32 // raw length, 0 if unknown
	Terms   uint32
	Sums    Sums
	Checked bool // sums are to be compared
}

// AppendChunkRef encodes one entry of a chunk page. base is the offset after
// the entry before it, prev that entry's key; both empty at the start of a page.
func AppendChunkRef(dst []byte, r *ChunkRef, base uint64, prev []byte) []byte {
	uv := binary.AppendUvarint
	dst = uv(dst, r.Off-base)
	dst = uv(dst, uint64(r.Length))
	dst = uv(dst, uint64(r.Raw))
	dst = uv(dst, uint64(r.Terms))
	k := CommonPrefix(prev, r.Key)
	dst = uv(dst, uint64(k))
	dst = AppendStr(dst, r.Key[k:])
	return r.Sums.append(dst)
}

func CommonPrefix(a, b []byte) int {
	n := min(len(a), len(b))
	for i := range n {
		if a[i] != b[i] {
			return i
		}
	}
	return n
}

// ParseChunkPage decodes a page of n chunk entries; start is the number of terms
// before it. The keys are cut from one slab.
func ParseChunkPage(b []byte, n, start uint64) ([]ChunkRef, error) {
	c := &Cursor{Part: "map page of chunks", B: b}
	if n > uint64(len(b))/30 {
		c.Fail("%d entries in %d bytes", n, len(b))
		return nil, c.Err
	}
	refs := make([]ChunkRef, n)
	var slab []byte
	base, prev := uint64(0), []byte(nil)
	for i := range refs {
		r := &refs[i]
		r.Off = base + c.Uv()
		r.Length, r.Raw, r.Terms = c.U32(), c.U32(), c.U32()
		k := c.Uv()
		if k > uint64(len(prev)) {
			c.Fail("entry %d takes %d bytes from a key of %d", i, k, len(prev))
		}
		rest := c.Str()
		r.Sums, r.Checked = c.sums(), true
		if c.Err != nil {
			return nil, c.Err
		}
		if len(slab) > MaxPageKeys {
			c.Fail("entry %d: more than %d bytes of keys before it", i, MaxPageKeys)
			return nil, c.Err
		}
		at := len(slab)
		slab = append(append(slab, prev[:k]...), rest...)
		r.Key = slab[at:len(slab):len(slab)]
		if i > 0 && bytes.Compare(prev, r.Key) >= 0 {
			c.Fail("entry %d: key %q after %q", i, r.Key, prev)
			return nil, c.Err
		}
		if start+uint64(r.Terms) > math.MaxUint32 || r.Terms == 0 || r.Length == 0 || r.Off > 1<<62 {
			c.Fail("entry %d: %d terms from term %d in %d bytes", i, r.Terms, start, r.Length)
			return nil, c.Err
		}
		r.Start = uint32(start)
		start += uint64(r.Terms)
		base, prev = r.Off+uint64(r.Length), r.Key
	}
	return refs, c.End()
}

// TileRef is one tile: its directory entry with an absolute offset, and its
// checksums.
type TileRef struct {
	tile.Entry
	Start   uint64 // rows of the table before it, if the row counts are known
	Sums    Sums
	Checked bool   // sums are to be compared
	Shared  *Share // if not nil, its rows are a part of the tile that is stored there
}

// Share is the part of a tile of generation 0x06 that is the rows of one graph.
type Share struct {
	Graph uint32 // by its name
	First uint32 // the first graph of the tile
	Place uint64 // among all parts of all tiles of the order
	Raw   bool   // the tile is stored as it is
}

// bounds of a tile, by its directory entry: no row is less or greater. Where the
// bounds of b and c are not known, they are those of all ids.
func (r *TileRef) Upper() [3]uint32 {
	if !r.HasSynopsis {
		return [3]uint32{r.MaxA, ^uint32(0), ^uint32(0)}
	}
	return [3]uint32{r.MaxA, r.MaxB, r.MaxC}
}

func (r *TileRef) Lower() [3]uint32 {
	if !r.HasSynopsis {
		return [3]uint32{r.MinA, 0, 0}
	}
	return [3]uint32{r.MinA, r.MinB, r.MinC}
}

// FirstAtMost bounds the first row of a tile from above, which says where the tile before it
// ends: where all rows have one value of a, the first has the least b, and where they have
// one value of b too, the least c. Bounds that are not known are those of all ids.
func (r *TileRef) FirstAtMost() [3]uint32 {
	k := r.Upper()
	if k[0] = r.MinA; r.MaxA == r.MinA && r.HasSynopsis {
		if k[1] = r.MinB; r.MaxB == r.MinB {
			k[2] = r.MinC
		}
	}
	return k
}

// LastAtLeast bounds the last row of a tile from below, which says where the next one begins.
func (r *TileRef) LastAtLeast() [3]uint32 {
	k := r.Lower()
	if k[0] = r.MaxA; r.MaxA == r.MinA && r.HasSynopsis {
		if k[1] = r.MaxB; r.MaxB == r.MinB {
			k[2] = r.MaxC
		}
	}
	return k
}

// AppendTileRef encodes one entry of a tile page; base is the offset after the
// entry before it, minA that entry's MinA, both 0 at the start of a page.
func AppendTileRef(dst []byte, r *TileRef, base uint64, minA uint32) []byte {
	uv := binary.AppendUvarint
	dst = uv(dst, uint64(r.Off)-base)
	for _, v := range [...]uint32{
		r.Len, r.RawLen, r.Rows,
		r.MinA - minA, r.MaxA - r.MinA, r.MinB, r.MaxB - r.MinB, r.MinC, r.MaxC - r.MinC,
	} {
		dst = uv(dst, uint64(v))
	}
	return r.Sums.append(dst)
}

// ParseTilePage decodes a page of n tile entries; start is the number of rows
// before it.
func ParseTilePage(b []byte, n, start uint64) ([]TileRef, error) {
	c := &Cursor{Part: "map page of tiles", B: b}
	if n > uint64(len(b))/34 {
		c.Fail("%d entries in %d bytes", n, len(b))
		return nil, c.Err
	}
	refs := make([]TileRef, n)
	base, minA := uint64(0), uint32(0)
	for i := range refs {
		r := &refs[i]
		r.Off = int64((base + c.Uv()) & (1<<62 - 1))
		r.Len, r.RawLen, r.Rows = c.U32(), c.U32(), c.U32()
		da, spanA := c.U32(), c.U32()
		minB, spanB, minC, spanC := c.U32(), c.U32(), c.U32(), c.U32()
		r.Sums, r.Checked = c.sums(), true
		r.MinA, r.MaxA = minA+da, minA+da+spanA
		r.MinB, r.MaxB = minB, minB+spanB
		r.MinC, r.MaxC = minC, minC+spanC
		r.HasSynopsis = true
		if c.Err == nil && (r.MinA < minA || r.MaxA < r.MinA || r.MaxB < minB || r.MaxC < minC) {
			c.Fail("entry %d: ids overflow 32 bits", i)
		}
		if c.Err == nil && (r.Rows == 0 || r.Len == 0 || r.RawLen < r.Rows) {
			c.Fail("entry %d: %d rows in %d bytes, %d raw", i, r.Rows, r.Len, r.RawLen)
		}
		if c.Err != nil {
			return nil, c.Err
		}
		r.Start = start
		start += uint64(r.Rows)
		base, minA = uint64(r.Off)+uint64(r.Len), r.MinA
	}
	return refs, c.End()
}

// GraphRef is one named graph.
type GraphRef struct {
	Name    []byte
	Off     uint64 // of its container, absolute
	Length  uint64 // of its container
	Rows    uint64 // quads, if known
	Tiles   uint32 // SPO tiles
	Start   uint64 // SPO tiles of all graphs before it, the default graph not counted
	Node    uint64 // what it also is: its place in the node space, predicates included; 0: none
	Inline  bool   // the container is one unit
	Sums    Sums   // of the container, where inline
	Checked bool   // sums are to be compared
}

// AppendGraphRef encodes one entry of a graph page; base is the offset after
// the container before it.
func AppendGraphRef(dst []byte, g *GraphRef, base uint64) []byte {
	uv := binary.AppendUvarint
	dst = AppendStr(dst, g.Name)
	dst = uv(dst, g.Off-base)
	dst = uv(dst, g.Length)
	dst = uv(dst, g.Rows)
	dst = uv(dst, uint64(g.Tiles))
	dst = uv(dst, g.Node)
	if !g.Inline {
		return append(dst, 0)
	}
	return g.Sums.append(append(dst, 1))
}

// ParseGraphPage decodes a page of n graph entries; start is the number of SPO
// tiles before it.
func ParseGraphPage(b []byte, n, start uint64) ([]GraphRef, error) {
	c := &Cursor{Part: "map page of graphs", B: b}
	if n > uint64(len(b))/7 {
		c.Fail("%d entries in %d bytes", n, len(b))
		return nil, c.Err
	}
	refs := make([]GraphRef, n)
	base := uint64(0)
	for i := range refs {
		g := &refs[i]
		g.Name = c.Str()
		g.Off = base + c.Uv()
		g.Length, g.Rows, g.Tiles, g.Node = c.Uv(), c.Uv(), c.U32(), c.Uv()
		switch kind := c.U8(); kind {
		case 0:
		case 1:
			g.Inline, g.Checked, g.Sums = true, true, c.sums()
		default:
			c.Fail("entry %d: unknown kind %d", i, kind)
		}
		if c.Err != nil {
			return nil, c.Err
		}
		if g.Off > 1<<62 || g.Length > 1<<62 {
			c.Fail("entry %d: container of %d bytes at %d", i, g.Length, g.Off)
			return nil, c.Err
		}
		g.Start = start
		start += uint64(g.Tiles)
		base = g.Off + g.Length
	}
	return refs, c.End()
}

// ParseNodePage decodes the nodes of n predicates.
func ParseNodePage(b []byte, n uint64) ([]uint64, error) {
	c := &Cursor{Part: "map page of nodes", B: b}
	if n > uint64(len(b)) {
		c.Fail("%d entries in %d bytes", n, len(b))
		return nil, c.Err
	}
	nodes := make([]uint64, n)
	for i := range nodes {
		nodes[i] = c.Uv()
	}
	return nodes, c.End()
}
