package engine

import (
	"context"
	"io"
	"sort"
)

// countDelta returns how many rows the layers in memory and the top have more than
// the base, whose rows probe finds; it may be negative, modulo 2^64.
//
// Of a run that was looked at for as many rows as it has the outcome is remembered
// row by row, so that a count costs two searches.
func (q *query) countDelta(ctx context.Context, d *delta, graph uint32, probe *baseProbe) (uint64, error) {
	run := d.sorted(graph, q.order)
	from := sort.Search(len(run.rows), func(i int) bool { return run.rows[i].key.compare(q.lo) >= 0 })
	to := from + len(sideRange(run.rows[from:], q.lo, q.hi))
	rows := run.rows[from:to]
	var total int64
	// The top comes first: probe moves forward alone.
	top, err := q.topRows(ctx, graph)
	if err != nil {
		return 0, err
	}
	sums := run.sums.Load()
	if sums == nil && len(rows) > 0 && run.asked.Add(int64(len(rows))) >= int64(len(run.rows)) {
		if sums, err = q.sum(ctx, run, graph); err != nil {
			return 0, err
		}
	}
	if sums != nil {
		total = int64((*sums)[to] - (*sums)[from])
	}
	for len(rows) > 0 && sums == nil || len(top) > 0 {
		if sums == nil && len(rows) > 0 && (len(top) == 0 || rows[0].key.compare(top[0].key) < 0) {
			n, err := probe.effect(ctx, &rows[0])
			if err != nil {
				return 0, err
			}
			total, rows = total+n, rows[1:]
			continue
		}
		// What the log says of the row of the top, in the layers in memory and
		// then in the base.
		r := &top[0]
		top = top[1:]
		if rows = sideFrom(rows, r.key); len(rows) > 0 && rows[0].key == r.key {
			below := rows[0]
			if sums == nil {
				n, err := probe.effect(ctx, &below)
				if err != nil {
					return 0, err
				}
				total, rows = total+n, rows[1:]
			}
			if below.adds() || below.weight > q.v.base.weight {
				switch {
				case r.adds() && !below.adds():
					total++
				case !r.adds() && below.adds():
					total--
				}
				continue
			}
		}
		if r.weight&idleBit != 0 {
			continue
		}
		n, err := probe.effect(ctx, r)
		if err != nil {
			return 0, err
		}
		total += n
	}
	return uint64(total), nil
}

// topRows returns the top's rows that match q in a graph, the newest of each quad.
func (q *query) topRows(ctx context.Context, graph uint32) ([]sideRow, error) {
	if q.v.top == nil {
		return nil, nil
	}
	srcs, err := q.v.top.sources(ctx, q, graph, nil)
	if err != nil || len(srcs) == 0 {
		return nil, err
	}
	if len(srcs) == 1 {
		return srcs[0].(*sideSlice).rows, nil
	}
	var out []sideRow
	m := newSideMerge(srcs)
	for {
		rows, err := m.next(ctx)
		if err == io.EOF {
			return out, nil
		}
		if err != nil {
			return nil, err
		}
		out = append(out, rows.rows...)
	}
}

// sum compares all rows of a run with the base.
func (q *query) sum(ctx context.Context, run *deltaRun, graph uint32) (*[]int32, error) {
	b := q.v.base
	all := &query{v: q.v, names: q.names, order: q.order, cols: q.cols, hi: maxKey}
	probe := &baseProbe{q: all}
	if lg, ok := q.names.localGraph(b, graph); ok {
		runs, err := b.Scan(ctx, lg, q.order, [3]uint32{}, endLocal)
		if err != nil {
			return nil, err
		}
		probe.runs = runs
	}
	sums := make([]int32, len(run.rows)+1)
	for i := range run.rows {
		if i%lookEvery == lookEvery-1 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		n, err := probe.effect(ctx, &run.rows[i])
		if err != nil {
			return nil, err
		}
		sums[i+1] = sums[i] + int32(n)
	}
	run.sums.Store(&sums)
	return &sums, nil
}
