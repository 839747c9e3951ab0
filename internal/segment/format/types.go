package format

import "fmt"

// Section is one of the four dictionary sections, in file order (docs/file-format.md, "Dictionary").
type Section uint8

// The dictionary sections.
const (
	Shared      Section = iota // subject somewhere and object somewhere
	SubjectOnly                // subject, never object
	ObjectOnly                 // object, never subject
	Predicates                 // predicate; may also be in one of the others
	Sections    = 4
)

// String returns the name of the section as it stands in messages.
func (s Section) String() string {
	switch s {
	case Shared:
		return "shared"
	case SubjectOnly:
		return "subject-only"
	case ObjectOnly:
		return "object-only"
	case Predicates:
		return "predicate"
	}
	return fmt.Sprintf("section %d", uint8(s))
}

// Counts are the sizes of a segment.
//
// The node space follows from them: shared terms are nodes 1..Shared, terms used
// only as subject follow, then terms used only as object. After the nodes come
// the predicates and after them the graph names; a predicate or graph name that
// is also a node is numbered there, but goes by its node (PredicateNodes of a segment).
type Counts struct {
	Shared, Subjects, Objects, Predicates uint32 // sizes of the four sections: S, U, O, P
	Graphs                                int    // named graphs
	Quads                                 uint64 // distinct quads; 0 if not known without reading all (Quads of a segment is exact)
	QuadsKnown                            bool   // whether Quads is pinned
}

// Nodes returns the size of the node space.
func (c Counts) Nodes() uint64 {
	return uint64(c.Shared) + uint64(c.Subjects) + uint64(c.Objects)
}

// Size returns the number of terms of a section.
func (c Counts) Size(s Section) uint32 {
	switch s {
	case Shared:
		return c.Shared
	case SubjectOnly:
		return c.Subjects
	case ObjectOnly:
		return c.Objects
	case Predicates:
		return c.Predicates
	}
	return 0
}

// First returns the number in node space that stands before the first term of
// the section: local id + First = place in node space.
func (c Counts) First(s Section) uint64 {
	switch s {
	case SubjectOnly:
		return uint64(c.Shared)
	case ObjectOnly:
		return uint64(c.Shared) + uint64(c.Subjects)
	case Predicates:
		return c.Nodes()
	}
	return 0
}

// SubjectNode returns the node of a subject id: they are the same number.
func (c Counts) SubjectNode(s uint32) uint64 { return uint64(s) }

// ObjectNode returns the node of an object id. It is monotone.
func (c Counts) ObjectNode(o uint32) uint64 {
	if o <= c.Shared {
		return uint64(o)
	}
	return uint64(o) + uint64(c.Subjects)
}

// Split returns the section and the section-local id of a place in the node
// space, predicates included. ok is false after the predicates and for 0.
func (c Counts) Split(local uint64) (sec Section, id uint32, ok bool) {
	if local == 0 {
		return 0, 0, false
	}
	for sec = Shared; sec < Sections; sec++ {
		n := uint64(c.Size(sec))
		if local <= n {
			return sec, uint32(local), true
		}
		local -= n
	}
	return 0, 0, false
}

// Pin says what a segment must be (docs/manifest.md, "Fields").
type Pin struct {
	Size  int64
	Hash  [16]byte  // content hash
	Extra *[16]byte // header and the sections outside the content hash; nil if not recorded
}

// Built describes a file that was written.
type Built struct {
	Size      int64
	Hash      [16]byte // content hash
	Extra     [16]byte // extra_blake3_16 of a manifest; zero for a plain file
	Quads     uint64
	Terms     uint64
	Graphs    int
	Canonical bool // every term is spelled canonically
}

// Pin returns the pin of the file.
func (b *Built) Pin() *Pin {
	p := &Pin{Size: b.Size, Hash: b.Hash}
	if b.Extra != ([16]byte{}) {
		extra := b.Extra
		p.Extra = &extra
	}
	return p
}
