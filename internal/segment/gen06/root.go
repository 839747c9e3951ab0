package gen06

import (
	"encoding/binary"

	"github.com/rete-go/rete/internal/codec"
	"github.com/rete-go/rete/internal/segment/format"
)

// Kind names a section of the root's table.
type Kind uint8

// The kinds of section. Those below 16 are in the front, the others in the data.
const (
	Schema      Kind = 1
	DictLeaves  Kind = 2
	IndexLeaves Kind = 3
	QuadLeaves  Kind = 4
	LabelLeaves Kind = 5
	TextLeaves  Kind = 6
	Dictionary  Kind = 16
	Index       Kind = 17
	Quads       Kind = 18
	Labels      Kind = 19
	Text        Kind = 20
	Pyramid     Kind = 21
)

// InFront reports whether a section is in the front of the file.
func (k Kind) InFront() bool { return k < Dictionary }

// String returns the name of the kind as it stands in messages.
func (k Kind) String() string {
	switch k {
	case Schema:
		return "schema"
	case DictLeaves:
		return "dictionary leaves"
	case IndexLeaves:
		return "index leaves"
	case QuadLeaves:
		return "quad leaves"
	case LabelLeaves:
		return "label leaves"
	case TextLeaves:
		return "text leaves"
	case Dictionary:
		return "dictionary"
	case Index:
		return "index"
	case Quads:
		return "quad index"
	case Labels:
		return "label index"
	case Text:
		return "text index"
	case Pyramid:
		return "pyramid"
	}
	return "section"
}

// Section is one section of a file.
type Section struct {
	Kind     Kind
	MaxBlock uint32 // the largest of its blocks, unpacked; 0 if that is not said
	Offset   uint64 // absolute
	Length   uint64
	Digest   [16]byte // of its stored bytes
}

// Most returns how many bytes a block of a section of the front may unpack to.
func (s *Section) Most() int {
	if s.MaxBlock == 0 || s.MaxBlock > maxLeaf {
		return maxLeaf
	}
	return int(s.MaxBlock)
}

// Bounds of what the front unpacks to.
const (
	maxLeaf  = 64 << 20 // a leaf, or a block of the list of graphs
	maxUnits = 64 << 20 // the roots of the directories
)

// Root says where everything lies: the sections, and the roots of the directories.
type Root struct {
	Sections []Section
	Dict     [format.Sections]DictRoot
	Orders   [orders]TileRoot
	Quads    *QuadRoot // nil without named graphs
	Text     *TextRoot // nil without a text index
}

// orders is how many orders there are.
const orders = 6

// Section returns a section, one of length 0 if the file does not have it.
func (r *Root) Section(k Kind) Section {
	for _, s := range r.Sections {
		if s.Kind == k {
			return s
		}
	}
	return Section{Kind: k}
}

// entrySize is the length of an entry of the section table.
const entrySize = 38

// rootVersion is the first byte of the root.
const rootVersion = 1

// Tags of the directories in the root.
const (
	tagDict  = 1
	tagIndex = 2
	tagQuads = 3
	tagText  = 5
)

// ParseRoot reads the root block, whose digest has been compared. Errors match damage.Err.
func ParseRoot(h *Header, b []byte) (*Root, error) {
	if len(b) < 2 || b[0] != rootVersion {
		return nil, damaged("root", "it does not begin with version %d", rootVersion)
	}
	n := int(b[1])
	at := 2 + n*entrySize
	if len(b) < at+4 {
		return nil, damaged("root", "%d sections in %d bytes", n, len(b))
	}
	r := &Root{}
	for i := range n {
		s, err := h.section(b[2+i*entrySize:])
		if err != nil {
			return nil, err
		}
		if r.Section(s.Kind).Length > 0 {
			return nil, damaged("root", "the section %v is listed twice", s.Kind)
		}
		r.Sections = append(r.Sections, s)
	}
	stored := b[at+4:]
	if size := binary.LittleEndian.Uint32(b[at:]); uint64(size) != uint64(len(stored)) {
		return nil, damaged("root", "directories of %d bytes, %d are left", size, len(stored))
	}
	raw, err := codec.Decompress(codec.Codec(h.Codec), nil, stored, maxUnits)
	if err != nil {
		return nil, damaged("root", "%v", err)
	}
	return r, r.units(h, raw)
}

// section reads an entry of the section table.
func (h *Header) section(e []byte) (Section, error) {
	le := binary.LittleEndian
	s := Section{
		Kind: Kind(e[0]), MaxBlock: le.Uint32(e[2:]),
		Offset: le.Uint64(e[6:]), Length: le.Uint64(e[14:]), Digest: [16]byte(e[22:]),
	}
	from, to := h.Data, h.Size-min(h.Size, uint64(len(Footer)))
	if s.Kind.InFront() {
		from, to = h.Front, h.Data
	}
	if to < from || s.Offset > to-from || s.Length > to-from-s.Offset {
		return s, damaged("root", "%v of %d bytes at %d among the %d bytes for it", s.Kind, s.Length, s.Offset, to-min(to, from))
	}
	s.Offset += from
	return s, nil
}

// units reads the roots of the directories.
func (r *Root) units(h *Header, raw []byte) error {
	c := &format.Cursor{Part: "root", B: raw}
	seen := map[byte]bool{}
	for c.Err == nil && c.P < len(raw) {
		tag := c.U8()
		u := &format.Cursor{Part: "root", B: c.Str()}
		if c.Err != nil || seen[tag] {
			c.Fail("the directory %d is there twice", tag)
			return c.Err
		}
		seen[tag] = true
		switch tag {
		case tagDict:
			r.dict(u)
		case tagIndex:
			r.index(u)
		case tagQuads:
			r.Quads = parseQuads(u)
		case tagText:
			r.Text = parseText(u)
		default:
			continue // an index of labels, or what later writers add
		}
		if err := u.End(); err != nil {
			return err
		}
	}
	if c.Err != nil {
		return c.Err
	}
	if !seen[tagDict] || !seen[tagIndex] {
		return damaged("root", "no dictionary or no index")
	}
	return r.agrees(h)
}

// agrees compares the directories with the header.
func (r *Root) agrees(h *Header) error {
	mask := h.Mask
	if mask == 0 {
		mask = 0x3f
	}
	for o := range r.Orders {
		has := mask&(1<<o) != 0
		if r.Orders[o].there != has || r.Quads != nil && r.Quads.Orders[o].there != has {
			return damaged("root", "order %d is not stored as the header's mask 0x%02x says", o, h.Mask)
		}
	}
	graphs := uint64(0)
	if r.Quads != nil {
		graphs = r.Quads.Graphs
	}
	if graphs != h.Graphs || graphs > format.MaxGraphs || (graphs > 0) != (h.Flags&flagNamed != 0) {
		return damaged("root", "%d named graphs, the header says %d with flags 0x%02x", graphs, h.Graphs, h.Flags)
	}
	return nil
}
