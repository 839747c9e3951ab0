package tombstone

// Entry is one entry of a log in resolved ids. Either set may be nil.
type Entry struct {
	Dels *Set // quads that the dels find in the layers up to this one
	Adds *Set // quads that the adds hold, by the ids of their first holders
}

// Fold returns the visible quads of a log, oldest entry first:
//
//	visible = (visible ∖ dels) ∪ adds
//
// The entries are not changed.
func Fold(log []Entry) *Set {
	visible := new(Set)
	for _, e := range log {
		visible.Apply(e)
	}
	return visible
}

// Apply takes an entry's dels out of a visible set and puts its adds in.
func (s *Set) Apply(e Entry) {
	if e.Dels != nil {
		s.AndNot(e.Dels)
	}
	if e.Adds != nil {
		s.Or(e.Adds)
	}
}

// Compose returns the one entry that has the effect of a and then b:
//
//	((D1 ∪ D2) ∖ A12, A12) with A12 = (A1 ∖ D2) ∪ A2
//
// Both sets of the result are new.
func Compose(a, b Entry) Entry {
	e := Entry{Dels: new(Set), Adds: new(Set)}
	for _, s := range []*Set{a.Dels, b.Dels} {
		if s != nil {
			e.Dels.Or(s)
		}
	}
	if a.Adds != nil {
		e.Adds.Or(a.Adds)
	}
	e.Adds.Apply(b)
	e.Dels.AndNot(e.Adds)
	return e
}

// First remembers the first holder of each quad while a log is resolved, layer
// after layer. Q is what tells quads apart, such as a triple of view ids.
type First[Q comparable] struct {
	holder map[Q]QuadID
}

// NewFirst returns an empty memory.
func NewFirst[Q comparable]() *First[Q] { return &First[Q]{holder: make(map[Q]QuadID)} }

// Hold returns the id of q, which lies at id in an adds layer: id itself, unless
// an earlier layer holds it. Layers must come in log order.
func (f *First[Q]) Hold(q Q, id QuadID) QuadID {
	if first, ok := f.holder[q]; ok {
		return first
	}
	f.holder[q] = id
	return id
}

// Find returns the id of q; ok is false if no layer so far holds it, so that a
// delete of it finds nothing.
func (f *First[Q]) Find(q Q) (id QuadID, ok bool) {
	id, ok = f.holder[q]
	return id, ok
}
