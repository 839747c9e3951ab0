package write

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"math"

	"github.com/rete-go/rete/dict"
	"github.com/rete-go/rete/internal/segment/format"
	"lukechampine.com/blake3"
)

// mapBuilder makes the pages of the map.
type mapBuilder struct {
	w      *Writer
	tables []graphTables
	root   format.MapRoot
	out    io.Writer
	off    uint64 // bytes written to out
	page   []byte
	cur    format.MapPage
}

// closePage hands out the open page, if it has entries.
func (m *mapBuilder) closePage() error {
	if m.cur.Entries == 0 {
		return nil
	}
	sum := blake3.Sum256(m.page)
	copy(m.cur.Digest[:], sum[:])
	m.cur.Length = uint32(len(m.page))
	if uint64(len(m.page)) > math.MaxUint32 {
		return format.TooLarge("page of the map", uint64(len(m.page)), math.MaxUint32)
	}
	m.root.Pages = append(m.root.Pages, m.cur)
	m.off += uint64(len(m.page))
	_, err := m.out.Write(m.page)
	m.page = m.page[:0]
	m.cur = format.MapPage{}
	return err
}

// build writes all pages but the root to out and returns the root page.
func (m *mapBuilder) build(out io.Writer) ([]byte, error) {
	m.out = out
	w := m.w
	m.root.Quads = w.quads
	m.root.Graphs = uint64(len(w.graphs))
	if len(w.opt.Metadata) > 0 {
		sum := blake3.Sum256(w.opt.Metadata)
		copy(m.root.Metadata[:], sum[:])
	}
	for sec := range w.terms {
		t := &w.terms[sec]
		m.root.Terms[sec], m.root.Runs[sec] = t.n, dict.R
		if err := m.chunks(uint64(sec), t.chunks); err != nil {
			return nil, err
		}
	}
	for _, t := range m.tables {
		for o, refs := range t.orders {
			if err := m.tiles(uint64(t.graph)*6+uint64(o), refs); err != nil {
				return nil, err
			}
		}
	}
	if err := m.graphs(); err != nil {
		return nil, err
	}
	if err := m.nodes(); err != nil {
		return nil, err
	}
	if t := &w.terms[format.Predicates]; len(t.chunks) == 1 && t.stored.Size <= format.InlinePredicates {
		var b bytes.Buffer
		if _, err := t.stored.WriteTo(&b); err != nil {
			return nil, err
		}
		m.root.PredChunk = b.Bytes()
	}
	root := m.root.Append(nil)
	if most := format.MaxRoot(m.off); uint64(len(root)) > most {
		return nil, format.TooLarge("root page of the map", uint64(len(root)), most)
	}
	return root, nil
}

func (m *mapBuilder) chunks(sec uint64, refs []format.ChunkRef) error {
	base, prev, slab := uint64(0), []byte(nil), 0
	for i := range refs {
		r := &refs[i]
		if m.cur.Entries == 0 {
			m.cur = format.MapPage{Kind: format.ChunkTable, Arg: sec, Key: r.Key}
			base, prev, slab = 0, nil, 0
		}
		m.page = format.AppendChunkRef(m.page, r, base, prev)
		m.cur.Entries++
		m.cur.Rows += uint64(r.Terms)
		base, prev = r.Off+uint64(r.Length), r.Key
		slab += len(r.Key)
		if len(m.page) >= format.PageTarget || slab >= format.MaxPageKeys {
			if err := m.closePage(); err != nil {
				return err
			}
		}
	}
	return m.closePage()
}

func (m *mapBuilder) tiles(arg uint64, refs []format.TileRef) error {
	base, minA := uint64(0), uint32(0)
	for i := range refs {
		r := &refs[i]
		if m.cur.Entries == 0 {
			m.cur = format.MapPage{Kind: format.TileTable, Arg: arg, MinA: r.MinA}
			base, minA = 0, 0
		}
		m.page = format.AppendTileRef(m.page, r, base, minA)
		m.cur.Entries++
		m.cur.Rows += uint64(r.Rows)
		m.cur.MaxA = r.MaxA
		base, minA = uint64(r.Off)+uint64(r.Len), r.MinA
		if len(m.page) >= format.PageTarget {
			if err := m.closePage(); err != nil {
				return err
			}
		}
	}
	return m.closePage()
}

func (m *mapBuilder) graphs() error {
	c := m.w.TermCounts()
	base := uint64(0)
	for i := range m.w.graphs {
		g := m.w.graphs[i]
		if len(m.w.names) > 0 {
			n := &m.w.names[i]
			if !bytes.Equal(n.name, g.Name) {
				return fmt.Errorf("segment: graph %q is not among the terms", g.Name)
			}
			switch {
			case n.node.id > 0:
				g.Node = c.First(n.node.sec) + uint64(n.node.id)
			case n.pred > 0:
				g.Node = c.First(format.Predicates) + uint64(n.pred)
			}
		}
		if m.cur.Entries == 0 {
			m.cur = format.MapPage{Kind: format.GraphTable, Key: g.Name[:min(len(g.Name), format.MaxFirstName)]}
			base = 0
		}
		m.page = format.AppendGraphRef(m.page, &g, base)
		m.cur.Entries++
		m.cur.Rows += uint64(g.Tiles)
		base = g.Off + g.Length
		if len(m.page) >= format.PageTarget {
			if err := m.closePage(); err != nil {
				return err
			}
		}
	}
	return m.closePage()
}

func (m *mapBuilder) nodes() error {
	c := m.w.TermCounts()
	for _, n := range m.w.predicates {
		node := uint64(0)
		if n.id > 0 {
			node = c.First(n.sec) + uint64(n.id)
		}
		if m.cur.Entries == 0 {
			m.cur = format.MapPage{Kind: format.NodeTable}
		}
		m.page = binary.AppendUvarint(m.page, node)
		m.cur.Entries++
		if len(m.page) >= format.PageTarget {
			if err := m.closePage(); err != nil {
				return err
			}
		}
	}
	return m.closePage()
}
