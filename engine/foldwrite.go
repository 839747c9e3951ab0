package engine

import (
	"context"
	"io"

	"github.com/rete-go/rete/internal/look"
	"github.com/rete-go/rete/tile"
)

// write is [fold.next] and the output of its pieces in one loop, for scans that
// want every row: it fills up to limit rows of b from row n on and returns how
// many. At the end it is io.EOF.
//
// Over a log a stretch of the base between two changes has a few dozen rows, so that
// what is done for each of them decides: many are written at once, column by column.
func (f *fold) write(ctx context.Context, outs []output, b *Batch, n, limit int) (int, error) {
	if !f.opened {
		if err := f.open(ctx); err != nil {
			return 0, err
		}
	}
	got := 0
	for step := 1; got < limit; step++ {
		if err := look.At(ctx, step); err != nil {
			return got, err
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
	inserts, hides int
}

// len returns the number of rows that it makes.
func (s *splice) len() int { return s.base.len() + s.inserts - s.hides }

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
	s.side = f.in.take(k)
	if s.base.to = last; k < len(f.in.rows) || f.side == nil { // else the side may go on before the base does
		s.base.to = max(last, min(f.run.Hi, first+limit-s.inserts))
	}
}

// emitSplice writes a column of a splice to dst.
func (q *query) emitSplice(ctx context.Context, s *splice, o *output, dst []ID) error {
	if o.i == 0 && q.alike(s) {
		id := o.conv.of(s.base.tile.A[s.base.from.a])
		for i := range dst[:s.len()] {
			dst[i] = id
		}
		return nil
	}
	w := columnWriter{output: o, tile: s.base.tile, pos: s.base.from}
	for i := range s.side.rows {
		p := s.side.known(i)
		effect := p.effect()
		if effect == spotIdle {
			continue
		}
		if n := p.row() - w.pos.row; n > 0 {
			w.write(dst[:n])
			dst = dst[n:]
		}
		if effect == spotHide {
			w.pos.row++
			continue
		}
		id, err := q.sideID(ctx, &s.side.rows[i], o)
		if err != nil {
			return err
		}
		dst[0] = id
		dst = dst[1:]
	}
	w.write(dst[:s.base.to-w.pos.row])
	return nil
}

// columnWriter writes rows of a tile in one column, stretch by stretch. Its place may
// lag behind the row in the columns before the last.
type columnWriter struct {
	*output
	tile *tile.Tile
	pos  tilePos
}

// write writes the next rows.
func (w *columnWriter) write(dst []ID) {
	row, to := w.pos.row, w.pos.row+len(dst)
	w.pos.row = to
	switch w.i {
	case 2:
		w.conv.list(w.tile.C[row:to], dst)
	case 1:
		w.pos.b = w.conv.runs(w.tile.B, w.tile.BEnd, w.pos.b, row, dst)
	default:
		w.pos.a = w.conv.groups(w.tile, w.pos.a, row, dst)
	}
}

// alike reports whether all rows of a splice have the leading id of the base's next
// row. Rows of the side that come before that one may have another.
func (q *query) alike(s *splice) bool {
	t, a := s.base.tile, s.base.from.a
	if int(t.BEnd[t.AEnd[a]-1]) < s.base.to {
		return false
	}
	if s.inserts == 0 {
		return true
	}
	rows := s.side.rows
	lead := q.viewPart(0, t.A[a])
	return lead == rows[0].key[0] && lead == rows[len(rows)-1].key[0]
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
