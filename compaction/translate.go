package compaction

import (
	"context"
	"io"

	"github.com/rete-go/rete/internal/damage"
)

// read translates all rows of the part and cuts them into runs. Rows with a term
// that the output does not have are dropped: they are not in it, and what they
// hide is not either.
func (r *runs) read(ctx context.Context, m *meter) error {
	rows, err := r.l.Rows(ctx, r.number, r.from)
	if err != nil {
		return err
	}
	moved := r.l.anyMoved()
	for {
		run, err := rows.Next(ctx)
		if err == io.EOF {
			return r.finish()
		}
		if err != nil {
			return err
		}
		for lo := run.Lo; lo < run.Hi; lo += batch {
			n := min(batch, run.Hi-lo)
			var read [3][]uint32
			for i, from := range r.perm {
				r.buf[i] = r.buf[i][:n]
				read[from] = r.buf[i]
			}
			run.Tile.Fill(lo, read[0], read[1], read[2])
			if moved {
				err = r.addMoved(n)
			} else {
				err = r.add(n)
			}
			if err != nil {
				return err
			}
		}
		m.add(run.Len())
	}
}

// over returns 1 if v is larger than limit.
func over(v, limit uint32) int { return int((uint64(limit) - uint64(v)) >> 63) }

// add translates the rows in buf, n of them.
func (r *runs) add(n int) error {
	as, bs, cs := r.buf[0][:n], r.buf[1][:n], r.buf[2][:n]
	mapA, mapB, mapC := r.maps[0], r.maps[1], r.maps[2]
	old, now := r.old, r.now
	for i, a := range as {
		b, c := bs[i], cs[i]
		if uint64(a) >= uint64(len(mapA)) || uint64(b) >= uint64(len(mapB)) || uint64(c) >= uint64(len(mapC)) {
			return r.foreign(a, b, c)
		}
		x := row{mapA[a], mapB[b], mapC[c]}
		if x[0] == 0 || x[1] == 0 || x[2] == 0 {
			continue
		}
		k := over(a, old[0])<<5 | over(b, old[1])<<4 | over(c, old[2])<<3 |
			over(x[0], now[0])<<2 | over(x[1], now[1])<<1 | over(x[2], now[2])
		to := r.list[k]
		if to == nil {
			to = r.begin(&r.list[k])
		}
		if len(to.open) >= to.limit {
			if err := to.close(false); err != nil {
				return err
			}
		}
		to.open = append(to.open, x)
	}
	return nil
}

// addMoved is add for layers that have moved terms: rows with one of them go to
// the rest.
func (r *runs) addMoved(n int) error {
	kept := 0
	for i := range n {
		a, b, c := r.buf[0][i], r.buf[1][i], r.buf[2][i]
		if !r.l.hasMoved(r.cols[0], a) && !r.l.hasMoved(r.cols[1], b) && !r.l.hasMoved(r.cols[2], c) {
			r.buf[0][kept], r.buf[1][kept], r.buf[2][kept] = a, b, c
			kept++
			continue
		}
		var x row
		for col, id := range [3]uint32{a, b, c} {
			if uint64(id) >= uint64(len(r.maps[col])) {
				return r.foreign(a, b, c)
			}
			x[col] = r.maps[col][id]
		}
		if x[0] == 0 || x[1] == 0 || x[2] == 0 {
			continue
		}
		if r.rest == nil {
			r.begin(&r.rest)
		}
		if err := r.rest.add(x); err != nil {
			return err
		}
	}
	return r.add(kept)
}

// begin makes a run.
func (r *runs) begin(at **run) *run {
	*at = &run{weight: r.l.weight, space: r.space, groups: r.from != r.order, limit: chunkRows}
	r.used = append(r.used, *at)
	return *at
}

// foreign is a row with ids that the dictionary does not have.
func (r *runs) foreign(a, b, c uint32) error {
	return damage.In(r.l.Name(), damage.New(r.from.String()+" tile", "a row of %v %d %d %d, the dictionary has less", r.order, a, b, c))
}

// finish sorts what has to be sorted.
func (r *runs) finish() error {
	if r.from != r.order {
		for _, run := range r.used {
			if err := run.close(true); err != nil {
				return err
			}
		}
	}
	if r.rest != nil {
		return r.rest.sort()
	}
	return nil
}
