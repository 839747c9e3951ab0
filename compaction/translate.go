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
	moved, n := r.l.anyMoved(), 0
	for {
		run, err := rows.Next(ctx)
		if err == io.EOF {
			if err := r.add(n, moved); err != nil {
				return err
			}
			return r.finish()
		}
		if err != nil {
			return err
		}
		for lo := run.Lo; lo < run.Hi; {
			next := min(n+run.Hi-lo, len(r.buf.old[0]))
			var read columns
			for i, from := range r.perm {
				read[from] = r.buf.old[i][n:next]
			}
			run.Tile.Fill(lo, read[0], read[1], read[2])
			lo += next - n
			if n = next; n == len(r.buf.old[0]) {
				if err := r.add(n, moved); err != nil {
					return err
				}
				n = 0
			}
		}
		m.add(run.Len())
	}
}

// over returns 1 if v is larger than limit.
func over(v, limit uint32) int { return int((uint64(limit) - uint64(v)) >> 63) }

// add translates the first n rows of the batch, and puts them into runs: those with a moved term into the
// rest.
func (r *runs) add(n int, moved bool) error {
	for i, ids := range r.buf.old {
		got, err := r.buf.group.lookup(r.maps[i], ids[:n], r.buf.now[i])
		if err != nil {
			return err
		}
		if got < n {
			return r.foreign(r.buf.old[0][got], r.buf.old[1][got], r.buf.old[2][got])
		}
	}
	as, bs, cs := r.buf.old[0][:n], r.buf.old[1][:n], r.buf.old[2][:n]
	xs, ys, zs := r.buf.now[0][:n], r.buf.now[1][:n], r.buf.now[2][:n]
	old, now := r.old, r.now
	for i, a := range as {
		b, c := bs[i], cs[i]
		x := row{xs[i], ys[i], zs[i]}
		if x[0] == 0 || x[1] == 0 || x[2] == 0 {
			continue
		}
		at := &r.rest
		if !moved || !r.hasMoved(a, b, c) {
			at = &r.list[over(a, old[0])<<5|over(b, old[1])<<4|over(c, old[2])<<3|
				over(x[0], now[0])<<2|over(x[1], now[1])<<1|over(x[2], now[2])]
		}
		to := *at
		if to == nil {
			to = r.begin(at)
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

// hasMoved reports whether one of a row's terms is a moved one.
func (r *runs) hasMoved(a, b, c uint32) bool {
	return r.l.hasMoved(r.cols[0], a) || r.l.hasMoved(r.cols[1], b) || r.l.hasMoved(r.cols[2], c)
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
