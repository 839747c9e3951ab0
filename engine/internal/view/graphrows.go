package view

import (
	"context"
	"slices"
	"sort"
	"unsafe"

	"github.com/rete-go/rete/engine/internal/layers"
	"github.com/rete-go/rete/internal/cancel"
	"github.com/rete-go/rete/internal/segment"
	"github.com/rete-go/rete/tile"
	"github.com/rete-go/rete/tombstone"
)

// A scan over thousands of small graphs takes the rows of those that only the base
// has from one list of all graphs' rows, its graph rows, and opens the others one by one.

var (
	// manyGraphs is the least number of graphs whose scan reads the graph rows.
	manyGraphs = 64
	// graphRowsAfter is after how many graphs that were opened one by one they are made, so
	// that a scan of which the first rows are wanted reads no more than these.
	graphRowsAfter = 256
)

// graphRowsMean is the maximum mean rows of a graph: larger ones are read
// tile by tile.
const graphRowsMean = 4096

// graphRowScan is the part of a query that the graph rows answer.
type graphRowScan struct {
	q    *query
	all  []segment.GraphRow // of the graph rows, in the order of the query
	only []bool             // the graphs of the base that count, by number; nil: all
	// byGraph: all is by graph and then in the query's order, which has no bound column.
	byGraph bool
}

// graphRows returns what the graph rows of the base answer of a query over graphs, given by rank,
// and the graphs that are to be opened; nil if there are no graph rows. each says that the
// rows are wanted graph by graph, and make that they may be made.
func (q *query) graphRows(ctx context.Context, graphs []uint32, each, make bool) (*graphRowScan, []uint32, error) {
	b := q.v.Base
	if b == nil || q.Empty || len(graphs) < manyGraphs || len(b.Alias) > 0 || b.Sizes.Quads > uint64(b.Sizes.Graphs)*graphRowsMean {
		return nil, graphs, nil
	}
	l, ok := b.Layer.(layers.GraphRows)
	if !ok {
		return nil, graphs, nil
	}
	p := &graphRowScan{q: q, byGraph: each && q.Lead == 0 && q.Order == tile.SPO && q.Lo == tombstone.Key{} && q.Hi == tombstone.MaxKey}
	var rows *segment.GraphRows
	var err error
	if p.byGraph {
		rows, err = l.RowsByGraph(ctx, make)
	} else {
		rows, err = l.RowsByOrder(ctx, q.Order, make)
	}
	if rows == nil || err != nil {
		return nil, graphs, err
	}
	p.all = rows.Rows
	rest, err := p.choose(ctx, graphs)
	return p, rest, err
}

// graphRowsChoice is which graphs of a scan over all graphs the graph rows answer for.
type graphRowsChoice struct {
	names  *viewNames
	graphs int // how many, the default graph included or not
	only   []bool
	rest   []uint32
}

// choose notes the graphs of which no other layer speaks, and returns the others.
func (p *graphRowScan) choose(ctx context.Context, graphs []uint32) (rest []uint32, err error) {
	q := p.q
	known := q.v.chosen.Load()
	all := len(graphs) >= len(q.names.Graphs.Surfaces)+1 || len(graphs) == len(q.names.Graphs.Surfaces) && graphs[0] > 0
	if all && known != nil && known.names == q.names && known.graphs == len(graphs) {
		p.only = known.only
		return known.rest, nil
	}
	others, err := q.v.otherGraphs(ctx, q.names)
	if err != nil {
		return nil, err
	}
	n := 0
	p.only = make([]bool, q.v.Base.Sizes.Graphs+1)
	for i, g := range graphs {
		if err := cancel.Check(ctx, i); err != nil {
			return nil, err
		}
		lg, ok := q.names.LocalGraph(q.v.Base, g)
		if g == 0 || !ok || others[g] {
			rest = append(rest, g)
			continue
		}
		p.only[lg] = true
		n++
	}
	if n == int(q.v.Base.Sizes.Graphs) {
		p.only = nil
	}
	if all {
		q.v.chosen.Store(&graphRowsChoice{q.names, len(graphs), p.only, slices.Clip(rest)})
	}
	return rest, nil
}

