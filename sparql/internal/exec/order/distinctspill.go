package order

import (
	"bytes"
	"context"
	"encoding/binary"

	"github.com/rete-go/rete/sparql/internal/exec/mem"
	"github.com/rete-go/rete/sparql/internal/exec/rowset"
	"github.com/rete-go/rete/sparql/internal/exec/run"
)

// DistinctSpill finds distinct rows by sorting: first by the row itself, where
// the earliest of equal rows is the first of them, then those by their place in
// the input, so that the order of rows stays as it was.
type DistinctSpill struct {
	byRow, byPlace *sorter
	place          id // of the next row; rows that were handed on have the place 0
	sorted         bool
	batch          rowset.Batch
	out            rowset.Batch
}

// NewDistinctSpill makes one of rows of the given number of columns, for an operator.
func NewDistinctSpill(r *run.Run, of mem.Holding, columns int) *DistinctSpill {
	d := &DistinctSpill{
		byRow: newSorter(r, of.Op, columns+1, -1), byPlace: newSorter(r, of.Op, columns, -1),
		batch: rowset.Batch{Col: make([][]id, columns+1)}, out: rowset.Batch{Col: make([][]id, columns)}, place: 1,
	}
	d.byRow.width, d.byPlace.width = 8*columns, 8
	d.byRow.hold.Counted, d.byPlace.hold.Counted = of.Counted, of.Counted
	return d
}

// Start takes the rows that were handed on, as runs of at most `most` rows.
func (d *DistinctSpill) Start(ctx context.Context, rows *rowset.Relation) error {
	const most = 64 << 10
	for from := 0; from < rows.N; from += most {
		n := min(most, rows.N-from)
		b := rowset.Batch{N: n}
		for _, c := range rows.Col {
			b.Col = append(b.Col, c[from:from+n])
		}
		d.byRow.enter(n, d.text(n))
		d.keys(&b, 0)
		d.byRow.rows.Add(&d.batch)
		if err := d.byRow.Spill(ctx); err != nil {
			return err
		}
	}
	return nil
}

// keys adds the keys of a batch's rows: the ids, so that equal rows have equal
// keys. The batch with the place as its last column is in d.batch then.
func (d *DistinctSpill) keys(b *rowset.Batch, place id) {
	s, last := d.byRow, len(b.Col)
	for c := range b.Col {
		d.batch.Col[c] = b.Col[c][:b.N]
	}
	d.batch.Col[last] = d.batch.Col[last][:0]
	for row := range b.N {
		for _, c := range b.Col {
			s.text = binary.BigEndian.AppendUint64(s.text, uint64(c[row]))
		}
		s.endKey()
		d.batch.Col[last] = append(d.batch.Col[last], place)
		if place > 0 {
			place++
		}
	}
	d.batch.N, s.busy = b.N, false
}

// text returns the bytes of the keys of the given number of rows.
func (d *DistinctSpill) text(rows int) int { return rows * 8 * (len(d.batch.Col) - 1) }

// Known adds rows that were handed on.
func (d *DistinctSpill) Known(ctx context.Context, b *rowset.Batch) error {
	if err := d.byRow.begin(ctx, b.N, d.text(b.N)); err != nil {
		return err
	}
	d.keys(b, 0)
	return d.byRow.add(ctx, &d.batch)
}

// Add adds rows of the input.
func (d *DistinctSpill) Add(ctx context.Context, b *rowset.Batch) error {
	if err := d.byRow.begin(ctx, b.N, d.text(b.N)); err != nil {
		return err
	}
	d.keys(b, d.place)
	d.place += id(b.N)
	return d.byRow.add(ctx, &d.batch)
}

// Next returns the next distinct rows, after all of the input was read.
func (d *DistinctSpill) Next(ctx context.Context, input rowset.Op) (*rowset.Batch, error) {
	if !d.sorted {
		for {
			b, err := input.Next(ctx)
			if err != nil {
				return nil, err
			}
			if b == nil {
				break
			}
			if err := d.Add(ctx, b); err != nil {
				return nil, err
			}
		}
		err := d.Each(ctx, func(b *rowset.Batch) error { return d.pass(ctx, b) })
		if err == nil {
			err = d.byPlace.finish(ctx)
		}
		if err != nil {
			return nil, err
		}
		d.sorted = true
	}
	if err := d.byPlace.next(&d.out, nil); err != nil || d.out.N == 0 {
		return nil, err
	}
	return &d.out, nil
}

// Each calls use with the first of equal rows, unless it was handed on before, in no order. The
// last column is that of the places.
func (d *DistinctSpill) Each(ctx context.Context, use func(b *rowset.Batch) error) error {
	if err := d.byRow.finish(ctx); err != nil {
		return err
	}
	in := rowset.Batch{Col: make([][]id, len(d.batch.Col))}
	places := len(in.Col) - 1
	var last []byte
	var fresh []bool
	begun := false
	for {
		fresh = fresh[:0]
		if err := d.byRow.next(&in, func(key []byte) {
			fresh = append(fresh, !begun || !bytes.Equal(key, last))
			last, begun = append(last[:0], key...), true
		}); err != nil {
			return err
		}
		if in.N == 0 {
			d.byRow.close()
			return nil
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		kept := 0
		for row := range in.N {
			if fresh[row] && in.Col[places][row] > 0 {
				in.Move(kept, row)
				kept++
			}
		}
		if in.N = kept; kept > 0 {
			if err := use(&in); err != nil {
				return err
			}
		}
	}
}

// pass adds rows to those that are sorted by place.
func (d *DistinctSpill) pass(ctx context.Context, b *rowset.Batch) error {
	s, last := d.byPlace, len(b.Col)-1
	if err := s.begin(ctx, b.N, 8*b.N); err != nil {
		return err
	}
	for _, place := range b.Col[last][:b.N] {
		s.text = binary.BigEndian.AppendUint64(s.text, uint64(place))
		s.endKey()
	}
	return s.add(ctx, &rowset.Batch{N: b.N, Col: b.Col[:last]})
}

// Close lets go of all rows.
func (d *DistinctSpill) Close() {
	d.byRow.close()
	d.byPlace.close()
}
