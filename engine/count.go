package engine

import (
	"context"
	"io"

	"github.com/rete-go/rete/internal/look"
)

// Count returns the exact number of visible quads that match p: the base's rows
// by its tiles, corrected row by row where other layers have something to say.
// Under Merge with more than one graph the rows are merged and counted.
func (v *View) Count(ctx context.Context, p Pattern) (uint64, error) {
	n, err := v.table(ctx)
	if err != nil {
		return 0, err
	}
	q, err := v.newQuery(ctx, n, p, v.Orders(p)[0], nil)
	if err != nil || q.empty {
		return 0, err
	}
	graphs, err := v.graphRanks(ctx, n, p.G, nil)
	if err != nil {
		return 0, err
	}
	var total uint64
	if p.G.Mode != Unnamed {
		pool, rest, err := q.pool(ctx, graphs, p.G.Mode == Each, p.G.Mode == Merge || q.lead > 0)
		switch {
		case err != nil:
			return 0, err
		case p.G.Mode == Merge && len(graphs) > 1:
			return countRows(ctx, q.mergeSource(pool, rest))
		case pool != nil:
			if total, err = pool.count(ctx); err != nil {
				return 0, err
			}
			graphs = rest
		}
	}
	for _, g := range graphs {
		if err := ctx.Err(); err != nil {
			return 0, err
		}
		c, err := q.count(ctx, g)
		if err != nil {
			return 0, err
		}
		total += c
	}
	return total, nil
}

// countRows drains a source.
func countRows(ctx context.Context, src rowSource) (uint64, error) {
	var n uint64
	for {
		if err := ctx.Err(); err != nil {
			return 0, err
		}
		p, err := src.next(ctx, 1<<30, nil)
		if err == io.EOF {
			return n, nil
		}
		if err != nil {
			return 0, err
		}
		n += uint64(p.len())
	}
}

// count counts one graph.
func (q *query) count(ctx context.Context, graph uint32) (uint64, error) {
	b := q.v.base
	if b == nil {
		return 0, nil
	}
	if err := q.promoteAsked(ctx); err != nil {
		return 0, err
	}
	lg, ok := q.names.localGraph(b, graph)
	ok = ok && q.baseHas()
	lo, _ := q.baseKey(q.lo)
	hi, _ := q.baseKey(q.hi)
	var total uint64
	if ok = ok && compare3(lo, hi) < 0; ok {
		var err error
		if total, err = b.Count(ctx, lg, q.order, lo[:q.lead]...); err != nil {
			return 0, err
		}
	}
	probe := &baseProbe{q: q, stored: q.v.stores(q.order)}
	if ok && total > 0 {
		var err error
		if probe.runs, err = b.Scan(ctx, lg, q.order, lo, hi); err != nil {
			return 0, err
		}
	}
	if d := q.names.delta.cur.Load(); d.whole(q.v) {
		more, err := q.countDelta(ctx, d, graph, probe)
		return total + more, err // modulo 2^64 where more is negative
	}
	side, err := q.side(ctx, graph)
	if err != nil || side == nil {
		return total, err
	}
	for {
		rows, err := side.next(ctx)
		if err == io.EOF {
			return total, nil
		}
		if err != nil {
			return 0, err
		}
		for i := range rows.rows {
			if err := look.At(ctx, i); err != nil {
				return 0, err
			}
			n, err := probe.effect(ctx, &rows, i)
			if err != nil {
				return 0, err
			}
			total += uint64(n)
		}
	}
}

// effect returns how many rows more there are for what a row of another layer says
// of the base: 1, 0 or -1. Rows are asked for in order.
func (p *baseProbe) effect(ctx context.Context, in *sideRows, i int) (int64, error) {
	r := &in.rows[i]
	if !r.adds() && r.weight < p.q.v.base.weight {
		return 0, nil
	}
	switch at := in.known(i); {
	case !p.stored || at == spotUnknown:
	case at.effect() == spotInsert:
		return 1, nil
	case at.effect() == spotHide:
		return -1, nil
	default:
		return 0, nil
	}
	has, err := p.has(ctx, r.key)
	if err == nil && p.stored && p.pos.row < p.run.Hi && p.at == r.key {
		in.learn(i, p.q.spotAt(r, p.pos.row, has))
	}
	switch {
	case r.adds() && !has:
		return 1, err
	case !r.adds() && has:
		return -1, err
	}
	return 0, err
}

// baseProbe tells of ascending keys whether the base has the row.
type baseProbe struct {
	q      *query
	runs   Runs // nil: no rows, or no more
	run    Run
	pos    tilePos
	at     key3 // the key whose place pos is
	stored bool // the base's tiles are the same for every scan
}

func (p *baseProbe) has(ctx context.Context, key key3) (bool, error) {
	local, exact := p.q.baseKey(key)
	if !exact {
		return false, nil
	}
	for p.runs != nil {
		if p.pos.row < p.run.Hi {
			p.pos = seekTile(p.run.Tile, p.pos, p.run.Hi, local)
			if p.pos.row < p.run.Hi {
				p.at = key
				return keyAt(p.run.Tile, p.pos) == local, nil
			}
		}
		if err := p.runs.Seek(ctx, local); err != nil {
			return false, err
		}
		run, err := p.runs.Next(ctx)
		if err == io.EOF {
			p.runs = nil
			break
		}
		if err != nil {
			return false, err
		}
		p.run, p.pos = run, posOf(run.Tile, run.Lo)
	}
	return false, nil
}
