package engine

import (
	"context"
	"io"
)

// write is [fold.next] and the output of its pieces in one loop, for scans that
// want every row: it fills up to limit rows of b from row n on and returns how
// many. At the end it is io.EOF.
//
// Over a log a stretch of the base between two changes has a few dozen rows. So the
// base's rows are written in one go, as if nothing had changed, and what the other
// layers say is worked into the columns.
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
		if len(f.in.rows) == 0 || f.base == nil {
			if err := f.nextSide(ctx); err != nil {
				return got, err
			}
		}
		if f.base == nil && len(f.in.rows) == 0 {
			break
		}
		more, err := f.writeNext(ctx, outs, b, n+got, limit-got)
		if err != nil {
			return got, err
		}
		got += more
	}
	if got == 0 && limit > 0 {
		return 0, io.EOF
	}
	return got, nil
}

// writeNext writes rows from row n of b on, at most limit, and returns how many: of
// the base's stretch with what is ahead of its end, or, behind the base, added ones.
func (f *fold) writeNext(ctx context.Context, outs []output, b *Batch, n, limit int) (int, error) {
	if f.base == nil {
		p := f.takeSide(limit, nil)
		return len(p.rows), f.q.emitAll(ctx, outs, &p, b, n)
	}
	s := splice{base: piece{tile: f.run.Tile, from: f.pos, to: min(f.run.Hi, f.pos.row+limit)}}
	if len(f.in.rows) > 0 && f.ahead() > 0 {
		f.plan(&s, limit)
	}
	for i := range outs {
		o := &outs[i]
		if err := f.q.emitSplice(ctx, &s, o, b.Col[o.col][n:n+limit]); err != nil {
			return 0, err
		}
	}
	f.drop(len(s.side.rows))
	f.moveBase(s.base.to)
	return s.len(), nil
}

// splice is a stretch of the base and the rows of other layers that fall into it.
type splice struct {
	base           piece
	side           sideRows // their spots are known
	lead           uint64   // the leading key of the base's next row, if there are inserts
	inserts, hides int
}

// len returns the number of rows that it makes.
func (s *splice) len() int { return s.base.len() + s.inserts - s.hides }

// alike reports whether all its rows have the leading id of the base's next row. Rows
// of the side that come before that one may have another.
func (s *splice) alike() bool {
	t, p := s.base.tile, s.base.from
	if int(t.BEnd[t.AEnd[p.a]-1]) < s.base.to {
		return false
	}
	rows := s.side.rows
	if s.inserts == 0 {
		return true
	}
	return s.lead == rows[0].key[0] && s.lead == rows[len(rows)-1].key[0]
}

// plan puts as many rows of the side into the stretch as it can hold if it is
// written with at most limit rows, those that go included.
func (f *fold) plan(s *splice, limit int) {
	first, k := f.pos.row, 0
	last := first // row behind the last spot
	for at, n := f.pos, f.ahead(); k < n; k++ {
		p := f.spot(k, &at)
		row := p.row()
		if row-first+s.inserts >= limit {
			break
		}
		last = row
		switch p.effect() {
		case spotInsert:
			s.inserts++
		case spotHide:
			s.hides++
			last++
		}
	}
	s.side, s.lead = f.in.take(k), f.q.viewKey(keyAt(f.run.Tile, f.pos))[0]
	if s.base.to = last; k < len(f.in.rows) || f.side == nil { // else the side may go on before the base does
		s.base.to = max(last, min(f.run.Hi, first+limit-s.inserts))
	}
}

// emitSplice writes a column of a splice to dst, which has room for all rows of the
// stretch and those put in. The base's rows are written behind the room for these,
// then moved up to where they belong.
func (q *query) emitSplice(ctx context.Context, s *splice, o *output, dst []ID) error {
	if o.i == 0 && s.alike() {
		id := o.conv.of(s.base.tile.A[s.base.from.a])
		for i := range dst[:s.len()] {
			dst[i] = id
		}
		return nil
	}
	n := s.base.len()
	if err := q.emit(ctx, &s.base, o, dst[s.inserts:s.inserts+n]); err != nil {
		return err
	}
	at, from := 0, s.inserts // in dst: the next row, and the base's next one
	first := s.base.from.row - s.inserts
	for i := range s.side.rows {
		p := s.side.known(i)
		effect := p.effect()
		if effect == spotIdle {
			continue
		}
		to := p.row() - first
		if at != from {
			copy(dst[at:], dst[from:to])
		}
		at, from = at+to-from, to
		if effect == spotHide {
			from++
			continue
		}
		id, err := q.sideID(ctx, &s.side.rows[i], o)
		if err != nil {
			return err
		}
		dst[at] = id
		at++
	}
	if at != from {
		copy(dst[at:], dst[from:s.inserts+n])
	}
	return nil
}

// sideID returns the id of a row of another layer in a column.
func (q *query) sideID(ctx context.Context, r *sideRow, o *output) (ID, error) {
	if o.col != ColP {
		return ID(r.key[o.i]), nil
	}
	return q.v.predicateID(ctx, q.names, uint32(r.key[o.i]))
}

// emitAll writes a piece into b from a row on.
func (q *query) emitAll(ctx context.Context, outs []output, p *piece, b *Batch, row int) error {
	n := p.len()
	for i := range outs {
		o := &outs[i]
		if err := q.emit(ctx, p, o, b.Col[o.col][row:row+n]); err != nil {
			return err
		}
	}
	return nil
}
