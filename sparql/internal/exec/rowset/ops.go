package rowset

import (
	"context"
	"slices"

	"github.com/rete-go/rete/dataset"
	"github.com/rete-go/rete/sparql/internal/exec/mem"
)

// Kept delivers rows that are in memory, and then lets go of what is held for them.
type Kept struct {
	Rows *Relation
	Hold mem.Holding
	at   int
	out  Batch
}

// Next implements [Op].
func (o *Kept) Next(ctx context.Context) (*Batch, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	n := min(o.Rows.N-o.at, dataset.MaxBatch)
	if n == 0 {
		o.Close()
		return nil, nil
	}
	o.out.N, o.out.Col = n, o.out.Col[:0]
	for _, c := range o.Rows.Col {
		o.out.Col = append(o.out.Col, c[o.at:o.at+n])
	}
	o.at += n
	return &o.out, nil
}

// Close implements [Op].
func (o *Kept) Close() {
	if o.Hold.Bytes > 0 {
		o.Hold.Free()
	}
	o.Rows, o.at, o.out = NewRelation(nil), 0, Batch{}
}

// FromFile delivers the rows of a file.
type FromFile struct {
	R   *mem.Reader
	out Batch
}

// Next implements [Op].
func (o *FromFile) Next(ctx context.Context) (*Batch, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	o.out.Col = slices.Grow(o.out.Col[:0], len(o.R.Row))[:len(o.R.Row)]
	if err := o.out.Fill(o.R); err != nil {
		return nil, err
	}
	if o.out.N == 0 {
		return nil, nil
	}
	return &o.out, nil
}

// Close implements [Op].
func (o *FromFile) Close() { _ = o.R.Close() }

// Given delivers one batch.
type Given struct{ Batch *Batch }

// Next implements [Op].
func (o *Given) Next(context.Context) (*Batch, error) {
	b := o.Batch
	o.Batch = nil
	return b, nil
}

// Close implements [Op].
func (o *Given) Close() {}

// Chain delivers the rows of operators, one after the other.
type Chain struct {
	Ops []Op
	at  int
}

// Next implements [Op].
func (o *Chain) Next(ctx context.Context) (*Batch, error) {
	for o.at < len(o.Ops) {
		b, err := o.Ops[o.at].Next(ctx)
		if b != nil || err != nil {
			return b, err
		}
		o.at++
	}
	return nil, nil
}

// Close implements [Op].
func (o *Chain) Close() {
	for _, op := range o.Ops {
		op.Close()
	}
}
