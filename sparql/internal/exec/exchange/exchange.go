package exchange

import (
	"context"
	"sync"

	"github.com/rete-go/rete/dataset"
	"github.com/rete-go/rete/sparql/internal/exec/mem"
	"github.com/rete-go/rete/sparql/internal/exec/rowset"
	"github.com/rete-go/rete/sparql/internal/exec/run"
	"github.com/rete-go/rete/sparql/internal/plan"
)

// Rows that wait for those before them: at most this number in all, and this number of batches of the
// part that is being delivered.
const (
	maxWaiting = 128 << 10
	maxAhead   = 64
	// wakeAt is how many of these the query's own goroutine is woken for, before the
	// end of the part.
	wakeAt = 16
)

// exchangeOp delivers the rows of a pipeline, part after part. The query's own
// goroutine runs the part that is to be delivered; what others have made of later
// parts meanwhile waits. If the next part is another goroutine's and has nothing yet,
// the own one begins a later part as well.
type exchangeOp struct {
	run   *run.Run
	node  *plan.Exchange
	inner rowset.Op
	hold  mem.Holding
	begun bool
	ex    *exchange // nil: the pipeline runs on one goroutine
	self  *worker
	mine  int // the part of the own pipeline; -1: none
	seen  *rowset.Repeats

	mu      sync.Mutex // of the rest
	room    sync.Cond  // rows were taken away, or the end
	wake    chan struct{}
	asleep  bool // the query's own goroutine waits
	parts   []partRows
	at      int // the part that is delivered
	waiting int // rows
	closed  bool
	spare   []*rowset.Batch
	last    *rowset.Batch // handed on
	asks    []ask
}

// partRows are the rows of a part that wait.
type partRows struct {
	batches []*rowset.Batch
	done    bool
}

// ask is another goroutine's wish for memory.
type ask struct {
	op    string
	bytes int64
	reply chan error
}

// New makes the operator of a pipeline that several goroutines may run.
func New(r *run.Run, n *plan.Exchange) (rowset.Op, error) {
	inner, err := r.Open(n.Input)
	if err != nil {
		return nil, err
	}
	return &exchangeOp{run: r, node: n, inner: inner, hold: r.Holding("gather"), mine: -1, wake: make(chan struct{}, 1)}, nil
}

// begin decides whether there will be other goroutines.
func (o *exchangeOp) begin(ctx context.Context) error {
	o.begun = true
	ex, err := newExchange(ctx, o.run, o.node, o.inner)
	if err != nil || ex == nil {
		return err
	}
	bytes := int64(len(o.node.Vars)) * 8 * maxWaiting
	if most := o.run.Budget.Bound(); most > 0 && bytes > most/16 || !o.hold.Try(bytes) {
		ex.share(false)
		return nil
	}
	o.ex, o.self = ex, ex.self()
	o.room.L = &o.mu
	o.parts = make([]partRows, o.node.Parts)
	ex.work, ex.ask, ex.crew.Ended = o.work, o.ask, o.call
	if o.node.Distinct {
		o.seen = rowset.NewRepeats(len(o.node.Vars))
	}
	return nil
}

func (o *exchangeOp) Next(ctx context.Context) (*rowset.Batch, error) {
	if !o.begun {
		if err := o.begin(ctx); err != nil {
			return nil, err
		}
	}
	if o.ex == nil {
		return o.inner.Next(ctx)
	}
	for {
		b, state := o.ready()
		switch state {
		case exchangeBatch:
			return b, ctx.Err()
		case exchangeEnd:
			return nil, o.ex.end(false)
		case exchangeFailed:
			return nil, o.ex.end(true)
		}
		if err := o.serve(ctx); err != nil {
			return nil, err
		}
		if state == exchangeWork {
			b, err := o.step(ctx)
			if err != nil || b != nil {
				return b, err
			}
			continue
		}
		if err := o.sleep(ctx); err != nil {
			return nil, err
		}
	}
}

