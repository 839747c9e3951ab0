package layers

// Counts are the sizes of a layer.
type Counts struct {
	Shared, Subjects, Objects, Predicates uint32 // terms of the four sections
	Graphs                                uint32 // named graphs
	// Quads is about how many quads the layer has. It decides which layer owns a
	// term and what is small, never an answer.
	Quads uint64
}

// Nodes returns how many nodes the layer has; node numbers are 1 to nodes.
func (c *Counts) Nodes() uint64 {
	return uint64(c.Shared) + uint64(c.Subjects) + uint64(c.Objects)
}

// Section returns the section and the section-local id of a node or
// predicate number; graph names have section [GraphSection].
func (c *Counts) Section(local uint64) (Section, uint32) {
	for sec, n := range [...]uint32{c.Shared, c.Subjects, c.Objects, c.Predicates, c.Graphs} {
		if local <= uint64(n) {
			return Section(sec), uint32(local)
		}
		local -= uint64(n)
	}
	return NoSection, 0
}

// SectionBase returns how many numbers of a layer lie before a section's.
func (c *Counts) SectionBase(sec Section) uint64 {
	var base uint64
	for s, n := range [...]uint32{c.Shared, c.Subjects, c.Objects, c.Predicates} {
		if Section(s) < sec {
			base += uint64(n)
		}
	}
	return base
}

// Size returns the number of terms of a section.
func (c *Counts) Size(sec Section) uint32 {
	return [...]uint32{c.Shared, c.Subjects, c.Objects, c.Predicates, c.Graphs}[sec]
}

const (
	GraphSection = Predicates + 1 // the graph names, after the predicates
	NoSection    = GraphSection + 1
)

// Subject returns the subject id of a node, false if it is none.
func (c *Counts) Subject(node uint64) (uint32, bool) {
	return uint32(node), node <= uint64(c.Shared)+uint64(c.Subjects)
}

// Object returns the object id of a node, false if it is none.
func (c *Counts) Object(node uint64) (uint32, bool) {
	switch {
	case node <= uint64(c.Shared):
		return uint32(node), true
	case node <= uint64(c.Shared)+uint64(c.Subjects), node > c.Nodes():
		return 0, false
	}
	return uint32(node - uint64(c.Subjects)), true
}

// ObjectNode returns the node of an object id.
func (c *Counts) ObjectNode(o uint32) uint64 {
	if o > c.Shared {
		return uint64(o) + uint64(c.Subjects)
	}
	return uint64(o)
}
