package exchange

import (
	"context"
	"slices"
	"sync"

	"github.com/rete-go/rete/sparql/internal/exec/cores"
	"github.com/rete-go/rete/sparql/internal/exec/rowset"
	"github.com/rete-go/rete/sparql/internal/exec/run"
	"github.com/rete-go/rete/sparql/internal/plan"
)

// exchange is a pipeline that several goroutines run, each with operators of its own,
// for one part of its leaf after the other. The query's own goroutine is among them
// and has the operators that were opened first.
type exchange struct {
	run  *run.Run
	node *plan.Exchange
	main rowset.Op // the pipeline of the query's own goroutine
	ctx  context.Context
	stop context.CancelFunc

	// work is what another goroutine does with its pipeline, and ended, if not nil,
	// what is called then.
	work  func(w *worker) error
	ended func()
	ask   func(op string, bytes int64) error // see [Budget.fork]

	mu      sync.Mutex
	next    int // the part that nobody has taken
	hired   int
	workers []*worker
	failed  error
	wait    sync.WaitGroup
}

// worker is a goroutine that runs the pipeline.
type worker struct {
	reg       *exchange
	run       *run.Run
	input     rowset.Op // its pipeline
	own       bool      // it is the query's own goroutine
	part      int
	dismissed bool
}

// newExchange prepares a pipeline: the stored sides of its joins are built. It returns
// nil if the pipeline is better run by one goroutine.
func newExchange(ctx context.Context, r *run.Run, n *plan.Exchange, main rowset.Op) (*exchange, error) {
	if !r.Parallel() {
		return nil, nil
	}
	p := &run.Pipeline{Node: n}
	for op := main; op != nil; op = run.InputOf(op) {
		p.Ops = append(p.Ops, run.Untraced(op))
	}
	slices.Reverse(p.Ops)
	for _, op := range p.Ops {
		if o, ok := op.(run.Preparer); ok {
			if ready, err := o.Prepare(ctx, p); !ready || err != nil {
				return nil, err
			}
		}
	}
	reg := &exchange{run: r, node: n, main: main}
	if !reg.share(true) {
		return nil, nil
	}
	reg.ctx, reg.stop = cores.WithStop(ctx)
	return reg, nil
}

// share keeps what operators have built, in which other goroutines look rows up, from being
// written to files, or allows that again; false if some was.
func (g *exchange) share(yes bool) bool {
	whole := true
	for op := g.main; op != nil; op = run.InputOf(op) {
		if b, ok := run.Untraced(op).(run.Builder); ok {
			whole = b.Share(yes) && whole
		}
	}
	if !whole && yes {
		g.share(false)
	}
	return whole
}

// rewind lets a pipeline that is at its end, or has not begun, run over a part.
func rewind(op rowset.Op, part, parts int) {
	for ; op != nil; op = run.InputOf(op) {
		if o, ok := run.Untraced(op).(run.Rewinder); ok {
			o.Rewind(part, parts)
		}
	}
}

// take takes the next part; false if there is none, or the exchange ends.
func (g *exchange) take() (int, bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.next == g.node.Parts || g.failed != nil {
		return 0, false
	}
	g.next++
	return g.next - 1, true
}

// startWorkers starts another goroutine if there are parts to be taken and a core is idle.
func (g *exchange) startWorkers() {
	g.mu.Lock()
	idle := g.next+1 < g.node.Parts && g.hired+1 < g.run.Most() && g.failed == nil
	if idle = idle && (g.run.Workers < 0 || cores.Acquire()); idle {
		g.hired++
	}
	g.mu.Unlock()
	if !idle {
		return
	}
	w := &worker{reg: g, run: g.run.Fork(g.ctx, g.ask)}
	if g.run.Built == nil {
		w.run.Built = make(map[*plan.Join]rowset.Op)
	}
	for op := g.main; op != nil; op = run.InputOf(op) {
		if b, ok := run.Untraced(op).(run.Builder); ok && b.Builds() != nil {
			w.run.Built[b.Builds()] = run.Untraced(op)
		}
	}
	if g.run.Trace != nil {
		w.run.Trace = run.NewTrace(g.node.Input)
	}
	g.workers = append(g.workers, w)
	g.wait.Add(1)
	go w.main()
}

// main is the goroutine of a worker.
func (w *worker) main() {
	defer w.reg.wait.Done()
	err := w.guarded()
	g := w.reg
	g.mu.Lock()
	g.hired--
	if err != nil && g.failed == nil {
		g.failed = err
	}
	g.mu.Unlock()
	if err != nil {
		g.stop()
	}
	if !w.dismissed && g.run.Workers >= 0 {
		cores.Leave()
	}
	if g.ended != nil {
		g.ended()
	}
}

// guarded opens the pipeline and works. A panic becomes an error with which the
// goroutine of the query panics.
func (w *worker) guarded() (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = cores.Recovered(p)
		}
		if w.input != nil {
			w.input.Close()
		}
	}()
	if w.input, err = w.run.Open(w.reg.node.Input); err != nil {
		return err
	}
	return w.reg.work(w)
}

// begin takes a part and makes the pipeline ready for it; false if there is none.
func (w *worker) begin() bool {
	if !w.own && w.reg.run.Workers >= 0 && cores.Release() {
		w.dismissed = true
		return false
	}
	part, ok := w.reg.take()
	if ok {
		w.part = part
		rewind(w.input, part, w.reg.node.Parts)
		if w.own {
			w.reg.startWorkers()
		}
	}
	return ok
}

// goOn lets the leaf of the pipeline go on with another part when it is at the end of
// one, so that the operators above see one input.
func (w *worker) goOn() {
	op := w.input
	for next := run.InputOf(op); next != nil; next = run.InputOf(op) {
		op = next
	}
	whole := w.input
	run.Untraced(op).(run.Continuer).Continue(func() bool {
		w.input = op // only the leaf begins anew
		defer func() { w.input = whole }()
		return w.begin()
	})
}

// self returns the query's own goroutine as a worker.
func (g *exchange) self() *worker { return &worker{reg: g, run: g.run, input: g.main, own: true} }

// end waits for all goroutines and returns the first error of one of them.
func (g *exchange) end(cancel bool) error {
	if cancel {
		g.stop()
	}
	g.wait.Wait()
	g.stop()
	for _, w := range g.workers {
		g.run.Trace.Merge(w.run.Trace)
		w.run.Trace = nil
		w.run.Budget.Leave(w.run.Terms.Made)
		w.run.Terms.Made = 0
	}
	err := g.failed
	g.failed = nil
	cores.Repanic(err)
	return err
}
