package order

import (
	"context"

	"github.com/rete-go/rete/sparql/internal/exec/mem"
	"github.com/rete-go/rete/sparql/internal/exec/rowset"
	"github.com/rete-go/rete/sparql/internal/plan"
)

// rowPile keeps rows in the order in which they come. Refused memory, it writes them to a
// file.
type rowPile struct {
	hold mem.Holding
	rows *rowset.Relation
	n    int64     // rows in all
	file *mem.File // the first ones; nil: none were written
	read *mem.Reader
	busy bool // rows are being added, or read
}

func newRowPile(h mem.Holding, vars []plan.Var) *rowPile {
	p := &rowPile{hold: h, rows: rowset.NewRelation(vars)}
	h.Budget.Register(p)
	return p
}

// add adds the rows of a batch.
func (p *rowPile) add(ctx context.Context, b *rowset.Batch) error {
	more := func() int64 { return p.rows.Bytes() + p.rows.Growth(b.N) }
	err := p.hold.To(ctx, more())
	if err == nil && p.rows.N == 0 { // they may have gone to a file for that
		err = p.hold.To(ctx, more())
	}
	alone := mem.Refused(err) && p.rows.N == 0 && p.hold.Budget.MaySpill(1)
	if err != nil && !alone {
		return err
	}
	p.busy = true
	err = p.rows.AddChecking(ctx, b)
	p.busy = false
	if err != nil {
		return err
	}
	p.n += int64(b.N)
	if alone {
		return p.Spill(ctx)
	}
	return p.hold.To(ctx, p.rows.Bytes())
}

// Spillable implements [mem.Spiller].
func (p *rowPile) Spillable() int64 {
	if p.busy || p.rows.N == 0 {
		return 0
	}
	return max(p.hold.Bytes, 1)
}

// Spill writes the rows in memory after those that were written earlier.
func (p *rowPile) Spill(ctx context.Context) (err error) {
	if p.file == nil {
		if p.file, err = p.hold.NewFile(mem.Block); err != nil {
			return err
		}
	}
	err = p.rows.Each(ctx, func(b *rowset.Batch) error {
		for row := range b.N {
			if err := p.file.Add(nil, b.Col, row); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	p.clear()
	return nil
}

// each calls f for all rows in their order, batch by batch, and has none then. If some
// are in a file, all go there first.
func (p *rowPile) each(ctx context.Context, f func(b *rowset.Batch) error) error {
	if p.file != nil {
		return p.eachWritten(ctx, f)
	}
	p.busy = true
	if err := p.rows.Each(ctx, f); err != nil {
		return err
	}
	p.close()
	return nil
}

func (p *rowPile) eachWritten(ctx context.Context, f func(b *rowset.Batch) error) error {
	err := p.Spill(ctx)
	if err == nil {
		p.read, err = p.file.Finish(len(p.rows.Col))
	}
	if err != nil {
		return err
	}
	b := &rowset.Batch{Col: make([][]id, len(p.rows.Col))}
	for {
		if err := b.Fill(p.read); err != nil {
			return err
		}
		if b.N == 0 {
			p.close()
			return nil
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := f(b); err != nil {
			return err
		}
	}
}

// clear drops the rows in memory.
func (p *rowPile) clear() {
	p.rows = rowset.NewRelation(p.rows.Vars)
	p.hold.Free()
}

func (p *rowPile) close() {
	p.hold.Budget.Unregister(p)
	if p.file != nil {
		_ = p.file.Close() // gone either way
	}
	p.clear()
}
