package engine

import (
	"context"
	"io"
)

// write is [fold.next] and the output of its pieces in one loop, for scans that
// want every row: it fills up to limit rows of b from row n on and returns how
// many. Over a log a stretch has a few dozen rows, so that what is done for each
// stretch decides. At the end it is io.EOF.
func (f *fold) write(ctx context.Context, outs []output, b *Batch, n, limit int) (int, error) {
	if !f.opened {
		if err := f.open(ctx); err != nil {
			return 0, err
		}
	}
	got := 0
	for step := 1; got < limit; step++ {
		if step%lookEvery == 0 && ctx.Err() != nil {
			return got, ctx.Err()
		}
		if f.pos.row >= f.run.Hi {
			if err := f.nextRun(ctx); err != nil {
				return got, err
			}
		}
		if len(f.rows) == 0 || !f.rows[0].adds() {
			if err := f.nextSide(ctx); err != nil {
				return got, err
			}
		}
		if f.base == nil {
			if len(f.rows) == 0 {
				break
			}
			p := f.takeSide(limit-got, nil, nil)
			if err := f.emitAll(ctx, outs, &p, b, n+got); err != nil {
				return got, err
			}
			got += len(p.rows)
			continue
		}
		at := tilePos{row: f.run.Hi}
		if len(f.rows) > 0 {
			if !f.located {
				f.rowLocal, f.exact = f.q.baseKey(f.rows[0].key)
				f.located = true
			}
			at = seekTile(f.run.Tile, f.pos, f.run.Hi, f.rowLocal)
		}
		if m := min(at.row-f.pos.row, limit-got); m > 0 {
			p := piece{tile: f.run.Tile, from: f.pos, to: f.pos.row + m}
			if err := f.emitAll(ctx, outs, &p, b, n+got); err != nil {
				return got, err
			}
			got += m
			switch {
			case p.to < at.row:
				f.moveBase(p.to)
				continue
			case at.row >= f.run.Hi:
				f.pos.row = at.row
				continue
			}
			f.pos = at
		}
		// The side's row lies before the base's next one, or is that row.
		same := f.exact && keyAt(f.run.Tile, f.pos) == f.rowLocal
		switch adds := f.rows[0].adds(); {
		case same && !adds:
			f.moveBase(f.pos.row + 1)
		case !same && adds && got == limit:
			continue
		case !same && adds:
			if err := f.q.emitRow(ctx, outs, &f.rows[0], b, n+got); err != nil {
				return got, err
			}
			got++
		}
		f.rows, f.located = f.rows[1:], false
	}
	if got == 0 && limit > 0 {
		return 0, io.EOF
	}
	return got, nil
}

// emitAll writes a piece into b from a row on.
func (f *fold) emitAll(ctx context.Context, outs []output, p *piece, b *Batch, row int) error {
	n := p.len()
	for i := range outs {
		o := &outs[i]
		if err := f.q.emit(ctx, p, o, b.Col[o.col][row:row+n]); err != nil {
			return err
		}
	}
	return nil
}

// emitRow writes one row of another layer.
func (q *query) emitRow(ctx context.Context, outs []output, r *sideRow, b *Batch, row int) error {
	for i := range outs {
		o := &outs[i]
		if o.col != ColP {
			b.Col[o.col][row] = ID(r.key[o.i])
			continue
		}
		id, err := q.v.predicateID(ctx, q.names, uint32(r.key[o.i]))
		if err != nil {
			return err
		}
		b.Col[ColP][row] = id
	}
	return nil
}
