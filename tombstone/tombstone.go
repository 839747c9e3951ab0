// Package tombstone is the algebra of the fold: what the entries of a log, oldest first, make of
// the quads of a graph,
//
//	visible = (visible ∖ entry.dels) ∪ entry.adds
//
// A [Row] is what one entry says of one quad, by its [Key]; [Net] lets the newest entry decide
// where several speak of the same one. Over a base, the largest layer, whose rows are left where
// they are, the fold is the hidden rows of the base, named by [QuadID] in a [Set] of roaring
// bitmaps, and the inserts between them: [Set.Apply] is the step of one [Entry].
//
// In the words of the literature: the base is the lowest level, rows that delete are tombstones,
// and the bitmaps of hidden rows are deletion vectors.
//
// A [Set] is not safe for concurrent mutation.
package tombstone

import (
	"slices"

	"github.com/RoaringBitmap/roaring/v2"
)

// QuadID is one quad of the base of a view, by its place in one graph and order.
type QuadID struct {
	Tile uint32 // number of the tile
	Row  uint32 // row in the tile
}

// Set is a set of quad ids. The zero value is empty.
type Set struct {
	tiles []uint32 // ascending
	rows  []*roaring.Bitmap
}

// find returns the place of a tile, and whether it is there.
func (s *Set) find(tile uint32) (int, bool) {
	if n := len(s.tiles); n > 0 && s.tiles[n-1] <= tile { // ids mostly come in order
		if s.tiles[n-1] == tile {
			return n - 1, true
		}
		return n, false
	}
	return slices.BinarySearch(s.tiles, tile)
}

// bitmap returns the bitmap of a tile, which it makes if there is none.
func (s *Set) bitmap(tile uint32) *roaring.Bitmap {
	i, ok := s.find(tile)
	if !ok {
		s.tiles = slices.Insert(s.tiles, i, tile)
		s.rows = slices.Insert(s.rows, i, roaring.New())
	}
	return s.rows[i]
}

// Add adds one quad.
func (s *Set) Add(id QuadID) { s.bitmap(id.Tile).Add(id.Row) }

// Tile returns the rows of one tile that are in the set, nil if none is. The
// bitmap must not be changed.
func (s *Set) Tile(tile uint32) *roaring.Bitmap {
	if i, ok := s.find(tile); ok {
		return s.rows[i]
	}
	return nil
}

// Before returns the number of quads in the tiles before one.
func (s *Set) Before(tile uint32) (n uint64) {
	i, _ := s.find(tile)
	for _, b := range s.rows[:i] {
		n += b.GetCardinality()
	}
	return n
}

// Len returns the number of quads.
func (s *Set) Len() uint64 {
	var n uint64
	for _, b := range s.rows {
		n += b.GetCardinality()
	}
	return n
}
