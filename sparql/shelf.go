package sparql

import (
	"github.com/rete-go/rete/dataset"
	"github.com/rete-go/rete/rdf"
	"github.com/rete-go/rete/sparql/internal/exec/rowset"
)

// shelf keeps texts by the ids of terms, so that an id that comes again is decoded
// once: they are found through blocks of [shelfBlock] neighbouring ids. The zero value is empty.
type shelf struct {
	blocks *rowset.Set // the numbers of blocks, id/shelfBlock; nil: none
	places []uint32    // shelfBlock of each block: the place of the text plus 1; 0: none
	texts  dataset.Terms
	terms  []rdf.Term // those that were asked for, by place
	asked  int        // bytes of these
}

const (
	shelfBits  = 6
	shelfBlock = 1 << shelfBits
)

// find sets dst to the places of ids, 0 for the id 0, and adds the ids that are not
// there to missing.
func (s *shelf) find(dst []uint32, list, missing []dataset.ID) []dataset.ID {
	places, dst := s.places, dst[:len(list)]
	last, at := dataset.ID(0), uint32(0) // of the previous row
	key, block := ^dataset.ID(0), -1
	for r, i := range list {
		if i == last {
			dst[r] = at
			continue
		}
		last, at = i, 0
		if i != 0 {
			if i>>shelfBits != key && s.blocks != nil {
				key, block = i>>shelfBits, s.blocks.Find1(i>>shelfBits)
			}
			if block >= 0 {
				at = places[block<<shelfBits|int(i&(shelfBlock-1))]
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
			dst[r] = s.places[s.blocks.Find1(i>>shelfBits)<<shelfBits|int(i&(shelfBlock-1))]
		}
	}
}

// put gives ids, which ascend, the places from a first one on.
func (s *shelf) put(list []dataset.ID, first int) {
	if s.blocks == nil {
		s.blocks = rowset.NewSet(1)
	}
	key, block := ^dataset.ID(0), 0
	for n, i := range list {
		if i>>shelfBits != key {
			key = i >> shelfBits
			var fresh bool
			if block, fresh = s.blocks.Add1(key); fresh {
				var none [shelfBlock]uint32
				s.places = append(s.places, none[:]...)
			}
		}
		s.places[block<<shelfBits|int(i&(shelfBlock-1))] = uint32(first + n + 1)
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
	return s.blockBytes() + 4*len(s.places) + len(s.texts.Slab) + 4*len(s.texts.Ends) + 16*len(s.terms) + s.asked
}

// room returns the memory that the shelf has.
func (s *shelf) room() int {
	return s.blockBytes() + 4*cap(s.places) + cap(s.texts.Slab) + 4*cap(s.texts.Ends) + 16*cap(s.terms) + s.asked
}

func (s *shelf) blockBytes() int {
	if s.blocks == nil {
		return 0
	}
	return int(s.blocks.Bytes())
}

// reset empties the shelf. Memory beyond most bytes goes.
func (s *shelf) reset(most int) {
	s.texts.Reset()
	if cap(s.texts.Slab) > most {
		s.texts.Slab = nil
	}
	if s.blocks != nil {
		s.blocks.Reset()
	}
	clear(s.terms)
	s.places, s.terms, s.asked = s.places[:0], s.terms[:0], 0
	if s.room() > 2*most {
		*s = shelf{}
	}
}
