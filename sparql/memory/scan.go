package memory

import (
	"context"
	"io"
	"slices"
	"sort"

	"github.com/rete-go/rete/dataset"
)

// Orders implements [dataset.Dataset]: all six, those first whose leading
// columns the pattern binds.
func (d *store) Orders(p dataset.Pattern) []dataset.Order {
	bound := boundCols(&p)
	out := []dataset.Order{dataset.SPO, dataset.POS, dataset.OSP, dataset.SOP, dataset.PSO, dataset.OPS}
	slices.SortStableFunc(out, func(a, b dataset.Order) int { return b.Leads(bound) - a.Leads(bound) })
	return out
}

func boundCols(p *dataset.Pattern) dataset.Cols {
	var bound dataset.Cols
	for c := dataset.S; c <= dataset.O; c++ {
		if p.At(c) != 0 {
			bound |= c.Bit()
		}
	}
	return bound
}

// stretch is sorted rows of one graph.
type stretch struct {
	graph id
	rows  []row
}

// select returns the graphs that g selects, in order.
func (d *store) choose(g dataset.Graphs) []*graph {
	var out []*graph
	for _, gr := range d.graphs {
		var ok bool
		switch {
		case g.Mode == dataset.Unnamed:
			ok = gr.name == 0
		case g.Set != nil:
			ok = slices.Contains(g.Set, gr.name) && (gr.name != 0 || g.Mode == dataset.Merge)
		default:
			ok = gr.name != 0 || g.Mode == dataset.Merge && !g.NamedOnly
		}
		if ok {
			out = append(out, gr)
		}
	}
	return out
}

// GraphPlace implements [dataset.GraphPlacer].
func (d *store) GraphPlace(_ context.Context, name id) (uint64, error) {
	if g := d.byName[name]; g != nil && name != 0 {
		return uint64(g.place), nil
	}
	return 0, nil
}

// stretches returns the rows of the pattern's graphs that begin with the
// leading bound columns.
func (d *store) stretches(p *dataset.Pattern, o dataset.Order) []stretch {
	var prefix []id
	for _, c := range o.Columns() {
		if p.At(c) == 0 {
			break
		}
		prefix = append(prefix, p.At(c))
	}
	var out []stretch
	for _, g := range d.choose(p.G) {
		rows := g.rows[o]
		lo := search(rows, prefix, false)
		hi := search(rows, prefix, true)
		if lo < hi {
			out = append(out, stretch{g.name, rows[lo:hi]})
		}
	}
	if p.G.Mode != dataset.Merge {
		return out
	}
	if len(out) > 1 {
		var all []row
		for _, s := range out {
			all = append(all, s.rows...)
		}
		slices.SortFunc(all, compare)
		out = []stretch{{0, slices.Compact(all)}}
	}
	return out
}

// search returns the first row at or after the key, or after all rows that
// begin with it.
func search(rows []row, key []id, after bool) int {
	return sort.Search(len(rows), func(i int) bool {
		for k := range key {
			if rows[i][k] != key[k] {
				return rows[i][k] > key[k]
			}
		}
		return !after
	})
}

// Scan implements [dataset.Dataset].
func (d *store) Scan(_ context.Context, p dataset.Pattern, o dataset.Order, opt *dataset.ScanOptions) (dataset.Cursor, error) {
	if opt == nil {
		opt = &dataset.ScanOptions{}
	}
	c := &cursor{cols: o.Columns(), want: opt.Wanted(), each: p.G.Mode == dataset.Each, next: dataset.FirstBatch, from: opt.From}
	c.rest = d.stretches(&p, o)
	for i := range c.cols {
		c.bound[i] = p.At(c.cols[i])
		c.within[i] = opt.Within[c.cols[i]]
	}
	c.graphs = opt.Within[dataset.G]
	for i := range c.rest {
		s := &c.rest[i]
		if opt.To != nil {
			s.rows = s.rows[:search(s.rows, opt.To, false)]
		}
		if opt.From != nil {
			s.rows = s.rows[search(s.rows, opt.From, false):]
		}
	}
	if opt.Parts > 1 {
		c.cut(opt.Part, opt.Parts)
	}
	return c, nil
}

