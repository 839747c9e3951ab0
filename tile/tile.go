// Package tile stores the sorted id triples of one graph in one order: tiles of
// grouped differences, the directory that routes to them, and the synopsis that
// skips them (docs/file-format.md, "Index").
//
// The nouns: an [Order] names the sort columns; a [Tile] is one decoded run of
// triples as a compressed sparse row; an [Entry] is what the directory knows of
// a tile; a [Writer] cuts ascending triples into the canonical tiles.
//
// The payload of one order is
//
//	uv tile count
//	per tile: uv min a - previous min a, uv max a - min a, uv stored length
//	the stored tiles, back to back
//	per tile: uv min b, uv max b - min b, uv min c, uv max c - min c
//
// and the raw content of a tile is
//
//	min a, max a, min b, max b, min c, max c, rows, number of a
//	per a: difference, number of b
//	  per b: difference, number of c
//	    per c: difference
//
// Ids are 32 bits and begin at 1. Decoded values are immutable and may be
// shared; a Writer belongs to one goroutine.
package tile

import (
	"github.com/rete-go/rete/internal/codec"
)

// Codec says how a tile is stored: [Raw] or [Zstd].
//
// As it is declared:
//
//	type Codec uint8
//
//	// String returns "raw", "zstd" or "unknown codec".
//	func (c Codec) String() string
type Codec = codec.Codec

// Level says how hard the encoder works; the zero value is the default.
//
// As it is declared:
//
//	type Level uint8
type Level = codec.Level

// The codecs.
const (
	Raw  = codec.Raw
	Zstd = codec.Zstd
)

// The levels of the zstd encoder.
const (
	LevelDefault = codec.LevelDefault
	LevelFast    = codec.LevelFast
	LevelBetter  = codec.LevelBetter
	LevelBest    = codec.LevelBest
)

// Tile is one decoded tile, a compressed sparse row over three id columns. The
// second ids of A[i] are B[AEnd[i-1]:AEnd[i]] and the third ids of B[j] are
// C[BEnd[j-1]:BEnd[j]], with 0 before the first end. Row k is the k-th third id
// with the ids above it. Rows ascend strictly by (a, b, c).
type Tile struct {
	A, B, C    []uint32
	AEnd, BEnd []uint32
}

// Len returns the number of rows.
func (t *Tile) Len() int { return len(t.C) }

// Bytes returns the size of the arrays in memory.
func (t *Tile) Bytes() int64 {
	return 4 * int64(cap(t.A)+cap(t.B)+cap(t.C)+cap(t.AEnd)+cap(t.BEnd))
}
