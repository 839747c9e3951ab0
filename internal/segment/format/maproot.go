package format

import (
	"encoding/binary"

	"github.com/rete-go/rete/tile"
)

// mapVersion is the first byte of the map's root page.
const mapVersion = 1

// PageTarget is the size at which a page of the map is closed.
const PageTarget = 64 << 10

// InlineLimit is the size of a named graph's container up to which the map
// treats it as one unit, with one pair of checksums, instead of listing its
// tiles: a reader fetches it whole.
const InlineLimit = 32 << 10

// MaxPageKeys bounds the keys of a page of chunks, spelled out: a page is closed
// by the entry that reaches it.
const MaxPageKeys = 256 << 10

// InlinePredicates bounds the copy of the predicate section in the root page.
const InlinePredicates = 16 << 10

// tableKind says what the entries of a page are.
type tableKind uint8

const (
	ChunkTable tableKind = iota // arg: dictionary section
	TileTable                   // arg: 6·graph + order, graph 0 is the default graph
	GraphTable                  // arg: 0; named graphs in file order
	NodeTable                   // arg: 0; the node of each predicate
)

// Sums are the two checksums of stored bytes: the quick one for local bytes,
// the strong one for bytes that came from elsewhere.
type Sums struct {
	Xx uint64   // xxhash64
	B3 [16]byte // first half of BLAKE3
}

func (s Sums) append(dst []byte) []byte {
	dst = binary.LittleEndian.AppendUint64(dst, s.Xx)
	return append(dst, s.B3[:]...)
}

func (c *Cursor) sums() Sums { return Sums{Xx: c.U64(), B3: c.digest()} }

// MapPage is what the root page says of another page.
type MapPage struct {
	Kind    tableKind
	Arg     uint64 // see tableKind
	First   uint64 // number of its first entry in the table, from 0
	Entries uint64
	Off     uint64 // in the section of pages
	Length  uint32
	Digest  [16]byte // BLAKE3 of the page

	Key        []byte // of the first chunk, or the beginning of the first graph name
	MinA, MaxA uint32 // tileTable: bounds of the leading column
	Start      uint64 // what rows counts, in the pages of the table before this one
	Rows       uint64 // chunkTable: terms; tileTable: rows; graphTable: SPO tiles of its entries
}

// MapRoot is the decoded root page.
type MapRoot struct {
	Terms     [Sections]uint32
	Runs      [Sections]uint32 // R
	Graphs    uint64           // named graphs
	Quads     uint64
	Metadata  [16]byte // BLAKE3 of the metadata section, zero if it is empty
	Pages     []MapPage
	PredChunk []byte // stored bytes of the one predicate chunk, nil if not copied
}

// Append encodes the root page (docs/format-map.md).
func (m *MapRoot) Append(dst []byte) []byte {
	uv := binary.AppendUvarint
	dst = append(dst, mapVersion)
	for i := range m.Terms {
		dst = uv(dst, uint64(m.Terms[i]))
		dst = uv(dst, uint64(m.Runs[i]))
	}
	dst = uv(dst, m.Graphs)
	dst = uv(dst, m.Quads)
	dst = append(dst, m.Metadata[:]...)
	dst = uv(dst, uint64(len(m.Pages)))
	for i := range m.Pages {
		p := &m.Pages[i]
		dst = append(dst, byte(p.Kind))
		dst = uv(dst, p.Arg)
		dst = uv(dst, p.Entries)
		dst = uv(dst, uint64(p.Length))
		dst = append(dst, p.Digest[:]...)
		switch p.Kind {
		case ChunkTable:
			dst = AppendStr(dst, p.Key)
			dst = uv(dst, p.Rows)
		case TileTable:
			dst = uv(dst, uint64(p.MinA))
			dst = uv(dst, uint64(p.MaxA-p.MinA))
			dst = uv(dst, p.Rows)
		case GraphTable:
			dst = AppendStr(dst, p.Key)
			dst = uv(dst, p.Rows)
		}
	}
	return AppendStr(dst, m.PredChunk)
}

