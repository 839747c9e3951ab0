package sparql

import (
	"context"

	"github.com/rete-go/rete/dataset"
	"github.com/rete-go/rete/internal/watch"
	"github.com/rete-go/rete/sparql/internal/exec/mem"
	"github.com/rete-go/rete/sparql/internal/work"
)

// held is the memory of a text that was read: its own, and that of what was made of it.
type held struct {
	bytes  int64       // beyond what small texts have for free
	budget *mem.Budget // that it was drawn from; nil: each run of the query draws it
}

// textOp names the reading of a text where memory is refused.
const textOp = "the text"

// reading returns a meter for the reading of a text, and what its memory is drawn from.
func reading(ctx context.Context, text string, opts []Option) (*work.Meter, held) {
	var h held
	var grow func(bytes int64) error
	if c := configOf(opts); c.bounded() {
		h.budget = c.budget()
		grow = func(bytes int64) error { return h.budget.Take(ctx, textOp, bytes) }
	}
	m := work.New(ctx, grow)
	m.Hold(len(text))
	return m, h
}

// of returns what is held once a text was read.
func (h held) of(m *work.Meter) held {
	h.bytes = m.Drawn()
	return h
}

// release gives the memory back.
func (h held) release() {
	if h.budget != nil {
		_ = h.budget.Close() // it has no files
	}
}

// draw makes a run of the query count what is held.
func (h held) draw(ctx context.Context, b *mem.Budget) error {
	if h.budget != nil {
		b.Before = h.bytes
		return nil
	}
	if h.bytes == 0 {
		return nil
	}
	return b.Take(ctx, textOp, h.bytes)
}

// watched reports to a watcher what is drawn from a budget, and was drawn before it, and what is
// written to its files.
func watched(ctx context.Context, b *mem.Budget, before int64) *watch.Holder {
	b.Watch = watch.From(ctx)
	return b.Watch.Hold(func() (now, peak int64) {
		now, peak = b.Held()
		return before + now, before + peak
	})
}

// DrawFrom makes a transaction that can (a [dataset.Drawer]) draw what it holds within the
// memory that [MemoryLimit] and [SharedMemory] say, as [Execute] does.
func DrawFrom(tx dataset.Tx, opts ...Option) {
	c := configOf(opts)
	c.draws(tx, c.budget())
}

// draws makes a transaction draw from a budget, which it then closes; false: it does not.
func (c *config) draws(tx dataset.Tx, b *mem.Budget) bool {
	d, ok := tx.(dataset.Drawer)
	return ok && c.bounded() && d.Draw(txMemory{b})
}

// txMemory is the memory of a transaction.
type txMemory struct{ *mem.Budget }

const txOp = "the changes of the transaction"

func (m txMemory) Try(bytes int64) bool { return m.Budget.Try(txOp, bytes) }
func (m txMemory) Take(ctx context.Context, bytes int64) error {
	return m.Budget.Take(ctx, txOp, bytes)
}
