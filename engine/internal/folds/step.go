package folds

import (
	"slices"

	"github.com/rete-go/rete/tombstone"
)

// Stretch is what a fold makes of some neighbouring rows of a tile.
type Stretch struct {
	Hidden  []uint32        // rows of the tile, ascending
	Inserts []tombstone.Row // in order
}

// Change is a row that was located in the base: At is set, and Same says that the
// base's row there is of the same quad.
type Change struct {
	tombstone.Row
	Same bool
}

// Step is one step of the fold (see [Placed]) over an order of the base, stretch by stretch:
// [Step.Begin] takes what was hidden in a stretch, [Step.Change] one change after the other,
// in order, and [Step.End] returns what the stretch is then.
type Step struct {
	Inserts []tombstone.Row // the earlier ones that are in no stretch yet, in order; they are not changed

	hidden  []uint32 // the earlier ones, after the last change
	to      Stretch  // what the changes made of the rows up to the last one
	changed bool
}

// Begin starts a stretch. The previous one is not valid any more: its memory is used again.
func (s *Step) Begin(hidden []uint32) {
	s.hidden, s.changed = hidden, false
	s.to.Hidden, s.to.Inserts = s.to.Hidden[:0], s.to.Inserts[:0]
}

// Grow makes room for n changes.
func (s *Step) Grow(n int) { s.to.Inserts = slices.Grow(s.to.Inserts, n) }

// Change takes the next change.
func (s *Step) Change(c *Change) {
	s.changed = true
	if c.Same {
		n, _ := slices.BinarySearch(s.hidden, c.At)
		s.to.Hidden, s.hidden = append(s.to.Hidden, s.hidden[:n]...), s.hidden[n:]
		if len(s.hidden) > 0 && s.hidden[0] == c.At {
			s.hidden = s.hidden[1:]
		}
		if !c.Adds() {
			s.to.Hidden = append(s.to.Hidden, c.At)
		}
		return
	}
	n := tombstone.Gallop(s.Inserts, c.Key)
	s.to.Inserts, s.Inserts = append(s.to.Inserts, s.Inserts[:n]...), s.Inserts[n:]
	if len(s.Inserts) > 0 && s.Inserts[0].Key == c.Key {
		s.Inserts = s.Inserts[1:]
	}
	if c.Adds() {
		s.to.Inserts = append(s.to.Inserts, c.Row)
	}
}

// End returns the stretch up to a row of the tile and a key, which are excluded.
func (s *Step) End(row uint32, until tombstone.Key) Stretch {
	h, _ := slices.BinarySearch(s.hidden, row)
	n := tombstone.Gallop(s.Inserts, until)
	rest := Stretch{Hidden: s.hidden[:h], Inserts: s.Inserts[:n]}
	s.Inserts = s.Inserts[n:]
	if !s.changed {
		return rest
	}
	s.to.Hidden, s.to.Inserts = append(s.to.Hidden, rest.Hidden...), append(s.to.Inserts, rest.Inserts...)
	return s.to
}

// Bytes returns the memory of the step's own lists.
func (s *Step) Bytes() int64 {
	return 4*int64(cap(s.to.Hidden)) + rowBytes*int64(cap(s.to.Inserts))
}