// cursor is a scan over stretches.
type cursor struct {
	cols   [3]dataset.Col
	bound  row // by the order's columns
	within [3]*dataset.IDSet
	graphs *dataset.IDSet
	want   dataset.Cols
	each   bool
	next   int // rows of the next batch
	from   []id
	rest   []stretch
}

// cut keeps one part of each stretch, by ranges of the leading free ids.
func (c *cursor) cut(part, parts int) {
	lead := 0
	for lead < 2 && c.bound[lead] != 0 {
		lead++
	}
	var ids []id
	for _, s := range c.rest {
		for _, r := range s.rows {
			ids = append(ids, r[lead])
		}
	}
	slices.Sort(ids)
	ids = slices.Compact(ids)
	lo, hi := len(ids)*part/parts, len(ids)*(part+1)/parts
	for i := range c.rest {
		s := &c.rest[i]
		bound := func(n int) int {
			return sort.Search(len(s.rows), func(i int) bool { return n < len(ids) && s.rows[i][lead] >= ids[n] })
		}
		s.rows = s.rows[bound(lo):bound(hi)]
	}
}

// Next implements [dataset.Cursor].
func (c *cursor) Next(ctx context.Context, b *dataset.Batch) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	limit := c.next
	c.next = min(2*c.next, dataset.MaxBatch)
	b.N = 0
	for i := range b.Col {
		b.Col[i] = b.Col[i][:0]
	}
	for len(c.rest) > 0 && b.N < limit {
		s := &c.rest[0]
		if c.each && c.graphs != nil && !c.graphs.Contains(s.graph) {
			s.rows = nil
		}
		for len(s.rows) > 0 && b.N < limit {
			r := s.rows[0]
			if n := c.skip(s.rows); n > 0 {
				s.rows = s.rows[n:]
				continue
			}
			s.rows = s.rows[1:]
			for i, col := range c.cols {
				if c.want.Has(col) {
					b.Col[col] = append(b.Col[col], r[i])
				}
			}
			if c.each && c.want.Has(dataset.G) {
				b.Col[dataset.G] = append(b.Col[dataset.G], s.graph)
			}
			b.N++
		}
		if len(s.rows) == 0 {
			c.rest = c.rest[1:]
		}
	}
	if b.N == 0 {
		return io.EOF
	}
	return nil
}

// skip returns how many rows at the head do not belong to the scan: 0 if the
// first does. It gallops over ids that a set does not have.
func (c *cursor) skip(rows []row) int {
	for i, v := range rows[0] {
		if c.bound[i] != 0 && v != c.bound[i] {
			if v > c.bound[i] {
				return after(rows, i)
			}
			return 1
		}
		set := c.within[i]
		if set == nil || set.Contains(v) {
			continue
		}
		next, ok := set.Next(v)
		if !ok {
			return after(rows, i)
		}
		key := rows[0]
		key[i] = next
		return max(1, search(rows, key[:i+1], false))
	}
	return 0
}

// after returns the number of rows that share the first n ids of the head.
func after(rows []row, n int) int {
	return max(1, search(rows, rows[0][:n], true))
}

// Seek implements [dataset.Cursor].
func (c *cursor) Seek(ctx context.Context, key ...id) error {
	if len(c.rest) == 0 {
		return ctx.Err()
	}
	for i := range c.rest {
		s := &c.rest[i]
		s.rows = s.rows[search(s.rows, key, false):]
		if len(s.rows) > 0 {
			c.rest = c.rest[i:]
			return ctx.Err()
		}
	}
	c.rest = nil
	return ctx.Err()
}

// Close implements [dataset.Cursor].
func (c *cursor) Close() error {
	c.rest = nil
	return nil
}
