package exec

import (
	"context"
	"slices"

	"github.com/rete-go/rete/dataset"
	"github.com/rete-go/rete/sparql/internal/exec/mem"
)

// keptOp delivers rows that are in memory, and then lets go of what is held for them.
type keptOp struct {
	rows *relation
	hold mem.Holding
	at   int
	out  Batch
}

func (o *keptOp) Next(ctx context.Context) (*Batch, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	n := min(o.rows.n-o.at, dataset.MaxBatch)
	if n == 0 {
		o.Close()
		return nil, nil
	}
	o.out.N, o.out.Col = n, o.out.Col[:0]
	for _, c := range o.rows.col {
		o.out.Col = append(o.out.Col, c[o.at:o.at+n])
	}
	o.at += n
	return &o.out, nil
}

func (o *keptOp) Close() {
	if o.hold.Bytes > 0 {
		o.hold.Free()
	}
	o.rows, o.at, o.out = newRelation(nil), 0, Batch{}
}

// spillOp delivers the rows of a file.
type spillOp struct {
	r   *mem.Reader
	out Batch
}

func (o *spillOp) Next(ctx context.Context) (*Batch, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	o.out.Col = slices.Grow(o.out.Col[:0], len(o.r.Row))[:len(o.r.Row)]
	if err := o.out.fill(o.r); err != nil {
		return nil, err
	}
	if o.out.N == 0 {
		return nil, nil
	}
	return &o.out, nil
}

func (o *spillOp) Close() { _ = o.r.Close() }

// givenOp delivers one batch.
type givenOp struct{ b *Batch }

func (o *givenOp) Next(context.Context) (*Batch, error) {
	b := o.b
	o.b = nil
	return b, nil
}

func (o *givenOp) Close() {}

// chainOp delivers the rows of operators, one after the other.
type chainOp struct {
	ops []Op
	at  int
}

func (o *chainOp) Next(ctx context.Context) (*Batch, error) {
	for o.at < len(o.ops) {
		b, err := o.ops[o.at].Next(ctx)
		if b != nil || err != nil {
			return b, err
		}
		o.at++
	}
	return nil, nil
}

func (o *chainOp) Close() {
	for _, op := range o.ops {
		op.Close()
	}
}
