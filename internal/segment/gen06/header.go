// Package gen06 decodes generation 0x06 of the format, which other programs write: the header,
// the root block, the leaves of the directories and the tiles that graphs share. It reads no
// file: package read does. docs/format-06.md describes the bytes.
package gen06

import (
	"encoding/binary"
	"math"

	"github.com/rete-go/rete/internal/damage"
	"github.com/rete-go/rete/internal/segment/format"
	"lukechampine.com/blake3"
)

// HeaderSize is the length of the header, after which the root block begins.
const HeaderSize = 128

// Footer is the last eight bytes of a file.
const Footer = "\x06\x00\x00\x00RETE"

// Flag bits of the header.
const (
	flagNamed       = 1 << 0 // named graphs
	flagTripleTerms = 1 << 1
	flagTextNamed   = 1 << 2 // the text index covers named graphs too
)

// textPartial is the presence bit of a text index that leaves predicates out.
const textPartial = 1 << 1

// Header is the decoded form of the first 128 bytes.
type Header struct {
	Flags       uint8
	Hash        [16]byte // content hash
	Size        uint64   // of the file
	RootLength  uint64
	Front       uint64 // where the sections of the front begin
	Data        uint64 // where those of the data begin
	Quads       uint64
	Terms       uint64
	Graphs      uint64
	Mask        uint8 // stored orders; 0 means all six
	DictCodec   uint8
	BlockCodec  uint8
	Codec       uint8 // of the root, the leaves of directories, card and schema
	Levels      uint16
	Presence    uint16
	Card, Build format.SectionRange
	CardDigest  [16]byte
	RootDigest  [16]byte
}

// Is reports whether a file that begins with b is of this generation.
func Is(b []byte) bool {
	return len(b) > 4 && string(b[:4]) == format.Footer && b[4] == format.NewerByte
}

// ParseHeader reads the first 128 bytes of a file. The content hash, which covers the counts
// and the digests of card and root, is compared with them: what it covers is then what the pin
// of the file says. Errors match [damage.Err].
func ParseHeader(b []byte) (*Header, error) {
	if len(b) < HeaderSize || !Is(b) {
		return nil, format.HeaderErr(0, "no header of format byte 0x%02x", format.NewerByte)
	}
	le := binary.LittleEndian
	h := &Header{
		Flags: b[5], Hash: [16]byte(b[8:]), Size: le.Uint64(b[24:]),
		RootLength: uint64(le.Uint32(b[32:])), Data: le.Uint64(b[40:]),
		Quads: le.Uint64(b[48:]), Terms: le.Uint64(b[56:]), Graphs: le.Uint64(b[64:]),
		Mask: b[72], DictCodec: b[73], BlockCodec: b[74], Codec: b[75], Levels: uint16(b[76]),
		Presence:   le.Uint16(b[78:]),
		CardDigest: [16]byte(b[88:]), RootDigest: [16]byte(b[112:]),
	}
	if n := le.Uint16(b[6:]); n != HeaderSize {
		return nil, format.HeaderErr(6, "header length %d", n)
	}
	if got := contentHash(b); got != h.Hash {
		return nil, format.HeaderErr(8, "its fields have the hash %x, it says %x", got, h.Hash)
	}
	if h.DictCodec > 1 || h.BlockCodec > 1 || h.Codec > 1 {
		return nil, format.HeaderErr(73, "codecs %d, %d and %d, known are 0 and 1", h.DictCodec, h.BlockCodec, h.Codec)
	}
	if h.Mask&0xc0 != 0 || h.Mask != 0 && h.Mask&0x07 != 0x07 {
		return nil, format.HeaderErr(72, "order mask 0x%02x", h.Mask)
	}
	if b[77] != 0 {
		return nil, format.HeaderErr(77, "ids of more than 32 bits, 0x%02x, are not read", b[77])
	}
	cards := HeaderSize + h.RootLength
	region := uint64(le.Uint32(b[36:]))
	h.Front = cards + region
	if h.Front > h.Data || h.Data > h.Size || h.Size > math.MaxInt64 {
		return nil, format.HeaderErr(24, "a front of %d bytes and data from %d on in a file of %d", h.Front, h.Data, h.Size)
	}
	h.Card = format.SectionRange{Kind: format.KindMetadata, Offset: uint64(le.Uint32(b[80:])), Length: uint64(le.Uint32(b[84:]))}
	h.Build = format.SectionRange{Kind: format.KindBuildInfo, Offset: uint64(le.Uint32(b[104:])), Length: uint64(le.Uint32(b[108:]))}
	for _, r := range []*format.SectionRange{&h.Card, &h.Build} {
		if r.Offset+r.Length > region {
			return nil, format.HeaderErr(80, "%v of %d bytes at %d of the %d that there are for it", r.Kind, r.Length, r.Offset, region)
		}
		r.Offset += cards
	}
	return h, nil
}

// contentHash is the hash over the fields of a header that say what is in the file, by the
// digests of card and root.
func contentHash(b []byte) (sum [16]byte) {
	x := blake3.New(32, nil)
	x.Write([]byte("rete/0x06"))
	for _, part := range [][]byte{b[4:8], b[48:80], b[84:88], b[88:104], b[32:36], b[112:128]} {
		x.Write(part)
	}
	copy(sum[:], x.Sum(nil))
	return sum
}

// Logical returns the header as that of generation 0x05 would say it, and where the sections lie
// that both generations have.
func (h *Header) Logical(root *Root) *format.Header {
	out := &format.Header{
		Format: format.NewerByte, Size: h.Size, Flags: format.FlagSynopses, HeaderLength: HeaderSize, Hash: h.Hash,
		Quads: h.Quads, Terms: h.Terms, Levels: h.Levels,
		DictCodec: h.DictCodec, BlockCodec: h.BlockCodec, Mask: h.Mask,
	}
	if h.Flags&flagNamed != 0 {
		out.Flags |= format.FlagNamedGraphs
	}
	if h.Flags&flagTripleTerms != 0 {
		out.Flags |= format.FlagTripleTerms
	}
	for _, r := range []format.SectionRange{h.Card, h.Build} {
		if r.Length > 0 {
			out.Sections = append(out.Sections, r)
		}
	}
	for _, s := range []struct {
		from Kind
		to   format.Kind
	}{{Dictionary, format.KindDictionary}, {Index, format.KindIndex}, {Pyramid, format.KindPyramid},
		{Quads, format.KindNamedGraphs}, {Schema, format.KindSchema}} {
		if r := root.Section(s.from); r.Length > 0 {
			out.Sections = append(out.Sections, format.SectionRange{Kind: s.to, Offset: r.Offset, Length: r.Length})
		}
	}
	if r := root.Section(Text); r.Length > 0 && h.Presence&textPartial == 0 && h.Flags&flagTextNamed == 0 {
		out.Sections = append(out.Sections, format.SectionRange{Kind: format.KindTextIndex, Offset: r.Offset, Length: r.Length})
	}
	return out
}

// damaged is damage in a part of the root or of a directory.
func damaged(part, format string, args ...any) error { return damage.New(part, format, args...) }
