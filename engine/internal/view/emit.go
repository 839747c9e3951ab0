package view

import (
	"context"

	"github.com/rete-go/rete/dataset"
	"github.com/rete-go/rete/tile"
	"github.com/rete-go/rete/tombstone"
)

// output is a column that pieces are written to.
type output struct {
	i    int // in the query's order
	col  int
	conv converter
}

// outputs returns how the given columns are filled. Bound columns in front are
// not among them: they hold one id.
func (q *query) outputs(ctx context.Context, wanted func(col int) bool) (list []output, err error) {
	for i := q.Lead; i < 3; i++ {
		out := output{i: i, col: q.Cols[i]}
		if !wanted(out.col) {
			continue
		}
		if out.conv, err = q.converter(ctx, out.col); err != nil {
			return nil, err
		}
		list = append(list, out)
	}
	return list, nil
}

// emit writes the column of a piece into dst, which has the piece's length.
func (q *query) emit(ctx context.Context, p *piece, out *output, dst []dataset.ID) error {
	if p.tile == nil {
		return q.emitInserts(ctx, p.rows, out.i, dst)
	}
	w := columnWriter{output: out, tile: p.tile, pos: p.from}
	w.write(dst)
	return nil
}

// converter turns ids of the base's tiles into view ids: an id goes up by first,
// and by gap if it is above shared; or it is looked up in a table.
type converter struct {
	first, gap dataset.ID
	shared     uint32
	table      []dataset.ID // by predicate minus one
}

// converter returns how a column of the base becomes view ids. Subjects are nodes
// as they are; objects that are no subjects lie after the subjects.
func (q *query) converter(ctx context.Context, col int) (converter, error) {
	b := q.v.Base
	switch col {
	case colS:
		return converter{first: b.ID(0), shared: 1<<32 - 1}, nil
	case colO:
		return converter{first: b.ID(0), gap: dataset.ID(b.Sizes.Subjects), shared: b.Sizes.Shared}, nil
	}
	table, err := q.v.BasePredicates(ctx, &q.names.Names)
	return converter{table: table}, err
}

// of converts one id.
func (c *converter) of(id uint32) dataset.ID {
	if c.table != nil {
		return c.table[id-1]
	}
	if id > c.shared {
		return c.first + c.gap + dataset.ID(id)
	}
	return c.first + dataset.ID(id)
}

// list converts ids one by one.
func (c *converter) list(from []uint32, dst []dataset.ID) {
	dst = dst[:len(from)]
	switch {
	case c.table != nil:
		for k, id := range from {
			dst[k] = c.table[id-1]
		}
	case c.gap == 0:
		for k, id := range from {
			dst[k] = c.first + dataset.ID(id)
		}
	default:
		for k, id := range from {
			v := c.first + dataset.ID(id)
			if id > c.shared {
				v += c.gap
			}
			dst[k] = v
		}
	}
}

// runs fills dst, the rows from row on, with ids of which each goes on to an end,
// and returns the place of the last one. k is a place not past the row's.
func (c *converter) runs(list, ends []uint32, k, row int, dst []dataset.ID) int {
	for at := 0; at < len(dst); k++ {
		at = repeat(dst, at, int(ends[k])-row, c.of(list[k]))
	}
	return max(k-1, 0)
}

// groups is runs for the first column.
func (c *converter) groups(t *tile.Tile, a, row int, dst []dataset.ID) int {
	for at := 0; at < len(dst); a++ {
		at = repeat(dst, at, int(t.BEnd[t.AEnd[a]-1])-row, c.of(t.A[a]))
	}
	return max(a-1, 0)
}

// repeat writes an id to dst from at up to an end, or to that of dst, and returns the
// place after it. at is in dst. It may write a few more, which the next call overwrites: most
// runs are short, many are one row, and blocks of a fixed length cost less than a loop to the
// end of each.
func repeat(dst []dataset.ID, at, end int, id dataset.ID) int {
	if at < end {
		dst[at] = id
		at++
	}
	for at < end {
		if at+blockIDs > len(dst) {
			for end = min(end, len(dst)); at < end; at++ {
				dst[at] = id
			}
			return at
		}
		*(*[blockIDs]dataset.ID)(dst[at:]) = [blockIDs]dataset.ID{id, id, id, id}
		at += blockIDs
	}
	return max(end, 0) // below 0 where the run ends before the first row
}

// blockIDs is the length of a block.
const blockIDs = 4

// emitInserts is emit for rows of other layers.
func (q *query) emitInserts(ctx context.Context, rows []tombstone.Row, i int, dst []dataset.ID) error {
	if q.Cols[i] != colP {
		for k := range rows {
			dst[k] = dataset.ID(rows[k].Key[i])
		}
		return nil
	}
	for k := range rows {
		id, err := q.v.PredicateID(ctx, &q.names.Names, uint32(rows[k].Key[i]))
		if err != nil {
			return err
		}
		dst[k] = id
	}
	return nil
}
