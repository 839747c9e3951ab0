package value

import (
	"slices"
	"sort"

	"github.com/rete-go/rete/internal/calendar"
)

// Set is the constant list of an IN. [Set.In] gives what [In] gives, without going
// through the list. It is immutable.
type Set struct {
	byKey map[string][]Value // what may be equal, by join key

	// What makes an error of a comparison that is not equal (see [Equal]).
	none     bool              // an error is in the list
	unknown  bool              // a literal whose value is not known
	literal  bool              // a literal without a language
	instants map[zoned][]Value // by time
	triples  []Value
}

// zoned is a kind of instants, and whether they have a zone.
type zoned struct {
	kind Kind
	zone bool
}

// NewSet returns the set of a list.
func NewSet(list []Value) *Set {
	s := &Set{byKey: make(map[string][]Value, len(list)), instants: map[zoned][]Value{}}
	var key []byte
	for _, v := range list {
		switch {
		case v.kind == None:
			s.none = true
			continue
		case v.kind == Other || v.kind == IllTyped:
			s.unknown = true
		case v.isTemporal():
			s.instants[v.zoned()] = append(s.instants[v.zoned()], v)
		case v.kind == Triple:
			s.triples = append(s.triples, v)
		}
		s.literal = s.literal || v.isLiteral() && v.kind != Lang
		var ok bool
		if key, ok = AppendJoinKey(key[:0], v, true); !ok {
			continue // equal to nothing
		}
		same := s.byKey[string(key)]
		if !slices.ContainsFunc(same, func(o Value) bool { return SameTerm(o, v) }) {
			s.byKey[string(key)] = append(same, v)
		}
	}
	for _, list := range s.instants {
		slices.SortFunc(list, cmpInstant)
	}
	return s
}

func (v Value) isTemporal() bool { return v.kind >= DateTime && v.kind <= GDay }

func (v Value) zoned() zoned { return zoned{v.kind, v.zone != noZone} }

// In is the operator IN over the set.
func (s *Set) In(x Value) Tri {
	if x.kind == None {
		return TriError
	}
	var buf [64]byte
	if key, ok := AppendJoinKey(buf[:0], x, true); ok {
		for _, v := range s.byKey[string(key)] {
			if equal, ok := Equal(x, v); equal && ok {
				return TriTrue
			}
		}
	}
	if s.fails(x) {
		return TriError
	}
	return TriFalse
}

// fails reports whether comparing x, which is equal to nothing in the set, with one of
// its values is an error.
func (s *Set) fails(x Value) bool {
	switch {
	case s.none:
		return true
	case x.kind == Other || x.kind == IllTyped:
		return s.literal
	case x.isLiteral() && x.kind != Lang && s.unknown:
		return true
	case x.isTemporal():
		return s.near(x)
	case x.kind == Triple:
		return slices.ContainsFunc(s.triples, func(v Value) bool {
			_, ok := Equal(x, v)
			return !ok
		})
	}
	return false
}

// near reports whether an instant is so near to one of the set that only the zone that
// one of them lacks could tell whether they are equal.
func (s *Set) near(x Value) bool {
	of := x.zoned()
	of.zone = !of.zone
	list, early := s.instants[of], x
	early.num -= calendar.MaxZone * 60
	i := sort.Search(len(list), func(i int) bool { return cmpInstant(list[i], early) >= 0 })
	if i == len(list) {
		return false
	}
	_, ok := compareTemporal(x, list[i])
	return !ok
}
