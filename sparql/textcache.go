package sparql

import (
	"github.com/rete-go/rete/dataset"
	"github.com/rete-go/rete/rdf"
	"github.com/rete-go/rete/sparql/internal/exec/rowset"
)

// textCache keeps texts by the ids of terms, so that an id that comes again is decoded
// once. The place of a text is the number of its id, plus 1. The zero value is empty.
type textCache struct {
	ids   *rowset.Set // nil: none
	texts dataset.Terms
	terms []rdf.Term // those that were asked for, by place
	asked int        // bytes of these
}

// find sets dst to the places of ids, 0 for the id 0, and adds the ids that are not
// there to missing.
func (s *textCache) find(dst []uint32, list, missing []dataset.ID) []dataset.ID {
	if s.ids == nil {
		s.ids = rowset.NewSet(1)
	}
	dst = dst[:len(list)]
	last, at := dataset.ID(0), uint32(0) // of the previous row
	for r, i := range list {
		if i != last {
			last, at = i, 0
			if i != 0 {
				if at = uint32(s.ids.Find1(i) + 1); at == 0 {
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
	for r, i := range list {
		if dst[r] == 0 && i != 0 {
			dst[r] = uint32(s.ids.Find1(i) + 1)
		}
	}
}

// put gives the next places to ids that are not there, whose texts were added.
func (s *textCache) put(list []dataset.ID) {
	for _, i := range list {
		s.ids.Add1(i)
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
	return s.idBytes() + len(s.texts.Slab) + 4*len(s.texts.Ends) + 16*len(s.terms) + s.asked
}

// room returns the memory that the cache has.
func (s *textCache) room() int {
	return s.idBytes() + cap(s.texts.Slab) + 4*cap(s.texts.Ends) + 16*cap(s.terms) + s.asked
}

func (s *textCache) idBytes() int {
	if s.ids == nil {
		return 0
	}
	return int(s.ids.Bytes())
}

// reset empties the cache. Memory beyond most bytes goes.
func (s *textCache) reset(most int) {
	s.texts.Reset()
	if cap(s.texts.Slab) > most {
		s.texts.Slab = nil
	}
	if s.ids != nil {
		s.ids.Reset()
	}
	clear(s.terms)
	s.terms, s.asked = s.terms[:0], 0
	if s.room() > 2*most {
		*s = textCache{}
	}
}