// otherGraphs returns the named graphs, by rank, of which another layer than the base
// may have something to say.
func (v *view) otherGraphs(ctx context.Context, n *viewNames) (map[uint32]bool, error) {
	out := make(map[uint32]bool)
	for _, l := range v.Layers {
		if l == v.Base {
			continue
		}
		for i, rank := range n.Graphs.Ranks[l.Index] {
			if err := cancel.Check(ctx, i); err != nil {
				return nil, err
			}
			out[rank] = true // 0 is none
		}
	}
	if v.top == nil {
		return out, nil
	}
	for _, r := range v.top.runs {
		for i, g := range r.graphs {
			if err := cancel.Check(ctx, i); err != nil {
				return nil, err
			}
			if g.id == 0 {
				continue
			}
			rank, err := v.graphRank(ctx, n, g.id)
			if err != nil {
				return nil, err
			}
			out[rank] = true
		}
	}
	return out, nil
}

// within returns the rows in the bounds of a query in the same order, those of other
// graphs among them.
func (p *graphRowScan) within(q *query) []segment.GraphRow {
	if p.byGraph {
		return p.all
	}
	if q.Empty || !q.BaseHas() || q.Lo.Compare(q.Hi) >= 0 {
		return nil
	}
	lo, _ := q.BaseKey(q.Lo)
	hi, _ := q.BaseKey(q.Hi)
	from := graphRowsSearch(p.all, lo)
	return p.all[from:max(from, graphRowsSearch(p.all, hi))]
}

// graphRowsSearch returns the first row that is not below a key.
func graphRowsSearch(rows []segment.GraphRow, key [3]uint32) int {
	return sort.Search(len(rows), func(i int) bool { return layers.Compare([3]uint32(rows[i][:3]), key) >= 0 })
}

// has reports whether a row is of a graph that counts.
func (p *graphRowScan) has(r *segment.GraphRow) bool { return p.only == nil || p.only[r[3]] }

// count returns the number of rows, those of several graphs more than once.
func (p *graphRowScan) count(ctx context.Context) (uint64, error) {
	rows := p.within(p.q)
	if p.only == nil {
		return uint64(len(rows)), nil
	}
	n := uint64(0)
	err := cancel.Blocks(ctx, len(rows), func(from, to int) {
		for i := from; i < to; i++ {
			if p.only[rows[i][3]] {
				n++
			}
		}
	})
	return n, err
}

// graphRowsSampled is how many rows an estimate looks at.
const graphRowsSampled = 1 << 12

// guess returns bounds of the number of rows and a guess: where the graphs of some do
// not count, and there are many, by those of a few.
func (p *graphRowScan) guess(ctx context.Context) (low, high, guess uint64, err error) {
	rows := p.within(p.q)
	if p.only == nil || len(rows) <= graphRowsSampled {
		n, err := p.count(ctx)
		return n, n, n, err
	}
	count := uint64(0)
	for i, step := 0, len(rows)/graphRowsSampled; i < graphRowsSampled; i++ {
		if p.has(&rows[i*step]) {
			count++
		}
	}
	high = uint64(len(rows))
	return 0, high, high * count / graphRowsSampled, nil
}

// present returns the ranks of the graphs that have a row.
func (p *graphRowScan) present(ctx context.Context) (ranks []uint32, err error) {
	last := uint32(0)
	err = cancel.Blocks(ctx, len(p.all), func(from, to int) {
		for i := from; i < to; i++ {
			if r := &p.all[i]; r[3] != last && p.has(r) {
				last = r[3]
				ranks = append(ranks, p.q.names.Graphs.Ranks[p.q.v.Base.Index][last-1])
			}
		}
	})
	return ranks, err
}

// graphRowBytes is the memory of a graph row.
const graphRowBytes = int64(unsafe.Sizeof(segment.GraphRow{}))

