package exec

import (
	"context"
	"runtime/debug"
	"sync"
)

// partWorkers is goroutines that share numbered parts of a work: the query's own one, and
// others where cores are idle.
type partWorkers struct {
	limit limit
	ctx   context.Context
	parts int
	f     func(ctx context.Context, part int) error

	mu     sync.Mutex
	next   int
	hired  int
	failed error
	wait   sync.WaitGroup
}

// eachPart calls f for each of so many parts, at the same time for several of them,
// and returns the first error. f draws no memory from the budget of the query.
func eachPart(ctx context.Context, l limit, parts int, f func(ctx context.Context, part int) error) error {
	inner, stop := context.WithCancel(ctx)
	defer stop()
	c := &partWorkers{limit: l, ctx: partContext{inner, ctx}, parts: parts, f: f}
	for part, ok := c.take(); ok; part, ok = c.take() {
		c.startWorkers(stop)
		if err := f(ctx, part); err != nil {
			c.fail(err)
			stop()
		}
	}
	c.wait.Wait()
	if p, ok := c.failed.(*Panicked); ok {
		panic(p.Error())
	}
	return c.failed
}

// take takes a part; false if there is none, or one has failed.
func (c *partWorkers) take() (int, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.next == c.parts || c.failed != nil {
		return 0, false
	}
	c.next++
	return c.next - 1, true
}

func (c *partWorkers) fail(err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.failed == nil {
		c.failed = err
	}
}

// startWorkers starts another goroutine if there is something for it, and a core.
func (c *partWorkers) startWorkers(stop func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.next == c.parts || c.failed != nil || c.hired+1 >= c.limit.most || !c.limit.forced && !acquireCore() {
		return
	}
	c.hired++
	c.wait.Add(1)
	go func() {
		defer c.wait.Done()
		dismissed, err := c.work()
		if err != nil {
			c.fail(err)
			stop()
		}
		c.mu.Lock()
		c.hired--
		c.mu.Unlock()
		if !dismissed && !c.limit.forced {
			Leave()
		}
	}()
}

// work is what another goroutine does.
func (c *partWorkers) work() (dismissed bool, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = &Panicked{p, debug.Stack()}
		}
	}()
	for {
		if !c.limit.forced && releaseCore() {
			return true, nil
		}
		part, ok := c.take()
		if !ok {
			return false, nil
		}
		if err := c.f(c.ctx, part); err != nil {
			return false, err
		}
	}
}
