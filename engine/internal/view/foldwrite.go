package view

import (
	"context"
	"io"

	"github.com/rete-go/rete/dataset"
	"github.com/rete-go/rete/engine/internal/folds"
	"github.com/rete-go/rete/engine/internal/layers"
	"github.com/rete-go/rete/internal/cancel"
	"github.com/rete-go/rete/tile"
	"github.com/rete-go/rete/tombstone"
)

// write is [fold.next] and the output of its pieces in one loop, for scans that
// want every row: it fills up to limit rows of b from row n on and returns how
// many. At the end it is io.EOF.
//
// Over a log the rows of the base between two changes are a few dozen, so what is done
// for each change decides: many are written at once, column by column.
func (f *fold) write(ctx context.Context, outs []output, b *dataset.Batch, n, limit int) (int, error) {
	got := 0
	for step := 1; got < limit; step++ {
		if err := cancel.Check(ctx, step); err != nil {
			return got, err
		}
		if err := f.ready(ctx); err == io.EOF {
			break
		} else if err != nil {
			return got, err
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

// writeNext writes rows from row n of b on, at most limit, and returns their number: of
// the stretch at hand, or, past the base, inserts.
func (f *fold) writeNext(ctx context.Context, outs []output, b *dataset.Batch, n, limit int) (int, error) {
	if f.base == nil {
		p := f.takeInserts(limit, nil)
		return len(p.rows), f.q.emitAll(ctx, outs, &p, b, n)
	}
	s := splice{tile: f.run.Tile, from: f.pos, to: f.cut, Stretch: f.st}
	if s.len() > limit {
		s.trim(limit)
	}
	rows := s.len()
	for i := range outs {
		o := &outs[i]
		if err := f.q.emitSplice(ctx, &s, o, b.Col[o.col][n:n+rows]); err != nil {
			return 0, err
		}
	}
	f.st.Hidden, f.st.Inserts = f.st.Hidden[len(s.Hidden):], f.st.Inserts[len(s.Inserts):]
	f.moveBase(s.to)
	return rows, nil
}

// splice is rows of a tile of the base, those of them that are hidden, and the inserts
// between them.
type splice struct {
	tile *tile.Tile
	from layers.Pos
	to   int // row past the last
	folds.Stretch
}

// len returns the number of rows that it makes.
func (s *splice) len() int { return s.to - s.from.Row - len(s.Hidden) + len(s.Inserts) }

// trim cuts the splice to limit rows, which are fewer than it makes.
func (s *splice) trim(limit int) {
	row, hides, inserts := s.from.Row, 0, 0
	for made := 0; ; {
		next, insert := s.to, false
		if hides < len(s.Hidden) {
			next = int(s.Hidden[hides])
		}
		if inserts < len(s.Inserts) && int(s.Inserts[inserts].At) <= next {
			next, insert = int(s.Inserts[inserts].At), true
		}
		if made+next-row >= limit {
			row += limit - made
			break
		}
		made, row = made+next-row, next
		if !insert {
			hides++
			row++
			continue
		}
		inserts++
		made++
	}
	s.to, s.Hidden, s.Inserts = row, s.Hidden[:hides], s.Inserts[:inserts]
}

// emitSplice writes a column of a splice to dst.
func (q *query) emitSplice(ctx context.Context, s *splice, o *output, dst []dataset.ID) error {
	if o.i == 0 && q.alike(s) {
		id := o.conv.of(s.tile.A[s.from.A])
		for i := range dst {
			dst[i] = id
		}
		return nil
	}
	w := columnWriter{output: o, tile: s.tile, pos: s.from}
	hidden, inserts := s.Hidden, s.Inserts
	for len(hidden)+len(inserts) > 0 {
		insert := len(inserts) > 0 && (len(hidden) == 0 || inserts[0].At <= hidden[0])
		row := 0
		if insert {
			row = int(inserts[0].At)
		} else {
			row = int(hidden[0])
		}
		if n := row - w.pos.Row; n > 0 {
			w.write(dst[:n])
			dst = dst[n:]
		}
		if !insert {
			hidden = hidden[1:]
			w.pos.Row++
			continue
		}
		id, err := q.insertID(ctx, &inserts[0], o)
		if err != nil {
			return err
		}
		dst[0] = id
		dst, inserts = dst[1:], inserts[1:]
	}
	w.write(dst[:s.to-w.pos.Row])
	return nil
}

// columnWriter writes rows of a tile in one column, stretch by stretch. Its place may
// lag behind the row in the columns before the last.
type columnWriter struct {
	*output
	tile *tile.Tile
	pos  layers.Pos
}

// write writes the next rows.
func (w *columnWriter) write(dst []dataset.ID) {
	row, to := w.pos.Row, w.pos.Row+len(dst)
	w.pos.Row = to
	switch w.i {
	case 2:
		w.conv.list(w.tile.C[row:to], dst)
	case 1:
		w.pos.B = w.conv.runs(w.tile.B, w.tile.BEnd, w.pos.B, row, dst)
	default:
		w.pos.A = w.conv.groups(w.tile, w.pos.A, row, dst)
	}
}

// alike reports whether all rows of a splice have the leading id of the base's next
// row. Inserts before that one may have another.
func (q *query) alike(s *splice) bool {
	t, a := s.tile, s.from.A
	if int(t.BEnd[t.AEnd[a]-1]) < s.to {
		return false
	}
	rows := s.Inserts
	if len(rows) == 0 {
		return true
	}
	lead := q.ViewPart(0, t.A[a])
	return lead == rows[0].Key[0] && lead == rows[len(rows)-1].Key[0]
}

// insertID returns the id of an inserted row in a column.
func (q *query) insertID(ctx context.Context, r *tombstone.Row, o *output) (dataset.ID, error) {
	if o.col != colP {
		return dataset.ID(r.Key[o.i]), nil
	}
	return q.v.PredicateID(ctx, &q.names.Names, uint32(r.Key[o.i]))
}

// emitAll writes a piece into b from a row on.
func (q *query) emitAll(ctx context.Context, outs []output, p *piece, b *dataset.Batch, row int) error {
	n := p.len()
	for i := range outs {
		o := &outs[i]
		if err := q.emit(ctx, p, o, b.Col[o.col][row:row+n]); err != nil {
			return err
		}
	}
	return nil
}
