package segment

import "github.com/rete-go/rete/segment/internal/format"

type (
	// Header is the decoded form of the first 1,024 bytes of a file.
	//
	// As it is declared:
	//
	//	type Header struct {
	//	    Format       uint8  // the format byte that was found
	//	    Size         uint64 // of the file; 0 where the sections imply it
	//	    Flags        uint8
	//	    HeaderLength uint16
	//	    Hash         [16]byte // content hash
	//	    Quads        uint64   // as claimed; an answer only under a pin of the whole header
	//	    Terms        uint64   // as claimed, sum of the four dictionary sections
	//	    Levels       uint16   // rounds of clustering
	//	    DictCodec    uint8
	//	    BlockCodec   uint8
	//	    SchemaLength uint32
	//	    Mask         uint8 // stored orders; 0 means all six
	//	    Sections     []SectionRange
	//	}
	//
	//	// Append appends the 1,024 header bytes to dst.
	//	func (h *Header) Append(dst []byte) []byte
	//
	//	// FileSize returns the length of the file that the directory implies, the end of the last section and the footer, or that the header states.
	//	func (h *Header) FileSize() uint64
	//
	//	// Has reports whether the slot of an order is stored.
	//	func (h *Header) Has(slot int) bool
	//
	//	// Section returns the range of a kind: of repeated entries the last, of a missing one a range of length 0.
	//	func (h *Header) Section(k Kind) SectionRange
	Header = format.Header
	// SectionRange is one entry of the section directory of a header.
	//
	// As it is declared:
	//
	//	type SectionRange struct {
	//	    Kind   Kind
	//	    Flags  uint16
	//	    Offset uint64 // absolute; without meaning where Length is 0
	//	    Length uint64
	//	}
	SectionRange = format.SectionRange
	// Kind names a section of the file. Kinds from 0x5200 up are our own; other readers
	// skip them.
	//
	// As it is declared:
	//
	//	type Kind uint16
	//
	//	// String returns the name of the kind as it stands in messages.
	//	func (k Kind) String() string
	Kind = format.Kind
	// UnsupportedError reports a file of a generation that this package does not read.
	//
	// As it is declared:
	//
	//	type UnsupportedError struct {
	//	    Object     string // file name or URL
	//	    Generation uint8  // the format byte that was found
	//	}
	//
	//	// Error names the generation that was found and the one that is read.
	//	func (e *UnsupportedError) Error() string
	UnsupportedError = format.UnsupportedError
	// Section is one of the four dictionary sections, in file order.
	//
	// As it is declared:
	//
	//	type Section uint8
	//
	//	// String returns the name of the section as it stands in messages.
	//	func (s Section) String() string
	Section = format.Section
	// Counts are the sizes of a segment; they turn ids of sections into nodes.
	//
	// As it is declared:
	//
	//	type Counts struct {
	//	    Shared, Subjects, Objects, Predicates uint32 // sizes of the four sections: S, U, O, P
	//	    Graphs                                int    // named graphs
	//	    Quads                                 uint64 // distinct quads; 0 if not known without reading all (Quads of a segment is exact)
	//	    QuadsKnown                            bool   // whether Quads is pinned
	//	}
	//
	//	// First returns the number in node space that stands before the first term of the section: local id + First = place in node space.
	//	func (c Counts) First(s Section) uint64
	//
	//	// Nodes returns the size of the node space.
	//	func (c Counts) Nodes() uint64
	//
	//	// ObjectNode returns the node of an object id.
	//	func (c Counts) ObjectNode(o uint32) uint64
	//
	//	// Size returns the number of terms of a section.
	//	func (c Counts) Size(s Section) uint32
	//
	//	// Split returns the section and the section-local id of a place in the node space, predicates included.
	//	func (c Counts) Split(local uint64) (sec Section, id uint32, ok bool)
	//
	//	// SubjectNode returns the node of a subject id: they are the same number.
	//	func (c Counts) SubjectNode(s uint32) uint64
	Counts = format.Counts
	// Pin says what a segment must be. Manifests hold one for each segment.
	//
	// As it is declared:
	//
	//	type Pin struct {
	//	    Size  int64
	//	    Hash  [16]byte  // content hash
	//	    Extra *[16]byte // header and the sections outside the content hash; nil if not recorded
	//	}
	Pin = format.Pin
	// Built describes a file that was written.
	//
	// As it is declared:
	//
	//	type Built struct {
	//	    Size      int64
	//	    Hash      [16]byte // content hash
	//	    Extra     [16]byte // extra_blake3_16 of a manifest; zero for a plain file
	//	    Quads     uint64
	//	    Terms     uint64
	//	    Graphs    int
	//	    Canonical bool // every term is spelled canonically
	//	}
	//
	//	// Pin returns the pin of the file.
	//	func (b *Built) Pin() *Pin
	Built = format.Built
)

// ParseHeader reads the first 1,024 bytes of a file. Another generation is an
// [*UnsupportedError]; all else that readers reject is a damage error.
func ParseHeader(b []byte) (*Header, error) { return format.ParseHeader(b) }

const (
	HeaderSize = format.HeaderSize // bytes of the header
	Generation = format.Generation // the one generation of the format that this package reads and writes
	FormatByte = format.FormatByte // the byte by which a file shows it
)

// The kinds of section.
const (
	KindDictionary  = format.KindDictionary
	KindIndex       = format.KindIndex
	KindPyramid     = format.KindPyramid
	KindNamedGraphs = format.KindNamedGraphs
	KindTextIndex   = format.KindTextIndex
	KindDigests     = format.KindDigests    // digests of the sections outside the content hash
	KindValues      = format.KindValues     // root of the value index
	KindValuePages  = format.KindValuePages // its pages
	KindPrefixes    = format.KindPrefixes   // prefixes of namespaces
)

// The dictionary sections.
const (
	Shared      = format.Shared      // subject somewhere and object somewhere
	SubjectOnly = format.SubjectOnly // subject, never object
	ObjectOnly  = format.ObjectOnly  // object, never subject
	Predicates  = format.Predicates  // predicate; may also be in one of the others
	Sections    = format.Sections
)