// sleep waits until another goroutine calls.
func (o *exchangeOp) sleep(ctx context.Context) error {
	select {
	case <-o.wake:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

type exchangeState uint8

const (
	exchangeWait   exchangeState = iota // for another goroutine
	exchangeWork                        // with the own pipeline
	exchangeBatch                       // there is one
	exchangeEnd                         // all was delivered
	exchangeFailed                      // on another goroutine
)

// ready returns a batch that is to be delivered, or says what to do.
func (o *exchangeOp) ready() (*rowset.Batch, exchangeState) {
	left, failed := o.ex.crew.State()
	if failed {
		return nil, exchangeFailed
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.last != nil {
		o.spare, o.last = append(o.spare, o.last), nil
	}
	for o.at < len(o.parts) {
		p := &o.parts[o.at]
		if len(p.batches) > 0 {
			b := p.batches[0]
			p.batches = p.batches[1:]
			o.waiting -= b.N
			o.last = b
			o.room.Broadcast()
			return b, exchangeBatch
		}
		if !p.done {
			if o.mine == o.at || (o.mine >= 0 || left > 0) && o.waiting < maxWaiting {
				return nil, exchangeWork
			}
			o.asleep = true
			return nil, exchangeWait
		}
		o.at++
		o.room.Broadcast()
	}
	return nil, exchangeEnd
}

// step runs the own pipeline for a batch, which is returned if it can be delivered
// at once.
func (o *exchangeOp) step(ctx context.Context) (*rowset.Batch, error) {
	if o.mine < 0 {
		if !o.self.begin(ctx) {
			return nil, nil
		}
		o.mine = o.self.part
	}
	b, err := o.inner.Next(ctx)
	if err != nil {
		return nil, err
	}
	if b != nil && o.seen != nil {
		if err := o.seen.Drop(ctx, b); err != nil || b.N == 0 {
			return nil, err
		}
	}
	if b != nil && o.mine == o.at {
		return b, nil
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	if b != nil {
		o.add(o.mine, b)
		return nil, nil
	}
	o.parts[o.mine].done = true
	o.mine = -1
	return nil, nil
}

// add copies a batch to the rows that wait.
func (o *exchangeOp) add(part int, b *rowset.Batch) {
	var c *rowset.Batch
	if n := len(o.spare); n > 0 {
		c, o.spare = o.spare[n-1], o.spare[:n-1]
	} else {
		c = &rowset.Batch{Col: make([][]dataset.ID, len(b.Col))}
	}
	c.N = b.N
	for i, col := range b.Col {
		c.Col[i] = append(c.Col[i][:0], col[:b.N]...)
	}
	o.parts[part].batches = append(o.parts[part].batches, c)
	o.waiting += b.N
}

// work is what another goroutine does: part after part.
func (o *exchangeOp) work(ctx context.Context, w *worker) error {
	var seen *rowset.Repeats
	if o.node.Distinct {
		seen = rowset.NewRepeats(len(o.node.Vars))
	}
	for w.begin(ctx) {
		for {
			b, err := w.input.Next(ctx)
			if err != nil {
				return err
			}
			if b == nil {
				break
			}
			if seen != nil {
				if err := seen.Drop(ctx, b); err != nil {
					return err
				}
				if b.N == 0 {
					continue
				}
			}
			if err := o.put(w, b); err != nil {
				return err
			}
		}
		o.mu.Lock()
		o.parts[w.part].done = true
		o.callFor(w.part)
		o.mu.Unlock()
	}
	return nil
}

// put adds a batch of another goroutine, when there is room.
func (o *exchangeOp) put(w *worker, b *rowset.Batch) error {
	o.mu.Lock()
	for !o.closed {
		if o.at == w.part && len(o.parts[w.part].batches) < maxAhead || o.at != w.part && o.waiting < maxWaiting {
			break
		}
		o.room.Wait()
	}
	if o.closed {
		o.mu.Unlock()
		return context.Canceled
	}
	o.add(w.part, b)
	o.callFor(w.part)
	o.mu.Unlock()
	return nil
}

// callFor wakes the query's own goroutine if it waits for a part.
func (o *exchangeOp) callFor(part int) {
	if p := &o.parts[part]; o.asleep && part == o.at && (p.done || len(p.batches) >= wakeAt) {
		o.asleep = false
		o.call()
	}
}

// call wakes the query's own goroutine.
func (o *exchangeOp) call() {
	select {
	case o.wake <- struct{}{}:
	default:
	}
}

// ask asks the query's own goroutine for memory, which it takes when it comes by.
func (o *exchangeOp) ask(ctx context.Context, op string, bytes int64) error {
	a := ask{op, bytes, make(chan error, 1)}
	o.mu.Lock()
	o.asks = append(o.asks, a)
	o.mu.Unlock()
	o.call()
	select {
	case err := <-a.reply:
		return err
	case <-ctx.Done():
		return context.Canceled
	}
}

// serve answers the goroutines that ask for memory: here operators above can spill.
func (o *exchangeOp) serve(ctx context.Context) error {
	o.mu.Lock()
	asks := o.asks
	o.asks = nil
	o.mu.Unlock()
	for i, a := range asks {
		err := o.run.Budget.Take(ctx, a.op, a.bytes)
		a.reply <- err
		if err != nil {
			for _, b := range asks[i+1:] {
				b.reply <- err
			}
			return err
		}
	}
	return nil
}

func (o *exchangeOp) Close() {
	if o.ex != nil {
		o.mu.Lock()
		o.closed = true
		o.mu.Unlock()
		o.room.Broadcast()
		_ = o.ex.end(true) // nobody asks for rows any more
		o.ex.Free()
		o.ex = nil
	}
	o.begun = true
	o.inner.Close()
	o.hold.Free()
}
