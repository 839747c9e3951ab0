package segment

import "encoding/binary"

// mapVersion is the first byte of the map's root page.
const mapVersion = 1

// pageTarget is the size at which a page of the map is closed.
const pageTarget = 64 << 10

// inlineLimit is the size of a named graph's container up to which the map
// treats it as one unit, with one pair of checksums, instead of listing its
// tiles: a reader fetches it whole.
const inlineLimit = 32 << 10

// maxPageKeys bounds the keys of a page of chunks, spelled out: a page is closed
// by the entry that reaches it.
const maxPageKeys = 256 << 10

// inlinePredicates bounds the copy of the predicate section in the root page.
const inlinePredicates = 16 << 10

// tableKind says what the entries of a page are.
type tableKind uint8

const (
	chunkTable tableKind = iota // arg: dictionary section
	tileTable                   // arg: 6·graph + order, graph 0 is the default graph
	graphTable                  // arg: 0; named graphs in file order
	nodeTable                   // arg: 0; the node of each predicate
)

// sums are the two checksums of stored bytes: the quick one for local bytes,
// the strong one for bytes that came from elsewhere.
type sums struct {
	xx uint64   // xxhash64
	b3 [16]byte // first half of BLAKE3
}

func (s sums) append(dst []byte) []byte {
	dst = binary.LittleEndian.AppendUint64(dst, s.xx)
	return append(dst, s.b3[:]...)
}

func (c *cursor) sums() sums { return sums{xx: c.u64(), b3: c.digest()} }

// mapPage is what the root page says of another page.
type mapPage struct {
	kind    tableKind
	arg     uint64 // see tableKind
	first   uint64 // number of its first entry in the table, from 0
	entries uint64
	off     uint64 // in the section of pages
	length  uint32
	digest  [16]byte // BLAKE3 of the page

	key        []byte // of the first chunk, or the beginning of the first graph name
	minA, maxA uint32 // tileTable: bounds of the leading column
	start      uint64 // what rows counts, in the pages of the table before this one
	rows       uint64 // chunkTable: terms; tileTable: rows; graphTable: SPO tiles of its entries
}

// mapRoot is the decoded root page.
type mapRoot struct {
	terms     [Sections]uint32
	runs      [Sections]uint32 // R
	graphs    uint64           // named graphs
	quads     uint64
	metadata  [16]byte // BLAKE3 of the metadata section, zero if it is empty
	pages     []mapPage
	predChunk []byte // stored bytes of the one predicate chunk, nil if not copied
}

// append encodes the root page (docs/format-map.md).
func (m *mapRoot) append(dst []byte) []byte {
	uv := binary.AppendUvarint
	dst = append(dst, mapVersion)
	for i := range m.terms {
		dst = uv(dst, uint64(m.terms[i]))
		dst = uv(dst, uint64(m.runs[i]))
	}
	dst = uv(dst, m.graphs)
	dst = uv(dst, m.quads)
	dst = append(dst, m.metadata[:]...)
	dst = uv(dst, uint64(len(m.pages)))
	for i := range m.pages {
		p := &m.pages[i]
		dst = append(dst, byte(p.kind))
		dst = uv(dst, p.arg)
		dst = uv(dst, p.entries)
		dst = uv(dst, uint64(p.length))
		dst = append(dst, p.digest[:]...)
		switch p.kind {
		case chunkTable:
			dst = appendStr(dst, p.key)
			dst = uv(dst, p.rows)
		case tileTable:
			dst = uv(dst, uint64(p.minA))
			dst = uv(dst, uint64(p.maxA-p.minA))
			dst = uv(dst, p.rows)
		case graphTable:
			dst = appendStr(dst, p.key)
			dst = uv(dst, p.rows)
		}
	}
	return appendStr(dst, m.predChunk)
}

// parseRoot decodes the root page of a map whose other pages take size bytes. It
// returns nil for a version that it does not know.
func parseRoot(b []byte, size uint64) (*mapRoot, error) {
	c := &cursor{part: "map root", b: b}
	m := new(mapRoot)
	if v := c.u8(); c.err == nil && v != mapVersion {
		return nil, nil
	}
	for i := range m.terms {
		m.terms[i], m.runs[i] = c.u32(), c.u32()
	}
	m.graphs = c.uv()
	m.quads = c.uv()
	m.metadata = c.digest()
	n := c.count(20)
	m.pages = make([]mapPage, 0, n)
	off := uint64(0)
	for range n {
		p := mapPage{kind: tableKind(c.u8()), arg: c.uv(), entries: c.uv(), length: c.u32(), digest: c.digest()}
		p.off = off
		off += uint64(p.length)
		switch p.kind {
		case chunkTable:
			p.key = c.str()
			p.rows = c.uv()
		case tileTable:
			p.minA = c.u32()
			span := c.u32()
			p.maxA = p.minA + span
			if p.maxA < p.minA {
				c.fail("tile page %d: ids overflow 32 bits", len(m.pages))
			}
			p.rows = c.uv()
		case graphTable:
			p.key = c.str()
			p.rows = c.uv()
		case nodeTable:
		default:
			c.fail("page %d: unknown table %d", len(m.pages), p.kind)
		}
		if c.err != nil {
			return nil, c.err
		}
		if p.entries == 0 || p.entries > uint64(p.length) {
			c.fail("page %d: %d entries in %d bytes", len(m.pages), p.entries, p.length)
		}
		if k := len(m.pages); k > 0 {
			prev := &m.pages[k-1]
			switch {
			case prev.kind == p.kind && prev.arg == p.arg:
				p.first = prev.first + prev.entries
				p.start = prev.start + prev.rows
			case prev.kind > p.kind || prev.kind == p.kind && prev.arg > p.arg:
				c.fail("page %d: tables out of order", k)
			}
		}
		m.pages = append(m.pages, p)
	}
	if b := c.str(); len(b) > 0 {
		m.predChunk = b
	}
	for sec := range m.terms {
		n := uint64(0)
		for _, p := range m.table(chunkTable, uint64(sec)) {
			n += p.rows
		}
		if c.err == nil && (n != uint64(m.terms[sec]) || n > 0 && m.runs[sec] == 0) {
			c.fail("%d terms in the pages of the %v section, it has %d in runs of %d", n, Section(sec), m.terms[sec], m.runs[sec])
		}
	}
	if c.err == nil && off != size {
		c.fail("pages of %d bytes in a section of %d", off, size)
	}
	return m, c.end()
}

// table returns the pages of one table.
func (m *mapRoot) table(kind tableKind, arg uint64) []mapPage {
	lo, hi := 0, len(m.pages)
	for lo < hi {
		mid := (lo + hi) / 2
		p := &m.pages[mid]
		if p.kind < kind || p.kind == kind && p.arg < arg {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	end := lo
	for end < len(m.pages) && m.pages[end].kind == kind && m.pages[end].arg == arg {
		end++
	}
	return m.pages[lo:end]
}
