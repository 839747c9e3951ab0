// Package tombstone names single quads by number and folds a log as set algebra.
//
// A [QuadID] is a layer of a log, an SPO tile in it, counted through the default
// graph and then the named graphs, and a row of that tile. A [Set] holds quad ids
// as one roaring bitmap for each tile. An [Entry] is one step of a log in ids that
// are resolved: the quads that its dels find and those that its adds hold.
//
// A quad may lie in several layers. Its id is its place in the first of them, in
// log order, also when a later entry adds it again; then the visible set depends
// on the visible graph alone, and not on the way that led there. [First] keeps
// that rule while a log is resolved.
//
// Sets are no safe place for concurrent change; reading one that nobody changes is
// safe.
package tombstone

import (
	"iter"
	"slices"

	"github.com/RoaringBitmap/roaring/v2"
)

// QuadID is one quad of a log: where its first holder has it.
type QuadID struct {
	Layer uint32 // number of the layer in the log
	Tile  uint32 // SPO tile in the layer, through all its graphs
	Row   uint32 // row in the tile
}

// key is the part of a quad id that chooses the bitmap.
type key uint64

func keyOf(layer, tile uint32) key { return key(layer)<<32 | key(tile) }

// Set is a set of quad ids. The zero value is empty.
type Set struct {
	keys []key // ascending
	rows []*roaring.Bitmap
}

// NewSet returns the set of the given ids.
func NewSet(list ...QuadID) *Set {
	s := new(Set)
	for _, id := range list {
		s.Add(id)
	}
	return s
}

// find returns the place of a key, and whether it is there.
func (s *Set) find(k key) (int, bool) {
	if n := len(s.keys); n > 0 && s.keys[n-1] <= k { // ids mostly come in order
		if s.keys[n-1] == k {
			return n - 1, true
		}
		return n, false
	}
	return slices.BinarySearch(s.keys, k)
}

// bitmap returns the bitmap of a key, making it if it is missing.
func (s *Set) bitmap(k key) *roaring.Bitmap {
	i, ok := s.find(k)
	if !ok {
		s.keys = slices.Insert(s.keys, i, k)
		s.rows = slices.Insert(s.rows, i, roaring.New())
	}
	return s.rows[i]
}

// Add adds one quad.
func (s *Set) Add(id QuadID) { s.bitmap(keyOf(id.Layer, id.Tile)).Add(id.Row) }

// AddRows adds rows of one tile. They are added fastest in ascending order.
func (s *Set) AddRows(layer, tile uint32, rows []uint32) {
	if len(rows) > 0 {
		s.bitmap(keyOf(layer, tile)).AddMany(rows)
	}
}

// AddRange adds the rows lo to hi of one tile, hi excluded.
func (s *Set) AddRange(layer, tile uint32, lo, hi uint32) {
	if lo < hi {
		s.bitmap(keyOf(layer, tile)).AddRange(uint64(lo), uint64(hi))
	}
}

// Contains reports whether the set has a quad.
func (s *Set) Contains(id QuadID) bool {
	i, ok := s.find(keyOf(id.Layer, id.Tile))
	return ok && s.rows[i].Contains(id.Row)
}

// Tile returns the rows of one tile that are in the set, nil if none is. The
// bitmap must not be changed.
func (s *Set) Tile(layer, tile uint32) *roaring.Bitmap {
	if i, ok := s.find(keyOf(layer, tile)); ok {
		return s.rows[i]
	}
	return nil
}

// Len returns the number of quads.
func (s *Set) Len() uint64 {
	var n uint64
	for _, b := range s.rows {
		n += b.GetCardinality()
	}
	return n
}

// LayerLen returns the number of quads of one layer.
func (s *Set) LayerLen(layer uint32) uint64 {
	i, _ := slices.BinarySearch(s.keys, keyOf(layer, 0))
	var n uint64
	for ; i < len(s.keys) && uint32(s.keys[i]>>32) == layer; i++ {
		n += s.rows[i].GetCardinality()
	}
	return n
}

// Bytes returns about how much memory the set takes.
func (s *Set) Bytes() int64 {
	n := int64(len(s.keys)) * 80
	for _, b := range s.rows {
		n += int64(b.GetSizeInBytes())
	}
	return n
}

// Clone returns a copy that shares nothing with s.
func (s *Set) Clone() *Set {
	c := &Set{keys: slices.Clone(s.keys), rows: make([]*roaring.Bitmap, len(s.rows))}
	for i, b := range s.rows {
		c.rows[i] = b.Clone()
	}
	return c
}

// Equal reports whether both sets have the same quads.
func (s *Set) Equal(o *Set) bool {
	return slices.Equal(s.keys, o.keys) &&
		slices.EqualFunc(s.rows, o.rows, func(a, b *roaring.Bitmap) bool { return a.Equals(b) })
}

// Tiles goes through the tiles that have quads in the set, by layer and tile. The
// bitmaps must not be changed. For long ones their ManyIterator is the fast way.
func (s *Set) Tiles() iter.Seq2[QuadID, *roaring.Bitmap] {
	return func(yield func(QuadID, *roaring.Bitmap) bool) {
		for i, k := range s.keys {
			if !yield(QuadID{Layer: uint32(k >> 32), Tile: uint32(k)}, s.rows[i]) {
				return
			}
		}
	}
}

// All goes through the quads in order.
func (s *Set) All() iter.Seq[QuadID] {
	return func(yield func(QuadID) bool) {
		var buf [256]uint32
		for i, k := range s.keys {
			it := s.rows[i].ManyIterator()
			for n := it.NextMany(buf[:]); n > 0; n = it.NextMany(buf[:]) {
				for _, row := range buf[:n] {
					if !yield(QuadID{uint32(k >> 32), uint32(k), row}) {
						return
					}
				}
			}
		}
	}
}
