package segment

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"math"

	"lukechampine.com/blake3"

	"github.com/rete-go/rete/dict"
)

// mapBuilder makes the pages of the map.
type mapBuilder struct {
	w      *Writer
	tables []graphTables
	root   mapRoot
	out    io.Writer
	off    uint64 // bytes written to out
	page   []byte
	cur    mapPage
}

// closePage hands out the open page, if it has entries.
func (m *mapBuilder) closePage() error {
	if m.cur.entries == 0 {
		return nil
	}
	sum := blake3.Sum256(m.page)
	copy(m.cur.digest[:], sum[:])
	m.cur.length = uint32(len(m.page))
	if uint64(len(m.page)) > math.MaxUint32 {
		return tooLarge("page of the map", uint64(len(m.page)), math.MaxUint32)
	}
	m.root.pages = append(m.root.pages, m.cur)
	m.off += uint64(len(m.page))
	_, err := m.out.Write(m.page)
	m.page = m.page[:0]
	m.cur = mapPage{}
	return err
}

// build writes all pages but the root to out and returns the root page.
func (m *mapBuilder) build(out io.Writer) ([]byte, error) {
	m.out = out
	w := m.w
	m.root.quads = w.quads
	m.root.graphs = uint64(len(w.graphs))
	if len(w.opt.Metadata) > 0 {
		sum := blake3.Sum256(w.opt.Metadata)
		copy(m.root.metadata[:], sum[:])
	}
	for sec := range w.terms {
		t := &w.terms[sec]
		m.root.terms[sec], m.root.runs[sec] = t.n, dict.R
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
	if t := &w.terms[Predicates]; len(t.chunks) == 1 && t.stored.size <= inlinePredicates {
		var b bytes.Buffer
		if _, err := t.stored.WriteTo(&b); err != nil {
			return nil, err
		}
		m.root.predChunk = b.Bytes()
	}
	root := m.root.append(nil)
	if most := maxRoot(m.off); uint64(len(root)) > most {
		return nil, tooLarge("root page of the map", uint64(len(root)), most)
	}
	return root, nil
}

func (m *mapBuilder) chunks(sec uint64, refs []chunkRef) error {
	base, prev, slab := uint64(0), []byte(nil), 0
	for i := range refs {
		r := &refs[i]
		if m.cur.entries == 0 {
			m.cur = mapPage{kind: chunkTable, arg: sec, key: r.key}
			base, prev, slab = 0, nil, 0
		}
		m.page = appendChunkRef(m.page, r, base, prev)
		m.cur.entries++
		m.cur.rows += uint64(r.terms)
		base, prev = r.off+uint64(r.length), r.key
		slab += len(r.key)
		if len(m.page) >= pageTarget || slab >= maxPageKeys {
			if err := m.closePage(); err != nil {
				return err
			}
		}
	}
	return m.closePage()
}

func (m *mapBuilder) tiles(arg uint64, refs []tileRef) error {
	base, minA := uint64(0), uint32(0)
	for i := range refs {
		r := &refs[i]
		if m.cur.entries == 0 {
			m.cur = mapPage{kind: tileTable, arg: arg, minA: r.MinA}
			base, minA = 0, 0
		}
		m.page = appendTileRef(m.page, r, base, minA)
		m.cur.entries++
		m.cur.rows += uint64(r.Rows)
		m.cur.maxA = r.MaxA
		base, minA = uint64(r.Off)+uint64(r.Len), r.MinA
		if len(m.page) >= pageTarget {
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
			if !bytes.Equal(n.name, g.name) {
				return fmt.Errorf("segment: graph %q is not among the terms", g.name)
			}
			switch {
			case n.node.id > 0:
				g.node = c.First(n.node.sec) + uint64(n.node.id)
			case n.pred > 0:
				g.node = c.First(Predicates) + uint64(n.pred)
			}
		}
		if m.cur.entries == 0 {
			m.cur = mapPage{kind: graphTable, key: g.name[:min(len(g.name), maxFirstName)]}
			base = 0
		}
		m.page = appendGraphRef(m.page, &g, base)
		m.cur.entries++
		m.cur.rows += uint64(g.tiles)
		base = g.off + g.length
		if len(m.page) >= pageTarget {
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
		if m.cur.entries == 0 {
			m.cur = mapPage{kind: nodeTable}
		}
		m.page = binary.AppendUvarint(m.page, node)
		m.cur.entries++
		if len(m.page) >= pageTarget {
			if err := m.closePage(); err != nil {
				return err
			}
		}
	}
	return m.closePage()
}
