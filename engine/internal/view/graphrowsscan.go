package view

import (
	"context"
	"io"
	"sort"

	"github.com/rete-go/rete/dataset"
	"github.com/rete-go/rete/engine/internal/layers"
	"github.com/rete-go/rete/internal/cancel"
	"github.com/rete-go/rete/segment"
	"github.com/rete-go/rete/tile"
	"github.com/rete-go/rete/tombstone"
)

// usePool lets the graphs that are still to come be read from the pool, if there is one.
func (c *cursor) usePool(ctx context.Context) (err error) {
	each := c.p.G.Mode == Each
	if c.p.G.Mode == Unnamed || each && c.opt.Parts > 1 { // parts cut each graph at its own places
		return nil
	}
	left := c.graphs
	p, rest, err := c.q.pool(ctx, left, each && c.want == nil, !each || c.opened >= poolAfter)
	if p == nil || err != nil {
		return err
	}
	if !each {
		c.merged, c.all, c.graphs = p, left, rest
		return nil
	}
	bytes, err := p.groupedBytes(ctx, c.want, c.want != nil)
	if err != nil {
		return err
	}
	if ok, err := c.holds(bytes); !ok || err != nil {
		return err // the graphs are opened one by one
	}
	c.pool, c.graphs = p, rest
	c.pooled, err = p.grouped(ctx, c.want, c.want != nil)
	return err
}

// holds asks for the memory of the scan.
func (c *cursor) holds(bytes int64) (bool, error) {
	if c.opt.Hold == nil || bytes == c.held {
		return true, nil
	}
	ok, err := c.opt.Hold(bytes)
	if ok && err == nil {
		c.held = bytes
	}
	return ok, err
}

// mergeSource returns the set union of graphs and of what the pool has, nil for none.
func (q *query) mergeSource(p *pooled, graphs []uint32) rowSource {
	var list []rowSource
	if p != nil {
		list = append(list, &poolMerge{p: p, q: q, rows: p.within(q)})
	}
	for _, g := range graphs {
		list = append(list, q.fold(g))
	}
	if len(list) == 1 {
		return list[0]
	}
	return newGraphMerge(list)
}

// poolRank returns the rank of the graph of the next pooled row.
func (c *cursor) poolRank() uint32 {
	return c.q.names.graphs.ranks[c.v.base.index][c.pooled[0][3]-1]
}

// readPool fills b from row n on with pooled rows of graphs before the next one that is
// opened by itself, and returns how many of them are wanted; at their end it is io.EOF.
func (c *cursor) readPool(ctx context.Context, b *Batch, n int) (int, error) {
	if err := ctx.Err(); err != nil {
		return 0, err
	}
	if c.seekKey != nil {
		if err := c.seekPool(ctx); err != nil {
			return 0, err
		}
	}
	if len(c.pooled) == 0 || len(c.graphs) > 0 && c.graphs[0] < c.poolRank() {
		c.inPool = false
		return 0, io.EOF
	}
	first, got := c.pooled, 0
	for got < c.rows-n && (got == 0 || c.seekKey == nil) && len(c.pooled) > 0 && (len(c.graphs) == 0 || c.graphs[0] > c.poolRank()) {
		rows := c.pooled[:min(len(c.pooled), c.rows-n-got)]
		end := 1
		for end < len(rows) && rows[end][3] == rows[0][3] {
			end++
		}
		if c.opt.Cols.Has(dataset.G) {
			id, err := c.v.graphID(ctx, c.q.names, c.poolRank())
			if err != nil {
				return 0, err
			}
			for k := n + got; k < n+got+end; k++ {
				b.Col[colG][k] = id
			}
		}
		got += end
		c.pooled = c.pooled[end:]
	}
	for i := range c.out {
		o := &c.out[i]
		dst := b.Col[o.col][n : n+got]
		for k := range dst {
			dst[k] = o.conv.of(first[k][o.i])
		}
	}
	return got, nil
}

