package view

import (
	"context"
	"fmt"
	"io"
	"sync"

	"github.com/rete-go/rete/dataset"
	"github.com/rete-go/rete/internal/ids"
	"github.com/rete-go/rete/internal/segment"
	"github.com/rete-go/rete/tile"
	"github.com/rete-go/rete/tombstone"
)

// cursor implements [dataset.Cursor]. Closing it is not required for anything but
// tidiness; it may be called during a Next, and waits for it.
type cursor struct {
	mu    sync.Mutex // a Close may be called concurrently with other methods
	end   *ending    // of what gave the view
	v     *view
	p     dataset.Pattern
	order tile.Order
	opt   dataset.ScanOptions

	q      *query
	graphs []uint32   // ranks still to come
	graph  dataset.ID // of the current source
	src    rowSource
	single fold // src where that is one graph
	begun  bool
	closed bool // guarded by mu
	ended  bool // there are no sources left
	rows   int  // of the next batch

	want  []uint64      // keys that the column after the leading bound ones may have; nil: any
	at    int           // those of want before are after the source's place
	until tombstone.Key // where a wanted stretch ends
	picks bool          // most keys are wanted: rows are read in stretches and picked
	asked int           // keys read since the mode was chosen
	hits  int           // of these, wanted ones
	check []check       // what rows must fulfil besides
	out   []output      // the columns that pieces are written to
	used  dataset.Cols  // the columns of a batch that are filled at all

	seekKey []dataset.ID // where graphs that are opened begin

	graphRows   *graphRowScan      // of Each, nil: all graphs are opened one by one
	ahead       []segment.GraphRow // of it, still to come, by graph
	held        int64              // in addition to the cache
	inGraphRows bool               // they are read now
	opened      int                // graphs that were opened one by one
	merged      *graphRowScan      // of Merge
	all         []uint32           // the graphs, those of merged included
}

// check is a condition on a column that the order does not help with.
type check struct {
	col int
	id  dataset.ID // the value, or 0
	set *ids.Set   // the values
}

// Scan is [View.Scan].
func (v *view) Scan(_ context.Context, p dataset.Pattern, o dataset.Order, opt *dataset.ScanOptions) (dataset.Cursor, error) {
	c, err := v.scan(p, o, opt)
	if err != nil {
		return nil, err
	}
	return c, nil
}

func (v *view) scan(p dataset.Pattern, o dataset.Order, opt *dataset.ScanOptions) (*cursor, error) {
	c := &cursor{v: v, p: p, order: tile.Order(o), rows: dataset.FirstBatch}
	if v.Distant() {
		c.rows = dataset.MaxBatch // what follows the rows is asked for together
	}
	if opt != nil {
		c.opt = *opt
	}
	c.opt.Cols = opt.Wanted()
	if int(o) >= dataset.Orders {
		return nil, fmt.Errorf("engine: there is no order %d", o)
	}
	if c.opt.Parts > 1 && (c.opt.Part < 0 || c.opt.Part >= c.opt.Parts) {
		return nil, fmt.Errorf("engine: part %d of %d does not exist", c.opt.Part, c.opt.Parts)
	}
	return c, nil
}

// begin resolves the pattern.
func (c *cursor) begin(ctx context.Context) error {
	n, err := c.v.table(ctx)
	if err != nil {
		return err
	}
	if c.q, err = c.v.newQuery(ctx, n, c.p, c.order, &c.opt); err != nil {
		return err
	}
	if c.graphs, err = c.v.graphRanks(ctx, n, c.p.G, c.opt.Within[colG]); err != nil {
		return err
	}
	if c.q.Empty {
		c.graphs = nil
	}
	for i, col := range c.q.Cols {
		if i >= c.q.Lead && c.q.Bound[col] != 0 {
			c.check = append(c.check, check{col: col, id: c.q.Bound[col]})
		}
		switch set := c.opt.Within[col]; {
		case set == nil:
		case i < c.q.Lead:
			if !set.Contains(c.q.Bound[col]) {
				c.graphs = nil
			}
		case i == c.q.Lead:
			if c.want, err = c.q.wanted(ctx, set, col); err != nil {
				return err
			}
		default:
			c.check = append(c.check, check{col: col, set: set})
		}
	}
	if !c.q.Empty && c.v.Base != nil {
		if c.out, err = c.q.outputs(ctx, c.needs); err != nil {
			return err
		}
	}
	for col := range c.opt.Within {
		if col == colG && c.p.G.Mode == dataset.Each && c.opt.Cols.Has(dataset.Col(col)) || col != colG && c.needs(col) {
			c.used |= 1 << col
		}
	}
	c.begun = true
	return c.useGraphRows(ctx)
}

