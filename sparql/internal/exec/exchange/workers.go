package exchange

import (
	"context"
	"slices"

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
	crew *cores.Crew

	// work is what another goroutine does with its pipeline.
	work func(ctx context.Context, w *worker) error
	ask  func(ctx context.Context, op string, bytes int64) error // see [mem.Budget.Fork]

	workers []*worker
}

// worker is a goroutine that runs the pipeline.
type worker struct {
	ex    *exchange
	run   *run.Run
	input rowset.Op          // its pipeline
	next  func() (int, bool) // takes a part
	own   bool               // it is the query's own goroutine
	part  int
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
	ex := &exchange{run: r, node: n, main: main}
	if !ex.share(true) {
		return nil, nil
	}
	ex.crew = cores.NewCrew(r.Cores, n.Parts)
	return ex, nil
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

// startWorkers starts another goroutine if there are parts to be taken and a core is idle.
func (g *exchange) startWorkers(ctx context.Context) {
	ctx, ok := g.crew.Hire(ctx, 2) // the next one is the own goroutine's
	if !ok {
		return
	}
	w := &worker{ex: g, run: g.run.Fork(ctx, g.ask)}
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
	g.crew.Go(func(next func() (int, bool)) error { return w.main(ctx, next) })
}

// main opens the pipeline and works.
func (w *worker) main(ctx context.Context, next func() (int, bool)) (err error) {
	w.next = next
	defer func() {
		if w.input != nil {
			w.input.Close()
		}
	}()
	if w.input, err = w.run.Open(w.ex.node.Input); err != nil {
		return err
	}
	return w.ex.work(ctx, w)
}

// begin takes a part and makes the pipeline ready for it; false if there is none.
func (w *worker) begin(ctx context.Context) bool {
	part, ok := w.next()
	if ok {
		w.part = part
		rewind(w.input, part, w.ex.node.Parts)
		if w.own {
			w.ex.startWorkers(ctx)
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
	run.Untraced(op).(run.Continuer).Continue(func(ctx context.Context) bool {
		w.input = op // only the leaf begins anew
		defer func() { w.input = whole }()
		return w.begin(ctx)
	})
}

// self returns the query's own goroutine as a worker.
func (g *exchange) self() *worker {
	return &worker{ex: g, run: g.run, input: g.main, next: g.crew.Take, own: true}
}

// end waits for all goroutines and returns the first error of one of them.
func (g *exchange) end(cancel bool) error {
	if cancel {
		g.crew.Stop()
	}
	g.crew.Wait()
	for _, w := range g.workers {
		g.run.Trace.Merge(w.run.Trace)
		w.run.Trace = nil
		w.run.Budget.Leave(w.run.Terms.Made)
		w.run.Terms.Made = 0
	}
	return g.crew.End()
}
