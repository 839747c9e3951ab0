package engine

import "context"

// emit writes column i of the query's order, from a piece, into dst, which has
// the piece's length. Column kinds: subjects are nodes as they are, objects lie
// behind the subjects that are no objects, predicates go by the view's table.
func (q *query) emit(ctx context.Context, p *piece, i int, dst []ID) error {
	col := q.cols[i]
	if id := q.bound[col]; id != 0 && i < q.lead {
		for k := range dst {
			dst[k] = id
		}
		return nil
	}
	if p.tile == nil {
		return q.emitSide(ctx, p.rows, i, dst)
	}
	switch i {
	case 2:
		return q.emitIDs(ctx, p.tile.C[p.from.row:p.to], col, dst)
	case 1:
		return q.emitRuns(ctx, p, col, dst, func(k int) (uint32, int) {
			b := p.from.b + k
			return p.tile.B[b], int(p.tile.BEnd[b])
		})
	default:
		return q.emitRuns(ctx, p, col, dst, func(k int) (uint32, int) {
			a := p.from.a + k
			return p.tile.A[a], int(p.tile.BEnd[p.tile.AEnd[a]-1])
		})
	}
}

// emitIDs turns ids of the base into view ids.
func (q *query) emitIDs(ctx context.Context, from []uint32, col int, dst []ID) error {
	b := q.v.base
	switch col {
	case ColS:
		first := b.id(0)
		for k, id := range from {
			dst[k] = first + ID(id)
		}
	case ColO:
		first, shared, gap := b.id(0), b.counts.Shared, ID(b.counts.Subjects)
		for k, id := range from {
			v := first + ID(id)
			if id > shared {
				v += gap
			}
			dst[k] = v
		}
	default:
		ranks := q.names.preds.ranks[b.index]
		for k, id := range from {
			v, err := q.v.predicateID(ctx, q.names, ranks[id-1])
			if err != nil {
				return err
			}
			dst[k] = v
		}
	}
	return nil
}

// emitRuns fills a column of repeats: run k has an id, and ends before a row.
func (q *query) emitRuns(ctx context.Context, p *piece, col int, dst []ID, run func(k int) (id uint32, end int)) error {
	var one [1]ID
	from := [1]uint32{}
	for k, row := 0, p.from.row; row < p.to; k++ {
		id, end := run(k)
		from[0] = id
		if err := q.emitIDs(ctx, from[:], col, one[:]); err != nil {
			return err
		}
		part := dst[row-p.from.row : min(end, p.to)-p.from.row]
		for j := range part {
			part[j] = one[0]
		}
		row = end
	}
	return nil
}

// emitSide is emit for rows of other layers.
func (q *query) emitSide(ctx context.Context, rows []sideRow, i int, dst []ID) error {
	if q.cols[i] != ColP {
		for k := range rows {
			dst[k] = ID(rows[k].key[i])
		}
		return nil
	}
	for k := range rows {
		id, err := q.v.predicateID(ctx, q.names, uint32(rows[k].key[i]))
		if err != nil {
			return err
		}
		dst[k] = id
	}
	return nil
}