// open opens the next source; false at the end.
func (c *cursor) open(ctx context.Context) (bool, error) {
	if c.p.G.Mode == dataset.Each && c.opened == graphRowsAfter && c.graphRows == nil {
		if err := c.useGraphRows(ctx); err != nil {
			return false, err
		}
	}
	switch {
	case c.merged != nil || c.p.G.Mode == dataset.Merge && len(c.graphs) > 1:
		all := c.graphs
		if c.merged != nil {
			all = c.all
		}
		q, err := c.part(ctx, all)
		if err != nil {
			return false, err
		}
		c.src, c.graphs, c.merged = q.mergeSource(c.merged, c.graphs), nil, nil
	case len(c.ahead) > 0 && (len(c.graphs) == 0 || c.graphs[0] > c.graphRowsRank()):
		c.inGraphRows = true
		return true, nil
	case len(c.graphs) == 0:
		return false, nil
	default:
		q, err := c.part(ctx, c.graphs[:1])
		if err != nil {
			return false, err
		}
		c.single.reset(q, c.graphs[0])
		c.single.ids, c.src = c.want, &c.single
		if c.p.G.Mode == dataset.Each {
			if c.graph, err = c.v.GraphID(ctx, &c.q.names.Names, c.graphs[0]); err != nil {
				return false, err
			}
		}
		c.graphs = c.graphs[1:]
		c.opened++
	}
	c.at = 0
	if c.seekKey != nil {
		return true, c.seekSource(ctx)
	}
	return true, nil
}

// Next fills b with the next rows; the first batch has up to 64, later ones twice
// as many up to [dataset.MaxBatch]. At the end it returns io.EOF, and no empty batch
// before. A failed cursor must not be used again.
func (c *cursor) Next(ctx context.Context, b *dataset.Batch) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if err := c.over(); err != nil {
		return err
	}
	return c.end.Late(ctx, c.next(ctx, b))
}

// Over returns an error if the cursor has ended. mu is held.
func (c *cursor) over() error {
	if c.closed {
		return errCursorClosed
	}
	return c.end.Over()
}

func (c *cursor) next(ctx context.Context, b *dataset.Batch) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if c.ended {
		c.finish(b, 0)
		return io.EOF
	}
	if !c.begun {
		if err := c.begin(ctx); err != nil {
			return err
		}
	}
	c.makeRoom(b)
	n := 0
	for n < c.rows {
		if c.src == nil && !c.inGraphRows {
			more, err := c.open(ctx)
			if err != nil {
				return err
			}
			if !more {
				c.ended = true
				break
			}
		}
		got, err := c.fill(ctx, b, n)
		if err == io.EOF {
			c.src = nil
			continue
		}
		if err != nil {
			return err
		}
		if got > 0 {
			c.seekKey = nil
		}
		n += got
	}
	c.finish(b, n)
	if n == 0 {
		return io.EOF
	}
	c.rows = min(2*c.rows, dataset.MaxBatch)
	return nil
}

// makeRoom makes the columns that are filled as long as the batch may become.
func (c *cursor) makeRoom(b *dataset.Batch) {
	for i := range b.Col {
		if !c.used.Has(dataset.Col(i)) {
			continue
		}
		if cap(b.Col[i]) < c.rows {
			b.Col[i] = make([]dataset.ID, room(c.rows))
		}
		b.Col[i] = b.Col[i][:c.rows]
	}
}

// finish fills the bound columns of a batch of n rows and cuts all to their length; those
// that are not wanted are empty.
func (c *cursor) finish(b *dataset.Batch, n int) {
	b.N = n
	if n > 0 {
		c.fillBound(b)
	}
	for i := range b.Col {
		if !c.opt.Cols.Has(dataset.Col(i)) || i == colG && c.p.G.Mode != dataset.Each {
			b.Col[i] = b.Col[i][:0]
			continue
		}
		b.Col[i] = b.Col[i][:n]
	}
}

