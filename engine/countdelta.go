package engine

import (
	"context"
	"io"

	"github.com/rete-go/rete/internal/look"
)

// countDelta returns how many rows the layers in memory and the top have more than
// the base, whose rows probe finds; it may be negative, modulo 2^64.
//
// Of a run that was looked at for as many rows as it has the outcome is remembered
// row by row, so that a count costs two searches.
func (q *query) countDelta(ctx context.Context, d *delta, graph uint32, probe *baseProbe) (uint64, error) {
	run, err := d.sorted(ctx, graph, q.order)
	if err != nil {
		return 0, err
	}
	from := sideSearch(run.rows, q.lo)
	in := run.drop(from)
	in = in.take(sideSearch(in.rows, q.hi))
	to := from + len(in.rows)
	var total int64
	// The top comes first: probe moves forward alone.
	top, err := q.topRows(ctx, graph)
	if err != nil {
		return 0, err
	}
	sums := run.sums.Load()
	if sums == nil && len(in.rows) > 0 && run.asked.Add(int64(len(in.rows))) >= int64(len(run.rows)) {
		if sums, err = q.sum(ctx, run, graph); err != nil {
			return 0, err
		}
	}
	if sums != nil {
		total = int64((*sums)[to] - (*sums)[from])
	}
	for step := 0; len(in.rows) > 0 && sums == nil || len(top.rows) > 0; step++ {
		if err := look.At(ctx, step); err != nil {
			return 0, err
		}
		if sums == nil && len(in.rows) > 0 && (len(top.rows) == 0 || in.rows[0].key.compare(top.rows[0].key) < 0) {
			n, err := probe.effect(ctx, &in, 0)
			if err != nil {
				return 0, err
			}
			total, in = total+n, in.drop(1)
			continue
		}
		// What the log says of the row of the top, in the layers in memory and
		// then in the base.
		r := &top.rows[0]
		if in = in.from(r.key); len(in.rows) > 0 && in.rows[0].key == r.key {
			below := in.rows[0]
			if sums == nil {
				n, err := probe.effect(ctx, &in, 0)
				if err != nil {
					return 0, err
				}
				total, in = total+n, in.drop(1)
			}
			if below.adds() || below.weight > q.v.base.weight {
				switch {
				case r.adds() && !below.adds():
					total++
				case !r.adds() && below.adds():
					total--
				}
				top = top.drop(1)
				continue
			}
		}
		if r.weight&idleBit == 0 {
			n, err := probe.effect(ctx, &top, 0)
			if err != nil {
				return 0, err
			}
			total += n
		}
		top = top.drop(1)
	}
	return uint64(total), nil
}

// topRows returns the top's rows that match q in a graph, the newest of each quad.
func (q *query) topRows(ctx context.Context, graph uint32) (out sideRows, err error) {
	if q.v.top == nil {
		return out, nil
	}
	srcs, err := q.v.top.sources(ctx, q, graph, nil)
	if err != nil || len(srcs) == 0 {
		return out, err
	}
	if len(srcs) == 1 {
		return srcs[0].(*sideSlice).sideRows, nil
	}
	m := newSideMerge(srcs)
	for {
		rows, err := m.next(ctx)
		if err == io.EOF {
			return out, nil
		}
		if err == nil {
			err = ctx.Err()
		}
		if err != nil {
			return out, err
		}
		out.rows = append(out.rows, rows.rows...)
		for i := range rows.rows {
			out.spots = append(out.spots, uint32(rows.known(i)))
		}
	}
}

// sum compares all rows of a run with the base.
func (q *query) sum(ctx context.Context, run *deltaRun, graph uint32) (*[]int32, error) {
	b := q.v.base
	all := &query{v: q.v, names: q.names, order: q.order, cols: q.cols, hi: maxKey}
	probe := &baseProbe{q: all, stored: q.v.stores(q.order)}
	if lg, ok := q.names.localGraph(b, graph); ok {
		runs, err := b.Scan(ctx, lg, q.order, [3]uint32{}, endLocal)
		if err != nil {
			return nil, err
		}
		probe.runs = runs
	}
	sums := make([]int32, len(run.rows)+1)
	for i := range run.rows {
		if err := look.At(ctx, i); err != nil {
			return nil, err
		}
		n, err := probe.effect(ctx, &run.sideRows, i)
		if err != nil {
			return nil, err
		}
		sums[i+1] = sums[i] + int32(n)
	}
	run.sums.Store(&sums)
	return &sums, nil
}
