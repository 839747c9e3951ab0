package view

import (
	"context"
	"io"
	"sort"

	"github.com/rete-go/rete/dataset"
	"github.com/rete-go/rete/engine/internal/layers"
	"github.com/rete-go/rete/internal/cancel"
	"github.com/rete-go/rete/internal/segment"
	"github.com/rete-go/rete/tile"
	"github.com/rete-go/rete/tombstone"
)

// useGraphRows lets the graphs that are still to come be read from the graph rows, if there are some.
func (c *cursor) useGraphRows(ctx context.Context) (err error) {
	each := c.p.G.Mode == dataset.Each
	if c.p.G.Mode == dataset.Unnamed || each && c.opt.Parts > 1 { // parts cut each graph at its own places
		return nil
	}
	left := c.graphs
	wanted := inOrder
	if each && c.want == nil && c.opt.From == nil && c.opt.To == nil {
		wanted = eachGraph
	}
	p, rest, err := c.q.graphRows(ctx, left, c.want, wanted, !each || c.opened >= graphRowsAfter)
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
	if ok, err := c.holds(ctx, bytes); !ok || err != nil {
		return err // the graphs are opened one by one
	}
	c.graphRows, c.graphs = p, rest
	if c.ahead, err = p.grouped(ctx, c.want, c.want != nil); err != nil {
		return err
	}
	return c.skipOthers(ctx)
}

// skipOthers drops graph rows of graphs that do not count up to the next one that does.
func (c *cursor) skipOthers(ctx context.Context) error {
	if c.graphRows.only == nil {
		return nil
	}
	for i := range c.ahead {
		if err := cancel.Check(ctx, i); err != nil {
			return err
		}
		if c.graphRows.only[c.ahead[i][3]] {
			c.ahead = c.ahead[i:]
			return nil
		}
	}
	c.ahead = nil
	return nil
}

// holds asks for the memory of the scan.
func (c *cursor) holds(ctx context.Context, bytes int64) (bool, error) {
	if c.opt.Hold == nil || bytes == c.held {
		return true, nil
	}
	ok, err := c.opt.Hold(ctx, bytes)
	if ok && err == nil {
		c.held = bytes
	}
	return ok, err
}

// mergeSource returns the set union of graphs and of what the graph rows have, nil for none.
func (q *query) mergeSource(p *graphRowScan, graphs []uint32) rowSource {
	var list []rowSource
	if p != nil {
		list = append(list, &graphRowsMerge{p: p, q: q, rows: p.within(q)})
	}
	for _, g := range graphs {
		list = append(list, q.fold(g))
	}
	if len(list) == 1 {
		return list[0]
	}
	return newGraphMerge(list)
}

// graphRowsRank returns the rank of the graph of the next graph row.
func (c *cursor) graphRowsRank() uint32 {
	return c.q.names.Graphs.Ranks[c.v.Base.Index][c.ahead[0][3]-1]
}

