package ids

import (
	"slices"
	"sort"

	"github.com/RoaringBitmap/roaring/v2"
)

// Set is a set of ids, kept as one roaring bitmap for each block of 2³² ids: a
// layer's ids are in one block, or in a few. The zero value is empty. A Set may
// be read by several goroutines once nobody changes it.
type Set struct {
	highs []uint32 // ascending
	lows  []*roaring.Bitmap
}

// SetOf returns the set of the given ids, in any order, repeats allowed.
func SetOf(list ...ID) *Set {
	s := new(Set)
	if slices.IsSorted(list) {
		s.AddSorted(list)
		return s
	}
	for _, id := range list {
		s.Add(id)
	}
	return s
}

// block returns the bitmap of a high part, making it if it is missing.
func (s *Set) block(high uint32) *roaring.Bitmap {
	i := sort.Search(len(s.highs), func(i int) bool { return s.highs[i] >= high })
	if i == len(s.highs) || s.highs[i] != high {
		s.highs = slices.Insert(s.highs, i, high)
		s.lows = slices.Insert(s.lows, i, roaring.New())
	}
	return s.lows[i]
}

// Add adds one id.
func (s *Set) Add(id ID) { s.block(uint32(id >> 32)).Add(uint32(id)) }

// AddSorted adds ids that ascend (repeats allowed); it is the fast way in.
func (s *Set) AddSorted(list []ID) {
	buf := make([]uint32, 0, min(len(list), 4096))
	for len(list) > 0 {
		high := uint32(list[0] >> 32)
		buf = buf[:0]
		for len(list) > 0 && uint32(list[0]>>32) == high && len(buf) < 4096 {
			buf = append(buf, uint32(list[0]))
			list = list[1:]
		}
		s.block(high).AddMany(buf)
	}
}

// AddRange adds the ids from lo to hi, both included.
func (s *Set) AddRange(lo, hi ID) {
	for lo <= hi {
		high := uint32(lo >> 32)
		last := min(hi, ID(high)<<32|(1<<32-1))
		s.block(high).AddRange(uint64(uint32(lo)), uint64(uint32(last))+1)
		lo = last + 1
	}
}

// Union adds the ids of t.
func (s *Set) Union(t *Set) {
	for i, high := range t.highs {
		s.block(high).Or(t.lows[i])
	}
}

// Remove takes the ids of t away.
func (s *Set) Remove(t *Set) {
	for i, high := range s.highs {
		if b := t.Block(high); b != nil {
			s.lows[i].AndNot(b)
		}
	}
}

// And returns the ids that are in both sets.
func (s *Set) And(t *Set) *Set {
	out := new(Set)
	for i, high := range s.highs {
		if b := t.Block(high); b != nil {
			if m := roaring.And(s.lows[i], b); !m.IsEmpty() {
				out.highs, out.lows = append(out.highs, high), append(out.lows, m)
			}
		}
	}
	return out
}

// Contains reports whether id is in the set.
func (s *Set) Contains(id ID) bool {
	b := s.Block(uint32(id >> 32))
	return b != nil && b.Contains(uint32(id))
}

// Block returns the low halves of the ids whose high half is high, nil if there
// are none. Do not change it.
func (s *Set) Block(high uint32) *roaring.Bitmap {
	for i, h := range s.highs {
		if h == high {
			return s.lows[i]
		}
	}
	return nil
}

// Next returns the smallest id of the set that is at least from.
func (s *Set) Next(from ID) (ID, bool) {
	high := uint32(from >> 32)
	for i, h := range s.highs {
		low := uint32(0)
		switch {
		case h < high:
			continue
		case h == high:
			low = uint32(from)
		}
		if v := s.lows[i].NextValue(low); v >= 0 {
			return ID(h)<<32 | ID(v), true
		}
	}
	return 0, false
}

// Len returns the number of ids.
func (s *Set) Len() uint64 {
	var n uint64
	for _, b := range s.lows {
		n += b.GetCardinality()
	}
	return n
}

// Bytes returns the memory of the set, about.
func (s *Set) Bytes() int64 {
	var n int64
	for _, b := range s.lows {
		n += int64(b.GetSizeInBytes()) + 64
	}
	return n
}

// Append appends the ids in ascending order.
func (s *Set) Append(dst []ID) []ID {
	dst, _ = s.AppendChecking(dst, func() error { return nil })
	return dst
}

// AppendChecking is Append that calls check after every 64 Ki ids or fewer, and ends with its
// error.
func (s *Set) AppendChecking(dst []ID, check func() error) ([]ID, error) {
	looked := len(dst)
	for i, h := range s.highs {
		it := s.lows[i].ManyIterator()
		buf := make([]uint32, min(256, s.lows[i].GetCardinality()))
		for n := it.NextMany(buf); n > 0; n = it.NextMany(buf) {
			for _, low := range buf[:n] {
				dst = append(dst, ID(h)<<32|ID(low))
			}
			if len(dst)-looked >= 64<<10-len(buf) {
				looked = len(dst)
				if err := check(); err != nil {
					return nil, err
				}
			}
		}
	}
	return dst, nil
}
