package sparql

import (
	"github.com/rete-go/rete/dataset"
	"github.com/rete-go/rete/rdf"
	"github.com/rete-go/rete/sparql/internal/exec/rowset"
)

// textCache keeps texts by the ids of terms, so that an id that comes again is decoded
// once. They are found through blocks of [textBlock] neighbouring ids: those of an answer of
// many rows are neighbours, and a block is looked up once for all of them. The zero value is
// empty.
type textCache struct {
	blocks *rowset.Set // the numbers of blocks, id/textBlock; nil: none
	places []uint32    // textBlock of each block: the place of the text plus 1; 0: none
	texts  dataset.Terms
	terms  []rdf.Term // those that were asked for, by place
	asked  int        // bytes of these
}

// textBlock is not larger since an id without neighbours takes a whole block, as most do in the
// answers of small queries, and not smaller since the table of blocks of an answer of many rows
// leaves the processor's cache.
const (
	textBits  = 5
	textBlock = 1 << textBits
)

// find sets dst to the places of ids, 0 for the id 0, and adds the ids that are not
// there to missing.
func (s *textCache) find(dst []uint32, list, missing []dataset.ID) []dataset.ID {
	places, dst := s.places, dst[:len(list)]
	last, at := dataset.ID(0), uint32(0) // of the previous row
	key, block := ^dataset.ID(0), -1
	for r, i := range list {
		if i != last {
			last, at = i, 0
			if i != 0 {
				if i>>textBits != key && s.blocks != nil {
					key, block = i>>textBits, s.blocks.Find1(i>>textBits)
				}
				if block >= 0 {
					at = places[block<<textBits|int(i&(textBlock-1))]
				}
				if at == 0 {
					missing = append(missing, i)
				}
			}
		}
		dst[r] = at
	}
	return missing
}

// fill sets those of dst that are 0 to the places of ids that came in meanwhile.
func (s *textCache) fill(dst []uint32, list []dataset.ID) {
	key, block := ^dataset.ID(0), 0
	for r, i := range list {
		if dst[r] == 0 && i != 0 {
			if i>>textBits != key {
				key, block = i>>textBits, s.blocks.Find1(i>>textBits)
			}
			dst[r] = s.places[block<<textBits|int(i&(textBlock-1))]
		}
	}
}

// put gives ids, which ascend, the places from a first one on.
func (s *textCache) put(list []dataset.ID, first int) {
	if s.blocks == nil {
		s.blocks = rowset.NewSet(1)
	}
	key, block := ^dataset.ID(0), 0
	for n, i := range list {
		if i>>textBits != key {
			key = i >> textBits
			var fresh bool
			if block, fresh = s.blocks.Add1(key); fresh {
				var none [textBlock]uint32
				s.places = append(s.places, none[:]...)
			}
		}
		s.places[block<<textBits|int(i&(textBlock-1))] = uint32(first + n + 1)
	}
}

// term returns the term of a place, whose text is its surface. It is made once.
func (s *textCache) term(place uint32) rdf.Term {
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

// bytes returns the memory that the cache uses.
func (s *textCache) bytes() int {
	return s.blockBytes() + 4*len(s.places) + len(s.texts.Slab) + 4*len(s.texts.Ends) + 16*len(s.terms) + s.asked
}

// room returns the memory that the cache has.
func (s *textCache) room() int {
	return s.blockBytes() + 4*cap(s.places) + cap(s.texts.Slab) + 4*cap(s.texts.Ends) + 16*cap(s.terms) + s.asked
}

func (s *textCache) blockBytes() int {
	if s.blocks == nil {
		return 0
	}
	return int(s.blocks.Bytes())
}

// reset empties the cache. Memory beyond most bytes goes.
func (s *textCache) reset(most int) {
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
		*s = textCache{}
	}
}