// readGraphRows fills b from row n on with graph rows of graphs before the next one that is
// opened by itself, and returns how many of them are wanted; at their end it is io.EOF.
func (c *cursor) readGraphRows(ctx context.Context, b *dataset.Batch, n int) (int, error) {
	if err := ctx.Err(); err != nil {
		return 0, err
	}
	if c.seekKey != nil {
		if err := c.seekGraphRows(ctx); err != nil {
			return 0, err
		}
	}
	if len(c.ahead) == 0 || len(c.graphs) > 0 && c.graphs[0] < c.graphRowsRank() {
		c.inGraphRows = false
		return 0, io.EOF
	}
	first, got := c.ahead, 0
	for got < c.rows-n && (got == 0 || c.seekKey == nil) && len(c.ahead) > 0 && (len(c.graphs) == 0 || c.graphs[0] > c.graphRowsRank()) {
		rows := c.ahead[:min(len(c.ahead), c.rows-n-got)]
		end := 1
		for end < len(rows) && rows[end][3] == rows[0][3] {
			end++
		}
		if c.opt.Cols.Has(dataset.G) {
			id, err := c.v.GraphID(ctx, &c.q.names.Names, c.graphRowsRank())
			if err != nil {
				return 0, err
			}
			for k := n + got; k < n+got+end; k++ {
				b.Col[colG][k] = id
			}
		}
		got += end
		if c.ahead = c.ahead[end:]; len(c.ahead) > 0 && !c.graphRows.has(&c.ahead[0]) {
			if err := c.skipOthers(ctx); err != nil {
				return 0, err
			}
			break // what was read lies side by side
		}
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

// fillGraphRows is fill for graph rows.
func (c *cursor) fillGraphRows(ctx context.Context, b *dataset.Batch, n int) (int, error) {
	got, err := c.readGraphRows(ctx, b, n)
	if err != nil || got == 0 {
		return 0, err
	}
	return c.filter(b, n, got), nil
}

// seekGraphRows drops graph rows before the key that was sought, graph by graph.
func (c *cursor) seekGraphRows(ctx context.Context) error {
	key, err := c.q.KeyOf(ctx, c.seekKey)
	if err != nil {
		return err
	}
	local, _ := c.q.BaseKey(key)
	for len(c.ahead) > 0 {
		graph := c.ahead[0][3]
		end := sort.Search(len(c.ahead), func(i int) bool { return c.ahead[i][3] > graph })
		at := graphRowsSearch(c.ahead[:end], local)
		if c.ahead = c.ahead[at:]; at == end {
			if err := c.skipOthers(ctx); err != nil {
				return err
			}
		}
		if at < end || len(c.graphs) > 0 && len(c.ahead) > 0 && c.graphs[0] < c.graphRowsRank() {
			return nil
		}
	}
	return nil
}

// graphRowsMerge is the graph rows of several graphs as a set.
type graphRowsMerge struct {
	p    *graphRowScan
	q    *query
	rows []segment.GraphRow
	last segment.GraphRow // the row that was handed out last
	t    tile.Tile
}

// graphRowsTile is the most rows of a stretch of graph rows.
const graphRowsTile = 1 << 14

// settle makes rows[0] the next row that counts and was not handed out.
func (m *graphRowsMerge) settle(ctx context.Context) error {
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
func (m *graphRowsMerge) next(ctx context.Context, limit int, until *tombstone.Key) (piece, error) {
	if err := m.settle(ctx); err != nil {
		return piece{}, err
	}
	if len(m.rows) == 0 {
		return piece{}, io.EOF
	}
	rows := m.rows
	if until != nil {
		local, _ := m.q.BaseKey(*until)
		if rows = rows[:graphRowsSearch(rows, local)]; len(rows) == 0 {
			return piece{}, nil
		}
	}
	t := &m.t
	t.A, t.AEnd, t.B, t.BEnd, t.C = t.A[:0], t.AEnd[:0], t.B[:0], t.BEnd[:0], t.C[:0]
	read := 0
	for ; read < len(rows) && len(t.C) < min(limit, graphRowsTile) && read < cancel.Block; read++ {
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
func (m *graphRowsMerge) seek(_ context.Context, key tombstone.Key) error {
	local, _ := m.q.BaseKey(key)
	step := 1
	for step < len(m.rows) && layers.Compare([3]uint32(m.rows[step][:3]), local) < 0 {
		step *= 2
	}
	m.rows = m.rows[graphRowsSearch(m.rows[:min(step+1, len(m.rows))], local):]
	return nil
}

// peek implements [rowSource].
func (m *graphRowsMerge) peek(ctx context.Context) (key tombstone.Key, ok bool, err error) {
	if err := m.settle(ctx); err != nil || len(m.rows) == 0 {
		return key, false, err
	}
	return m.q.ViewKey([3]uint32(m.rows[0][:3])), true, nil
}
