// Package made06 writes small files of generation 0x06 for tests, which no command writes. It
// shares nothing with the reader but the codec and the tiles of generation 0x05, so what the
// reader takes is what docs/format-06.md says. Release 0.5.0 of the program whose generation it is
// reads its files; go run ./internal/interop shows that.
package made06

import (
	"cmp"
	"encoding/binary"
	"slices"

	"github.com/rete-go/rete/internal/codec"
	"lukechampine.com/blake3"
)

// Quad is a quad of surfaces; the fourth is the graph, "" for the default graph.
type Quad [4]string

// Options are the choices of a file. The zero value makes one tile and one leaf of everything.
type Options struct {
	Three bool        // store three orders, not six
	Codec codec.Codec // of everything that is packed
	Rows  int         // of a tile at most; default: 4096
	Leaf  int         // entries of a leaf at most; default: 1024
	Runs  int         // of a dictionary chunk; default: 64
	Text  map[string][]string
	Card  string // JSON; "" for none
	Build string // JSON; "" for none
	// Summary is the sections of pyramid and classes; nil for none.
	Pyramid, Schema []byte
	// Mixed lays the tiles of one shared row after those of another, order by order.
	Mixed bool
}

// Kinds of section, and tags of directories.
const (
	kindSchema, kindDictLeaves, kindIndexLeaves, kindQuadLeaves, kindTextLeaves = 1, 2, 3, 4, 6
	kindDict, kindIndex, kindQuads, kindText, kindPyramid                       = 16, 17, 18, 20, 21
	tagDict, tagIndex, tagQuads, tagText                                        = 1, 2, 3, 5
)

const headerSize, footer, runLength = 128, "\x06\x00\x00\x00RETE", 16

// section is a section that is being written.
type section struct {
	kind  byte
	b     []byte
	most  int // the largest block, unpacked
	front bool
}

// file is a file that is being written.
type file struct {
	opt      Options
	sections []*section
	units    []byte
	terms    *terms
}

// File returns a file that holds the quads.
func File(quads []Quad, opt Options) []byte {
	opt.Rows, opt.Leaf, opt.Runs = cmp.Or(opt.Rows, 4096), cmp.Or(opt.Leaf, 1024), cmp.Or(opt.Runs, 64)
	slices.SortFunc(quads, func(a, b Quad) int { return slices.Compare(a[:], b[:]) })
	quads = slices.Compact(slices.Clone(quads))
	f := &file{opt: opt, terms: split(quads)}
	if len(opt.Schema) > 0 {
		s := f.section(kindSchema, true)
		s.b, s.most = f.pack(opt.Schema), len(opt.Schema)
	}
	f.dictionary()
	def, named := f.terms.rows(quads)
	f.index(def)
	graphs := f.quads(named)
	f.text()
	if len(opt.Pyramid) > 0 {
		f.section(kindPyramid, false).b = opt.Pyramid
	}
	return f.assemble(uint64(len(quads)), uint64(graphs))
}

// section returns the section of a kind, which is made when it is first asked for.
func (f *file) section(kind byte, front bool) *section {
	for _, s := range f.sections {
		if s.kind == kind {
			return s
		}
	}
	s := &section{kind: kind, front: front}
	f.sections = append(f.sections, s)
	return s
}

// unit adds the root of a directory.
func (f *file) unit(tag byte, b []byte) { f.units = str(append(f.units, tag), b) }

// pack packs a block.
func (f *file) pack(b []byte) []byte {
	return codec.Compress(f.opt.Codec, codec.LevelDefault, nil, b)
}

// block appends a packed block to a section and returns where it lies.
func (f *file) block(s *section, b []byte) (off, length uint64) {
	stored := f.pack(b)
	off = uint64(len(s.b))
	s.b, s.most = append(s.b, stored...), max(s.most, len(b))
	return off, uint64(len(stored))
}

// uv appends unsigned LEB128 varints.
func uv(b []byte, numbers ...uint64) []byte {
	for _, n := range numbers {
		b = binary.AppendUvarint(b, n)
	}
	return b
}

// str appends a length and bytes.
func str(b, s []byte) []byte { return append(uv(b, uint64(len(s))), s...) }

func digest(b []byte) []byte {
	sum := blake3.Sum256(b)
	return sum[:16]
}

// assemble lays everything out.
func (f *file) assemble(quads, graphs uint64) []byte {
	slices.SortFunc(f.sections, func(a, b *section) int { return int(a.kind) - int(b.kind) })
	le := binary.LittleEndian
	root := []byte{1, byte(len(f.sections))}
	var at [2]uint64
	var front, data []byte
	for _, s := range f.sections {
		side, to := 1, &data
		if s.front {
			side, to = 0, &front
		}
		root = append(root, s.kind, 0)
		root = le.AppendUint32(root, uint32(s.most))
		root = le.AppendUint64(root, at[side])
		root = le.AppendUint64(root, uint64(len(s.b)))
		root = append(root, digest(s.b)...)
		at[side] += uint64(len(s.b))
		*to = append(*to, s.b...)
	}
	units := f.pack(f.units)
	root = append(le.AppendUint32(root, uint32(len(units))), units...)
	card := []byte(nil)
	if f.opt.Card != "" {
		card = f.pack([]byte(f.opt.Card))
	}
	region := append(slices.Clone(card), f.opt.Build...)
	total := headerSize + len(root) + len(region) + len(front) + len(data) + len(footer)
	region = append(region, make([]byte, max(0, 1024-total))...)

	h := make([]byte, headerSize)
	copy(h, "RETE\x06")
	named, quoted := graphs > 0, f.terms.quoted
	h[5] = bit(named, 1) | bit(quoted, 2) | bit(named && f.opt.Mixed, 8)
	le.PutUint16(h[6:], headerSize)
	dataAt := headerSize + len(root) + len(region) + len(front)
	le.PutUint64(h[24:], uint64(dataAt+len(data)+len(footer)))
	le.PutUint32(h[32:], uint32(len(root)))
	le.PutUint32(h[36:], uint32(len(region)))
	le.PutUint64(h[40:], uint64(dataAt))
	le.PutUint64(h[48:], quads)
	le.PutUint64(h[56:], f.terms.count())
	le.PutUint64(h[64:], graphs)
	h[72] = 0x3f
	if f.opt.Three {
		h[72] = 0x07
	}
	h[73], h[74], h[75] = byte(f.opt.Codec), byte(f.opt.Codec), byte(f.opt.Codec)
	h[76] = byte(min(len(f.opt.Pyramid), 1))
	h[78] = bit(len(f.opt.Text) > 0, 1) | bit(len(f.opt.Schema) > 0, 8) | bit(len(f.opt.Pyramid) > 0, 16) | bit(named, 32)
	le.PutUint32(h[84:], uint32(len(card)))
	if len(card) > 0 {
		copy(h[88:], digest(card))
	}
	le.PutUint32(h[104:], uint32(len(card)))
	le.PutUint32(h[108:], uint32(len(f.opt.Build)))
	copy(h[112:], digest(root))
	Seal(h)
	return slices.Concat(h, root, region, front, data, []byte(footer))
}

// Seal writes the content hash into a header whose other fields are right.
func Seal(h []byte) {
	x := slices.Concat([]byte("rete/0x06"), h[4:8], h[48:80], h[84:88], h[88:104], h[32:36], h[112:128])
	copy(h[8:24], digest(x))
}

func bit(on bool, b byte) byte {
	if on {
		return b
	}
	return 0
}
