package sparql

import (
	"github.com/rete-go/rete/dataset"
	"github.com/rete-go/rete/rdf"
)

// shelf keeps texts by the ids of terms, so that an id that comes again is decoded
// once: they are found through blocks of [shelfBlock] neighbouring ids, which lie in
// a table by their number. The zero value is empty.
type shelf struct {
	slots  []shelfSlot // open addressing; a power of two
	shift  uint8       // 64 less the bits of a slot's number
	blocks int
	places []uint32 // shelfBlock of each block: the place of the text plus 1; 0: none
	texts  dataset.Terms
	terms  []rdf.Term // those that were asked for, by place
	asked  int        // bytes of these
}

// shelfSlot names a block.
type shelfSlot struct {
	key   dataset.ID // id/shelfBlock + 1; 0: free
	block int32
}

const (
	shelfBits  = 6
	shelfBlock = 1 << shelfBits
	shelfSlots = 64 // of the first table
	golden     = 0x9e3779b97f4a7c15
)

// block returns the number of the block of an id, below zero if there is none.
func (s *shelf) block(i dataset.ID) int32 {
	if len(s.slots) == 0 {
		return -1
	}
	key := i>>shelfBits + 1
	mask := uint64(len(s.slots) - 1)
	for at := uint64(key) * golden >> s.shift; ; at = (at + 1) & mask {
		switch s.slots[at].key {
		case key:
			return s.slots[at].block
		case 0:
			return -1
		}
	}
}

// find sets dst to the places of ids, 0 for the id 0, and adds the ids that are not
// there to missing.
func (s *shelf) find(dst []uint32, list, missing []dataset.ID) []dataset.ID {
	places, dst := s.places, dst[:len(list)]
	last, at := dataset.ID(0), uint32(0) // of the row before
	key, block := ^dataset.ID(0), int32(-1)
	for r, i := range list {
		if i == last {
			dst[r] = at
			continue
		}
		last, at = i, 0
		if i != 0 {
			if i>>shelfBits != key {
				key, block = i>>shelfBits, s.block(i)
			}
			if block >= 0 {
				at = places[int(block)<<shelfBits|int(i&(shelfBlock-1))]
			}
			if at == 0 {
				missing = append(missing, i)
			}
		}
		dst[r] = at
	}
	return missing
}

// fill sets those of dst that are 0 to the places of ids that came in meanwhile.
func (s *shelf) fill(dst []uint32, list []dataset.ID) {
	for r, i := range list {
		if dst[r] == 0 && i != 0 {
			dst[r] = s.places[int(s.block(i))<<shelfBits|int(i&(shelfBlock-1))]
		}
	}
}

// put gives ids, which ascend, the places from a first one on.
func (s *shelf) put(list []dataset.ID, first int) {
	key, block := ^dataset.ID(0), int32(-1)
	for n, i := range list {
		if i>>shelfBits != key {
			if key, block = i>>shelfBits, s.block(i); block < 0 {
				block = s.add(i)
			}
		}
		s.places[int(block)<<shelfBits|int(i&(shelfBlock-1))] = uint32(first + n + 1)
	}
}

// add makes a block for an id.
func (s *shelf) add(i dataset.ID) int32 {
	if 2*s.blocks >= len(s.slots) {
		s.resize(max(shelfSlots, 2*len(s.slots)))
	}
	block := int32(s.blocks)
	s.blocks++
	var none [shelfBlock]uint32
	s.places = append(s.places, none[:]...)
	s.place(shelfSlot{i>>shelfBits + 1, block})
	return block
}

// place puts the name of a block into the table.
func (s *shelf) place(slot shelfSlot) {
	mask := uint64(len(s.slots) - 1)
	at := uint64(slot.key) * golden >> s.shift
	for s.slots[at].key != 0 {
		at = (at + 1) & mask
	}
	s.slots[at] = slot
}

func (s *shelf) resize(size int) {
	old := s.slots
	s.slots, s.shift = make([]shelfSlot, size), 64
	for ; size > 1; size /= 2 {
		s.shift--
	}
	for _, slot := range old {
		if slot.key != 0 {
			s.place(slot)
		}
	}
}

// term returns the term of a place, whose text is its surface. It is made once.
func (s *shelf) term(place uint32) rdf.Term {
	if place == 0 {
		return rdf.Term{}
	}
	for len(s.terms) < int(place) {
		s.terms = append(s.terms, make([]rdf.Term, s.texts.Len()-len(s.terms))...)
	}
	t := &s.terms[place-1]
	if t.IsZero() {
		text := s.texts.At(int(place - 1))
		*t = rdf.FromSurface(string(text))
		s.asked += len(text)
	}
	return *t
}

// bytes returns the memory that the shelf uses.
func (s *shelf) bytes() int {
	return 16*len(s.slots) + 4*len(s.places) + len(s.texts.Slab) + 4*len(s.texts.Ends) + 16*len(s.terms) + s.asked
}

// room returns the memory that the shelf has.
func (s *shelf) room() int {
	return 16*cap(s.slots) + 4*cap(s.places) + cap(s.texts.Slab) + 4*cap(s.texts.Ends) + 16*cap(s.terms) + s.asked
}

// reset empties the shelf. Memory beyond most bytes goes.
func (s *shelf) reset(most int) {
	s.texts.Reset()
	if cap(s.texts.Slab) > most {
		s.texts.Slab = nil
	}
	clear(s.slots)
	clear(s.terms)
	s.blocks, s.places, s.terms, s.asked = 0, s.places[:0], s.terms[:0], 0
	if s.room() > 2*most {
		*s = shelf{}
	}
}
