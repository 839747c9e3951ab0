package view

import (
	"cmp"
	"context"
	"slices"
	"sort"
	"unsafe"

	"github.com/rete-go/rete/engine/internal/layers"
	"github.com/rete-go/rete/internal/cancel"
	"github.com/rete-go/rete/internal/segment"
	"github.com/rete-go/rete/tile"
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
	all  []segment.GraphRow // the graph rows in the order of the query, those alone that have the id of its first column if that is bound
	only []bool             // the graphs of the base that count, by number; nil: all
	// byGraph: all are by graph and then in the order of the query, which has nothing else bound.
	byGraph bool
}

// smallGraphs returns the base if its graphs are so small that their rows are read as one list; else nil.
func (v *view) smallGraphs() layers.GraphRows {
	b := v.Base
	if b == nil || len(b.Alias) > 0 || b.Sizes.Quads > uint64(b.Sizes.Graphs)*graphRowsMean {
		return nil
	}
	l, _ := b.Layer.(layers.GraphRows)
	return l
}

// rowsWanted is how graph rows are wanted.
type rowsWanted uint8

const (
	inOrder   rowsWanted = iota // of all graphs in one order
	eachGraph                   // graph by graph, without other bounds than the bound columns
	anyOrder                    // to be counted
)

// graphRows returns what the graph rows of the base answer of a query over graphs, given by rank,
// and the graphs that are to be opened; nil if there are no graph rows. make says that they may
// be made. If keys of the leading free column are given, ascending, other rows are not needed.
func (q *query) graphRows(ctx context.Context, graphs []uint32, keys []uint64, wanted rowsWanted, make bool) (*graphRowScan, []uint32, error) {
	l := q.v.smallGraphs()
	if l == nil || q.Empty || len(graphs) < manyGraphs {
		return nil, graphs, nil
	}
	order := q.Order
	if wanted == anyOrder && q.Lead < 2 { // these are there without being sorted
		order = segment.LeadingOrder(order)
	}
	p := &graphRowScan{q: q, byGraph: wanted != inOrder && (q.Lead == 1 || q.Lead == 0 && (order == tile.SPO || wanted == anyOrder))}
	rows := &segment.GraphRows{}
	var err error
	switch {
	case q.Lead > 0 && q.BaseHas():
		id, _ := q.BaseID(0, q.BoundKey(q.Cols[0]))
		rows, err = l.LeadRows(ctx, order, id, p.byGraph, make)
	case q.Lead > 0:
	case p.byGraph:
		rows, err = l.RowsByGraph(ctx, make)
	default:
		rows, err = l.RowsByOrder(ctx, order, make)
	}
	if rows == nil || err != nil {
		return nil, graphs, err
	}
	p.all = rows.Rows
	var rest []uint32
	if p.only, rest, err = q.choose(ctx, graphs); err == nil {
		rest, err = p.touched(ctx, rest, keys)
	}
	return p, rest, err
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

// rowsEach is how many rows [graphRowScan.touched] takes for each graph that it may leave out, which is
// less work than to open that.
const rowsEach = 64

// touched returns those of the graphs that are to be opened, given by rank, that may have rows of the query:
// the base has some within its bounds, or a change adds some. If there are many, it may return all. keys are
// as in [query.graphRows].
func (p *graphRowScan) touched(ctx context.Context, graphs []uint32, keys []uint64) ([]uint32, error) {
	if len(keys) > len(graphs) {
		keys = nil
	}
	if len(graphs) == 0 || p.q.Lead == 0 && keys == nil {
		return graphs, nil
	}
	found := []uint32{0} // the default graph, if it is one of them
	add := func(graph uint32) bool {
		if graph != found[len(found)-1] {
			found = append(found, graph)
		}
		return len(found) <= 4*len(graphs)
	}
	ranks, more := p.q.names.Graphs.Ranks[p.q.v.Base.Index], true
	base := func(rows []segment.GraphRow) {
		for i := 0; i < len(rows) && more; i++ {
			if !p.has(&rows[i]) {
				more = add(ranks[rows[i][3]-1])
			}
		}
	}
	rows := p.within(p.q)
	var err error
	switch {
	case p.only == nil: // each of them
	case keys != nil:
		err = p.spans(ctx, rows, keys, base)
	case len(rows) > rowsEach*len(graphs):
		return graphs, nil
	default:
		err = cancel.Blocks(ctx, len(rows), func(from, to int) { base(rows[from:to]) })
	}
	if err == nil && more {
		more, err = p.q.changedGraphs(ctx, keys, add)
	}
	if err != nil || !more {
		return graphs, err
	}
	slices.Sort(found)
	return slices.DeleteFunc(slices.Compact(found), func(g uint32) bool {
		_, wanted := slices.BinarySearch(graphs, g)
		return !wanted
	}), nil
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

// graphRowBytes is the memory of a graph row.
const graphRowBytes = int64(unsafe.Sizeof(segment.GraphRow{}))

// groupedBytes bounds the memory that [graphRowScan.grouped] makes.
func (p *graphRowScan) groupedBytes(ctx context.Context, want []uint64, some bool) (int64, error) {
	if p.byGraph && !some {
		return 0, nil
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

// grouped returns the rows by graph, those of others among them where these need no copy.
// Where keys of the leading free column are given, ascending, only rows that have one of them.
func (p *graphRowScan) grouped(ctx context.Context, want []uint64, some bool) ([]segment.GraphRow, error) {
	rows := p.within(p.q)
	if some {
		var err error
		if rows, err = p.wanted(ctx, rows, want); err != nil {
			return nil, err
		}
	} else if p.byGraph {
		return rows, nil
	}
	return p.groups(ctx, rows)
}

// fewRows is the share of the graphs below which rows are sorted by graph; else they are counted by graph.
const fewRows = 16

// groups returns the rows of graphs that count by graph.
func (p *graphRowScan) groups(ctx context.Context, rows []segment.GraphRow) ([]segment.GraphRow, error) {
	if len(rows) < int(p.q.v.Base.Sizes.Graphs)/fewRows {
		var out []segment.GraphRow
		err := cancel.Blocks(ctx, len(rows), func(from, to int) {
			for i := from; i < to; i++ {
				if p.has(&rows[i]) {
					out = append(out, rows[i])
				}
			}
		})
		if err != nil {
			return nil, err
		}
		return out, cancel.Sort(ctx, out, func(a, b segment.GraphRow) int {
			return cmp.Or(cmp.Compare(a[3], b[3]), layers.Compare([3]uint32(a[:3]), [3]uint32(b[:3])))
		})
	}
	ends := make([]uint32, p.q.v.Base.Sizes.Graphs+2)
	err := cancel.Blocks(ctx, len(rows), func(from, to int) {
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
	out := make([]segment.GraphRow, ends[len(ends)-1])
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
