package tombstone

import "github.com/RoaringBitmap/roaring/v2"

// merge walks both sets by tile and rebuilds s from what the functions leave: other of
// a tile that o alone has, both of a common one. A tile that s alone has stays. Empty
// bitmaps, and nil, are left out. No bitmap and no list of s is changed in place, so
// copies of s keep what they have.
func (s *Set) merge(o *Set, other func(*roaring.Bitmap) *roaring.Bitmap, both func(a, b *roaring.Bitmap) *roaring.Bitmap) {
	if len(o.tiles) == 0 {
		return
	}
	tiles := make([]uint32, 0, len(s.tiles))
	rows := make([]*roaring.Bitmap, 0, len(s.tiles))
	put := func(tile uint32, b *roaring.Bitmap) {
		if b != nil && !b.IsEmpty() {
			tiles, rows = append(tiles, tile), append(rows, b)
		}
	}
	i, j := 0, 0
	for i < len(s.tiles) || j < len(o.tiles) {
		switch {
		case j == len(o.tiles) || i < len(s.tiles) && s.tiles[i] < o.tiles[j]:
			put(s.tiles[i], s.rows[i])
			i++
		case i == len(s.tiles) || o.tiles[j] < s.tiles[i]:
			put(o.tiles[j], other(o.rows[j]))
			j++
		default:
			put(s.tiles[i], both(s.rows[i], o.rows[j]))
			i, j = i+1, j+1
		}
	}
	s.tiles, s.rows = tiles, rows
}

func drop(*roaring.Bitmap) *roaring.Bitmap    { return nil }
func clone(b *roaring.Bitmap) *roaring.Bitmap { return b.Clone() }

// Or adds the quads of o to s. o is not changed and not kept.
func (s *Set) Or(o *Set) { s.merge(o, clone, roaring.Or) }

// AndNot takes the quads of o out of s.
func (s *Set) AndNot(o *Set) { s.merge(o, drop, roaring.AndNot) }