// ParseRoot decodes the root page of a map whose other pages take size bytes. It
// returns nil for a version that it does not know.
func ParseRoot(b []byte, size uint64) (*MapRoot, error) {
	c := &Cursor{Part: "map root", B: b}
	m := new(MapRoot)
	if v := c.U8(); c.Err == nil && v != mapVersion {
		return nil, nil
	}
	for i := range m.Terms {
		m.Terms[i], m.Runs[i] = c.U32(), c.U32()
	}
	m.Graphs = c.Uv()
	m.Quads = c.Uv()
	m.Metadata = c.digest()
	n := c.Count(20)
	m.Pages = make([]MapPage, 0, n)
	off := uint64(0)
	for range n {
		p := m.nextPage(c)
		if c.Err != nil {
			return nil, c.Err
		}
		p.Off = off
		off += uint64(p.Length)
		m.Pages = append(m.Pages, p)
	}
	if b := c.Str(); len(b) > 0 {
		m.PredChunk = b
	}
	m.checkTerms(c)
	if c.Err == nil && off != size {
		c.Fail("pages of %d bytes in a section of %d", off, size)
	}
	return m, c.End()
}

// nextPage reads the entry of the page after those of m.
func (m *MapRoot) nextPage(c *Cursor) MapPage {
	p := MapPage{Kind: tableKind(c.U8()), Arg: c.Uv(), Entries: c.Uv(), Length: c.U32(), Digest: c.digest()}
	switch p.Kind {
	case ChunkTable:
		p.Key = c.Str()
		p.Rows = c.Uv()
	case TileTable:
		p.MinA = c.U32()
		span := c.U32()
		p.MaxA = p.MinA + span
		if p.MaxA < p.MinA {
			c.Fail("tile page %d: ids overflow 32 bits", len(m.Pages))
		}
		p.Rows = c.Uv()
	case GraphTable:
		p.Key = c.Str()
		p.Rows = c.Uv()
	case NodeTable:
	default:
		c.Fail("page %d: unknown table %d", len(m.Pages), p.Kind)
	}
	if c.Err != nil {
		return p
	}
	if p.Entries == 0 || p.Entries > uint64(p.Length) {
		c.Fail("page %d: %d entries in %d bytes", len(m.Pages), p.Entries, p.Length)
	}
	if k := len(m.Pages); k > 0 {
		prev := &m.Pages[k-1]
		switch {
		case prev.Kind == p.Kind && prev.Arg == p.Arg:
			p.First = prev.First + prev.Entries
			p.Start = prev.Start + prev.Rows
		case prev.Kind > p.Kind || prev.Kind == p.Kind && prev.Arg > p.Arg:
			c.Fail("page %d: tables out of order", k)
		}
	}
	return p
}

// checkTerms compares the numbers of terms with those of the pages.
func (m *MapRoot) checkTerms(c *Cursor) {
	for sec := range m.Terms {
		n := uint64(0)
		for _, p := range m.Table(ChunkTable, uint64(sec)) {
			n += p.Rows
		}
		if c.Err == nil && (n != uint64(m.Terms[sec]) || n > 0 && m.Runs[sec] == 0) {
			c.Fail("%d terms in the pages of the %v section, it has %d in runs of %d", n, Section(sec), m.Terms[sec], m.Runs[sec])
		}
	}
}

// Table returns the pages of one table.
func (m *MapRoot) Table(kind tableKind, arg uint64) []MapPage {
	lo, hi := 0, len(m.Pages)
	for lo < hi {
		mid := (lo + hi) / 2
		p := &m.Pages[mid]
		if p.Kind < kind || p.Kind == kind && p.Arg < arg {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	end := lo
	for end < len(m.Pages) && m.Pages[end].Kind == kind && m.Pages[end].Arg == arg {
		end++
	}
	return m.Pages[lo:end]
}

// tileTable is the table of an order of a graph: kind and argument.
func TileArg(graph int, o tile.Order) uint64 { return uint64(graph)*tile.NumOrders + uint64(o) }
