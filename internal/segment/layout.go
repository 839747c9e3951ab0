package segment

import "github.com/rete-go/rete/internal/segment/format"

type (
	// Header is the decoded form of the first 1,024 bytes of a file.
	Header = format.Header
	// SectionRange is one entry of the section directory of a header.
	SectionRange = format.SectionRange
	// Kind names a section of the file. Kinds from 0x5200 up are our own; other readers
	// skip them.
	Kind = format.Kind
	// UnsupportedError reports a file of a generation that this package does not read.
	UnsupportedError = format.UnsupportedError
	// Section is one of the four dictionary sections, in file order.
	Section = format.Section
	// Counts are the sizes of a segment; they turn ids of sections into nodes.
	Counts = format.Counts
	// Pin says what a segment must be. Manifests hold one for each segment.
	Pin = format.Pin
	// Built describes a file that was written.
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
