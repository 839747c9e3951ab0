package read

import (
	"context"
	"io"
	"slices"

	"github.com/rete-go/rete/internal/cancel"
	"github.com/rete-go/rete/segment/internal/radix"
	"github.com/rete-go/rete/tile"
)

// PoolRow is a triple of a named graph: the ids of its columns in some order, and the
// number of the graph.
type PoolRow [4]uint32

// poolRowBytes is what a row of a pool takes.
const poolRowBytes = 16

// Pool is the triples of all named graphs of a segment in one list, so that thousands
// of small graphs need not be opened one by one. Rows are shared: do not change them.
type Pool struct {
	// Rows ascend by the columns and then by the graph; those of [Segment.PoolByGraph]
	// by the graph first.
	Rows []PoolRow
}

// NewPool sorts rows, which ascend by graph and then in the order SPO.
func NewPool(ctx context.Context, byGraph []PoolRow, o tile.Order) (*Pool, error) {
	rows := make([]PoolRow, len(byGraph))
	cols := o.Columns()
	var most PoolRow
	err := cancel.Blocks(ctx, len(rows), func(from, to int) {
		for i, r := range byGraph[from:to] {
			row := PoolRow{r[cols[0]], r[cols[1]], r[cols[2]], r[3]}
			for c := range most {
				most[c] = max(most[c], row[c])
			}
			rows[from+i] = row
		}
	})
	if err == nil {
		rows, err = sortPool(ctx, rows, most)
	}
	return &Pool{Rows: rows}, err
}

// sortPool sorts rows stably by their columns, but not by graph.
func sortPool(ctx context.Context, rows []PoolRow, most PoolRow) ([]PoolRow, error) {
	if len(rows) < radix.SmallSort {
		slices.SortStableFunc(rows, func(x, y PoolRow) int { return slices.Compare(x[:3], y[:3]) })
		return rows, nil
	}
	other := make([]PoolRow, len(rows))
	for c := 2; c >= 0; c-- {
		for shift := 0; shift < radix.Width(most[c]); shift += radix.DigitBits {
			var at [radix.Digits]int
			err := cancel.Blocks(ctx, len(rows), func(from, to int) {
				for i := from; i < to; i++ {
					at[rows[i][c]>>shift&(radix.Digits-1)]++
				}
			})
			if err != nil {
				return nil, err
			}
			sum := 0
			for i, n := range at {
				at[i] = sum
				sum += n
			}
			err = cancel.Blocks(ctx, len(rows), func(from, to int) {
				for i := from; i < to; i++ {
					d := rows[i][c] >> shift & (radix.Digits - 1)
					other[at[d]] = rows[i]
					at[d]++
				}
			})
			if err != nil {
				return nil, err
			}
			rows, other = other, rows
		}
	}
	return rows, nil
}

// Pools reports whether the triples of the named graphs are likely to fit into the
// cache as a pool.
func (s *Segment) Pools() bool {
	n := max(s.counts.Quads, s.head.Quads)
	return s.counts.Graphs > 0 && n < 1<<31 && s.cache.Keeps(int64(n)*poolRowBytes)
}

// keepsPool reports whether a pool of n rows would stay in the cache: one that is made
// for a single scan costs more than it saves.
func (s *Segment) keepsPool(unit uint64, n int) bool {
	return s.cache.KeepsNow(s.key(unit), int64(n)*poolRowBytes)
}

// Pool returns the pool in an order. It is made, of all named graphs, unless it is in
// the cache; if it shall not be made, or would not be kept, it is nil.
func (s *Segment) Pool(ctx context.Context, o tile.Order, make bool) (_ *Pool, err error) {
	if err = s.over(); err != nil {
		return
	}
	defer s.late(&err)
	if v, ok := s.cache.Peek(s.key(wholePools + uint64(o))); ok {
		return v.(*Pool), nil
	}
	byGraph, err := s.PoolByGraph(ctx, make)
	if byGraph == nil || err != nil || !s.keepsPool(wholePools+uint64(o), len(byGraph.Rows)) {
		return nil, err
	}
	return cached(ctx, s, wholePools+uint64(o), func(ctx context.Context) (*Pool, int64, error) {
		p, err := NewPool(ctx, byGraph.Rows, o)
		return p, int64(len(byGraph.Rows)) * poolRowBytes, err
	})
}

// PoolByGraph returns the triples by graph, in the order SPO, as [Segment.Pool] does.
func (s *Segment) PoolByGraph(ctx context.Context, make bool) (_ *Pool, err error) {
	if err = s.over(); err != nil {
		return
	}
	defer s.late(&err)
	const unit = wholePools + uint64(tile.NumOrders)
	if v, ok := s.cache.Peek(s.key(unit)); ok || !make || !s.Pools() || !s.keepsPool(unit, int(max(s.counts.Quads, s.head.Quads))) {
		p, _ := v.(*Pool)
		return p.kept(), nil
	}
	p, err := cached(ctx, s, unit, func(ctx context.Context) (*Pool, int64, error) {
		p := &Pool{Rows: []PoolRow{}}
		for g := range s.counts.Graphs {
			if err := s.poolGraph(ctx, g+1, p); err != nil {
				return nil, 0, err
			}
			if !s.cache.Keeps(int64(len(p.Rows)) * poolRowBytes) {
				return &Pool{}, 0, nil // there is more in the file than its header says
			}
		}
		p.Rows = slices.Clip(p.Rows)
		return p, int64(cap(p.Rows)) * poolRowBytes, nil
	})
	return p.kept(), err
}

// kept returns nil for a pool that was too large.
func (p *Pool) kept() *Pool {
	if p == nil || p.Rows == nil {
		return nil
	}
	return p
}

// poolGraph appends the triples of a graph.
func (s *Segment) poolGraph(ctx context.Context, g int, p *Pool) error {
	sc, err := s.Scan(ctx, g, tile.SPO)
	if err != nil {
		return err
	}
	var cur tile.Cursor
	for {
		run, err := sc.Next(ctx)
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		cur.Reset(run.Tile)
		for ; cur.Valid() && cur.RowNumber() < run.Hi; cur.Next() {
			a, b, c := cur.Row()
			p.Rows = append(p.Rows, PoolRow{a, b, c, uint32(g)})
		}
	}
}