// room returns how many rows a column of a batch is made for: the first batches may be
// the only ones.
func room(rows int) int {
	if rows <= 4*dataset.FirstBatch {
		return rows
	}
	return max(rows, dataset.MaxBatch)
}

// fill puts the next stretch of rows into b from row n on and returns how many
// rows of it are wanted.
func (c *cursor) fill(ctx context.Context, b *dataset.Batch, n int) (int, error) {
	if c.inGraphRows {
		return c.fillGraphRows(ctx, b, n)
	}
	until, err := c.advance(ctx)
	if err != nil {
		return 0, err
	}
	got, err := c.read(ctx, b, n, until)
	if err != nil {
		return 0, err
	}
	if got == 0 {
		return 0, ctx.Err()
	}
	if c.p.G.Mode == dataset.Each && c.opt.Cols.Has(dataset.G) {
		for k := n; k < n+got; k++ {
			b.Col[colG][k] = c.graph
		}
	}
	if c.picks {
		got = c.pick(b, n, got)
	}
	if len(c.check) == 0 && got > 0 {
		return got, nil
	}
	if err := ctx.Err(); err != nil {
		return 0, err
	}
	return c.filter(b, n, got), nil
}

// read writes the next stretch of rows, wanted or not, into b from row n on.
func (c *cursor) read(ctx context.Context, b *dataset.Batch, n int, until *tombstone.Key) (int, error) {
	if f, ok := c.src.(*fold); ok && until == nil {
		return f.write(ctx, c.out, b, n, c.rows-n)
	}
	p, err := c.src.next(ctx, c.rows-n, until)
	if err != nil {
		return 0, err
	}
	got := p.len()
	for i := range c.out {
		o := &c.out[i]
		if err := c.q.emit(ctx, &p, o, b.Col[o.col][n:n+got]); err != nil {
			return 0, err
		}
	}
	return got, nil
}

// fillBound fills the columns whose id the pattern gives.
func (c *cursor) fillBound(b *dataset.Batch) {
	for _, col := range c.q.Cols[:c.q.Lead] {
		if !c.used.Has(dataset.Col(col)) {
			continue
		}
		id, list := c.q.Bound[col], b.Col[col][:b.N]
		for k := range list {
			list[k] = id
		}
	}
}

// needs reports whether a column must be filled: it is asked for or checked.
func (c *cursor) needs(col int) bool {
	if c.opt.Cols.Has(dataset.Col(col)) || c.want != nil && col == c.q.Cols[c.q.Lead] {
		return true
	}
	for i := range c.check {
		if c.check[i].col == col {
			return true
		}
	}
	return false
}

// filter keeps the rows from n on that pass the checks, and returns their number.
func (c *cursor) filter(b *dataset.Batch, n, got int) int {
	kept := n
rows:
	for k := n; k < n+got; k++ {
		for i := range c.check {
			ch := &c.check[i]
			id := b.Col[ch.col][k]
			if ch.set == nil && id != ch.id || ch.set != nil && !ch.set.Contains(id) {
				continue rows
			}
		}
		if kept != k {
			for i := range b.Col {
				if c.used.Has(dataset.Col(i)) {
					b.Col[i][kept] = b.Col[i][k]
				}
			}
		}
		kept++
	}
	return kept - n
}

// Seek moves forward to the first row whose columns, in the scan's order, are at
// or after key, which may be shorter than the order. It never moves back. Under
// Each the place is one in the current graph; when that has no such row, the next
// graph begins at its first row at or after key.
func (c *cursor) Seek(ctx context.Context, key ...dataset.ID) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if err := c.over(); err != nil {
		return err
	}
	c.seekKey = append(make([]dataset.ID, 0, 3), key...)
	if c.src == nil {
		return nil
	}
	return c.end.Late(ctx, c.seekSource(ctx))
}

func (c *cursor) seekSource(ctx context.Context) error {
	key, err := c.q.KeyOf(ctx, c.seekKey)
	if err != nil {
		return err
	}
	return c.src.seek(ctx, key)
}

// Close lets go of what the cursor holds. Next returns io.EOF afterwards.
func (c *cursor) Close() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.closed, c.src, c.single, c.graphs, c.ahead = true, nil, fold{}, nil, nil
	_, err := c.holds(context.Background(), 0) // which gives back
	return err
}