// fillPool is fill for pooled rows.
func (c *cursor) fillPool(ctx context.Context, b *Batch, n int) (int, error) {
	got, err := c.readPool(ctx, b, n)
	if err != nil || got == 0 {
		return 0, err
	}
	return c.filter(b, n, got), nil
}

// seekPool drops pooled rows before the key that was sought, graph by graph.
func (c *cursor) seekPool(ctx context.Context) error {
	key, err := c.q.keyOf(ctx, c.seekKey)
	if err != nil {
		return err
	}
	local, _ := c.q.baseKey(key)
	for len(c.pooled) > 0 {
		graph := c.pooled[0][3]
		end := sort.Search(len(c.pooled), func(i int) bool { return c.pooled[i][3] > graph })
		at := poolSearch(c.pooled[:end], local)
		if c.pooled = c.pooled[at:]; at < end || len(c.graphs) > 0 && len(c.pooled) > 0 && c.graphs[0] < c.poolRank() {
			return nil
		}
	}
	return nil
}

// poolMerge is the pooled rows of several graphs as a set.
type poolMerge struct {
	p    *pooled
	q    *query
	rows []segment.PoolRow
	last segment.PoolRow // the row that was handed out last
	t    tile.Tile
}

// poolTile is the most rows of a stretch of pooled rows.
const poolTile = 1 << 14

// settle makes rows[0] the next row that counts and was not handed out.
func (m *poolMerge) settle(ctx context.Context) error {
	for i := range m.rows {
		if err := cancel.Check(ctx, i); err != nil {
			return err
		}
		if r := &m.rows[i]; m.p.has(r) && [3]uint32(r[:3]) != [3]uint32(m.last[:3]) {
			m.rows = m.rows[i:]
			return nil
		}
	}
	m.rows = nil
	return nil
}

// next implements [rowSource].
func (m *poolMerge) next(ctx context.Context, limit int, until *tombstone.Key) (piece, error) {
	if err := m.settle(ctx); err != nil {
		return piece{}, err
	}
	if len(m.rows) == 0 {
		return piece{}, io.EOF
	}
	rows := m.rows
	if until != nil {
		local, _ := m.q.baseKey(*until)
		if rows = rows[:poolSearch(rows, local)]; len(rows) == 0 {
			return piece{}, nil
		}
	}
	t := &m.t
	t.A, t.AEnd, t.B, t.BEnd, t.C = t.A[:0], t.AEnd[:0], t.B[:0], t.BEnd[:0], t.C[:0]
	read := 0
	for ; read < len(rows) && len(t.C) < min(limit, poolTile) && read < cancel.Block; read++ {
		r := &rows[read]
		if !m.p.has(r) {
			continue
		}
		newA := len(t.C) == 0 || r[0] != m.last[0]
		newB := newA || r[1] != m.last[1]
		if !newB && r[2] == m.last[2] {
			continue
		}
		if newA {
			t.A, t.AEnd = append(t.A, r[0]), append(t.AEnd, 0)
		}
		if newB {
			t.B, t.BEnd = append(t.B, r[1]), append(t.BEnd, 0)
		}
		t.C = append(t.C, r[2])
		t.AEnd[len(t.A)-1], t.BEnd[len(t.B)-1] = uint32(len(t.B)), uint32(len(t.C))
		m.last = *r
	}
	m.rows = m.rows[read:]
	return piece{tile: t, to: len(t.C)}, nil
}

// seek implements [rowSource].
func (m *poolMerge) seek(_ context.Context, key tombstone.Key) error {
	local, _ := m.q.baseKey(key)
	step := 1
	for step < len(m.rows) && layers.Compare([3]uint32(m.rows[step][:3]), local) < 0 {
		step *= 2
	}
	m.rows = m.rows[poolSearch(m.rows[:min(step+1, len(m.rows))], local):]
	return nil
}

// peek implements [rowSource].
func (m *poolMerge) peek(ctx context.Context) (key tombstone.Key, ok bool, err error) {
	if err := m.settle(ctx); err != nil || len(m.rows) == 0 {
		return key, false, err
	}
	return m.q.viewKey([3]uint32(m.rows[0][:3])), true, nil
}