// groupedBytes bounds the memory that [graphRowScan.grouped] makes.
func (p *graphRowScan) groupedBytes(ctx context.Context, want []uint64, some bool) (int64, error) {
	if p.byGraph && !some {
		if p.only == nil {
			return 0, nil
		}
		return int64(len(p.all)) * graphRowBytes, nil
	}
	rows := int64(len(p.within(p.q)))
	if some {
		rows = 0
		err := p.spans(ctx, p.within(p.q), want, func(span []segment.GraphRow) { rows += int64(len(span)) })
		if err != nil {
			return 0, err
		}
		rows *= 2 // as they are found, and then by graph
	}
	return rows*graphRowBytes + int64(p.q.v.Base.Sizes.Graphs)*4, nil
}

// grouped returns the rows by graph. Where keys of the leading free column are given,
// ascending, only rows that have one of them.
func (p *graphRowScan) grouped(ctx context.Context, want []uint64, some bool) (out []segment.GraphRow, err error) {
	if p.byGraph && !some {
		if p.only == nil {
			return p.all, nil
		}
		out = make([]segment.GraphRow, 0, len(p.all))
		err = cancel.Blocks(ctx, len(p.all), func(from, to int) {
			for i := from; i < to; i++ {
				if p.only[p.all[i][3]] {
					out = append(out, p.all[i])
				}
			}
		})
		return out, err
	}
	rows := p.within(p.q)
	if some {
		if rows, err = p.wanted(ctx, rows, want); err != nil {
			return nil, err
		}
	}
	ends := make([]uint32, p.q.v.Base.Sizes.Graphs+2)
	err = cancel.Blocks(ctx, len(rows), func(from, to int) {
		for i := from; i < to; i++ {
			if p.has(&rows[i]) {
				ends[rows[i][3]+1]++
			}
		}
	})
	if err != nil {
		return nil, err
	}
	for g := 1; g < len(ends); g++ {
		if err := cancel.Check(ctx, g); err != nil {
			return nil, err
		}
		ends[g] += ends[g-1]
	}
	out = make([]segment.GraphRow, ends[len(ends)-1])
	return out, cancel.Blocks(ctx, len(rows), func(from, to int) {
		for i := from; i < to; i++ {
			if r := &rows[i]; p.has(r) {
				out[ends[r[3]]] = *r
				ends[r[3]]++
			}
		}
	})
}

// wanted returns the rows that have one of some ascending keys in the leading free
// column.
func (p *graphRowScan) wanted(ctx context.Context, rows []segment.GraphRow, want []uint64) ([]segment.GraphRow, error) {
	n := 0
	if err := p.spans(ctx, rows, want, func(span []segment.GraphRow) { n += len(span) }); err != nil {
		return nil, err
	}
	out := make([]segment.GraphRow, 0, n)
	err := p.spans(ctx, rows, want, func(span []segment.GraphRow) { out = append(out, span...) })
	return out, err
}

// spans calls f with the stretches of rows that have one of some ascending keys in the
// leading free column; a stretch ends at a block.
func (p *graphRowScan) spans(ctx context.Context, rows []segment.GraphRow, want []uint64, f func(span []segment.GraphRow)) error {
	lead := p.q.Lead
	for i, key := range want {
		if err := cancel.Check(ctx, i); err != nil {
			return err
		}
		id, exact := p.q.BaseID(lead, key)
		if !exact {
			continue
		}
		step := 1
		for step < len(rows) && rows[step][lead] < id {
			step *= 2
		}
		end := min(step+1, len(rows))
		rows = rows[sort.Search(end, func(i int) bool { return rows[i][lead] >= id }):]
		for len(rows) > 0 && rows[0][lead] == id {
			n := 1
			for n < min(len(rows), cancel.Block) && rows[n][lead] == id {
				n++
			}
			f(rows[:n])
			if rows = rows[n:]; n == cancel.Block && ctx.Err() != nil {
				return ctx.Err()
			}
		}
	}
	return nil
}
