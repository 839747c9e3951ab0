package tombstone

// Entry is one step of the fold by the ids of quads of the base: what its dels find
// there, and what its adds hold.
type Entry struct {
	Dels *Set
	Adds *Set
}

// Apply is the step of the fold over the hidden quads of the base:
//
//	hidden = (hidden ∪ dels) ∖ adds
//
// Its bitmaps are not changed but replaced, so they may be shared.
func (s *Set) Apply(e Entry) {
	s.Or(e.Dels)
	s.AndNot(e.Adds)
}
