// Package format is the fixed layout of a .rete file: header, counts and pins, the digest
// list, and the root page and the pages of the map, each with its writer next to its reader.
// docs/file-format.md and docs/format-map.md describe them.
package format

import (
	"encoding/binary"
	"fmt"

	"github.com/rete-go/rete/internal/damage"
)

// HeaderSize is the length of the header in bytes.
const HeaderSize = 1024

// Footer is the last four bytes of every file.
const Footer = "RETE"

// Generation is the generation of the format that this package reads and writes, FormatByte the
// byte by which a file shows it. NewerByte is that of the other one that is read, by package gen06.
const (
	Generation = 1
	FormatByte = 0x05
	NewerByte  = 0x06
)

// Flag bits of [Header.Flags].
const (
	FlagNamedGraphs = 1 << 0 // at least one named graph
	FlagSynopses    = 1 << 1 // permutation payloads end with a synopsis trailer
	FlagTripleTerms = 1 << 2 // a subject or object is a triple term
)

// Kind names a section of the file. Kinds from 0x5200 up are
// our own; other readers skip them.
type Kind uint16

// The kinds of section.
const (
	KindMetadata    Kind = 1
	KindDictionary  Kind = 2
	KindIndex       Kind = 3
	KindPyramid     Kind = 4
	KindNamedGraphs Kind = 5
	KindTextIndex   Kind = 6
	KindBuildInfo   Kind = 7
	KindSchema      Kind = 9      // of other programs: classes, levels and statistics
	KindDigests     Kind = 0x5200 // digests of the sections outside the content hash
	KindMap         Kind = 0x5201 // root page of the map
	KindCanonical   Kind = 0x5202 // the canonical mark
	KindMapPages    Kind = 0x5203 // the other pages of the map
	KindValues      Kind = 0x5204 // root of the value index
	KindValuePages  Kind = 0x5205 // its pages
	KindPrefixes    Kind = 0x5206 // prefixes of namespaces
	KindPartDigests Kind = 0x5207 // digests of the pages of pyramid and text index
)

// String returns the name of the kind as it stands in messages.
func (k Kind) String() string {
	switch k {
	case KindMetadata:
		return "metadata"
	case KindDictionary:
		return "dictionary"
	case KindIndex:
		return "index"
	case KindPyramid:
		return "pyramid"
	case KindNamedGraphs:
		return "named graphs"
	case KindTextIndex:
		return "text index"
	case KindBuildInfo:
		return "build-info"
	case KindSchema:
		return "schema"
	case KindDigests:
		return "digest list"
	case KindMap:
		return "map root"
	case KindCanonical:
		return "canonical mark"
	case KindMapPages:
		return "map pages"
	case KindValues:
		return "value index root"
	case KindValuePages:
		return "value index pages"
	case KindPrefixes:
		return "prefixes"
	case KindPartDigests:
		return "part digests"
	}
	return fmt.Sprintf("section kind 0x%04x", uint16(k))
}

// Hashed lists the kinds that the content hash covers, in its order.
var Hashed = [...]Kind{KindMetadata, KindDictionary, KindIndex, KindPyramid, KindTextIndex, KindNamedGraphs}

// IsHashed reports whether the content hash covers a kind.
func IsHashed(k Kind) bool {
	return k >= KindMetadata && k <= KindTextIndex
}

// SectionRange is one entry of the section directory.
type SectionRange struct {
	Kind   Kind
	Flags  uint16
	Offset uint64 // absolute; without meaning where Length is 0
	Length uint64
}

// MaxSections is the number of directory entries that fit the header.
const MaxSections = (HeaderSize - 64) / 24

// Header is the decoded form of the first 1,024 bytes, or what those of another generation say.
type Header struct {
	Format       uint8  // the format byte that was found
	Size         uint64 // of the file; 0 where the sections imply it
	Flags        uint8
	HeaderLength uint16
	Hash         [16]byte // content hash
	Quads        uint64   // as claimed; an answer only under a pin of the whole header
	Terms        uint64   // as claimed, sum of the four dictionary sections
	Levels       uint16   // rounds of clustering
	DictCodec    uint8
	BlockCodec   uint8
	SchemaLength uint32
	Mask         uint8 // stored orders; 0 means all six
	Sections     []SectionRange
}

// Section returns the range of a kind: of repeated entries the last, of a
// missing one a range of length 0.
func (h *Header) Section(k Kind) SectionRange {
	for i := len(h.Sections) - 1; i >= 0; i-- {
		if h.Sections[i].Kind == k {
			return h.Sections[i]
		}
	}
	return SectionRange{Kind: k}
}

// Has reports whether the slot of an order is stored. Slots are the values of
// tile.Order.
func (h *Header) Has(slot int) bool {
	return slot >= 0 && slot < 6 && h.orders()&(1<<slot) != 0
}

// orders returns the mask with all six bits spelled out.
func (h *Header) orders() uint8 {
	if h.Mask == 0 {
		return 0x3f
	}
	return h.Mask
}

