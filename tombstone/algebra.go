package tombstone

import "github.com/RoaringBitmap/roaring/v2"

// merge walks both sets by key and rebuilds s from what the functions leave: only
// of a tile that s alone has, other of one that o alone has, both of a common one.
// An empty bitmap, and nil, is left out.
func (s *Set) merge(o *Set, only, other func(*roaring.Bitmap) *roaring.Bitmap, both func(a, b *roaring.Bitmap) *roaring.Bitmap) {
	keys := make([]key, 0, len(s.keys))
	rows := make([]*roaring.Bitmap, 0, len(s.keys))
	put := func(k key, b *roaring.Bitmap) {
		if b != nil && !b.IsEmpty() {
			keys, rows = append(keys, k), append(rows, b)
		}
	}
	i, j := 0, 0
	for i < len(s.keys) || j < len(o.keys) {
		switch {
		case j == len(o.keys) || i < len(s.keys) && s.keys[i] < o.keys[j]:
			put(s.keys[i], only(s.rows[i]))
			i++
		case i == len(s.keys) || o.keys[j] < s.keys[i]:
			put(o.keys[j], other(o.rows[j]))
			j++
		default:
			put(s.keys[i], both(s.rows[i], o.rows[j]))
			i, j = i+1, j+1
		}
	}
	s.keys, s.rows = keys, rows
}

func keep(b *roaring.Bitmap) *roaring.Bitmap  { return b }
func drop(*roaring.Bitmap) *roaring.Bitmap    { return nil }
func clone(b *roaring.Bitmap) *roaring.Bitmap { return b.Clone() }

// Or adds the quads of o to s. o is not changed and not kept.
func (s *Set) Or(o *Set) {
	s.merge(o, keep, clone, func(a, b *roaring.Bitmap) *roaring.Bitmap { a.Or(b); return a })
}

// AndNot takes the quads of o out of s.
func (s *Set) AndNot(o *Set) {
	s.merge(o, keep, drop, func(a, b *roaring.Bitmap) *roaring.Bitmap { a.AndNot(b); return a })
}

// And keeps the quads of s that o has too.
func (s *Set) And(o *Set) {
	s.merge(o, drop, drop, func(a, b *roaring.Bitmap) *roaring.Bitmap { a.And(b); return a })
}

// Xor keeps the quads that exactly one of both has.
func (s *Set) Xor(o *Set) {
	s.merge(o, keep, clone, func(a, b *roaring.Bitmap) *roaring.Bitmap { a.Xor(b); return a })
}
