package read

import (
	"context"

	"github.com/rete-go/rete/internal/damage"
	"github.com/rete-go/rete/internal/reads"
	"github.com/rete-go/rete/internal/segment/format"
	"github.com/rete-go/rete/tile"
)

// inlineRows reads the triples of inline graphs one after the other. They lie side by side, so
// they come in large pieces, and the cache, which is asked for each of thousands, is not needed.
type inlineRows struct {
	s    *Segment
	read span
	t    tile.Tile
}

// inlinePiece is how much is read at once.
const inlinePiece = 1 << 20

// bytes returns the container of a graph, valid until the next call.
func (in *inlineRows) bytes(ctx context.Context, g *format.GraphRef) ([]byte, error) {
	off, n := int64(g.Off), int64(g.Length)
	if b := in.read.cut(off, n); b != nil {
		return b, nil
	}
	sec := in.s.head.Section(format.KindNamedGraphs)
	end := min(int64(sec.Offset)+int64(sec.Length), off+inlinePiece)
	b, err := in.s.bytesAt(ctx, off, max(n, end-off))
	if err != nil {
		return nil, err
	}
	in.read = span{off: off, b: b}
	return b[:n], nil
}

// append appends the triples of graph number n.
func (in *inlineRows) append(ctx context.Context, n int, g *format.GraphRef, p *GraphRows) error {
	var cur tile.Cursor
	return in.tiles(ctx, g, func(t *tile.Tile) {
		for cur.Reset(t); cur.Valid(); cur.Next() {
			x, y, z := cur.Row()
			p.Rows = append(p.Rows, GraphRow{x, y, z, uint32(n)})
		}
	})
}

// count counts the triples of a graph.
func (in *inlineRows) count(ctx context.Context, g *format.GraphRef) (n uint64, err error) {
	err = in.tiles(ctx, g, func(t *tile.Tile) { n += uint64(t.Len()) })
	return n, err
}

// tiles calls use for the tiles of a graph in the order SPO, each valid until the next one. There
// must be as many rows as a map says.
func (in *inlineRows) tiles(ctx context.Context, g *format.GraphRef, use func(t *tile.Tile)) error {
	b, err := in.bytes(ctx, g)
	if err == nil {
		err = in.s.checkGraph(g, b)
	}
	if err != nil {
		return err
	}
	c := &format.Cursor{Part: "named graph", B: b}
	in.s.orderCount(c)
	payload := c.Str() // of SPO
	if c.Err != nil {
		return c.Err
	}
	entries, err := tile.ReadDirectory(payload, in.s.head.Flags&format.FlagSynopses != 0)
	if err != nil {
		return err
	}
	count := reads.Of(ctx)
	if count != nil {
		count.Of.Add(int64(len(entries)))
	}
	by := &Table{s: in.s, order: tile.SPO}
	rows := uint64(0)
	for _, e := range entries {
		count.Tile(int64(e.Len))
		r := format.TileRef{Entry: e}
		r.Off += int64(g.Off) + int64(c.P-len(payload))
		if err := in.s.decodeInto(&in.t, payload[e.Off:][:e.Len], &r); err != nil {
			return err
		}
		if err := by.CheckIDs(&in.t, &r); err != nil {
			return err
		}
		rows += uint64(in.t.Len())
		use(&in.t)
	}
	if in.s.root != nil && rows != g.Rows {
		return damage.New("map", "%d rows of graph %q, it has %d", g.Rows, g.Name, rows)
	}
	return nil
}

// checkGraph compares the container of an inline graph with its checksums.
func (s *Segment) checkGraph(g *format.GraphRef, b []byte) error {
	if !g.Checked {
		return nil
	}
	if err := s.check(b, g.Sums); err != nil {
		return s.unitErr(err, int64(g.Off), "named graph %q", g.Name)
	}
	return nil
}

// orderCount reads the number of orders, which the header says too.
func (s *Segment) orderCount(c *format.Cursor) {
	if got, n := c.Uv(), orders(s.head); c.Err == nil && got != uint64(n) {
		c.Fail("%d orders, expected %d", got, n)
	}
}