// FileSize returns the length of the file that the directory implies, the end
// of the last section and the footer, or that the header states.
func (h *Header) FileSize() uint64 {
	if h.Size > 0 {
		return h.Size
	}
	end := uint64(HeaderSize)
	for _, s := range h.Sections {
		if s.Length > 0 {
			end = max(end, s.Offset+s.Length)
		}
	}
	return end + uint64(len(Footer))
}

// Append appends the 1,024 header bytes to dst. It panics if there are more
// than 40 sections: their number is the program's, never the input's.
func (h *Header) Append(dst []byte) []byte {
	if len(h.Sections) > MaxSections {
		panic("segment: too many sections for one header")
	}
	start := len(dst)
	dst = append(dst, make([]byte, HeaderSize)...)
	b := dst[start:]
	copy(b, Footer)
	b[4] = FormatByte
	b[5] = h.Flags
	le := binary.LittleEndian
	le.PutUint16(b[6:], HeaderSize)
	copy(b[8:], h.Hash[:])
	le.PutUint64(b[24:], h.Quads)
	le.PutUint64(b[32:], h.Terms)
	le.PutUint16(b[40:], h.Levels)
	b[42], b[43] = h.DictCodec, h.BlockCodec
	le.PutUint16(b[44:], uint16(len(h.Sections)))
	le.PutUint32(b[46:], h.SchemaLength)
	b[50] = h.Mask
	for i, s := range h.Sections {
		e := b[64+24*i:]
		le.PutUint16(e, uint16(s.Kind))
		le.PutUint16(e[2:], s.Flags)
		le.PutUint64(e[8:], s.Offset)
		le.PutUint64(e[16:], s.Length)
	}
	return dst
}

// ParseHeader reads the first 1,024 bytes of a file of this generation. Another one is an
// [*UnsupportedError]; everything else that other readers reject is
// a damage error.
func ParseHeader(b []byte) (*Header, error) {
	if len(b) < HeaderSize {
		return nil, HeaderErr(int64(len(b)), "%d bytes, a header has %d", len(b), HeaderSize)
	}
	if string(b[:4]) != Footer {
		return nil, HeaderErr(0, "starts with % x, not with the magic bytes of a .rete file", b[:4])
	}
	if b[4] != FormatByte {
		return nil, &UnsupportedError{Generation: b[4]}
	}
	le := binary.LittleEndian
	h := &Header{
		Format:       FormatByte,
		Flags:        b[5],
		HeaderLength: le.Uint16(b[6:]),
		Quads:        le.Uint64(b[24:]),
		Terms:        le.Uint64(b[32:]),
		Levels:       le.Uint16(b[40:]),
		DictCodec:    b[42],
		BlockCodec:   b[43],
		SchemaLength: le.Uint32(b[46:]),
		Mask:         b[50],
	}
	copy(h.Hash[:], b[8:])
	if h.DictCodec > 1 || h.BlockCodec > 1 {
		return nil, HeaderErr(42, "codecs %d and %d, known are 0 and 1", h.DictCodec, h.BlockCodec)
	}
	if h.Mask != 0 && (h.Mask&0xc0 != 0 || h.Mask&0x07 != 0x07) {
		return nil, HeaderErr(50, "order mask 0x%02x", h.Mask)
	}
	n := int(le.Uint16(b[44:]))
	if n > MaxSections {
		return nil, HeaderErr(44, "%d directory entries, at most %d fit", n, MaxSections)
	}
	h.Sections = make([]SectionRange, n)
	for i := range h.Sections {
		e := b[64+24*i:]
		s := SectionRange{
			Kind:   Kind(le.Uint16(e)),
			Flags:  le.Uint16(e[2:]),
			Offset: le.Uint64(e[8:]),
			Length: le.Uint64(e[16:]),
		}
		if s.Length > 0 && (s.Offset < HeaderSize || s.Offset > 1<<62 || s.Length > 1<<62) {
			return nil, HeaderErr(int64(64+24*i), "%v at %d with %d bytes", s.Kind, s.Offset, s.Length)
		}
		h.Sections[i] = s
	}
	return h, nil
}

func HeaderErr(offset int64, format string, args ...any) error {
	e := damage.New("header", format, args...)
	e.Offset = offset
	return e
}

// UnsupportedError reports a file of a generation that this package does not
// read.
type UnsupportedError struct {
	Object     string // file name or URL
	Generation uint8  // the format byte that was found
}

// Error names the generation that was found and the one that is read.
func (e *UnsupportedError) Error() string {
	name := e.Object
	if name == "" {
		name = "segment"
	}
	what := "an unknown generation"
	switch {
	case e.Generation < FormatByte:
		what = "an older, unreleased generation"
	case e.Generation == NewerByte:
		what = "the generation that other programs write"
	case e.Generation <= 0x08:
		what = "a newer generation"
	}
	return fmt.Sprintf("%s: format byte 0x%02x is %s of the .rete format; only 0x%02x and 0x%02x are read: rebuild the file from its source",
		name, e.Generation, what, FormatByte, NewerByte)
}
