package exchange

import (
	"context"

	"github.com/rete-go/rete/sparql/internal/exec/rowset"
	"github.com/rete-go/rete/sparql/internal/exec/run"
	"github.com/rete-go/rete/sparql/internal/plan"
)

// partsOp delivers the rows of the parts that a goroutine takes, as of one scan.
type partsOp struct {
	w     *worker
	begun bool
	rows  int64
}

// Number implements [run.Part].
func (o *partsOp) Number() int { return o.w.part }

// Rows implements [run.Part].
func (o *partsOp) Rows() int64 { return o.rows }

func (o *partsOp) Next(ctx context.Context) (*rowset.Batch, error) {
	if !o.begun {
		o.begun = true
		if !o.w.begin(ctx) {
			return nil, nil
		}
		o.w.goOn()
	}
	b, err := o.w.input.Next(ctx)
	if b != nil {
		o.rows += int64(b.N)
	}
	return b, err
}

func (o *partsOp) Close() {}

// Begin implements [run.Split].
func (o *exchangeOp) Begin(ctx context.Context) (run.Parts, error) {
	if o.begun {
		return nil, nil
	}
	ex, err := newExchange(ctx, o.run, o.node, o.inner)
	if o.begun = ex == nil; o.begun {
		return nil, err
	}
	return ex, err
}

// Restart implements [run.Split].
func (o *exchangeOp) Restart() error {
	o.begun = true
	o.inner.Close()
	inner, err := o.run.Open(o.node.Input)
	if err == nil {
		o.inner = inner
	}
	return err
}

// Each implements [run.Parts].
func (g *exchange) Each(ctx context.Context, own *run.Run, f func(ctx context.Context, r *run.Run, rows run.Part) error) error {
	g.work = func(ctx context.Context, w *worker) error { return f(ctx, w.run, &partsOp{w: w}) }
	err := f(ctx, own, &partsOp{w: g.self()})
	if failed := g.end(err != nil); err == nil {
		err = failed
	}
	return err
}

// Leaf implements [run.Parts].
func (g *exchange) Leaf() *plan.Scan { return g.node.Leaf }

// Free implements [run.Parts].
func (g *exchange) Free() {
	for _, w := range g.workers {
		_ = w.run.Budget.Close() // a fork has no files
	}
	g.workers = nil
}
